// Compiled once per instruction set, see src/meson.build.
#include "cloth/grid_parts.h"

// ---- one spring from a to b in each lane

// The force on a; that on b is the opposite. Adds the power of the elastic part to `elastic`.
CASE Vx3 pull(bool damped, Vx3 a, Vx3 b, Vx3 va, Vx3 vb, V k, double rest_length, DampingLaw law,
              V *elastic)
{
    Direction s = direction(a, b);
    V ratio = rest_length * s.inverse;
    k = v_where(s.some, k);
    V along = k * (ratio - 1.0);
    if (!damped) return vx3_scale(along, s.d);
    Vx3 w = vx3_sub(va, vb);
    V t = law.t0 + law.t1 * v_positive(1.0 - ratio), c = law.alpha * k;
    V closing = vx3_dot(s.d, w);
    *elastic += along * closing;
    along -= c * (1.0 - t) * (s.inverse * s.inverse) * closing;
    return vx3_add_scaled(vx3_scale(along, s.d), -c * t, w);
}

// ---- a part of a row

// Lanes that belong to the next part of this row or of the row below.
typedef struct Carry {
    Vx3 right, right2, falling;
} Carry;

// The forces of the springs that a part owns, on both of their ends. Returns the sum of all springs
// on the part's own particles: what came before is in `roll` and `carry`.
CASE Vx3 forces_of_part(bool damped, const GridStencil *grid, Part part, const Around *q,
                        const Around *w, DampingLaw law, Roll roll, Carry *carry, V *elastic)
{
    long width = grid->width;
    const double *L = grid->rest_length;
#define PULL(a, b, spring)                                                                         \
    pull(damped, q->a, q->b, w->a, w->b, stiffness_of(part, spring), L[spring], law, elastic)
    Vx3 below2 = PULL(here, below2, GRID_BELOW2);
    Vx3 below = PULL(here, below, GRID_BELOW), rising = PULL(right, below, GRID_RISING);
    Vx3 right = PULL(here, right, GRID_RIGHT);
    Carry now = {.right = vx3_sub(rising, right),
                 .right2 = PULL(here, right2, GRID_RIGHT2),
                 .falling = PULL(here, below_right, GRID_FALLING)};
#undef PULL
    Vx3 next = vx3_add(vx3_add(below, rising), vx3_shift1(carry->falling, now.falling));
    vx3_store(roll.after, width, vx3_sub((Vx3){0}, below2));
    vx3_store(roll.next, width, vx3_sub(vx3_load(roll.next, width), next));
    Vx3 own = vx3_add(vx3_add(vx3_add(right, below), vx3_add(now.falling, now.right2)), below2);
    own = vx3_add(own, vx3_load(roll.here, width));
    own = vx3_add(own, vx3_shift1(carry->right, now.right));
    own = vx3_sub(own, vx3_shift2(carry->right2, now.right2));
    *carry = now;
    return own;
}

// ---- a row

typedef struct Sums { // per lane
    V power, kinetic, square;
} Sums;

CASE void step_part(const GridSweep *sweep, long width, long at, V m, Vx3 f, Vx3 v, Sums *sums)
{
    V inverse_mass = v_load(sweep->inverse_mass + at), kick = sweep->kick * inverse_mass;
    Vx3 w = vx3_add_scaled(v, kick, f);
    V square = v_where(inverse_mass > v_all(0.0), vx3_dot(w, w));
    sums->kinetic += m * square;
    sums->square = v_max(square, sums->square);
    vx3_store(sweep->new_v + at, width, w);
    Vx3 x = vx3_load(sweep->x + at, width);
    vx3_store(sweep->new_x + at, width, vx3_add_scaled(x, v_all(sweep->h), w));
}

// The row is complete then, and nothing looks at it again: its particles move, if they are to. With
// and without that it is the same loop, so that a row above a band gets the bits it has in its own.
CASE Sums sweep_row(bool damped, const GridStencil *grid, const GridSweep *sweep, int row,
                    Roll roll)
{
    long width = grid->width;
    Sums sums = {0};
    Carry carry = {0};
    double gravity = sweep->gravity, air = sweep->air;
    for (int number = 0; number < parts_of_row(grid); number++) {
        Part part = part_of_row(grid, row, number);
        long at = part.at, in_row = at - 3L * row * width;
        Roll there = {roll.here + in_row, roll.next + in_row, roll.after + in_row};
        Around q = look_around(sweep->x + at, width), w = {.here = vx3_load(sweep->v + at, width)};
        if (damped) w = look_around(sweep->v + at, width);
        V elastic = v_all(0.0);
        Vx3 f = forces_of_part(damped, grid, part, &q, &w, sweep->damping, there, &carry, &elastic);
        // What the springs do to the particles is their elastic power minus what damping takes, and
        // every particle's sum passes through here: that is cheaper than the power of each damper.
        V m = v_load(sweep->mass + at) * v_load(part.inside);
        sums.power += air * m * vx3_dot(w.here, w.here);
        if (damped) sums.power += elastic - vx3_dot(w.here, f);
        f.y -= gravity * m;
        f = vx3_add_scaled(f, -air * m, w.here);
        if (sweep->f) vx3_store(sweep->f + at, width, f);
        if (sweep->new_x) step_part(sweep, width, at, m, f, w.here, &sums);
    }
    return sums;
}

CASE double largest(V a)
{
    double most = a[0];
    for (int lane = 1; lane < V_LANES; lane++) most = a[lane] > most ? a[lane] : most;
    return most;
}

CASE void sweep_rows(bool damped, const GridStencil *grid, const GridSweep *sweep, int first,
                     int last, double *memory)
{
    GridSweep above = *sweep;
    above.f = above.new_x = NULL;
    Roll roll = roll_start(grid, memory);
    for (int row = roll_first_row(first); row < last; row++, roll = roll_on(roll)) {
        Sums sums = sweep_row(damped, grid, row < first ? &above : sweep, row, roll);
        if (row >= first) {
            sweep->sums[row] = (GridRowSums){.power = v_sum(sums.power),
                                             .kinetic = 0.5 * v_sum(sums.kinetic),
                                             .square = largest(sums.square)};
        }
    }
}

void KERNEL(grid_sweep)(const GridStencil *grid, const GridSweep *sweep, int first, int last,
                        double *roll);
void KERNEL(grid_sweep)(const GridStencil *grid, const GridSweep *sweep, int first, int last,
                        double *roll)
{
    if (sweep->damping.alpha > 0.0) {
        sweep_rows(true, grid, sweep, first, last, roll);
    } else {
        sweep_rows(false, grid, sweep, first, last, roll);
    }
}
