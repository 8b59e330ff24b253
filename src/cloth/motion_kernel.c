// Compiled once per instruction set, see src/meson.build: how far the particles of a grid moved.
#include "cloth/grid_parts.h"

typedef struct Found {
    V square;
    VMask from, to;
} Found;

CASE void look(Found *found, const double *from, const double *to, long width, Vx3 frame,
               VMask inside)
{
    Vx3 start = vx3_load(from, width), end = vx3_load(to, width);
    Vx3 way = vx3_sub(vx3_sub(end, start), frame);
    V square = v_where(inside, vx3_dot(way, way));
    found->square = v_select(square > found->square, square, found->square);
    found->from ^= (VMask)start.x ^ (VMask)start.y ^ (VMask)start.z;
    found->to ^= (VMask)end.x ^ (VMask)end.y ^ (VMask)end.z;
}

GridMotion KERNEL(grid_motion)(const Mesh *mesh, const double *from, const double *to, Vec3 frame);
GridMotion KERNEL(grid_motion)(const Mesh *mesh, const double *from, const double *to, Vec3 frame)
{
    Found found = {0};
    const VMask all = ~(VMask){0};
    Vx3 of_frame = {v_all(frame.x), v_all(frame.y), v_all(frame.z)};
    int whole = mesh->columns / V_LANES * V_LANES;
    VMask inside = {0}; // what is left of a row: the rest is padding
    for (int lane = 0; lane < V_LANES; lane++) inside[lane] = whole + lane < mesh->columns ? -1 : 0;
    for (long row = 0; row < mesh->rows; row++) {
        const double *start = from + 3 * row * mesh->row_width, *end = to + (start - from);
        for (int i = 0; i < whole; i += V_LANES)
            look(&found, start + i, end + i, mesh->row_width, of_frame, all);
        if (whole < mesh->columns)
            look(&found, start + whole, end + whole, mesh->row_width, of_frame, inside);
    }
    GridMotion motion = {0};
    for (int lane = 0; lane < V_LANES; lane++) {
        motion.square = fmax(motion.square, found.square[lane]);
        motion.from ^= (uint64_t)found.from[lane];
        motion.to ^= (uint64_t)found.to[lane];
    }
    return motion;
}
