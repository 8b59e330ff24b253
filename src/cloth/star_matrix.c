// Compiled once per instruction set, see src/meson.build: tangents of spring_stars.h, and what PCG
// does with them, a register of particles at a time.
#include "cloth/grid_tangent.h"
#include "cloth/star_parts.h"

CASE Axis axis_between(Vx3 a, Vx3 b, V rest_length)
{
    Direction s = direction(a, b);
    return (Axis){vx3_scale(s.inverse, s.d), v_where(s.some, 1.0 - rest_length * s.inverse)};
}

// Where a slot's axes stand: u and r of the whole group.
CASE long axes_of(const Members *them, int slot)
{
    return (long)MESH_LANES * AXIS_SIZE * slot + them->lane;
}

CASE Vx3 at_members(const double *flat, const Members *them)
{
    return vx3_gather(flat + them->at, members_own);
}

static void linearise(const StarGroups *stars, const double *x, double *axes, int first, int last)
{
    for (int i = block_start(first); i < block_end(stars, last - 1); i++) {
        Members them = members_of(stars, i);
        Vx3 q = at_members(x, &them);
        for (int slot = them.first; slot < them.end; slot++) {
            long at = (long)MESH_LANES * slot + them.lane;
            Vx3 there = vx3_gather(x, stars->other + at);
            axis_store(axes + axes_of(&them, slot),
                       axis_between(q, there, v_load(stars->rest_length + at)));
        }
    }
}

// ---- products

CASE Vx3 springs_of_members(bool kept, const StarGroups *stars, const Members *them,
                            const StarProduct *product, Vx3 here)
{
    Vx3 sum = {0}, q = {0};
    if (!kept) q = at_members(product->x, them);
    for (int slot = them->first; slot < them->end; slot++) {
        long at = (long)MESH_LANES * slot + them->lane;
        const int *other = stars->other + at;
        Axis axis;
        if (kept)
            axis = axis_load(product->axes + axes_of(them, slot));
        else
            axis = axis_between(q, vx3_gather(product->x, other), v_load(stars->rest_length + at));
        Block block = block_of_axis(true, axis, v_load(stars->stiffness + at), product->law);
        sum = vx3_add(sum, block_product(block, here, vx3_gather(product->p, other)));
    }
    return sum;
}

CASE void multiply_blocks(bool kept, const StarGroups *stars, const StarProduct *product, int first,
                          int last)
{
    for (int block = first; block < last; block++) {
        V dot = v_all(0.0);
        for (int i = block_start(block); i < block_end(stars, block); i++) {
            Members them = members_of(stars, i);
            Vx3 p = at_members(product->p, &them);
            Vx3 out = springs_of_members(kept, stars, &them, product, p);
            if (product->mass) {
                V m = v_gather(product->mass + them.at, members_own);
                VMask moves = v_gather(product->inverse_mass + them.at, members_own) > v_all(0.0);
                out = vx3_add_scaled(out, product->mass_factor * m, p);
                out = (Vx3){v_select(moves, out.x, p.x), v_select(moves, out.y, p.y),
                            v_select(moves, out.z, p.z)};
            }
            dot += vx3_dot(p, out);
            vx3_scatter(product->out + them.at, members_own, out);
        }
        if (product->dots) product->dots[block] = v_sum(dot);
    }
}

static void multiply(const StarGroups *stars, const StarProduct *product, int first, int last)
{
    if (product->axes)
        multiply_blocks(true, stars, product, first, last);
    else
        multiply_blocks(false, stars, product, first, last);
}

// ---- block Jacobi

// By cofactors, as sym3_inverse.
CASE void invert_and_store(Vx3 main, Vx3 off, double *to)
{
    V xx = main.y * main.z - off.z * off.z;
    V xy = off.y * off.z - off.x * main.z;
    V xz = off.x * off.z - off.y * main.y;
    V scale = 1.0 / (main.x * xx + off.x * xy + off.y * xz);
    V yy = main.x * main.z - off.y * off.y, zz = main.x * main.y - off.x * off.x;
    V yz = off.x * off.y - main.x * off.z;
    vx3_store(to, MESH_LANES, vx3_scale(scale, (Vx3){xx, yy, zz}));
    vx3_store(to + 3 * MESH_LANES, MESH_LANES, vx3_scale(scale, (Vx3){xy, xz, yz}));
}

CASE double *block_at(double *blocks, int per_group, const Members *them)
{
    return blocks + (long)per_group * STAR_BLOCK_NUMBERS * MESH_LANES * them->group + them->lane;
}

typedef struct Blocks { // of each member
    Vx3 main, off;
} Blocks;

CASE void add_block(Blocks *sum, V factor, Block block)
{
    Vx3 main = half_block(true, block), off = half_block(false, block);
    sum->main = vx3_add_scaled(sum->main, factor, main);
    sum->off = vx3_add_scaled(sum->off, factor, off);
}

CASE void store_blocks(double *to, Blocks blocks)
{
    vx3_store(to, MESH_LANES, blocks.main);
    vx3_store(to + 3 * MESH_LANES, MESH_LANES, blocks.off);
}

CASE void invert_blocks(bool with_sums, const StarGroups *stars, const StarProduct *product,
                        double *inverse, double *sums, int first, int last)
{
    const V one = v_all(1.0);
    for (int i = block_start(first); i < block_end(stars, last - 1); i++) {
        Members them = members_of(stars, i);
        Blocks own = {0}, moments = {0};
        for (int slot = them.first; slot < them.end; slot++) {
            long at = (long)MESH_LANES * slot + them.lane;
            Axis axis = axis_load(product->axes + axes_of(&them, slot));
            Block block = block_of_axis(true, axis, v_load(stars->stiffness + at), product->law);
            V L = v_load(stars->rest_length + at);
            add_block(&own, one, block);
            if (with_sums) add_block(&moments, 0.5 * L * L, block);
        }
        if (with_sums) {
            double *to = block_at(sums, STAR_SUMS, &them);
            store_blocks(to, own);
            store_blocks(to + STAR_BLOCK_NUMBERS * MESH_LANES, moments);
        }
        V mass = product->mass_factor * v_gather(product->mass + them.at, members_own);
        VMask moves = v_gather(product->inverse_mass + them.at, members_own) > v_all(0.0);
        Vx3 main = {v_select(moves, own.main.x + mass, one),
                    v_select(moves, own.main.y + mass, one),
                    v_select(moves, own.main.z + mass, one)};
        Vx3 off = {v_where(moves, own.off.x), v_where(moves, own.off.y), v_where(moves, own.off.z)};
        invert_and_store(main, off, block_at(inverse, 1, &them));
    }
}

static void invert(const StarGroups *stars, const StarProduct *product, double *inverse,
                   double *sums, int first, int last)
{
    if (sums)
        invert_blocks(true, stars, product, inverse, sums, first, last);
    else
        invert_blocks(false, stars, product, inverse, sums, first, last);
}

// ---- an iteration of PCG

static void turn(const StarGroups *stars, const PcgTurn *turn, int first, int last)
{
    double *x = turn->x, *p = turn->p;
    long end = (long)MESH_ENTRIES * V_LANES * block_end(stars, last - 1);
    for (long i = (long)MESH_ENTRIES * V_LANES * block_start(first); i < end; i += V_LANES) {
        V was = v_load(p + i);
        v_store(x + i, v_load(x + i) + turn->step * was);
        v_store(p + i, v_load(turn->q + i) + turn->beta * was);
    }
}

static void advance(const StarGroups *stars, const StarAdvance *pass, int first, int last)
{
    for (int block = first; block < last; block++) {
        V rr = v_all(0.0), rz = v_all(0.0);
        for (int i = block_start(block); i < block_end(stars, block); i++) {
            Members them = members_of(stars, i);
            const double *inverse = block_at((double *)pass->inverse, 1, &them);
            Vx3 r = at_members(pass->r, &them);
            r = vx3_add_scaled(r, v_all(-pass->step), at_members(pass->q, &them));
            Vx3 main = vx3_load(inverse, MESH_LANES);
            Vx3 off = vx3_load(inverse + 3 * MESH_LANES, MESH_LANES);
            Vx3 z = {main.x * r.x + off.x * r.y + off.y * r.z,
                     off.x * r.x + main.y * r.y + off.z * r.z,
                     off.y * r.x + off.z * r.y + main.z * r.z};
            rr += vx3_dot(r, r);
            rz += vx3_dot(r, z);
            vx3_scatter(pass->r + them.at, members_own, r);
            vx3_scatter(pass->q + them.at, members_own, z);
        }
        pass->rr[block] = v_sum(rr);
        pass->rz[block] = v_sum(rz);
    }
}

StarSweep KERNEL(star_sweep);
extern const StarKernels KERNEL(star_kernels);
const StarKernels KERNEL(star_kernels) = {.sweep = KERNEL(star_sweep),
                                          .axes = linearise,
                                          .multiply = multiply,
                                          .invert = invert,
                                          .turn = turn,
                                          .advance = advance};
