// Our side, through the interfaces that the program itself uses.
#include "peers.h"

#include "simulation/cloth_system.h"
#include "simulation/simulation.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double peers_seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double thread_stretch(const Snapshot *now)
{
    double most = 0.0;
    for (int i = 0; i < now->spring_count; i++) {
        if (now->spring_kind[i] != SPRING_STRETCH) continue;
        const float *a = now->position + 3 * now->springs[2 * i];
        const float *b = now->position + 3 * now->springs[2 * i + 1];
        double length = sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
        most = fmax(most, length / now->rest_length[i] - 1.0);
    }
    return most;
}

CurtainRun curtain_selvage(int side, const CurtainMethod *method, double stiffness, long *steps)
{
    CurtainRun run = {0.0, INFINITY};
    Error error;
    Simulation *simulation = NULL;
    Snapshot now = {0};
    Scene scene = scene_default();
    scene.pins = pin_from_name("top-edge");
    scene.start = START_HANGING;
    scene.params.rows = scene.params.columns = side;
    scene.params.integrator = integrator_find(method->integrator);
    scene.params.step = method->step > 0.0 ? method->step : PARAM_WORD;
    scene.params.safety = method->safety;
    scene.params.stretch *= stiffness;
    scene.params.shear *= stiffness;
    scene.params.bend *= stiffness;
    scene.params.ground = -10.0;
    scene.params.alpha = 0.0; // Bullet has no such damping
    if (simulation_create(&scene, &simulation, &error) != STATUS_OK) return run;
    run.stretch = 0.0;
    for (int frame = 1; frame <= 60; frame++) {
        double start = peers_seconds();
        while (simulation_time(simulation) < frame / 60.0)
            if (simulation_step(simulation, &error) != STATUS_OK) run.stretch = INFINITY;
        run.seconds += peers_seconds() - start;
        if (frame < 30 || simulation_fill_snapshot(simulation, &now, &error) != STATUS_OK) continue;
        run.stretch = fmax(run.stretch, thread_stretch(&now));
    }
    *steps = simulation_readings(simulation).step_count;
    snapshot_finish(&now);
    simulation_destroy(simulation);
    return run;
}

// ---- the linear system of a step of backward Euler

#define STEP (1 / 60.0)                      // s
enum { REACH = 2, COLOURS = 2 * REACH + 1 }; // springs join particles up to two rows apart

static struct {
    Cloth cloth;
    ClothSystem hooks;
    System system;
    Arena scratch;
    double *b, *x;
    int *number; // of a particle among those that are free, -1 if held
} own;

// Unit vectors at particles too far apart to meet are multiplied at once. Rows of column (p, c) are
// then those of particles around p.
static void probe(const LinearOperator *A, int r0, int c0, int k, double *columns)
{
    const Mesh *mesh = &own.cloth.mesh;
    memset(own.x, 0, (size_t)mesh->dofs * sizeof *own.x);
    for (int r = r0; r < mesh->rows; r += COLOURS)
        for (int c = c0; c < mesh->columns; c += COLOURS) {
            int p = r * mesh->columns + c;
            if (own.number[p] >= 0) own.x[mesh->first_dof[p] + k * mesh->component_stride] = 1.0;
        }
    A->multiply(A->self, own.x, columns);
}

static int count_neighbours(int r, int c)
{
    const Mesh *mesh = &own.cloth.mesh;
    int count = 0;
    for (int dr = -REACH; dr <= REACH; dr++)
        for (int dc = -REACH; dc <= REACH; dc++) {
            int row = r + dr, column = c + dc;
            if (row < 0 || column < 0 || row >= mesh->rows || column >= mesh->columns) continue;
            count += own.number[row * mesh->columns + column] >= 0;
        }
    return count;
}

static int allocate(LinearSystem *out)
{
    const Mesh *mesh = &own.cloth.mesh;
    int entries = 0, free_count = 0;
    for (int p = 0; p < mesh->particle_count; p++)
        own.number[p] = own.cloth.inverse_mass[mesh->first_dof[p]] > 0.0 ? free_count++ : -1;
    for (int p = 0; p < mesh->particle_count; p++)
        if (own.number[p] >= 0)
            entries += 9 * count_neighbours(p / mesh->columns, p % mesh->columns);
    out->n = 3 * free_count;
    out->start = calloc((size_t)out->n + 1, sizeof *out->start);
    out->row = malloc((size_t)entries * sizeof *out->row);
    out->value = malloc((size_t)entries * sizeof *out->value);
    out->b = malloc((size_t)out->n * sizeof *out->b);
    return out->start && out->row && out->value && out->b;
}

static void fill(const LinearOperator *A, LinearSystem *out, double *columns)
{
    const Mesh *mesh = &own.cloth.mesh;
    for (int p = 0; p < mesh->particle_count; p++)
        for (int k = 0; own.number[p] >= 0 && k < 3; k++)
            out->start[3 * own.number[p] + k + 1] =
                3 * count_neighbours(p / mesh->columns, p % mesh->columns);
    for (int i = 0; i < out->n; i++) out->start[i + 1] += out->start[i];
    for (int colour = 0; colour < COLOURS * COLOURS; colour++)
        for (int k = 0; k < 3; k++) {
            probe(A, colour / COLOURS, colour % COLOURS, k, columns);
            for (int r = colour / COLOURS; r < mesh->rows; r += COLOURS)
                for (int c = colour % COLOURS; c < mesh->columns; c += COLOURS) {
                    int p = r * mesh->columns + c;
                    if (own.number[p] < 0) continue;
                    int at = out->start[3 * own.number[p] + k];
                    for (int dr = -REACH; dr <= REACH; dr++)
                        for (int dc = -REACH; dc <= REACH; dc++) {
                            int row = r + dr, column = c + dc;
                            if (row < 0 || column < 0 || row >= mesh->rows ||
                                column >= mesh->columns)
                                continue;
                            int q = row * mesh->columns + column;
                            for (int j = 0; own.number[q] >= 0 && j < 3; j++, at++) {
                                out->row[at] = 3 * own.number[q] + j;
                                out->value[at] =
                                    columns[mesh->first_dof[q] + j * mesh->component_stride];
                            }
                        }
                }
        }
}

// Entries that are exactly zero, between particles without a spring, are left out.
static void compress(LinearSystem *s)
{
    int kept = 0, from = 0;
    for (int i = 0; i < s->n; i++) {
        int end = s->start[i + 1];
        for (; from < end; from++) {
            if (s->value[from] == 0.0 && s->row[from] / 3 != i / 3) continue;
            s->row[kept] = s->row[from];
            s->value[kept++] = s->value[from];
        }
        s->start[i + 1] = kept;
    }
}

// A wavy, stretched curtain, so that the matrix is that of a shape in use.
static int make_curtain(int side, double k0)
{
    Error error;
    if (cloth_init_grid(&own.cloth, side, side, 1.0, 0.2, &error) != STATUS_OK) return 0;
    const Mesh *mesh = &own.cloth.mesh;
    for (int p = 0; p < mesh->particle_count; p++) {
        Vec3 x = mesh_vector(mesh, own.cloth.x, p);
        x.z *= 1.02;
        x.y = 0.03 * sin(25.0 * x.x) * x.z;
        mesh_set_vector(mesh, own.cloth.x, p, x);
    }
    for (int c = 0; c < side; c++) cloth_set_pinned(&own.cloth, c, true);
    Params params = params_default();
    double k = k0 / 1.622e8 * 128.0 * 128.0 / (side * (double)side); // k0 grows with the particles
    params.stretch *= k;
    params.shear *= k;
    params.bend *= k;
    params.alpha = 0.0;
    own.system = cloth_system_init(&own.hooks, &own.cloth, &params);
    own.b = mesh_flat_create(mesh);
    own.x = mesh_flat_create(mesh);
    own.number = malloc((size_t)mesh->particle_count * sizeof *own.number);
    return own.b && own.x && own.number &&
           arena_init(&own.scratch, pcg_scratch_size(mesh->dofs) + (1 << 16), &error) == STATUS_OK;
}

int selvage_system(int side, double k0, LinearSystem *out)
{
    memset(out, 0, sizeof *out);
    if (!make_curtain(side, k0) || !allocate(out)) return 0;
    const Mesh *mesh = &own.cloth.mesh;
    double *columns = mesh_flat_create(mesh);
    if (!columns) return 0;
    own.system.linearise(&own.hooks, own.cloth.x, TANGENT_CLAMPED);
    LinearOperator A = own.system.assemble(&own.hooks, 1.0, STEP * STEP, 0.0);
    fill(&A, out, columns);
    compress(out);
    own.system.forces(&own.hooks, own.cloth.x, own.cloth.v, columns);
    for (int p = 0; p < mesh->particle_count; p++)
        for (int k = 0; k < 3; k++) {
            int at = mesh->first_dof[p] + k * mesh->component_stride;
            own.b[at] = own.number[p] >= 0 ? STEP * columns[at] : 0.0;
            if (own.number[p] >= 0) out->b[3 * own.number[p] + k] = own.b[at];
        }
    free(columns);
    return 1;
}

void selvage_system_finish(LinearSystem *system)
{
    free(system->start), free(system->row), free(system->value), free(system->b);
    free(own.b), free(own.x), free(own.number);
    arena_finish(&own.scratch);
    cloth_finish(&own.cloth);
}

SolveRun solve_selvage(double tolerance)
{
    SolveRun run = {0};
    double start = peers_seconds();
    own.system.linearise(&own.hooks, own.cloth.x, TANGENT_CLAMPED);
    LinearOperator A = own.system.assemble(&own.hooks, 1.0, STEP * STEP, 0.0);
    run.prepare = peers_seconds() - start;
    start = peers_seconds();
    arena_reset(&own.scratch);
    PcgReport report = pcg_solve(&A, own.b, own.x, tolerance, 10000, &own.scratch);
    run.solve = peers_seconds() - start;
    run.iterations = report.iterations;
    double *Ax = mesh_flat_create(&own.cloth.mesh), rr = 0.0, bb = 0.0;
    if (!Ax) return run;
    A.multiply(A.self, own.x, Ax);
    for (int i = 0; i < own.cloth.mesh.dofs; i++) {
        rr += (own.b[i] - Ax[i]) * (own.b[i] - Ax[i]);
        bb += own.b[i] * own.b[i];
    }
    run.residual = sqrt(rr / bb);
    free(Ax);
    return run;
}
