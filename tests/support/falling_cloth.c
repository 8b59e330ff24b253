#include "falling_cloth.h"

#include "simulation/simulation_state.h"
#include "solver_test.h"
#include "stability/stiffness.h"

#include <stdio.h>
#include <stdlib.h>

#define SPEED_LIMIT 25.0  // m/s
#define ENERGY_SHARE 0.02 // of m g H

static Simulation *create(double stretch, const char *assignments)
{
    char all[500];
    snprintf(all, sizeof all,
             "rows=%d columns=%d stretch=%.17g shear=%.17g bend=%.17g air=0.5 alpha=0 ground=-100 "
             "speed_limit=%g %s",
             FALLING_SIDE, FALLING_SIDE, stretch, 0.5 * stretch, 0.1 * stretch, SPEED_LIMIT,
             assignments);
    return simulation_with(all);
}

double converged_k0(const System *system, const double *x)
{
    Arena scratch;
    assert_int_equal(arena_init(&scratch, stiffness_scratch_size(system->dofs, 64), NULL),
                     STATUS_OK);
    double *mode = calloc((size_t)system->dofs, sizeof(double)), value = 0.0;
    for (int k = 0; k < 4; k++) {
        arena_reset(&scratch);
        value = stiffness_k0(system, x, (KrylovEffort){.steps = 64, .products = 64}, mode, &scratch)
                    .value;
    }
    free(mode);
    arena_finish(&scratch);
    return value;
}

// The stretch stiffness for which k0 = FALLING_K0 at rest: k0 is proportional to it.
static double scaled_stretch(void)
{
    static double stretch;
    if (stretch == 0.0) {
        Simulation *simulation = create(1.0, "");
        stretch = FALLING_K0 / converged_k0(&simulation->system, simulation->body.cloth.x);
        simulation_destroy(simulation);
    }
    return stretch;
}

Simulation *falling_cloth(const char *assignments)
{
    return create(scaled_stretch(), assignments);
}

bool falling_is_bounded(const char *assignments, double h, double seconds, bool by_energy)
{
    char all[300];
    snprintf(all, sizeof all, "step=%.17g %s", h, assignments);
    Simulation *simulation = falling_cloth(all);
    const Cloth *cloth = &simulation->body.cloth;
    double weight = 0.2 * simulation_params(simulation)->gravity * cloth->mesh.height; // m g H
    double start = balance_energy(cloth);
    bool bounded = true;
    while (bounded && simulation->now.time < seconds) {
        bounded = simulation_step(simulation, NULL) == STATUS_OK &&
                  (!by_energy || balance_energy(cloth) - start <= ENERGY_SHARE * weight);
    }
    simulation_destroy(simulation);
    return bounded;
}
