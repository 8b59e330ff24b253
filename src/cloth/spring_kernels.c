// Compiled once per instruction set: SPRING_KERNELS is the table's name, see src/meson.build.
#include "cloth/spring_kernels.h"

#include "cloth/cloth.h"
#include "linalg/simd4.h"

#include <string.h>

#define STRING_OF(name) #name
#define NAME_OF(name) STRING_OF(name)

// Compile-time cases of one loop: the flags are constants where it is called.
#define CASE static inline __attribute__((always_inline))

// ---- one spring in each lane, from a to b

typedef struct Direction {
    V4x3 d;      // m, a - b
    V4 inverse;  // 1/l, 0 without a length
    V4Mask some; // has a length
} Direction;

CASE Direction direction(V4x3 a, V4x3 b)
{
    Direction s = {.d = v4x3_sub(a, b)};
    V4 square = v4x3_dot(s.d, s.d);
    s.some = square > v4_all(LENGTH_TINY * LENGTH_TINY);
    s.inverse = v4_rsqrt(s.some, square);
    return s;
}

// Force on a; that on b is the opposite.
CASE V4x3 pull(bool damped, V4x3 a, V4x3 b, V4x3 va, V4x3 vb, V4 k, double rest_length,
               DampingLaw law)
{
    Direction s = direction(a, b);
    V4 ratio = rest_length * s.inverse;
    k = v4_where(s.some, k);
    V4 along = k * (ratio - 1.0);
    if (!damped) return v4x3_scale(along, s.d);
    V4x3 w = v4x3_sub(va, vb);
    V4 t = law.t0 + law.t1 * v4_positive(1.0 - ratio), c = law.alpha * k;
    along -= c * (1.0 - t) * (s.inverse * s.inverse) * v4x3_dot(s.d, w);
    return v4x3_add_scaled(v4x3_scale(along, s.d), -c * t, w);
}

// ---- what the springs of a block do to both of their ends

typedef struct Reactions { // per spring, on its first end
    V4x3 right, below, falling, rising, right2, below2;
} Reactions;

// Lanes that belong to the next block of this row.
typedef struct Carry {
    V4x3 right, right2, falling;
} Carry;

static const V4x3 nothing;

// Add a block's reactions to its row (at `out`) and the two below; `sign` is that of the second
// end. The row two below is written for the first time.
CASE V4x3 spread(double sign, Reactions g, Carry *carry, double *out, long width)
{
    V4 s = v4_all(sign);
    Carry now = {
        .right = v4x3_add_scaled(g.rising, s, g.right), .right2 = g.right2, .falling = g.falling};
    V4x3 own =
        v4x3_add(v4x3_add(v4x3_add(g.right, g.below), v4x3_add(g.falling, g.right2)), g.below2);
    V4x3 here = v4x3_add(v4x3_load(out, width), own);
    here = v4x3_add(here, v4x3_shift1(carry->right, now.right));
    here = v4x3_add_scaled(here, s, v4x3_shift2(carry->right2, now.right2));
    double *next = out + 3 * width, *after = next + 3 * width;
    V4x3 below = v4x3_add(v4x3_add(g.below, g.rising), v4x3_shift1(carry->falling, now.falling));
    v4x3_store(next, width, v4x3_add_scaled(v4x3_load(next, width), s, below));
    v4x3_store(after, width, v4x3_scale(s, g.below2));
    *carry = now;
    return here;
}

CASE int rows_below(const GridStencil *grid, int row)
{
    int below = grid->rows - 1 - row;
    return below < 2 ? below : 2;
}

CASE int block_class(const GridStencil *grid, int block)
{
    return block < grid->tail ? 0 : 1 + block - grid->tail;
}

// The first two rows are added to before they are written, and what is right of the last block is
// never written at all.
static void clear_rows(const GridStencil *grid, double *out)
{
    size_t width = (size_t)grid->width, used = (size_t)(MESH_LANES * grid->blocks);
    memset(out, 0, 6 * width * sizeof *out);
    if (used == width) return;
    for (size_t r = 0; r < 3 * ((size_t)grid->rows + GRID_HALO_ROWS); r++) {
        memset(out + r * width + used, 0, (width - used) * sizeof *out);
    }
}

// ---- forces

typedef struct Around { // a block and those it has springs to
    V4x3 here, right, right2, below, below_right, below2;
} Around;

CASE Around look_around(const double *x, long width)
{
    const double *next = x + 3 * width, *after = next + 3 * width;
    return (Around){v4x3_load(x, width),    v4x3_load(x + 1, width),    v4x3_load(x + 2, width),
                    v4x3_load(next, width), v4x3_load(next + 1, width), v4x3_load(after, width)};
}

CASE void forces_of_row(bool damped, const GridStencil *grid, int row, DampingLaw law,
                        double gravity, double air, const double *mass, const double *x,
                        const double *v, double *f)
{
    long width = grid->width;
    const double *L = grid->rest_length;
    Carry carry = {nothing, nothing, nothing};
    for (int block = 0; block < grid->blocks; block++) {
        long at = 3L * row * width + MESH_LANES * block;
        int class = block_class(grid, block);
        const double(*k)[MESH_LANES] = grid->stiffness[rows_below(grid, row)][class];
        Around q = look_around(x + at, width), w = {.here = v4x3_load(v + at, width)};
        if (damped) w = look_around(v + at, width);
#define PULL(a, b, spring) pull(damped, q.a, q.b, w.a, w.b, v4_load(k[spring]), L[spring], law)
        Reactions g = {.right = PULL(here, right, GRID_RIGHT),
                       .below = PULL(here, below, GRID_BELOW),
                       .falling = PULL(here, below_right, GRID_FALLING),
                       .rising = PULL(right, below, GRID_RISING),
                       .right2 = PULL(here, right2, GRID_RIGHT2),
                       .below2 = PULL(here, below2, GRID_BELOW2)};
#undef PULL
        V4x3 sum = spread(-1.0, g, &carry, f + at, width);
        V4 m = v4_load(mass + at) * v4_load(grid->inside[class]);
        sum.y -= gravity * m;
        v4x3_store(f + at, width, v4x3_add_scaled(sum, -air * m, w.here));
    }
}

static void grid_forces(const GridStencil *grid, DampingLaw damping, double gravity, double air,
                        const double *mass, const double *x, const double *v, double *f)
{
    clear_rows(grid, f);
    for (int row = 0; row < grid->rows; row++) {
        if (damping.alpha > 0.0) {
            forces_of_row(true, grid, row, damping, gravity, air, mass, x, v, f);
        } else {
            forces_of_row(false, grid, row, damping, gravity, air, mass, x, v, f);
        }
    }
}

// ---- tangents

typedef struct Axis {
    V4x3 u;
    V4 r;
} Axis;

CASE Axis axis(V4x3 a, V4x3 b, double rest_length)
{
    Direction s = direction(a, b);
    return (Axis){v4x3_scale(s.inverse, s.d), v4_where(s.some, 1.0 - rest_length * s.inverse)};
}

static void grid_geometry(const GridStencil *grid, const double *x, double *geometry)
{
    long width = grid->width;
    const double *L = grid->rest_length;
    for (int row = 0; row < grid->rows; row++) {
        for (int block = 0; block < grid->blocks; block++) {
            Around q = look_around(x + 3L * row * width + MESH_LANES * block, width);
            Axis axes[GRID_SPRINGS] = {
                [GRID_RIGHT] = axis(q.here, q.right, L[GRID_RIGHT]),
                [GRID_BELOW] = axis(q.here, q.below, L[GRID_BELOW]),
                [GRID_FALLING] = axis(q.here, q.below_right, L[GRID_FALLING]),
                [GRID_RISING] = axis(q.right, q.below, L[GRID_RISING]),
                [GRID_RIGHT2] = axis(q.here, q.right2, L[GRID_RIGHT2]),
                [GRID_BELOW2] = axis(q.here, q.below2, L[GRID_BELOW2]),
            };
            for (int s = 0; s < GRID_SPRINGS; s++, geometry += 4 * MESH_LANES) {
                v4x3_store(geometry, MESH_LANES, axes[s].u);
                v4_store(geometry + 3 * MESH_LANES, axes[s].r);
            }
        }
    }
}

CASE Axis stored_axis(const double *geometry, GridSpring spring)
{
    const double *from = geometry + 4 * MESH_LANES * (int)spring;
    return (Axis){v4x3_load(from, MESH_LANES), v4_load(from + 3 * MESH_LANES)};
}

// Transverse stiffness k t. Without a length u = 0 and r = 0, and only t0 must be kept away.
CASE V4 transverse(bool constant_part, Axis s, V4 k, BlockLaw law)
{
    V4 t = law.t1 * v4_positive(s.r) + law.t2 * s.r;
    if (constant_part) t += v4_where(v4x3_dot(s.u, s.u) > v4_all(0.5), v4_all(law.t0));
    return k * t;
}

// B (p_a - p_b)
CASE V4x3 block_product(bool constant_part, Axis s, V4 k, BlockLaw law, V4x3 pa, V4x3 pb)
{
    V4x3 d = v4x3_sub(pa, pb);
    V4 isotropic = transverse(constant_part, s, k, law), axial = law.total * k - isotropic;
    return v4x3_add_scaled(v4x3_scale(isotropic, d), axial * v4x3_dot(s.u, d), s.u);
}

CASE void product_of_row(bool constant_part, bool stored, const GridStencil *grid, int row,
                         BlockLaw law, const double *geometry, const double *x, double mass_factor,
                         const double *mass, const double *p, double *out)
{
    long width = grid->width;
    const double *L = grid->rest_length;
    Carry carry = {nothing, nothing, nothing};
    for (int block = 0; block < grid->blocks; block++) {
        long at = 3L * row * width + MESH_LANES * block;
        const double(*k)[MESH_LANES] =
            grid->stiffness[rows_below(grid, row)][block_class(grid, block)];
        const double *axes =
            stored ? geometry + ((long)row * grid->blocks + block) * GRID_GEOMETRY : NULL;
        Around q = look_around(p + at, width), at_x = q;
        if (!stored) at_x = look_around(x + at, width);
#define PRODUCT(a, b, spring)                                                                      \
    block_product(constant_part,                                                                   \
                  stored ? stored_axis(axes, spring) : axis(at_x.a, at_x.b, L[spring]),            \
                  v4_load(k[spring]), law, q.a, q.b)
        Reactions g = {.right = PRODUCT(here, right, GRID_RIGHT),
                       .below = PRODUCT(here, below, GRID_BELOW),
                       .falling = PRODUCT(here, below_right, GRID_FALLING),
                       .rising = PRODUCT(right, below, GRID_RISING),
                       .right2 = PRODUCT(here, right2, GRID_RIGHT2),
                       .below2 = PRODUCT(here, below2, GRID_BELOW2)};
#undef PRODUCT
        V4x3 sum = spread(-1.0, g, &carry, out + at, width);
        V4 m = mass_factor * v4_load(mass + at);
        v4x3_store(out + at, width, v4x3_add_scaled(sum, m, q.here));
    }
}

static void grid_product(const GridStencil *grid, BlockLaw law, const double *geometry,
                         const double *x, double mass_factor, const double *mass, const double *p,
                         double *out)
{
    clear_rows(grid, out);
    for (int row = 0; row < grid->rows; row++) {
        if (law.t0 != 0.0 && geometry) {
            product_of_row(true, true, grid, row, law, geometry, x, mass_factor, mass, p, out);
        } else if (law.t0 != 0.0) {
            product_of_row(true, false, grid, row, law, geometry, x, mass_factor, mass, p, out);
        } else if (geometry) {
            product_of_row(false, true, grid, row, law, geometry, x, mass_factor, mass, p, out);
        } else {
            product_of_row(false, false, grid, row, law, geometry, x, mass_factor, mass, p, out);
        }
    }
}

// ---- the diagonal blocks and their inverses

// Half of B: xx, yy, zz or xy, xz, yz.
CASE V4x3 half_block(bool main, Axis s, V4 k, BlockLaw law)
{
    V4 isotropic = transverse(true, s, k, law), axial = law.total * k - isotropic;
    V4x3 u = s.u;
    if (!main) return v4x3_scale(axial, (V4x3){u.x * u.y, u.x * u.z, u.y * u.z});
    return (V4x3){isotropic + axial * u.x * u.x, isotropic + axial * u.y * u.y,
                  isotropic + axial * u.z * u.z};
}

CASE void diagonal_half(bool main, const GridStencil *grid, BlockLaw law, const double *geometry,
                        double *out)
{
    long width = grid->width;
    clear_rows(grid, out);
    for (int row = 0; row < grid->rows; row++) {
        Carry carry = {nothing, nothing, nothing};
        for (int block = 0; block < grid->blocks; block++, geometry += GRID_GEOMETRY) {
            long at = 3L * row * width + MESH_LANES * block;
            const double(*k)[MESH_LANES] =
                grid->stiffness[rows_below(grid, row)][block_class(grid, block)];
#define HALF(spring) half_block(main, stored_axis(geometry, spring), v4_load(k[spring]), law)
            Reactions g = {HALF(GRID_RIGHT),  HALF(GRID_BELOW),  HALF(GRID_FALLING),
                           HALF(GRID_RISING), HALF(GRID_RIGHT2), HALF(GRID_BELOW2)};
#undef HALF
            v4x3_store(out + at, width, spread(1.0, g, &carry, out + at, width));
        }
    }
}

static void grid_diagonal(const GridStencil *grid, BlockLaw law, const double *geometry,
                          double *main, double *off)
{
    diagonal_half(true, grid, law, geometry, main);
    diagonal_half(false, grid, law, geometry, off);
}

// By cofactors, as sym3_inverse.
static void grid_invert(const GridStencil *grid, double mass_factor, const double *mass,
                        const double *inverse_mass, double *main, double *off)
{
    long width = grid->width;
    V4 one = v4_all(1.0);
    for (int row = 0; row < grid->rows; row++) {
        for (int block = 0; block < grid->blocks; block++) {
            long at = 3L * row * width + MESH_LANES * block;
            V4Mask is_free = v4_load(inverse_mass + at) > v4_all(0.0);
            V4 shift = mass_factor * v4_load(mass + at);
            V4x3 a = v4x3_load(main + at, width), b = v4x3_load(off + at, width);
            V4 xx = v4_select(is_free, a.x + shift, one), xy = v4_where(is_free, b.x);
            V4 yy = v4_select(is_free, a.y + shift, one), xz = v4_where(is_free, b.y);
            V4 zz = v4_select(is_free, a.z + shift, one), yz = v4_where(is_free, b.z);
            V4 cxx = yy * zz - yz * yz, cxy = xz * yz - xy * zz, cxz = xy * yz - xz * yy;
            V4 scale = 1.0 / (xx * cxx + xy * cxy + xz * cxz);
            v4x3_store(main + at, width,
                       v4x3_scale(scale, (V4x3){cxx, xx * zz - xz * xz, xx * yy - xy * xy}));
            v4x3_store(off + at, width, v4x3_scale(scale, (V4x3){cxy, cxz, xy * xz - xx * yz}));
        }
    }
}

static void grid_precondition(const GridStencil *grid, const double *main, const double *off,
                              const double *r, double *z)
{
    long width = grid->width;
    for (int row = 0; row < grid->rows + GRID_HALO_ROWS; row++) {
        for (long i = 0; i < width; i += MESH_LANES) {
            long at = 3L * row * width + i;
            V4x3 a = v4x3_load(main + at, width), b = v4x3_load(off + at, width);
            V4x3 q = v4x3_load(r + at, width);
            v4x3_store(z + at, width,
                       (V4x3){a.x * q.x + b.x * q.y + b.y * q.z, b.x * q.x + a.y * q.y + b.z * q.z,
                              b.y * q.x + b.z * q.y + a.z * q.z});
        }
    }
}

#ifdef __AVX2__ // two registers for four doubles lose against the plain loop
// ---- any mesh: four springs of the list at once, a particle being one register (x, y, z, 0)

// Rows become columns: the x, y, z of four vectors.
CASE V4x3 transpose(V4 a, V4 b, V4 c, V4 d)
{
    V4 ab_low = __builtin_shufflevector(a, b, 0, 4, 2, 6); // ax bx az bz
    V4 ab_odd = __builtin_shufflevector(a, b, 1, 5, 3, 7); // ay by
    V4 cd_low = __builtin_shufflevector(c, d, 0, 4, 2, 6);
    V4 cd_odd = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    return (V4x3){__builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5),
                  __builtin_shufflevector(ab_odd, cd_odd, 0, 1, 4, 5),
                  __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7)};
}

#define LANE(a, lane) __builtin_shufflevector((a), (a), (lane), (lane), (lane), (lane))

CASE int forces_of_list(bool damped, const Mesh *mesh, const double *stiffness, DampingLaw law,
                        const double *x, const double *v, double *f)
{
    int done = mesh->spring_count / 4 * 4;
    for (int s = 0; s < done; s += 4) {
        int a[4], b[4];
        V4 d[4], w[4] = {nothing.x, nothing.x, nothing.x, nothing.x};
        for (int lane = 0; lane < 4; lane++) {
            a[lane] = MESH_LANES * mesh->springs[s + lane][0];
            b[lane] = MESH_LANES * mesh->springs[s + lane][1];
            d[lane] = v4_load(x + a[lane]) - v4_load(x + b[lane]);
            if (damped) w[lane] = v4_load(v + a[lane]) - v4_load(v + b[lane]);
        }
        V4x3 d3 = transpose(d[0], d[1], d[2], d[3]);
        V4 square = v4x3_dot(d3, d3);
        V4Mask some = square > v4_all(LENGTH_TINY * LENGTH_TINY);
        V4 inverse = v4_rsqrt(some, square), k = v4_where(some, v4_load(stiffness + s));
        V4 ratio = v4_load(mesh->rest_length + s) * inverse, along = k * (ratio - 1.0);
        V4 across = nothing.x;
        if (damped) {
            V4x3 w3 = transpose(w[0], w[1], w[2], w[3]);
            V4 t = law.t0 + law.t1 * v4_positive(1.0 - ratio), c = law.alpha * k;
            along -= c * (1.0 - t) * (inverse * inverse) * v4x3_dot(d3, w3);
            across = c * t;
        }
#define ADD_FORCE(lane)                                                                            \
    do {                                                                                           \
        V4 g = LANE(along, lane) * d[lane];                                                        \
        if (damped) g -= LANE(across, lane) * w[lane];                                             \
        v4_store(f + a[lane], v4_load(f + a[lane]) + g);                                           \
        v4_store(f + b[lane], v4_load(f + b[lane]) - g);                                           \
    } while (0)
        ADD_FORCE(0);
        ADD_FORCE(1);
        ADD_FORCE(2);
        ADD_FORCE(3);
#undef ADD_FORCE
    }
    return done;
}

static int list_forces(const Mesh *mesh, const double *stiffness, DampingLaw damping,
                       const double *x, const double *v, double *f)
{
    return damping.alpha > 0.0 ? forces_of_list(true, mesh, stiffness, damping, x, v, f)
                               : forces_of_list(false, mesh, stiffness, damping, x, v, f);
}
#endif

// ---- bookkeeping

static double grid_max_square(const Mesh *mesh, const double *inverse_mass, const double *v)
{
    long width = mesh->row_width;
    V4 largest = v4_all(0.0);
    V4Mask bad = {0};
    for (int row = 0; row < mesh->rows; row++) {
        for (long at = 3 * row * width; at < (3 * row + 1) * width; at += MESH_LANES) {
            V4x3 w = v4x3_load(v + at, width);
            V4 square = v4_where(v4_load(inverse_mass + at) > v4_all(0.0), v4x3_dot(w, w));
            bad |= square != square;
            largest = v4_select(square > largest, square, largest);
        }
    }
    double most = 0.0;
    for (int lane = 0; lane < MESH_LANES; lane++) {
        if (bad[lane]) return NAN;
        most = fmax(most, largest[lane]);
    }
    return most;
}

// ---- the filter

static void filter_row(const FilterRow *row)
{
#define AT(down, right) v4_load(source + (down)*stride + (right))
    double b = row->kernel[0], c = row->kernel[1], e = row->kernel[2];
    ptrdiff_t stride = row->stride;
    for (int i = 0; i < row->width; i += MESH_LANES) {
        const double *source = row->source + i;
        V4 sides = AT(0, -1) + AT(0, 1) + AT(-1, 0) + AT(1, 0);
        V4 diagonals = AT(-1, -1) + AT(-1, 1) + AT(1, -1) + AT(1, 1);
        V4 second = AT(0, -2) + AT(0, 2) + AT(-2, 0) + AT(2, 0);
        V4 neighbours = b * sides + c * diagonals + e * second;
        v4_store(row->out + i,
                 v4_load(row->own + i) * AT(0, 0) + v4_load(row->gain + i) * neighbours);
    }
#undef AT
}

const SpringKernels SPRING_KERNELS = {
    .name = NAME_OF(SPRING_KERNELS),
    .grid_forces = grid_forces,
    .grid_geometry = grid_geometry,
    .grid_product = grid_product,
    .grid_diagonal = grid_diagonal,
    .grid_invert = grid_invert,
    .grid_precondition = grid_precondition,
    .grid_max_square = grid_max_square,
    .filter_row = filter_row,
#ifdef __AVX2__
    .list_forces = list_forces,
#endif
};
