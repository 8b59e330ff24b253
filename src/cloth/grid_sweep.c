// Compiled once per instruction set, see src/meson.build.
#include "cloth/grid_choi_ko.h"
#include "cloth/grid_parts.h"
#include "cloth/grid_sheet.h"
#include "cloth/spring_pull.h"

// ---- a part of a row

// Lanes that belong to the next part of this row or of the row below.
typedef struct Carry {
    Vx3 right, right2, falling;
} Carry;

// The forces of the springs that a part owns, on both of their ends. Returns the sum of all springs
// on the part's own particles: what came before is in `roll` and `carry`.
CASE Vx3 forces_of_part(Damped damped, const GridStencil *grid, Part part, const Around *q,
                        const Around *w, DampingLaw law, Roll roll, Carry *carry, V *elastic)
{
    long width = grid->width;
    const double *L = grid->rest_length;
#define PULL(a, b, spring)                                                                         \
    pull(damped, q->a, q->b, w->a, w->b, stiffness_of(part, spring), v_all(L[spring]), law, elastic)
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

// What finish_row works with, and places four rows below.
CASE void ask_for(const GridSweep *sweep, long at, long width)
{
    ask_to_read(sweep->x + at + 4 * 3 * width, width);
    ask_to_read(sweep->v + at, width);
    __builtin_prefetch(sweep->mass + at, 0);
    __builtin_prefetch(sweep->inverse_mass + at, 0);
    if (sweep->new_v) ask_to_write(sweep->new_v + at, width);
    if (sweep->new_x) ask_to_write(sweep->new_x + at, width);
}

// The forces of the springs and elements that a row owns, see Roll. `roll.here` is complete then.
// Returns the power of their elastic part. It is the same loop for rows above a band, so that they
// get the bits they have in their own. `first` is the band's first row.
CASE V sweep_row(GridModel model, Damped damped, const GridStencil *grid, const GridSweep *sweep,
                 int row, int first, Roll roll)
{
    long width = grid->width;
    long ahead = row < first ? 3L * (first - row) * width : 0; // what is above belongs to others
    V power = v_all(0.0);
    Carry carry = {0};
    Handed handed = {0};
    DampingLaw law = sweep->damping;
    for (int number = 0; number < parts_of_row(grid); number++) {
        Part part = part_of_row(grid, row, number);
        long at = part.at, in_row = at - 3L * row * width;
        if (!damped) ask_for(sweep, at + ahead, width); // damped: 3 % slower up to 256 x 256
        Roll there = {roll.here + in_row, roll.next + in_row, roll.after + in_row};
        Around q = damped ? look_ahead(sweep->x + at, width) : look_around(sweep->x + at, width);
        Around w = {0};
        if (damped) w = look_ahead(sweep->v + at, width);
        V elastic = v_all(0.0);
        Vx3 f;
        if (model == GRID_MODEL_SPRINGS) {
            f = forces_of_part(damped, grid, part, &q, &w, law, there, &carry, &elastic);
        } else {
            Around g = model == GRID_MODEL_CHOI_KO
                           ? choi_ko_forces(damped, grid, part, &q, &w, law, &elastic)
                           : sheet_forces(damped, grid, part, edge_stiffness(part, row, number), &q,
                                          &w, law, &elastic);
            f = hand_out(&g, &handed, there, width);
        }
        vx3_store(there.here, width, f);
        power += elastic;
    }
    return power;
}

// Gravity and drag on a row whose `springs` are complete, and its step, if there is one. A loop of
// its own is faster than the end of that of the springs, see docs/performance.md.
CASE Sums finish_row(Damped damped, const GridStencil *grid, const GridSweep *sweep, int row,
                     const double *springs, V elastic)
{
    Sums sums = {.power = elastic, .lowest = v_all(INFINITY)};
    long width = grid->width, start = 3L * row * width;
    const double *x = sweep->x + start, *v = sweep->v + start;
    const double *mass = sweep->mass + start, *inverse_mass = sweep->inverse_mass + start;
    double *out = sweep->f ? sweep->f + start : NULL;
    double *new_x = sweep->new_x ? sweep->new_x + start : NULL;
    double *new_v = sweep->new_v ? sweep->new_v + start : NULL;
    double gravity = sweep->gravity, air = sweep->air, h = sweep->h, kick = sweep->kick;
    for (int number = 0; number < parts_of_row(grid); number++) {
        Part part = part_of_row(grid, row, number);
        long at = part.at - start;
        Vx3 f = vx3_load(springs + at, width), w = vx3_load(v + at, width);
        V m = v_load(mass + at) * v_load(part.inside), drag = air * m;
        // What the springs do to the particles is their elastic power minus what damping takes, and
        // every particle's sum passes through here: that is cheaper than the power of each damper.
        sums.power += drag * vx3_dot(w, w);
        if (damped) sums.power -= vx3_dot(w, f);
        f.y -= gravity * m;
        f = vx3_add_scaled(f, -drag, w);
        if (out) vx3_store(out + at, width, f);
        if (!new_v) continue;
        V over_m = v_load(inverse_mass + at);
        w = vx3_add_scaled(w, kick * over_m, f);
        V square = v_where(over_m > v_all(0.0), vx3_dot(w, w));
        sums.kinetic += m * square;
        sums.square = v_max(square, sums.square);
        vx3_store(new_v + at, width, w);
        if (!new_x) continue;
        Vx3 q = vx3_add_scaled(vx3_load(x + at, width), v_all(h), w);
        sums.lowest = v_min(q.y, sums.lowest);
        vx3_store(new_x + at, width, q);
    }
    return sums;
}

CASE void sweep_rows(GridModel model, Damped damped, const GridStencil *grid,
                     const GridSweep *sweep, int first, int last, double *memory)
{
    Roll roll = roll_start(grid, memory);
    for (int row = roll_first_row(first); row < last; row++, roll = roll_on(roll)) {
        V elastic = sweep_row(model, damped, grid, sweep, row, first, roll);
        if (row < first) continue;
        Sums sums = finish_row(damped, grid, sweep, row, roll.here, elastic);
        sweep->sums[row] = (GridRowSums){.power = v_sum(sums.power),
                                         .kinetic = 0.5 * v_sum(sums.kinetic),
                                         .square = v_largest(sums.square),
                                         .lowest = -v_largest(-sums.lowest)};
    }
}

CASE void sweep_model(GridModel model, const GridStencil *grid, const GridSweep *sweep, int first,
                      int last, double *roll)
{
    Damped damped = damped_by(sweep->damping);
    if (damped == UNDAMPED) {
        sweep_rows(model, UNDAMPED, grid, sweep, first, last, roll);
    } else if (model == GRID_MODEL_SPRINGS && damped == DAMPED_TAUT) {
        sweep_rows(model, DAMPED_TAUT, grid, sweep, first, last, roll);
    } else {
        sweep_rows(model, DAMPED, grid, sweep, first, last, roll);
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
