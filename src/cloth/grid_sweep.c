// Compiled once per instruction set, see src/meson.build.
#include "cloth/grid_choi_ko.h"
#include "cloth/grid_parts.h"
#include "cloth/grid_sheet.h"

// ---- one spring from a to b in each lane

// The force on a; that on b is the opposite. Adds the power of the elastic part to `elastic`.
// Undamped springs of length 0 need no mask: their d is 0.
CASE Vx3 pull(bool damped, Vx3 a, Vx3 b, Vx3 va, Vx3 vb, V k, double rest_length, DampingLaw law,
              V *elastic)
{
    if (!damped) {
        Vx3 d = vx3_sub(a, b);
        V square = v_max(v_all(LENGTH_TINY * LENGTH_TINY), vx3_dot(d, d));
        return vx3_scale(k * (rest_length * v_inverse_root(square) - 1.0), d);
    }
    Direction s = direction(a, b);
    V ratio = rest_length * s.inverse;
    k = v_where(s.some, k);
    V along = k * (ratio - 1.0);
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

// ---- a part of a row of springs that buckle

// The force of such a spring on a; see pull.
CASE Vx3 buckling_pull(bool damped, GridSpring spring, Vx3 a, Vx3 b, Vx3 va, Vx3 vb, V k,
                       double rest_length, DampingLaw law, V *elastic)
{
    Direction s = direction(a, b);
    Response now =
        response(damped, spring, v_where(s.some, k), rest_length, vx3_dot(s.d, s.d), s.inverse);
    V along = -now.share;
    if (!damped) return vx3_scale(along, s.d);
    Vx3 w = vx3_sub(va, vb);
    V across = law.t0 * now.slope + law.t1 * v_positive(now.share), closing = vx3_dot(s.d, w);
    *elastic += along * closing;
    along -= law.alpha * (now.slope - across) * (s.inverse * s.inverse) * closing;
    return vx3_add_scaled(vx3_scale(along, s.d), -law.alpha * across, w);
}

CASE Around choi_ko_forces(bool damped, const GridStencil *grid, Part part, const Around *q,
                           const Around *w, DampingLaw law, V *elastic)
{
#define PULL(a, b, spring)                                                                         \
    buckling_pull(damped, spring, q->a, q->b, w->a, w->b, stiffness_of(part, spring),              \
                  grid->rest_length[spring], law, elastic)
    Vx3 right = PULL(here, right, GRID_RIGHT), below = PULL(here, below, GRID_BELOW);
    Vx3 falling = PULL(here, below_right, GRID_FALLING), rising = PULL(right, below, GRID_RISING);
    Vx3 right2 = PULL(here, right2, GRID_RIGHT2), below2 = PULL(here, below2, GRID_BELOW2);
#undef PULL
    Vx3 none = {0};
    return (Around){.here =
                        vx3_add(vx3_add(vx3_add(right, below), vx3_add(falling, right2)), below2),
                    .right = vx3_sub(rising, right),
                    .right2 = vx3_sub(none, right2),
                    .below = vx3_sub(none, vx3_add(below, rising)),
                    .below_right = vx3_sub(none, falling),
                    .below2 = vx3_sub(none, below2)};
}

// ---- a part of a row of Baraff and Witkin's elements

CASE void add_thread_force(bool damped, const GridStencil *grid, V k, Vx3 a, Vx3 b, Vx3 va, Vx3 vb,
                           DampingLaw law, V *elastic, Vx3 *out_a, Vx3 *out_b)
{
    Thread s = thread_of(grid, a, b);
    V along = -k * s.r;
    Vx3 force = vx3_scale(along, s.d);
    if (damped) {
        Vx3 w = vx3_sub(va, vb);
        V t = law.t0 + law.t1 * v_positive(s.r), c = law.alpha * k;
        V closing = vx3_dot(s.d, w);
        *elastic += along * closing;
        force = vx3_add_scaled(force, -c * (1.0 - t) * (s.inverse * s.inverse) * closing, s.d);
        force = vx3_add_scaled(force, -c * t, w);
    }
    *out_a = vx3_add(*out_a, force);
    *out_b = vx3_sub(*out_b, force);
}

// -dE/dC of an element with E = k/2 C^2, damped by its rate
CASE V element_pull(bool damped, V k, V C, V rate, double alpha, V *elastic)
{
    V pull = -k * C;
    if (!damped) return pull;
    *elastic += pull * rate;
    return pull - alpha * k * rate;
}

CASE Around sheet_forces(bool damped, const GridStencil *grid, Part part, EdgeStiffness edge,
                         const Around *q, const Around *w, DampingLaw law, V *elastic)
{
    Around out = {0};
    V none = v_all(0.0);
    add_thread_force(damped, grid, edge.right, q->here, q->right, w->here, w->right, law, elastic,
                     &out.here, &out.right);
    add_thread_force(damped, grid, edge.below, q->here, q->below, w->here, w->below, law, elastic,
                     &out.here, &out.below);
    Cell cell = cell_of(q), rates = cell_of(w);
    V shear = stiffness_of(part, GRID_FALLING);
    V upper = element_pull(damped, shear, vx3_dot(cell.top, cell.left),
                           damped ? upper_shear(&cell, &rates) : none, law.alpha, elastic);
    V lower = element_pull(damped, shear, vx3_dot(cell.bottom, cell.right),
                           damped ? lower_shear(&cell, &rates) : none, law.alpha, elastic);
    add_shear(&out, &cell, upper, lower);
    CellSides sides = sides_of(q);
    Folds folds = folds_of(grid, &sides);
#define ADD_FOLD(fold, spring, CORNERS)                                                            \
    add_fold(&folds.fold,                                                                          \
             element_pull(damped, stiffness_of(part, spring), folds.fold.angle,                    \
                          damped ? fold_rate(&folds.fold, CORNERS(, w)) : none, law.alpha,         \
                          elastic),                                                                \
             CORNERS(&, &out))
    ADD_FOLD(diagonal, GRID_RISING, DIAGONAL_CORNERS);
    ADD_FOLD(right, GRID_RIGHT2, RIGHT_CORNERS);
    ADD_FOLD(below, GRID_BELOW2, BELOW_CORNERS);
#undef ADD_FOLD
    return out;
}

// ---- a row

typedef struct Sums { // per lane
    V power, kinetic, square, lowest;
} Sums;

CASE void step_part(const GridSweep *sweep, long width, long at, V m, Vx3 f, Vx3 v, Sums *sums)
{
    V inverse_mass = v_load(sweep->inverse_mass + at), kick = sweep->kick * inverse_mass;
    Vx3 w = vx3_add_scaled(v, kick, f);
    V square = v_where(inverse_mass > v_all(0.0), vx3_dot(w, w));
    sums->kinetic += m * square;
    sums->square = v_max(square, sums->square);
    vx3_store(sweep->new_v + at, width, w);
    Vx3 x = vx3_add_scaled(vx3_load(sweep->x + at, width), v_all(sweep->h), w);
    sums->lowest = v_min(x.y, sums->lowest);
    vx3_store(sweep->new_x + at, width, x);
}

// The row is complete then, and nothing looks at it again: its particles move, if they are to. With
// and without that it is the same loop, so that a row above a band gets the bits it has in its own.
CASE Sums sweep_row(GridModel model, bool damped, const GridStencil *grid, const GridSweep *sweep,
                    int row, Roll roll)
{
    long width = grid->width;
    Sums sums = {.lowest = v_all(INFINITY)};
    Carry carry = {0};
    Handed handed = {0};
    double gravity = sweep->gravity, air = sweep->air;
    for (int number = 0; number < parts_of_row(grid); number++) {
        Part part = part_of_row(grid, row, number);
        long at = part.at, in_row = at - 3L * row * width;
        Roll there = {roll.here + in_row, roll.next + in_row, roll.after + in_row};
        Around q = look_around(sweep->x + at, width), w = {.here = vx3_load(sweep->v + at, width)};
        if (damped) w = look_around(sweep->v + at, width);
        V elastic = v_all(0.0);
        Vx3 f;
        if (model == GRID_MODEL_SPRINGS) {
            f = forces_of_part(damped, grid, part, &q, &w, sweep->damping, there, &carry, &elastic);
        } else {
            Around g = model == GRID_MODEL_CHOI_KO
                           ? choi_ko_forces(damped, grid, part, &q, &w, sweep->damping, &elastic)
                           : sheet_forces(damped, grid, part, edge_stiffness(part, row, number), &q,
                                          &w, sweep->damping, &elastic);
            f = hand_out(&g, &handed, there, width);
        }
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

CASE void sweep_rows(GridModel model, bool damped, const GridStencil *grid, const GridSweep *sweep,
                     int first, int last, double *memory)
{
    GridSweep above = *sweep;
    above.f = above.new_x = NULL;
    Roll roll = roll_start(grid, memory);
    for (int row = roll_first_row(first); row < last; row++, roll = roll_on(roll)) {
        Sums sums = sweep_row(model, damped, grid, row < first ? &above : sweep, row, roll);
        if (row >= first) {
            sweep->sums[row] = (GridRowSums){.power = v_sum(sums.power),
                                             .kinetic = 0.5 * v_sum(sums.kinetic),
                                             .square = largest(sums.square),
                                             .lowest = -largest(-sums.lowest)};
        }
    }
}

CASE void sweep_model(GridModel model, const GridStencil *grid, const GridSweep *sweep, int first,
                      int last, double *roll)
{
    if (sweep->damping.alpha > 0.0) {
        sweep_rows(model, true, grid, sweep, first, last, roll);
    } else {
        sweep_rows(model, false, grid, sweep, first, last, roll);
    }
}

GridKernelSweep KERNEL(sweep_springs), KERNEL(sweep_choi_ko), KERNEL(sweep_sheet);

void KERNEL(sweep_springs)(const GridStencil *grid, const GridSweep *sweep, int first, int last,
                           double *roll)
{
    sweep_model(GRID_MODEL_SPRINGS, grid, sweep, first, last, roll);
}

void KERNEL(sweep_choi_ko)(const GridStencil *grid, const GridSweep *sweep, int first, int last,
                           double *roll)
{
    sweep_model(GRID_MODEL_CHOI_KO, grid, sweep, first, last, roll);
}

void KERNEL(sweep_sheet)(const GridStencil *grid, const GridSweep *sweep, int first, int last,
                         double *roll)
{
    sweep_model(GRID_MODEL_BARAFF_WITKIN, grid, sweep, first, last, roll);
}
