#include "bench/solver_bench.h"

#include "base/clock.h"
#include "bench/bench_plan.h"
#include "bench/contact_bench.h"
#include "bench/implicit_bench.h"
#include "bench/lab_bench.h"
#include "bench/machine.h"
#include "bench/model_bench.h"
#include "bench/naive.h"
#include "bench/self_contact_bench.h"
#include "bench/step_bench.h"
#include "cloth/collide.h"
#include "cloth/forces.h"
#include "cloth/mesh_triangles.h"
#include "cloth/spring_kernels.h"
#include "simulation/cloth_system.h"
#include "simulation/simulation.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALPHA 1e-6    // s, for the damped lines
#define STEP 1e-7     // s: so short that the state hardly changes
#define GROUND -100.0 // m
// Per particle: floating-point operations of the stencil, as step_bench.c counts them, and bytes
// that a step has to move: x and v read and written, masses read.
enum { FORCE_FLOPS = 207, STEP_BYTES = 112, PCG_ITERATIONS = 20 };

// ---- one cloth and everything measured on it

typedef struct Stage {
    Cloth cloth;
    NaiveCloth naive;
    ClothSystem hooks;
    System system;
    Arena scratch;
    LinearOperator A; // of the last run_linearise
    double *f, *good_x, *good_v;
    double speed; // m/s, kept so that the compiler cannot remove the check
} Stage;

static const Integrator *symplectic_euler(void)
{
    return integrator_table[integrator_find("symplectic-euler")];
}

static void stage_finish(Stage *stage)
{
    naive_finish(&stage->naive);
    arena_finish(&stage->scratch);
    free(stage->f);
    free(stage->good_x);
    free(stage->good_v);
    cloth_finish(&stage->cloth);
}

// Takes ownership of the cloth, makes it wavy and moving, and pins its first particle.
static Status stage_init(Stage *stage, Cloth *cloth, Error *error)
{
    *stage = (Stage){.cloth = *cloth};
    cloth = &stage->cloth;
    const Mesh *mesh = &cloth->mesh;
    for (int p = 0; p < mesh->particle_count; p++) {
        Vec3 x = mesh_vector(mesh, cloth->x, p);
        x.y += 0.2 * mesh->spacing * sin(1.7 * p);
        mesh_set_vector(mesh, cloth->x, p, x);
        mesh_set_vector(mesh, cloth->v, p, (Vec3){0.1 * cos(p), 0.1 * sin(p), 0.05});
    }
    cloth_set_pinned(cloth, 0, true);
    Params params = params_default();
    params.alpha = 0.0;
    stage->system = cloth_system_init(&stage->hooks, cloth, &params);
    stage->f = mesh_flat_create(mesh);
    stage->good_x = mesh_flat_create(mesh);
    stage->good_v = mesh_flat_create(mesh);
    Status status = STATUS_OK;
    if (!stage->f || !stage->good_x || !stage->good_v) {
        status = error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory for the benchmark");
    }
    size_t scratch = 3 * arena_footprint((size_t)mesh->dofs * sizeof(double));
    if (status == STATUS_OK) {
        status = arena_init(&stage->scratch, scratch + pcg_scratch_size(mesh->dofs), error);
    }
    if (status == STATUS_OK) status = naive_init(&stage->naive, cloth, error);
    if (status != STATUS_OK) stage_finish(stage);
    return status;
}

static Status stage_init_grid(Stage *stage, int side, Error *error)
{
    Cloth cloth;
    Status status = cloth_init_grid(&cloth, side, side, 1.0, 0.2, error);
    return status == STATUS_OK ? stage_init(stage, &cloth, error) : status;
}

// The triangles of a grid as a general mesh, without its rows and columns.
static Status stage_init_triangles(Stage *stage, int side, Error *error)
{
    Mesh grid, mesh;
    Cloth cloth;
    Status status = mesh_init_grid(&grid, side, side, 1.0, error);
    if (status != STATUS_OK) return status;
    TriangleList list = {.particle_count = grid.particle_count,
                         .position = grid.rest_position,
                         .triangle_count = grid.triangle_count,
                         .triangles = (const uint32_t(*)[3])grid.triangles};
    status = mesh_init_triangles(&mesh, &list, 1.0, error);
    mesh_finish(&grid);
    if (status == STATUS_OK) status = cloth_init(&cloth, &mesh, 0.2, error);
    return status == STATUS_OK ? stage_init(stage, &cloth, error) : status;
}

static void run_naive_force(void *self)
{
    Stage *stage = self;
    naive_forces(&stage->naive);
}

static void run_naive_damped(void *self)
{
    Stage *stage = self;
    stage->naive.alpha = ALPHA;
    naive_forces(&stage->naive);
    stage->naive.alpha = 0.0;
}

static void run_naive_step(void *self)
{
    Stage *stage = self;
    stage->speed += naive_step(&stage->naive, STEP, GROUND);
}

static void run_force(void *self)
{
    Stage *stage = self;
    cloth_forces(&stage->cloth, stage->cloth.x, stage->cloth.v, stage->f);
}

static void run_damped(void *self)
{
    Stage *stage = self;
    stage->cloth.material.alpha = ALPHA;
    run_force(stage);
    stage->cloth.material.alpha = 0.0;
}

static void swap(double **a, double **b)
{
    double *kept = *a;
    *a = *b;
    *b = kept;
}

// The method's part of a step, and the checks.
static void run_step(void *self)
{
    Stage *stage = self;
    Cloth *cloth = &stage->cloth;
    swap(&cloth->x, &stage->good_x);
    swap(&cloth->v, &stage->good_v);
    StepOptions options = {0};
    StepMemory memory = {0};
    StepReport report = {0};
    Step step = {.system = &stage->system,
                 .h = STEP,
                 .options = &options,
                 .memory = &memory,
                 .scratch = &stage->scratch,
                 .report = &report};
    arena_reset(&stage->scratch);
    symplectic_euler()->sweep(&step, stage->good_x, stage->good_v, cloth->x, cloth->v);
    stage->speed += report.speed;
    StepStart start = {.x = stage->good_x,
                       .v = stage->good_v,
                       .h = STEP,
                       .stays_above = stage->hooks.lowest >= GROUND};
    stage->speed += collide(cloth, &(Surroundings){.ground = GROUND}, &start).work;
}

// The wind's force and its power on all triangles, beside a step.
static void run_wind(void *self)
{
    Stage *stage = self;
    const Cloth *cloth = &stage->cloth;
    Wind wind = {.speed = 5.0, .direction = 60.0};
    WindPower power = wind_add_forces(cloth, wind_at(&wind, 0.0), cloth->x, cloth->v, stage->f);
    stage->speed += power.work;
}

static void run_linearise(void *self)
{
    Stage *stage = self;
    stage->system.linearise(&stage->hooks, stage->cloth.x, TANGENT_CLAMPED);
    stage->A = stage->system.assemble(&stage->hooks, 1.0, 1e-4, 0.0);
}

static void run_product(void *self)
{
    Stage *stage = self;
    stage->system.stiffness_product(&stage->hooks, stage->cloth.v, stage->f);
}

static void run_product_at(void *self)
{
    Stage *stage = self;
    stage->system.stiffness_product_at(&stage->hooks, stage->cloth.x, TANGENT_FULL, stage->cloth.v,
                                       stage->f);
}

// The tolerance is 0, so no iteration converges. The assembly is that of run_linearise, which has a
// line of its own.
static void run_pcg(void *self)
{
    Stage *stage = self;
    LinearOperator A = stage->A;
    arena_reset(&stage->scratch);
    double *b = ARENA_ALLOC(&stage->scratch, stage->cloth.mesh.dofs, double);
    double *x = ARENA_ALLOC(&stage->scratch, stage->cloth.mesh.dofs, double);
    for (int i = 0; i < stage->cloth.mesh.dofs; i++) {
        b[i] = stage->cloth.inverse_mass[i] > 0.0 ? stage->f[i] : 0.0;
    }
    pcg_solve(&A, b, x, 0.0, PCG_ITERATIONS, &stage->scratch);
}

// ---- the parts of the table

static Status bench_grid(const BenchPlan *plan, int side, double *step_ns, Error *error)
{
    enum { NAIVE_FORCE, FORCE, NAIVE_DAMPED, DAMPED, NAIVE_STEP, STEP_TASK, TASKS };
    Stage *stage = malloc(sizeof *stage);
    if (!stage) return error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory");
    Status status = stage_init_grid(stage, side, error);
    if (status == STATUS_OK) {
        BenchTask tasks[TASKS] = {
            [NAIVE_FORCE] = {.run = run_naive_force},   [FORCE] = {.run = run_force},
            [NAIVE_DAMPED] = {.run = run_naive_damped}, [DAMPED] = {.run = run_damped},
            [NAIVE_STEP] = {.run = run_naive_step},     [STEP_TASK] = {.run = run_step},
        };
        for (int t = 0; t < TASKS; t++) tasks[t].self = stage;
        bench_measure(tasks, TASKS, plan, clock_cpu_seconds);
        double ns[TASKS];
        for (int t = 0; t < TASKS; t++)
            ns[t] = 1e9 * tasks[t].best / stage->cloth.mesh.particle_count;
        bench_add(plan, ns[FORCE], "ns/particle", ns[NAIVE_FORCE], "force, %d x %d", side, side)
            ->goal = 3.0;
        bench_add(plan, ns[DAMPED], "ns/particle", ns[NAIVE_DAMPED], "force with damping, %d x %d",
                  side, side)
            ->goal = 3.0;
        bench_add(plan, ns[STEP_TASK], "ns/particle", ns[NAIVE_STEP], "step, %d x %d", side, side)
            ->goal = side < 512 ? 5.0 : 4.0;
        *step_ns = ns[STEP_TASK];
        stage_finish(stage);
    }
    free(stage);
    return status;
}

static Status bench_wind(const BenchPlan *plan, int side, Error *error)
{
    Stage *stage = malloc(sizeof *stage);
    if (!stage) return error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory");
    Status status = stage_init_grid(stage, side, error);
    if (status == STATUS_OK) {
        BenchTask tasks[] = {{.run = run_step, .self = stage}, {.run = run_wind, .self = stage}};
        bench_measure(tasks, 2, plan, clock_cpu_seconds);
        BenchLine *line = bench_add(plan, tasks[1].best / tasks[0].best, "steps", 0.0,
                                    "wind in steps without it, %d x %d", side, side);
        line->goal = 1.0;
        line->goal_is_most = true;
        stage_finish(stage);
    }
    free(stage);
    return status;
}

// Of a mesh that is not a grid, against the naive loop, and per spring against a grid.
static Status bench_any_mesh(const BenchPlan *plan, int side, Error *error)
{
    enum { NAIVE_FORCE, FORCE, STEP_TASK, GRID_STEP, TASKS };
    Stage *stages = calloc(2, sizeof *stages);
    if (!stages) return error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory");
    Stage *mesh = &stages[0], *grid = &stages[1];
    Status status = stage_init_triangles(mesh, side, error);
    if (status == STATUS_OK) {
        status = stage_init_grid(grid, side, error);
        if (status != STATUS_OK) stage_finish(mesh);
    }
    if (status == STATUS_OK) {
        BenchTask tasks[TASKS] = {[NAIVE_FORCE] = {.run = run_naive_force, .self = mesh},
                                  [FORCE] = {.run = run_force, .self = mesh},
                                  [STEP_TASK] = {.run = run_step, .self = mesh},
                                  [GRID_STEP] = {.run = run_step, .self = grid}};
        bench_measure(tasks, TASKS, plan, clock_cpu_seconds);
        double per = 1e9 / mesh->cloth.mesh.particle_count;
        bench_add(plan, per * tasks[FORCE].best, "ns/particle", per * tasks[NAIVE_FORCE].best,
                  "force, triangles of %d x %d", side, side)
            ->goal = 1.7;
        BenchLine *line =
            bench_add(plan,
                      tasks[STEP_TASK].best / mesh->cloth.mesh.spring_count /
                          (tasks[GRID_STEP].best / grid->cloth.mesh.spring_count),
                      "of the grid", 0.0, "step of triangles, per spring, %d x %d", side, side);
        line->goal = 2.0;
        line->goal_is_most = true;
        stage_finish(mesh);
        stage_finish(grid);
    }
    free(stages);
    return status;
}

static Status bench_solver(const BenchPlan *plan, int side, double peak, Error *error)
{
    enum { FORCE, STEP_TASK, LINEARISE, PRODUCT, PRODUCT_AT, PCG, TASKS };
    Stage *stage = malloc(sizeof *stage);
    if (!stage) return error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory");
    Status status = stage_init_grid(stage, side, error);
    if (status == STATUS_OK) {
        run_force(stage);
        run_linearise(stage);
        BenchTask tasks[TASKS] = {
            [FORCE] = {.run = run_force},           [STEP_TASK] = {.run = run_step},
            [LINEARISE] = {.run = run_linearise},   [PRODUCT] = {.run = run_product},
            [PRODUCT_AT] = {.run = run_product_at}, [PCG] = {.run = run_pcg},
        };
        for (int t = 0; t < TASKS; t++) tasks[t].self = stage;
        bench_measure(tasks, TASKS, plan, clock_cpu_seconds);
        double per = 1e9 / stage->cloth.mesh.particle_count;
        double iteration = tasks[PCG].best / PCG_ITERATIONS;
        bench_add(plan, per * tasks[PRODUCT].best, "ns/particle", 0.0, "K p, stored, %d x %d", side,
                  side);
        bench_add(plan, per * tasks[PRODUCT_AT].best, "ns/particle", 0.0, "K(x) p, %d x %d", side,
                  side);
        bench_add(plan, per * tasks[LINEARISE].best, "ns/particle", 0.0,
                  "linearise and assemble, %d x %d", side, side);
        bench_add(plan, per * iteration, "ns/particle", 0.0, "PCG iteration, %d x %d", side, side);
        BenchLine *line = bench_add(plan, iteration / tasks[STEP_TASK].best, "steps", 0.0,
                                    "PCG iteration in explicit steps, %d x %d", side, side);
        line->goal = 1.7;
        line->goal_is_most = true;
        snprintf(line->note, sizeof line->note, "with the preconditioner that the program chooses");
        bench_add(plan, FORCE_FLOPS / (per * tasks[FORCE].best) * 1e9 / peak, "of peak", 0.0,
                  "arithmetic of the force, %d x %d", side, side);
        stage_finish(stage);
    }
    free(stage);
    return status;
}

// The memory bandwidth of a step against that of a triad over arrays of the same size.
static Status bench_memory(const BenchPlan *plan, int side, double step_ns, Error *error)
{
    int count = 3 * side * side;
    double *a = calloc(3 * (size_t)count, sizeof *a);
    if (!a) return error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory for the triad");
    double triad = machine_triad(a, a + count, a + 2 * count, count);
    bench_add(plan, 1e-9 * triad, "GB/s", 0.0, "triad, arrays of %d x %d", side, side);
    bench_add(plan, STEP_BYTES / step_ns * 1e9 / triad, "of triad", 0.0,
              "memory of a step, %d x %d", side, side);
    free(a);
    return STATUS_OK;
}

// ---- whole simulations

// Computing time per simulated second, from runs of `seconds` simulated seconds. Infinite when the
// cloth diverges.
static Status cost_of(int side, double k0, const char *assignments, double seconds, double *cost,
                      Error *error)
{
    Simulation *simulation = NULL;
    Status status = bench_hanging(side, k0, assignments, &simulation, error);
    double start = clock_cpu_seconds(), time = 0.0;
    while (status == STATUS_OK && time < seconds) {
        time += simulation_next_step(simulation);
        status = simulation_step(simulation, error);
    }
    if (status == STATUS_OK) *cost = fmin(*cost, (clock_cpu_seconds() - start) / time);
    simulation_destroy(simulation);
    return status == STATUS_DIVERGED ? STATUS_OK : status;
}

typedef struct Costing {
    const char *assignments;
    double k0, cost;
} Costing;

static Status cost_in_turns(const BenchPlan *plan, int side, Costing *runs, int count,
                            double seconds, Error *error)
{
    Status status = STATUS_OK;
    for (int i = 0; i < count; i++) runs[i].cost = INFINITY;
    for (int round = 0; round < plan->rounds && status == STATUS_OK; round++) {
        for (int i = 0; i < count && status == STATUS_OK; i++) {
            status = cost_of(side, runs[i].k0, runs[i].assignments, seconds, &runs[i].cost, error);
        }
    }
    return status;
}

static Status bench_simulations(const BenchPlan *plan, Error *error)
{
    int side = plan->quick ? 16 : 64;
    double seconds = plan->quick ? 0.02 : 0.25;
    Costing runs[] = {
        {"air=0.5 alpha=0", 1e5, 0},
        {"air=0.5 alpha=0", 1e6, 0},
        {"air=0.5 alpha=0", 1e7, 0},
        {"air=0.5 alpha=0 filter=exponential", 1e6, 0},
        // LEU is explicit Euler inside: its step is longest with alpha = 2 / sqrt(k0). The k0 of
        // the falling cloth counts here; it is a third larger than at rest.
        {"air=0.5 alpha=1.7e-3 integrator=backward-euler step=0.01", 1e6, 0},
        {"air=0.5 alpha=1.7e-3 integrator=leu leu_interval=0.01", 1e6, 0},
        {"air=0.5 alpha=1.7e-3 integrator=leu leu_interval=auto", 1e6, 0},
    };
    enum { RUNS = sizeof runs / sizeof runs[0] };
    Status status = cost_in_turns(plan, side, runs, RUNS, seconds, error);
    if (status != STATUS_OK) return status;
    double x[3], y[3];
    for (int i = 0; i < 3; i++) {
        x[i] = runs[i].k0, y[i] = runs[i].cost;
        bench_add(plan, 1e3 * y[i], "ms/s", 0.0, "symplectic Euler, %d x %d, k0 = %.0e", side, side,
                  x[i]);
    }
    snprintf(bench_add(plan, bench_exponent(3, x, y), "", 0.0, "exponent of the cost in k0")->note,
             96, "explicit cost per simulated second; theory 0.5");
    BenchLine *filter = bench_add(plan, runs[3].cost / runs[1].cost - 1.0, "of a step", 0.0,
                                  "filter, %d x %d", side, side);
    snprintf(filter->note, sizeof filter->note, "at the step that is right without it");
    filter->goal = 0.1;
    filter->goal_is_most = true;
    bench_add(plan, 1e3 * runs[4].cost, "ms/s", 0.0, "backward Euler at 0.01 s, k0 = 1e+06");
    bench_add(plan, 1e3 * runs[5].cost, "ms/s", 0.0, "LEU linearised every 0.01 s, k0 = 1e+06");
    bench_add(plan, 1e3 * runs[6].cost, "ms/s", 0.0, "LEU linearised as needed, k0 = 1e+06");
    // Not a goal: with this solver backward Euler is the cheaper one, see docs/performance.md.
    BenchLine *leu = bench_add(plan, runs[4].cost / runs[5].cost, "times", 0.0,
                               "LEU every 0.01 s cheaper than backward Euler");
    snprintf(leu->note, sizeof leu->note, "Shinya finds 2; %s",
             runs[4].cost < runs[5].cost ? "it does not hold with this solver" : "here too");
    return STATUS_OK;
}

static BenchLine *add_contact_line(const BenchPlan *plan, double steps, int side, const char *what)
{
    BenchLine *line = bench_add(plan, steps, "steps", 0.0, "step with self-contact, %d x %d, %s",
                                side, side, what);
    line->goal = 2.0;
    line->goal_is_most = true;
    return line;
}

// The cloth's contact with itself, in steps without it.
static Status bench_self_contact(const BenchPlan *plan, Error *error)
{
    int side = plan->quick ? 16 : 64;
    HeapMoments moments = plan->quick ? (HeapMoments){2, 0.6, 0.8} : (HeapMoments){8, 2.4, 5.0};
    SelfContactBench curtain, heap;
    Status status = bench_curtain_contact(side, &curtain, error);
    if (status == STATUS_OK) status = bench_heap_contact(side, moments, &heap, error);
    if (status != STATUS_OK) return status;
    add_contact_line(plan, curtain.worst, side, "curtain");
    BenchLine *line = add_contact_line(plan, heap.worst, side, "heap");
    snprintf(line->note, sizeof line->note, "the worst moment, %.1f s: %.0f ns/particle",
             heap.worst_at, heap.worst_ns);
    line = add_contact_line(plan, heap.mean, side, "heap, mean");
    snprintf(line->note, sizeof line->note, "of %d moments of the first %.1f s", moments.count,
             moments.seconds);
    line = add_contact_line(plan, heap.rest, side, "heap at rest");
    snprintf(line->note, sizeof line->note, "after %.1f s", moments.rest);
    return STATUS_OK;
}

// Backward Euler with the preconditioner that the program chooses, against block Jacobi.
static Status bench_implicit(const BenchPlan *plan, double k0, Error *error)
{
    int side = plan->quick ? 32 : 128, steps = plan->quick ? 2 : 20;
    ImplicitBench bench;
    Status status = bench_backward_euler(side, k0, steps, &bench, error);
    if (status != STATUS_OK) return status;
    BenchLine *line = bench_add(plan, 1e3 * bench.seconds, "ms/step", 1e3 * bench.jacobi_seconds,
                                "backward Euler at 1/60 s, %d x %d, k0 = %.0e", side, side, k0);
    line->goal = 3.0;
    snprintf(line->note, sizeof line->note, "naive: block Jacobi, %.0f PCG iterations; here %.0f",
             bench.jacobi_iterations, bench.iterations);
    return STATUS_OK;
}

// A cloth that lies on a ball.
static Status bench_contact(const BenchPlan *plan, Error *error)
{
    int side = plan->quick ? 16 : 128;
    double settle = plan->quick ? 0.3 : 1.2, seconds = plan->quick ? 0.02 : 0.3;
    ContactBench ball;
    Status status = bench_ball_contact(side, 1e6, settle, seconds, &ball, error);
    if (status != STATUS_OK) return status;
    BenchLine *line =
        bench_add(plan, ball.frames, "frames/s", 0.0, "sphere, %d x %d, k0 = 1e+06", side, side);
    line->goal = 66.0;
    snprintf(line->note, sizeof line->note,
             "of 1/60 s; h = %.2f ms, k0 = %.2g when it lies, %.0f %% touch the ball",
             1e3 * ball.step, ball.k0, 100.0 * ball.touches);
    return STATUS_OK;
}

Status bench_run(bool quick, Crew *crew, BenchResult *out, Error *error)
{
    static const int sides[] = {32, 64, 128, 256, 512};
    int count = quick ? 2 : 5, middle = quick ? 32 : 128;
    *out = (BenchResult){.kernels = spring_kernels_best()->name};
    // Many short rounds: some of them meet a moment in which nothing else runs.
    BenchPlan plan = {.quick = quick,
                      .rounds = quick ? 2 : 50,
                      .seconds = quick ? 1e-3 : 3e-3,
                      .crew = crew,
                      .out = out};
    double n[5], cost[5], step_ns[5];
    Status status = STATUS_OK;
    for (int i = 0; i < count && status == STATUS_OK; i++) {
        status = bench_grid(&plan, sides[i], &step_ns[i], error);
        n[i] = sides[i] * sides[i];
        cost[i] = status == STATUS_OK ? step_ns[i] * n[i] : 1.0;
    }
    if (status == STATUS_OK) status = bench_wind(&plan, quick ? 16 : 64, error);
    if (status == STATUS_OK) status = bench_wind(&plan, middle, error);
    if (status == STATUS_OK) status = bench_any_mesh(&plan, middle, error);
    double peak = machine_peak();
    bench_add(&plan, 1e-9 * peak, "GFLOP/s", 0.0, "peak of multiply and add, one core");
    if (status == STATUS_OK) status = bench_solver(&plan, middle, peak, error);
    if (status == STATUS_OK) {
        status = bench_memory(&plan, sides[count - 1], step_ns[count - 1], error);
        int from = quick ? 0 : 1;
        BenchLine *line = bench_add(&plan, bench_exponent(count - from, n + from, cost + from), "",
                                    0.0, "exponent of a step in n");
        line->goal = 1.05;
        line->goal_is_most = true;
        snprintf(line->note, sizeof line->note, "from %d x %d; more where arrays leave a cache",
                 sides[from], sides[from]);
    }
    if (status == STATUS_OK) status = bench_steps(&plan, peak, error);
    if (status == STATUS_OK) status = bench_simulations(&plan, error);
    if (status == STATUS_OK) status = bench_implicit(&plan, 1e7, error);
    if (status == STATUS_OK) status = bench_implicit(&plan, 1e8, error);
    if (status == STATUS_OK) status = bench_self_contact(&plan, error);
    if (status == STATUS_OK) status = bench_contact(&plan, error);
    if (status == STATUS_OK) status = bench_models(quick, out, error);
    if (status == STATUS_OK) status = bench_lab(&plan, error);
    return status;
}
