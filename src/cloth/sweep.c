#include "cloth/sweep.h"

#include "cloth/block_law.h"

#include <math.h>

GridSweep sweep_of(const Cloth *cloth, const ForceStep *step, GridRowSums *sums)
{
    return (GridSweep){.damping = damping_law(&cloth->material),
                       .gravity = cloth->material.gravity,
                       .air = cloth->material.air,
                       .mass = cloth->mass,
                       .inverse_mass = cloth->inverse_mass,
                       .x = step->x,
                       .v = step->v,
                       .f = step->f,
                       .kick = step->kick,
                       .h = step->h,
                       .new_x = step->new_x,
                       .new_v = step->new_v,
                       .sums = sums};
}

ForceSums sweep_sums(int count, const GridRowSums *sums)
{
    ForceSums all = {.lowest = INFINITY};
    double square = 0.0;
    for (int row = 0; row < count; row++) {
        all.power += sums[row].power;
        all.kinetic += sums[row].kinetic;
        double speed2 = sums[row].square, lowest = sums[row].lowest;
        square = speed2 > square ? speed2 : square; // fmax and fmin are calls
        all.lowest = lowest < all.lowest ? lowest : all.lowest;
    }
    all.speed = isfinite(all.kinetic) ? sqrt(square) : NAN;
    return all;
}
