// Compiled once per instruction set, see src/meson.build: rows of grid_levels.h on the way down and
// up.
#include "cloth/grid_turn.h"

// The entries 0, 2, 4, .. of what starts at `from`.
CASE V every_second(const double *from)
{
#if V_LANES == 8
    return __builtin_shufflevector(v_load(from), v_load(from + 8), 0, 2, 4, 6, 8, 10, 12, 14);
#elif V_LANES == 4
    return __builtin_shufflevector(v_load(from), v_load(from + 4), 0, 2, 4, 6);
#else
    return __builtin_shufflevector(v_load(from), v_load(from + 2), 0, 2);
#endif
}

// line = here + (above + below) / 2;  NULL: beyond the border
static void sum_of_lines(int columns, const double *above, const double *here, const double *below,
                         double *line)
{
    V half = v_all(0.5), none = v_all(0.0);
    for (int i = 0; i < columns; i += V_LANES) {
        V sides = (above ? v_load(above + i) : none) + (below ? v_load(below + i) : none);
        v_store(line + i, (here ? v_load(here + i) : none) + half * sides);
    }
}

static void leave_out_held(GridHeld held, const GridNodes *from, const double *r, int row,
                           double *line)
{
    int first = row > 0 ? row - 1 : 0, last = row + 1 < from->rows ? row + 1 : from->rows - 1;
    for (int j = first; j <= last; j++) {
        for (int h = held.start[j]; h < held.start[j + 1]; h++)
            line[held.column[h]] -=
                (j == row ? 1.0 : 0.5) * r[3L * j * from->width + held.column[h]];
    }
}

double KERNEL(level_down)(const GridNodes *from, const double *r, GridHeld held,
                          const GridNodes *to, int row, double *line);
double KERNEL(level_down)(const GridNodes *from, const double *r, GridHeld held,
                          const GridNodes *to, int row, double *line)
{
    long size = 3L * from->width, at = 3L * row * to->width;
    int j = 2 * row;
    V half = v_all(0.5), dot = v_all(0.0);
    for (int i = 0; i < MESH_LANES; i++) line[i] = 0.0;
    line += MESH_LANES;
    for (int c = 0; c < 3; c++) {
        const double *component = r + c * from->width, *here = component + j * size;
        sum_of_lines(from->columns, j > 0 ? here - size : NULL, j < from->rows ? here : NULL,
                     j + 1 < from->rows ? here + size : NULL, line);
        if (held.start) leave_out_held(held, from, component, j, line);
        for (int i = from->columns; i < from->columns + MESH_LANES; i++) line[i] = 0.0;
        for (int i = 0; i < to->columns; i += V_LANES) {
            V sides = every_second(line + 2 * i - 1) + every_second(line + 2 * i + 1);
            v_store(to->r + at + c * to->width + i, every_second(line + 2 * i) + half * sides);
        }
        // what the last part has computed beyond the border
        for (long i = to->columns; i < to->width; i++) to->r[at + c * to->width + i] = 0.0;
    }
    for (long i = at; i < at + to->columns; i += V_LANES) {
        Vx3 q = vx3_load(to->r + i, to->width);
        Vx3 s = sym_product(vx3_load(to->main + i, to->width), vx3_load(to->off + i, to->width), q);
        vx3_store(to->z + i, to->width, s);
        dot += vx3_dot(q, s);
    }
    return v_sum(dot);
}

void KERNEL(level_up)(const GridNodes *coarse, const GridNodes *to, int row, double *line);
void KERNEL(level_up)(const GridNodes *coarse, const GridNodes *to, int row, double *line)
{
    for (int c = 0; c < 3; c++) {
        spread_line(coarse->z + c * coarse->width, coarse->width, row, to->columns, line);
        double *z = to->z + (3L * row + c) * to->width;
        for (int i = 0; i < to->columns; i++) z[i] += line[i];
    }
}
