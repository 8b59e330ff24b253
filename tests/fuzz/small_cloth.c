#include "small_cloth.h"

#include "fuzz.h"
#include "simulation/simulation_state.h"

#include <math.h>

bool fuzz_is_small(const Scene *scene)
{
    return scene->mesh[0] == '\0' && scene->params.rows * scene->params.columns <= 30;
}

void fuzz_require_finite(const Simulation *simulation)
{
    const Cloth *cloth = &simulation->body.cloth;
    bool finite = isfinite(simulation->now.time);
    for (int i = 0; i < cloth->mesh.dofs; i++)
        finite = finite && isfinite(cloth->x[i]) && isfinite(cloth->v[i]);
    fuzz_require(finite, "the state is finite");
}
