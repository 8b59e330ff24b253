#include "bench/model_bench.h"

#include "base/clock.h"
#include "cloth/forces.h"
#include "runtime/worker_crew.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A thread that sleeps takes about two steps to wake; WARM leave nothing of that to measure.
enum { LOOPS = 8, WARM = 16 };

typedef struct Stage {
    Cloth cloth;
    double *f, *new_x, *new_v;
} Stage;

static void stage_finish(Stage *stage)
{
    free(stage->f);
    free(stage->new_x);
    free(stage->new_v);
    cloth_finish(&stage->cloth);
}

// A little narrower than at rest, in waves, and moving: springs are pulled and slack, straight and
// bent.
static void make_waves(Cloth *cloth)
{
    const Mesh *mesh = &cloth->mesh;
    double dx = mesh->spacing;
    for (int p = 0; p < mesh->particle_count; p++) {
        Vec3 x = vec3_scale(0.98, mesh->rest_position[p]);
        x.y += 0.3 * dx * (sin(0.9 * x.x / dx) + cos(0.6 * x.z / dx));
        mesh_set_vector(mesh, cloth->x, p, x);
        mesh_set_vector(mesh, cloth->v, p, (Vec3){0.1 * cos(p), 0.1 * sin(p), 0.05});
    }
    cloth_set_pinned(cloth, 0, true);
}

// Takes ownership of the cloth.
static Status stage_init(Stage *stage, Cloth *cloth, const ForceModel *model, Error *error)
{
    *stage = (Stage){.cloth = *cloth};
    cloth = &stage->cloth;
    Material material = {.stiffness = {50.0, 25.0, 5.0}, .air = 0.5, .gravity = 9.81};
    Status status = cloth_set_model(cloth, model, error);
    cloth_set_material(cloth, material);
    make_waves(cloth);
    stage->f = mesh_flat_create(&cloth->mesh);
    stage->new_x = mesh_flat_create(&cloth->mesh);
    stage->new_v = mesh_flat_create(&cloth->mesh);
    if (status == STATUS_OK && (!stage->f || !stage->new_x || !stage->new_v))
        status = error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory for the benchmark");
    if (status != STATUS_OK) stage_finish(stage);
    return status;
}

static Status stage_init_grid(Stage *stage, int side, const char *model, Error *error)
{
    int index = 0;
    while (strcmp(force_model_name(index), model) != 0) index++;
    Cloth cloth;
    Status status = cloth_init_grid(&cloth, side, side, 1.0, 0.2, error);
    return status == STATUS_OK ? stage_init(stage, &cloth, force_model_table[index], error)
                               : status;
}

typedef void Work(Stage *stage);

// A step of symplectic Euler, in one pass where the cloth allows it.
static void step(Stage *stage)
{
    const Cloth *cloth = &stage->cloth;
    const double h = 1e-7;
    ForceStep pass = {h, h, cloth->x, cloth->v, stage->new_x, stage->new_v, NULL};
    ForceSums sums;
    if (cloth->model->step(cloth, &pass, &sums)) return;
    cloth_forces(cloth, cloth->x, cloth->v, stage->f);
    for (int i = 0; i < cloth->mesh.dofs; i++) {
        stage->new_v[i] = cloth->v[i] + h * cloth->inverse_mass[i] * stage->f[i];
        stage->new_x[i] = cloth->x[i] + h * stage->new_v[i];
    }
}

static void listed_step(Stage *stage)
{
    stage->cloth.uniform = false;
    step(stage);
    stage->cloth.uniform = true;
}

static void product(Stage *stage)
{
    const Cloth *cloth = &stage->cloth;
    cloth->model->product_at(cloth, cloth->x, TANGENT_CLAMPED, cloth->v, stage->f);
}

static void listed_product(Stage *stage)
{
    stage->cloth.uniform = false;
    product(stage);
    stage->cloth.uniform = true;
}

static void energy(Stage *stage)
{
    stage->f[0] += cloth_elastic_energy(&stage->cloth, stage->cloth.x);
}

static void listed_energy(Stage *stage)
{
    stage->cloth.uniform = false;
    energy(stage);
    stage->cloth.uniform = true;
}

// Best wall-clock time of each, in turns, s. Threads are compared too, so processor time will not
// do.
static void measure(bool quick, int count, Work *const *works, Stage *const *stages,
                    Crew *const *crews, double *best)
{
    int rounds = quick ? 2 : 25;
    for (int i = 0; i < count; i++) best[i] = INFINITY;
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < count; i++) {
            Stage *stage = stages[i];
            stage->cloth.crew = crews ? crews[i] : NULL;
            for (int k = 0; k < WARM; k++) works[i](stage); // wakes threads, warms the cache
            double start = clock_seconds();
            for (int k = 0; k < LOOPS; k++) works[i](stage);
            best[i] = fmin(best[i], (clock_seconds() - start) / LOOPS);
            stage->cloth.crew = NULL;
        }
    }
}

static BenchLine *add_line(BenchResult *out, double value, const char *unit, double naive,
                           double goal, const char *what, const char *model, int side)
{
    BenchLine *line = &out->lines[out->count++];
    *line = (BenchLine){.value = value, .unit = unit, .naive = naive, .goal = goal};
    snprintf(line->name, sizeof line->name, "%s, %s, %d x %d", what, model, side, side);
    return line;
}

static Status bench_model(bool quick, const char *model, WorkerCrew *two, BenchResult *out,
                          Error *error)
{
    enum { LISTED, STEP, LISTED_PRODUCT, PRODUCT, LISTED_ENERGY, ENERGY, TWO, TASKS };
    static Work *const works[TASKS] = {listed_step, step, listed_product, product, listed_energy,
                                       energy,      step};
    int side = quick ? 16 : 64;
    Stage stage;
    Status status = stage_init_grid(&stage, side, model, error);
    if (status != STATUS_OK) return status;
    Stage *const stages[TASKS] = {&stage, &stage, &stage, &stage, &stage, &stage, &stage};
    Crew *const crews[TASKS] = {[TWO] = worker_crew(two)};
    double best[TASKS], per = 1e9 / (side * side);
    measure(quick, TASKS, works, stages, crews, best);
    static const char *const against = "against a loop over a list of elements";
    BenchLine *line = add_line(out, per * best[STEP], "ns/particle", per * best[LISTED], 5.0,
                               "step", model, side);
    snprintf(line->note, sizeof line->note, "%s", against);
    add_line(out, per * best[PRODUCT], "ns/particle", per * best[LISTED_PRODUCT], 5.0, "K(x) p",
             model, side);
    add_line(out, per * best[ENERGY], "ns/particle", per * best[LISTED_ENERGY], 5.0, "energy",
             model, side);
    add_line(out, best[STEP] / best[TWO], "times one", 0.0, 1.8, "two threads, step", model, side);
    stage_finish(&stage);
    return STATUS_OK;
}

Status bench_models(bool quick, BenchResult *out, Error *error)
{
    WorkerCrew *two = NULL;
    Status status = worker_crew_start(2, &two, error);
    if (status == STATUS_OK) status = bench_model(quick, "baraff-witkin", two, out, error);
    if (status == STATUS_OK) status = bench_model(quick, "choi-ko", two, out, error);
    worker_crew_stop(two);
    return status;
}
