// Compiled once per instruction set, see src/meson.build: forces and steps of spring_stars.h, a
// register of particles at a time.
#include "cloth/spring_pull.h"
#include "cloth/star_parts.h"

// 1 for a particle, 0 for padding.
CASE V inside(const StarGroups *stars, const Members *them)
{
    V mask = v_all(1.0);
    int count = stars->particles - (int)(them->at / MESH_ENTRIES);
    for (int i = count > 0 ? count : 0; i < V_LANES; i++) mask[i] = 0.0;
    return mask;
}

// ---- forces, and a step

typedef struct Sums { // per lane
    V power, kinetic, square, lowest;
} Sums;

// The force of its springs on each of them. Every spring is computed at both of its ends, so each
// end has half of the power.
CASE Vx3 forces_of_members(Damped damped, const StarGroups *stars, const Members *them,
                           const GridSweep *sweep, Vx3 q, Vx3 w, V *power)
{
    Vx3 f = {0};
    V elastic = v_all(0.0);
    for (int slot = them->first; slot < them->end; slot++) {
        long at = (long)MESH_LANES * slot + them->lane;
        const int *other = stars->other + at;
        Vx3 there = vx3_gather(sweep->x, other), then = {0};
        if (damped) then = vx3_gather(sweep->v, other);
        f = vx3_add(f, pull(damped, q, there, w, then, v_load(stars->stiffness + at),
                            v_load(stars->rest_length + at), sweep->damping, &elastic));
    }
    if (damped) *power += 0.5 * elastic - vx3_dot(w, f);
    return f;
}

// Their force, gravity and drag, and their step, if there is one: see finish_row in grid_sweep.c.
CASE void sweep_members(Damped damped, const StarGroups *stars, const Members *them,
                        const GridSweep *sweep, Sums *sums)
{
    long at = them->at;
    Vx3 q = vx3_gather(sweep->x + at, members_own), w = vx3_gather(sweep->v + at, members_own);
    Vx3 f = forces_of_members(damped, stars, them, sweep, q, w, &sums->power);
    V there = inside(stars, them);
    V m = v_gather(sweep->mass + at, members_own) * there, drag = sweep->air * m;
    sums->power += drag * vx3_dot(w, w);
    f.y -= sweep->gravity * m;
    f = vx3_add_scaled(f, -drag, w);
    if (sweep->f) vx3_scatter(sweep->f + at, members_own, f);
    if (!sweep->new_v) return;
    V over_m = v_gather(sweep->inverse_mass + at, members_own);
    w = vx3_add_scaled(w, sweep->kick * over_m, f);
    V square = v_where(over_m > v_all(0.0), vx3_dot(w, w));
    sums->kinetic += m * square;
    sums->square = v_max(square, sums->square);
    vx3_scatter(sweep->new_v + at, members_own, w);
    if (!sweep->new_x) return;
    q = vx3_add_scaled(q, v_all(sweep->h), w);
    sums->lowest = v_min(v_select(there > v_all(0.0), q.y, sums->lowest), sums->lowest);
    vx3_scatter(sweep->new_x + at, members_own, q);
}

CASE void sweep_stars(Damped damped, const StarGroups *stars, const GridSweep *sweep, int first,
                      int last)
{
    for (int block = first; block < last; block++) {
        Sums sums = {.lowest = v_all(INFINITY)};
        int end = block_end(stars, block);
        for (int i = block_start(block); i < end; i++) {
            Members them = members_of(stars, i);
            sweep_members(damped, stars, &them, sweep, &sums);
        }
        sweep->sums[block] = (GridRowSums){.power = v_sum(sums.power),
                                           .kinetic = 0.5 * v_sum(sums.kinetic),
                                           .square = v_largest(sums.square),
                                           .lowest = -v_largest(-sums.lowest)};
    }
}

StarSweep KERNEL(star_sweep);

void KERNEL(star_sweep)(const StarGroups *stars, const GridSweep *sweep, int first, int last)
{
    switch (damped_by(sweep->damping)) {
    case UNDAMPED:
        sweep_stars(UNDAMPED, stars, sweep, first, last);
        break;
    case DAMPED_TAUT:
        sweep_stars(DAMPED_TAUT, stars, sweep, first, last);
        break;
    case DAMPED:
        sweep_stars(DAMPED, stars, sweep, first, last);
        break;
    }
}
