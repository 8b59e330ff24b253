// The inner loops over springs, compiled once per instruction set. Same source, same order of
// operations: the results differ by rounding only.
//
// A grid is processed row by row, a register of columns at a time. Each particle owns six springs,
// to the right and below, so each is visited once. The force on the other end is shifted by one or
// two lanes, or added to one of the two rows below; the halo provides these at the bottom. Springs
// across a border have stiffness 0, so the loops need no branch there.
#ifndef CLOTH_SPRING_KERNELS_H
#define CLOTH_SPRING_KERNELS_H

#include "cloth/mesh.h"
#include "linalg/pcg.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum GridSpring {
    GRID_RIGHT,   // (j, i)     - (j, i + 1)
    GRID_BELOW,   // (j, i)     - (j + 1, i)
    GRID_FALLING, // (j, i)     - (j + 1, i + 1)
    GRID_RISING,  // (j, i + 1) - (j + 1, i)
    GRID_RIGHT2,  // (j, i)     - (j, i + 2)
    GRID_BELOW2,  // (j, i)     - (j + 2, i)
    GRID_SPRINGS,
} GridSpring;

// The force models that have loops for a grid. What each keeps of a linearisation, per block:
//   springs        per spring 1/l, or 1/L if it has no length
//   Choi-Ko        per spring the same, dT/dl and T/l, see grid_choi_ko.h
//   Baraff-Witkin  two axes and three folds, see grid_sheet.h
// The positions at which it was made belong to it.
typedef enum GridModel {
    GRID_MODEL_SPRINGS,
    GRID_MODEL_CHOI_KO,
    GRID_MODEL_BARAFF_WITKIN,
    GRID_MODELS,
} GridModel;

enum { GRID_MATRIX = 2 * GRID_SPRINGS * MESH_LANES }; // numbers per block, see GridDiagonal
enum { GRID_TAIL_BLOCKS = 2 }; // at most this many blocks of a row touch a border

// A regular grid with one stiffness per kind of spring, prepared for the loops. In the model of
// Baraff and Witkin the places of RIGHT and BELOW have the stretch of an edge, N/m, FALLING the
// shear of a cell, N/m^3, and RISING, RIGHT2, BELOW2 the bending of three edges, N m.
typedef struct GridStencil {
    GridModel model;
    double spacing;           // m
    int rows, columns, width; // particles; entries per row, see mesh.h
    int blocks, tail;         // per row; index of the first that touches a border
    double rest_length[GRID_SPRINGS];
    // N/m, 0 beyond the border: [rows below: 0, 1, 2 or more][inner or tail block][spring][lane]
    double stiffness[3][1 + GRID_TAIL_BLOCKS][GRID_SPRINGS][MESH_LANES];
    double inside[1 + GRID_TAIL_BLOCKS][MESH_LANES]; // 1 for a particle, 0 for padding
} GridStencil;

// -alpha k [ u u' + t (I - u u') ] w  with  t = t0 + t1 max(r, 0), see springs.c
typedef struct DampingLaw {
    double alpha, t0, t1;
} DampingLaw;

// B = total s u u' + t (I - u u')  with  t = t0 s + t1 max(q, 0) + t2 q,  s = dT/dl and q = T/l;
// of a spring with T = k (l - L):  s = k, q = k r. Where springs go slack and s is 0, some tangents
// count them nevertheless: whole k in addition to total s, and whole_t0 k in addition to t0 s.
typedef struct BlockLaw {
    double total, t0, t1, t2;
    double whole, whole_t0;
} BlockLaw;

// What a sweep over a row finds.
typedef struct GridRowSums {
    double power;   // W, that damping and drag take at the start
    double kinetic; // J, of the free particles at the end; not finite if one of them is not
    double square;  // (m/s)^2, the largest of a free particle at the end
    double lowest;  // m, no particle is lower at the end
} GridRowSums;

// Rows of a flat array that a thread works with: those of a result that are not complete yet; rows
// of PCG's direction around its band; and what coarser grids add to one of them.
enum { GRID_ROLL = 3, GRID_AROUND = 5, GRID_WORK = GRID_ROLL + GRID_AROUND + 2 };

// Lines of grid_cells. A spring that goes s to the right and t down adds (s^2 + t^2) B to the first
// six, xx, yy, zz, xy, xz, yz, and s t B to the next six; the last has masses.
enum { GRID_CELL = 13 };
enum { GRID_LINE_ENDS = 4 * MESH_LANES };

// f = springs, their damping (none for alpha = 0), gravity and air drag; and a step with it:
//   v' = v + kick M^-1 f,   x' = x + h v'
// The rows of a band can be swept while other bands are, by other threads. The results do not
// depend on how a grid is cut into bands.
typedef struct GridSweep {
    DampingLaw damping;
    double gravity, air;
    const double *mass, *inverse_mass, *x, *v;
    double *f; // NULL: not wanted
    double kick, h;
    double *new_x, *new_v; // NULL: no drift; no step
    GridRowSums *sums;     // per row
} GridSweep;

// Columns of held particles: of a row, column[start[row]] .. column[start[row + 1] - 1].
typedef struct GridHeld {
    const int *column, *start;
} GridHeld;

// PCG's new direction, made on the way of its product, see grid_turn.h:
//   x += step p,   p = z + P coarse + beta p
// where z stands in the place of the product.
typedef struct GridTurn {
    double step, beta;
    const double *coarse; // z of the next coarser grid, see grid_levels.h; NULL: none
    long coarse_width;
    GridHeld held; // for `coarse`
    double *x, *p;
} GridTurn;

// out = (mass_factor M + K) p, with K by `law` at x, from the geometry of x unless that is NULL.
typedef struct GridProduct {
    BlockLaw law;
    const double *geometry, *x;
    const double *matrix; // of GridDiagonal, used in place of the law; NULL: none
    double mass_factor;
    const double *mass, *p;
    const GridTurn *turn; // makes p first; NULL: p is there
    double *out;
    double *dots; // per row: its part of p'out
} GridProduct;

// r -= step q,  then q = z = (main, off) r
typedef struct GridAdvance {
    double step;
    const double *main, *off;
    double *r, *q;
    double *rr, *rz; // per row: its part of r'r and r'z
} GridAdvance;

// A grid of grid_levels.h, or the mesh.
typedef struct GridNodes {
    int rows, columns;
    long width;               // entries per line
    double *r, *z;            // flat: lines of x, y and z for each row; one more row, which is 0
    const double *main, *off; // flat, D^-1
} GridNodes;

// The GRID_CELL lines of the rows of cells above and below a row of nodes, and what they make of D:
//   scale (1/3 of the sums around a node +- 1/2 of the mixed ones) + mass of the masses around it
typedef struct GridCells {
    const double *above, *below;
    double scale, mass;
} GridCells;

// A filter's stencil over a grid, out = F source, and what may follow it in the same pass.
typedef struct FilterSweep {
    int width;                // entries per line
    const double *kernel;     // weights of neighbours at 1, sqrt 2 and 2 spacings
    const double *own, *gain; // per particle: weight of itself, and of the sum over its neighbours
    const double *source;     // of the first particle; with zeros on all sides
    ptrdiff_t source_width;   // entries per line
    double *out;              // flat
    // Held particles keep their values, which are velocities. NULL: nothing is held.
    const double *mass, *inverse_mass;
    double *loss; // J, per row, the kinetic energy that the filter took
    // x' = x + h out. NULL: no drift
    double h;
    const double *x;
    double *new_x;
    GridRowSums *sums; // per row, as after a step of a GridSweep; their power is 0
} FilterSweep;

// The air that all triangles of a grid meet, and its power on them, see wind.h.
typedef struct GridAir {
    Vec3 velocity;          // m/s
    double normal, tangent; // kg/(m^2 s)
} GridAir;
typedef struct GridAirPower {
    double work, drag; // W
} GridAirPower;

// Diagonal blocks of the matrix of a GridProduct, flat: xx, yy, zz and xy, xz, yz. And its springs,
// each as a I + c d d', d being the way from one end to the other: a and c, GRID_MATRIX per block.
// NULL: not wanted.
typedef struct GridDiagonal {
    BlockLaw law;
    const double *geometry, *x;
    double *main, *off, *matrix;
} GridDiagonal;

typedef void GridKernelSweep(const GridStencil *grid, const GridSweep *sweep, int first, int last,
                             double *roll);
typedef void GridKernelEnergy(const GridStencil *grid, const double *x, int first, int last,
                              double *of_row);

// All take rows first .. last - 1. `roll` has room for GRID_WORK rows of a flat array.
typedef struct GridModelKernels {
    int geometry_size; // entries per block
    GridKernelSweep *sweep;
    GridKernelEnergy *energy; // J, per row
    void (*geometry)(const GridStencil *grid, const double *x, int first, int last,
                     double *geometry);
    void (*product)(const GridStencil *grid, const GridProduct *product, int first, int last,
                    double *roll);
    void (*diagonal)(const GridStencil *grid, const GridDiagonal *diagonal, int first, int last,
                     double *roll);
    bool has_matrix; // with springs, straight or buckling
} GridModelKernels;

// Between two states of a grid.
typedef struct GridMotion {
    double square;     // m^2, the largest way of a particle; NaN does not count
    uint64_t from, to; // the bits of all positions, one upon the other: exclusive or
} GridMotion;

// A mesh that is not a grid, see spring_stars.h: MESH_LANES particles, which follow each other in
// flat arrays, are a group. It has slots, each with a spring of every one of them.
typedef struct StarGroups {
    int particles, groups; // the last group may have padding behind the particles
    const int *first;      // per group its first slot; first[groups] is the end
    // Per slot and lane: where x of the other end stands, N/m, m. Where a particle has no more
    // springs, it is the other end itself, and the stiffness is 0.
    const int *other;
    const double *stiffness, *rest_length;
} StarGroups;
enum { STAR_BLOCK = 8 }; // groups that have a sum

// Everything below is about blocks first .. last - 1. `sums` of the sweep are per block.
typedef void StarSweep(const StarGroups *stars, const GridSweep *sweep, int first, int last);

// What a linearisation keeps: per slot u and r of its springs, see springs.c.
typedef void StarAxes(const StarGroups *stars, const double *x, double *axes, int first, int last);

// out = K p with K by `law`, at `axes` or, if they are NULL, at x. With masses
// out = (mass_factor M + K) p where a particle is free and p where it is held; then p must be 0 at
// those that are held.
typedef struct StarProduct {
    BlockLaw law;
    const double *axes, *x;
    double mass_factor;
    const double *mass, *inverse_mass; // NULL: K alone
    const double *p;
    double *out;
    double *dots; // per block: its part of p'out; NULL: nobody asks
} StarProduct;
typedef void StarMultiply(const StarGroups *stars, const StarProduct *product, int first, int last);

// The inverse blocks of that matrix's diagonal, xx, yy, zz, xy, xz, yz per group. And for
// mesh_levels.h, unless `sums` is NULL, two such blocks: the sums over a particle's springs of
// their blocks, N/m, and of half their blocks times L^2, N m.
typedef void StarInvert(const StarGroups *stars, const StarProduct *product, double *inverse,
                        double *sums, int first, int last);
enum { STAR_BLOCK_NUMBERS = 6, STAR_SUMS = 2 };

typedef void StarTurn(const StarGroups *stars, const PcgTurn *turn, int first, int last);

// r -= step q,  then q = z = D^-1 r
typedef struct StarAdvance {
    double step;
    const double *inverse;
    double *r, *q;
    double *rr, *rz; // per block: its part of r'r and r'z
} StarAdvance;
typedef void StarAdvanceLoop(const StarGroups *stars, const StarAdvance *advance, int first,
                             int last);

typedef struct StarKernels {
    StarSweep *sweep;
    StarAxes *axes;
    StarMultiply *multiply;
    StarInvert *invert;
    StarTurn *turn;
    StarAdvanceLoop *advance;
} StarKernels;

typedef struct SpringKernels {
    const char *name;
    const GridModelKernels *grid[GRID_MODELS];
    // Rows first .. last - 1 of  (main, off) + mass_factor M,  inverted in place; the identity
    // where inverse_mass is 0
    void (*grid_invert)(const GridStencil *grid, double mass_factor, const double *mass,
                        const double *inverse_mass, int first, int last, double *main, double *off);
    // z = (main, off) r
    void (*grid_precondition)(const GridStencil *grid, const double *main, const double *off,
                              const double *r, double *z);
    // lines += of each particle of a row, the springs it owns and its mass, for grid_levels.h
    void (*grid_cells)(const GridStencil *grid, BlockLaw law, const double *x,
                       const double *geometry, const double *mass, int row, double *lines);
    // Row `row` of  r = P'from  and  z = D^-1 r  on the next coarser grid. Held particles are left
    // out; start NULL: none. `sums` has room for three lines of `from`, with MESH_LANES more each.
    // Returns the row's part of r'z.
    double (*level_down)(const GridNodes *from, const double *r, GridHeld held, const GridNodes *to,
                         int row, double *sums);
    // Row `row` of D, which is xx, yy, zz in `main` and xy, xz, yz in `off`
    void (*level_nodes)(const GridNodes *nodes, const GridCells *cells, int row, double *main,
                        double *off);
    // Row `row` of  z += P coarse.z
    void (*level_up)(const GridNodes *coarse, const GridNodes *to, int row);
    // What a band of rows needs of those around it, before the product of a GridTurn: then the
    // bands write over it. The product gets the same rows and the same `memory`.
    void (*grid_around)(const GridStencil *grid, const GridProduct *product, int first, int last,
                        double *memory);
    // Rows first .. last - 1 of what PCG does after its product.
    void (*grid_advance)(const GridStencil *grid, const GridAdvance *advance, int first, int last);

    const StarKernels *stars; // of any other mesh

    // largest |v|^2 of a free particle of a grid; NaN if one is NaN
    double (*grid_max_square)(const Mesh *mesh, const double *inverse_mass, const double *v);

    // The largest |l - L| / L. `there` has a stiffness where a spring is.
    double (*grid_strain)(const GridStencil *there, const double *x);
    // in a frame that moves by `frame`, m
    GridMotion (*grid_motion)(const Mesh *mesh, const double *from, const double *to, Vec3 frame);

    // f += the forces of the air on both triangles of each cell
    GridAirPower (*grid_wind)(const Mesh *mesh, GridAir air, const double *x, const double *v,
                              double *f);

    // Rows first .. last - 1:  out_i = own_i source_i + gain_i (sum of kernel times source over the
    // neighbours)
    void (*filter_rows)(const FilterSweep *sweep, int first, int last);
    // the sum of  mass (before^2 - after^2)  over lines of `width` entries, which are
    // `stride` apart in `before` and follow each other in the others
    double (*square_loss)(int lines, int width, const double *mass, const double *before,
                          ptrdiff_t stride, const double *after);
} SpringKernels;

// The fastest kernels that this processor can run.
const SpringKernels *spring_kernels_best(void);
// All that it can run, the fastest last. Returns how many.
enum { SPRING_KERNEL_SETS = 3 };
int spring_kernels_all(const SpringKernels *sets[SPRING_KERNEL_SETS]);

extern const SpringKernels spring_kernels_portable;
extern const SpringKernels spring_kernels_avx2, spring_kernels_avx512; // only if HAVE_X86_KERNELS

#endif
