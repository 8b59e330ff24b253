#include "bench/implicit_bench.h"

#include "base/clock.h"
#include "simulation/cloth_system.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEP (1.0 / 60.0) // s
enum { ROUNDS = 3 };

typedef struct Curtain {
    Cloth cloth;
    ClothSystem hooks;
    System system;
    StepOptions options;
    Arena scratch;
    double *x, *v; // at the start of a step
} Curtain;

static const Integrator *backward_euler(void)
{
    return integrator_table[integrator_find("backward-euler")];
}

static void curtain_finish(Curtain *curtain)
{
    free(curtain->x);
    free(curtain->v);
    arena_finish(&curtain->scratch);
    cloth_finish(&curtain->cloth);
}

// Flat, held at the two upper corners; k0 = 6 stretch / m at rest.
static Status curtain_init(Curtain *curtain, int side, double k0, Error *error)
{
    *curtain = (Curtain){0};
    Cloth *cloth = &curtain->cloth;
    Status status = cloth_init_grid(cloth, side, side, 1.0, 0.2, error);
    if (status != STATUS_OK) return status;
    cloth_set_pinned(cloth, 0, true);
    cloth_set_pinned(cloth, side - 1, true);
    Params params = params_default();
    params.stretch = k0 * cloth_mass(cloth, side + 1) / 6.0;
    params.shear = 0.5 * params.stretch;
    params.bend = 0.1 * params.stretch;
    params.alpha = 0.0;
    curtain->system = cloth_system_init(&curtain->hooks, cloth, &params);
    curtain->options =
        (StepOptions){.tangent = (Tangent)params.tangent, .pcg_tolerance = params.pcg_tolerance};
    curtain->x = mesh_flat_create(&cloth->mesh);
    curtain->v = mesh_flat_create(&cloth->mesh);
    if (!curtain->x || !curtain->v)
        status = error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory for the benchmark");
    if (status == STATUS_OK)
        status =
            arena_init(&curtain->scratch, backward_euler()->scratch_size(cloth->mesh.dofs), error);
    if (status != STATUS_OK) curtain_finish(curtain);
    return status;
}

// From the state in x and v. Returns the time of computing, the best of several.
static double time_step(Curtain *curtain, bool jacobi, StepReport *report)
{
    Cloth *cloth = &curtain->cloth;
    size_t bytes = (size_t)cloth->mesh.dofs * sizeof(double);
    double best = INFINITY;
    for (int round = 0; round < ROUNDS; round++) {
        memcpy(cloth->x, curtain->x, bytes);
        memcpy(cloth->v, curtain->v, bytes);
        cloth->only_block_jacobi = jacobi;
        *report = (StepReport){0};
        StepMemory memory = {0};
        Step step = {.system = &curtain->system,
                     .h = STEP,
                     .options = &curtain->options,
                     .memory = &memory,
                     .scratch = &curtain->scratch,
                     .report = report};
        arena_reset(&curtain->scratch);
        double start = clock_cpu_seconds();
        backward_euler()->advance(&step, cloth->x, cloth->v);
        best = fmin(best, clock_cpu_seconds() - start);
    }
    return best;
}

Status bench_backward_euler(int side, double k0, int steps, ImplicitBench *out, Error *error)
{
    *out = (ImplicitBench){0};
    Curtain *curtain = malloc(sizeof *curtain);
    if (!curtain) return error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory");
    Status status = curtain_init(curtain, side, k0, error);
    if (status == STATUS_OK) {
        size_t bytes = (size_t)curtain->cloth.mesh.dofs * sizeof(double);
        for (int i = 0; i < steps; i++) {
            memcpy(curtain->x, curtain->cloth.x, bytes);
            memcpy(curtain->v, curtain->cloth.v, bytes);
            StepReport jacobi, levels;
            out->jacobi_seconds += time_step(curtain, true, &jacobi) / steps;
            out->seconds += time_step(curtain, false, &levels) / steps;
            out->jacobi_iterations += (double)jacobi.pcg.iterations / steps;
            out->iterations += (double)levels.pcg.iterations / steps;
        }
        curtain_finish(curtain);
    }
    free(curtain);
    return status;
}
