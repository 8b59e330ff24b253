#include "hanging_cloth.h"

#include "simulation/simulation.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

Snapshot hanging_cloth(int rows)
{
    Scene scene = scene_default();
    scene.params.rows = scene.params.columns = rows;
    Simulation *simulation = NULL;
    Snapshot snapshot = {0};
    Error error = {0};
    if (simulation_create(&scene, &simulation, &error) != STATUS_OK ||
        simulation_fill_snapshot(simulation, &snapshot, &error) != STATUS_OK) {
        fail_msg("%s", error.text);
    }
    simulation_destroy(simulation);

    // From flat, (x, 0, z), to hanging by the edge z = 0.
    for (int i = 0; i < snapshot.particle_count; i++) {
        float *p = snapshot.position + 3 * i;
        p[1] = -p[2];
        p[2] = 0.0f;
    }
    return snapshot;
}
