// Compiled once per instruction set, see src/meson.build. The loops over the elements of a grid are
// in grid_sweep.c (forces and steps), grid_energy.c, grid_tangent.c and grid_sheet.c.
#include "cloth/grid_turn.h"

#define STRING_OF(name) #name
#define NAME_OF(name) STRING_OF(name)

// ---- the diagonal blocks' inverses

// By cofactors, like sym3_inverse.
static void grid_invert(const GridStencil *grid, double mass_factor, const double *mass,
                        const double *inverse_mass, int first, int last, double *main, double *off)
{
    long width = grid->width;
    V one = v_all(1.0);
    for (int row = first; row < last; row++) {
        for (int number = 0; number < parts_of_row(grid); number++) {
            long at = part_of_row(grid, row, number).at;
            VMask is_free = v_load(inverse_mass + at) > v_all(0.0);
            V shift = mass_factor * v_load(mass + at);
            Vx3 a = vx3_load(main + at, width), b = vx3_load(off + at, width);
            V xx = v_select(is_free, a.x + shift, one), xy = v_where(is_free, b.x);
            V yy = v_select(is_free, a.y + shift, one), xz = v_where(is_free, b.y);
            V zz = v_select(is_free, a.z + shift, one), yz = v_where(is_free, b.z);
            V cxx = yy * zz - yz * yz, cxy = xz * yz - xy * zz, cxz = xy * yz - xz * yy;
            V scale = 1.0 / (xx * cxx + xy * cxy + xz * cxz);
            vx3_store(main + at, width,
                      vx3_scale(scale, (Vx3){cxx, xx * zz - xz * xz, xx * yy - xy * xy}));
            vx3_store(off + at, width, vx3_scale(scale, (Vx3){cxy, cxz, xy * xz - xx * yz}));
        }
    }
}

static void grid_precondition(const GridStencil *grid, const double *main, const double *off,
                              const double *r, double *z)
{
    long width = grid->width;
    for (int row = 0; row < grid->rows + GRID_HALO_ROWS; row++) {
        for (long i = 0; i < width; i += V_LANES) {
            long at = 3L * row * width + i;
            Vx3 a = vx3_load(main + at, width), b = vx3_load(off + at, width);
            vx3_store(z + at, width, sym_product(a, b, vx3_load(r + at, width)));
        }
    }
}

static void grid_around(const GridStencil *grid, const GridProduct *product, int first, int last,
                        double *memory)
{
    PRows rows = p_rows(grid, product, first, last, memory);
    make_around(&rows);
}

static void grid_advance(const GridStencil *grid, const GridAdvance *advance, int first, int last)
{
    long width = grid->width;
    V step = v_all(advance->step);
    for (int row = first; row < last; row++) {
        V rr = v_all(0.0), rz = rr;
        for (long i = 0; i < width; i += V_LANES) {
            long at = 3L * row * width + i;
            Vx3 r = vx3_load(advance->r + at, width);
            r = vx3_add_scaled(r, -step, vx3_load(advance->q + at, width));
            vx3_store(advance->r + at, width, r);
            Vx3 a = vx3_load(advance->main + at, width), b = vx3_load(advance->off + at, width);
            Vx3 z = sym_product(a, b, r);
            vx3_store(advance->q + at, width, z);
            rr += vx3_dot(r, r);
            rz += vx3_dot(r, z);
        }
        advance->rr[row] = v_sum(rr);
        advance->rz[row] = v_sum(rz);
    }
}

// ---- the largest speed

static double grid_max_square(const Mesh *mesh, const double *inverse_mass, const double *v)
{
    long width = mesh->row_width;
    V largest = v_all(0.0);
    VMask bad = {0};
    for (int row = 0; row < mesh->rows; row++) {
        for (long at = 3 * row * width; at < (3 * row + 1) * width; at += V_LANES) {
            Vx3 w = vx3_load(v + at, width);
            V square = v_where(v_load(inverse_mass + at) > v_all(0.0), vx3_dot(w, w));
            bad |= square != square;
            largest = v_select(square > largest, square, largest);
        }
    }
    double most = 0.0;
    for (int lane = 0; lane < V_LANES; lane++) {
        if (bad[lane]) return NAN;
        most = fmax(most, largest[lane]);
    }
    return most;
}

// ---- the largest strain

typedef struct Squares { // of l / L
    V least, most;
} Squares;

// What is NaN does not count.
CASE void meet_square(Squares *squares, const GridStencil *there, Part part, GridSpring spring,
                      Vx3 a, Vx3 b)
{
    Vx3 d = vx3_sub(a, b);
    double L = there->rest_length[spring];
    VMask is_there = stiffness_of(part, spring) > v_all(0.0);
    V square = v_select(is_there, vx3_dot(d, d) * (1.0 / (L * L)), v_all(1.0));
    squares->least = v_min(square, squares->least);
    squares->most = v_max(square, squares->most);
}

static double grid_strain(const GridStencil *there, const double *x)
{
    Squares squares = {v_all(1.0), v_all(1.0)};
    for (int row = 0; row < there->rows; row++) {
        for (int number = 0; number < parts_of_row(there); number++) {
            Part part = part_of_row(there, row, number);
            Around q = look_around(x + part.at, there->width);
            meet_square(&squares, there, part, GRID_RIGHT, q.here, q.right);
            meet_square(&squares, there, part, GRID_BELOW, q.here, q.below);
            meet_square(&squares, there, part, GRID_FALLING, q.here, q.below_right);
            meet_square(&squares, there, part, GRID_RISING, q.right, q.below);
            meet_square(&squares, there, part, GRID_RIGHT2, q.here, q.right2);
            meet_square(&squares, there, part, GRID_BELOW2, q.here, q.below2);
        }
    }
    double least = 1.0, most = 1.0;
    for (int lane = 0; lane < V_LANES; lane++) {
        least = fmin(least, squares.least[lane]);
        most = fmax(most, squares.most[lane]);
    }
    return fmax(sqrt(most) - 1.0, 1.0 - sqrt(least));
}

// ---- the wind

typedef struct AirVectors {
    Vx3 w;
    V along, across; // half of c_t and of c_n - c_t: a normal's length is twice the area
    V work, drag;    // sums, W
} AirVectors;

// A third of the force on the triangles with the sides p and q from one corner, whose velocities
// add up to `sum`:  q (w - V) + s N.(w - V) N  with  q = c_t |N| / 2  and  s = (c_n - c_t) / 2 |N|.
static inline Vx3 wind_on(AirVectors *air, VMask inside, Vx3 p, Vx3 q, Vx3 sum)
{
    const V third = v_all(1.0 / 3.0);
    Vx3 normal = vx3_cross(p, q), mean = vx3_scale(third, sum);
    V square = vx3_dot(normal, normal);
    V inverse = v_rsqrt(inside & (square > v_all(1e-30)), square);
    V along = air->along * square * inverse, across = air->across * inverse;
    V of_wind = vx3_dot(normal, air->w), of_cloth = vx3_dot(normal, mean);
    air->work += along * vx3_dot(air->w, mean) + across * of_wind * of_cloth;
    air->drag += along * vx3_dot(mean, mean) + across * of_cloth * of_cloth;
    Vx3 force = vx3_scale(along, vx3_sub(air->w, mean));
    return vx3_scale(third, vx3_add_scaled(force, across * (of_wind - of_cloth), normal));
}

// The corners of a cell: a and b above, c and d below. Its triangles are a c b and b c d. What the
// right ones get is shifted to the next lane.
static GridAirPower grid_wind(const Mesh *mesh, GridAir air, const double *x, const double *v,
                              double *f)
{
    const long width = mesh->row_width, cells = mesh->columns - 1;
    AirVectors vectors = {
        .w = {v_all(air.velocity.x), v_all(air.velocity.y), v_all(air.velocity.z)},
        .along = v_all(0.5 * air.tangent),
        .across = v_all(0.5 * (air.normal - air.tangent)),
        .work = v_all(0.0),
        .drag = v_all(0.0)};
    V lane = v_all(0.0);
    for (int i = 0; i < V_LANES; i++) lane[i] = i;
    for (int row = 0; row + 1 < mesh->rows; row++) {
        const Vx3 none = {v_all(0.0), v_all(0.0), v_all(0.0)};
        Vx3 both_before = none, second_before = none;
        for (long i = 0; i <= cells; i += V_LANES) {
            long above = 3 * row * width + i, below = above + 3 * width;
            VMask inside = lane < v_all((double)(cells - i));
            Vx3 b = vx3_load(x + above + 1, width), c = vx3_load(x + below, width);
            Vx3 vb = vx3_load(v + above + 1, width), vc = vx3_load(v + below, width);
            Vx3 a = vx3_load(x + above, width), d = vx3_load(x + below + 1, width);
            Vx3 middle = vx3_add(vb, vc);
            Vx3 first = wind_on(&vectors, inside, vx3_sub(c, a), vx3_sub(b, a),
                                vx3_add(middle, vx3_load(v + above, width)));
            Vx3 second = wind_on(&vectors, inside, vx3_sub(c, b), vx3_sub(d, b),
                                 vx3_add(middle, vx3_load(v + below + 1, width)));
            Vx3 both = vx3_add(first, second);
            Vx3 upper = vx3_add(first, vx3_shift1(both_before, both));
            Vx3 lower = vx3_add(both, vx3_shift1(second_before, second));
            vx3_store(f + above, width, vx3_add(vx3_load(f + above, width), upper));
            vx3_store(f + below, width, vx3_add(vx3_load(f + below, width), lower));
            both_before = both;
            second_before = second;
        }
    }
    return (GridAirPower){v_sum(vectors.work), v_sum(vectors.drag)};
}

// ---- the filter

// As (s - v)(s + v), which is exact also where the two differ little.
CASE V square_loss_at(const double *mass, const double *before, const double *after)
{
    V s = v_load(before), v = v_load(after);
    return v_load(mass) * ((s - v) * (s + v));
}

static double square_loss(int lines, int width, const double *mass, const double *before,
                          ptrdiff_t stride, const double *after)
{
    V a = v_all(0.0), b = a, c = a, d = a; // an addition need not wait for the one before
    double rest = 0.0;
    for (int line = 0; line < lines; line++, before += stride, mass += width, after += width) {
        int i = 0;
        for (; i + 4 * V_LANES <= width; i += 4 * V_LANES) {
            int j = i + V_LANES, k = j + V_LANES, l = k + V_LANES;
            a += square_loss_at(mass + i, before + i, after + i);
            b += square_loss_at(mass + j, before + j, after + j);
            c += square_loss_at(mass + k, before + k, after + k);
            d += square_loss_at(mass + l, before + l, after + l);
        }
        for (; i + V_LANES <= width; i += V_LANES)
            a += square_loss_at(mass + i, before + i, after + i);
        for (; i < width; i++) rest += mass[i] * ((before[i] - after[i]) * (before[i] + after[i]));
    }
    return v_sum((a + b) + (c + d)) + rest;
}

extern const GridModelKernels KERNEL(grid_springs), KERNEL(grid_choi_ko), KERNEL(grid_sheet);

void KERNEL(grid_cells)(const GridStencil *grid, BlockLaw law, const double *x,
                        const double *geometry, const double *mass, int row, double *lines);

double KERNEL(level_down)(const GridNodes *from, const double *r, GridHeld held,
                          const GridNodes *to, int row, double *sums);
void KERNEL(level_up)(const GridNodes *coarse, const GridNodes *to, int row);
void KERNEL(level_nodes)(const GridNodes *nodes, const GridCells *cells, int row, double *main,
                         double *off);

void KERNEL(filter_rows)(const FilterSweep *sweep, int first, int last);
GridMotion KERNEL(grid_motion)(const Mesh *mesh, const double *from, const double *to, Vec3 frame);
extern const StarKernels KERNEL(star_kernels);

const SpringKernels KERNEL(spring_kernels) = {
    .name = NAME_OF(KERNEL(spring_kernels)),
    .grid = {[GRID_MODEL_SPRINGS] = &KERNEL(grid_springs),
             [GRID_MODEL_CHOI_KO] = &KERNEL(grid_choi_ko),
             [GRID_MODEL_BARAFF_WITKIN] = &KERNEL(grid_sheet)},
    .grid_invert = grid_invert,
    .grid_precondition = grid_precondition,
    .grid_cells = KERNEL(grid_cells),
    .level_down = KERNEL(level_down),
    .level_nodes = KERNEL(level_nodes),
    .level_up = KERNEL(level_up),
    .grid_around = grid_around,
    .grid_advance = grid_advance,
    .grid_max_square = grid_max_square,
    .grid_strain = grid_strain,
    .grid_motion = KERNEL(grid_motion),
    .grid_wind = grid_wind,
    .filter_rows = KERNEL(filter_rows),
    .square_loss = square_loss,
    .stars = &KERNEL(star_kernels),
};
