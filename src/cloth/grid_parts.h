// Private to the files that are compiled once per instruction set: how they go along the rows of a
// grid.
#ifndef CLOTH_GRID_PARTS_H
#define CLOTH_GRID_PARTS_H

#include "cloth/cloth.h"
#include "cloth/spring_kernels.h"
#include "linalg/simd.h"

#include <string.h>

// NAME as KERNEL(NAME) is another function for each instruction set: see src/meson.build.
#define KERNEL_OF(name, suffix) name##_##suffix
#define KERNEL_WITH(name, suffix) KERNEL_OF(name, suffix)
#define KERNEL(name) KERNEL_WITH(name, KERNEL_SUFFIX)

// Flags of these functions are constants at every call, so each case becomes a loop of its own.
// With a sanitizer, which multiplies the code, the cases share their functions.
#ifdef KERNELS_APART
#define CASE static inline __attribute__((unused))
#else
#define CASE static inline __attribute__((always_inline))
#endif

// ---- one spring from a to b in each lane

typedef struct Direction {
    Vx3 d;      // m, a - b
    V inverse;  // 1/l, 0 if the length is 0
    VMask some; // where the length is not 0
} Direction;

CASE Direction direction(Vx3 a, Vx3 b)
{
    Direction s = {.d = vx3_sub(a, b)};
    V square = vx3_dot(s.d, s.d);
    s.some = square > v_all(LENGTH_TINY * LENGTH_TINY);
    s.inverse = v_rsqrt(s.some, square);
    return s;
}

// ---- the particles of a row, and those their springs lead to

// V_LANES particles of a row, and what belongs to them.
typedef struct Part {
    long at;                 // index of their x components
    const double *stiffness; // of the springs they own, MESH_LANES from one kind to the next
    const double *inside;    // 1 for a particle, 0 for padding
    long block;              // that they belong to, counted over all rows
    int lane;                // of the block, of the first of them
} Part;

CASE int parts_of_row(const GridStencil *grid)
{
    return grid->blocks * (MESH_LANES / V_LANES);
}

CASE Part part_of_row(const GridStencil *grid, int row, int number)
{
    int parts = MESH_LANES / V_LANES, block = number / parts, lane = number % parts * V_LANES;
    int class = block < grid->tail ? 0 : 1 + block - grid->tail;
    int below = grid->rows - 1 - row;
    return (Part){
        .at = 3L * row * grid->width + MESH_LANES * block + lane,
        .stiffness = grid->stiffness[below < 2 ? below : 2][class][0] + lane,
        .inside = grid->inside[class] + lane,
        .block = (long)row * grid->blocks + block,
        .lane = lane,
    };
}

CASE V stiffness_of(Part part, GridSpring spring)
{
    return v_load(part.stiffness + MESH_LANES * (int)spring);
}

typedef struct Around { // a part of a row and the particles its springs lead to
    Vx3 here, right, right2, below, below_right, below2;
} Around;

CASE Around look_at_rows(const double *x, const double *next, const double *after, long width)
{
    return (Around){vx3_load(x, width),    vx3_load(x + 1, width),    vx3_load(x + 2, width),
                    vx3_load(next, width), vx3_load(next + 1, width), vx3_load(after, width)};
}

CASE Around look_around(const double *x, long width)
{
    return look_at_rows(x, x + 3 * width, x + 6 * width, width);
}

// The same with neighbours in the row made of registers. Of loads that are not aligned, those of a
// whole cache line are dearer; loops with many operations gain 15 %, the shortest ones lose 5 %.
CASE Around look_ahead_at_rows(const double *x, const double *next, const double *after, long width)
{
#if V_LANES == 8
    Vx3 here = vx3_load(x, width), here_on = vx3_load(x + V_LANES, width);
    Vx3 below = vx3_load(next, width), below_on = vx3_load(next + V_LANES, width);
    return (Around){here,  vx3_ahead1(here, here_on),   vx3_ahead2(here, here_on),
                    below, vx3_ahead1(below, below_on), vx3_load(after, width)};
#else
    return look_at_rows(x, next, after, width);
#endif
}

CASE Around look_ahead(const double *x, long width)
{
    return look_ahead_at_rows(x, x + 3 * width, x + 6 * width, width);
}

// Ask for three lines that are soon read or written. A row is too short for what a processor
// foresees by itself.
CASE void ask_to_read(const double *at, long width)
{
    __builtin_prefetch(at, 0);
    __builtin_prefetch(at + width, 0);
    __builtin_prefetch(at + 2 * width, 0);
}
CASE void ask_to_write(const double *at, long width)
{
    __builtin_prefetch(at, 1);
    __builtin_prefetch(at + width, 1);
    __builtin_prefetch(at + 2 * width, 1);
}

// The symmetric blocks with the diagonal `main` and xy, xz, yz in `off`, times q.
CASE Vx3 sym_product(Vx3 main, Vx3 off, Vx3 q)
{
    return (Vx3){main.x * q.x + off.x * q.y + off.y * q.z, off.x * q.x + main.y * q.y + off.z * q.z,
                 off.y * q.x + off.z * q.y + main.z * q.z};
}

// ---- bands of rows

// Rows of a result that are not complete yet: this one, and the two below.
typedef struct Roll {
    double *here, *next, *after;
} Roll;

// `memory` has room for GRID_ROLL rows.
CASE Roll roll_start(const GridStencil *grid, double *memory)
{
    long row = 3L * grid->width;
    memset(memory, 0, GRID_ROLL * (size_t)row * sizeof *memory);
    return (Roll){memory, memory + row, memory + 2 * row};
}

CASE Roll roll_on(Roll roll)
{
    return (Roll){roll.next, roll.after, roll.here};
}

// From an entry of each row on.
CASE Roll roll_at(Roll roll, long in_row)
{
    return (Roll){roll.here + in_row, roll.next + in_row, roll.after + in_row};
}

// The springs of two rows above reach into a band. They are computed for both bands.
CASE int roll_first_row(int first)
{
    return first > 2 ? first - 2 : 0;
}

// ---- what a part gives to its own particles and to others

// Lanes that belong to the next part of this row or of the row below.
typedef struct Handed {
    Vx3 right, right2, below_right;
} Handed;

// Add what a part gives to rows that are not complete yet. Returns the sum for its own particles.
// The row two below is overwritten: nothing was added to it yet.
CASE Vx3 hand_out(const Around *g, Handed *handed, Roll roll, long width)
{
    Vx3 own = vx3_add(g->here, vx3_load(roll.here, width));
    own = vx3_add(own, vx3_shift1(handed->right, g->right));
    own = vx3_add(own, vx3_shift2(handed->right2, g->right2));
    Vx3 next = vx3_add(g->below, vx3_shift1(handed->below_right, g->below_right));
    vx3_store(roll.next, width, vx3_add(vx3_load(roll.next, width), next));
    vx3_store(roll.after, width, g->below2);
    *handed = (Handed){g->right, g->right2, g->below_right};
    return own;
}

#endif
