// Compiled once per instruction set, see src/meson.build: rows of a grid under a filter, and their
// drift.
#include "cloth/grid_parts.h"

CASE V filtered_line(const FilterSweep *sweep, const double *source, V own, V gain)
{
#define AT(down, right) v_load(source + (down)*row + (right))
    const double *kernel = sweep->kernel;
    ptrdiff_t row = 3 * sweep->source_width;
    V sides = AT(0, -1) + AT(0, 1) + AT(-1, 0) + AT(1, 0);
    V diagonals = AT(-1, -1) + AT(-1, 1) + AT(1, -1) + AT(1, 1);
    V second = AT(0, -2) + AT(0, 2) + AT(-2, 0) + AT(2, 0);
    V neighbours = kernel[0] * sides + kernel[1] * diagonals + kernel[2] * second;
    return own * AT(0, 0) + gain * neighbours;
#undef AT
}

typedef struct Sums { // per lane
    V loss, kinetic, square, lowest;
} Sums;

// As (s - w)(s + w), which is exact also where the two differ little.
CASE V square_loss(V s, V w)
{
    return (s - w) * (s + w);
}

CASE void filter_part(bool held, bool drifts, const FilterSweep *sweep, int row, int i, Sums *sums)
{
    long width = sweep->width, at = 3L * row * width + i;
    ptrdiff_t wide = sweep->source_width;
    const double *source = sweep->source + 3 * row * wide + i;
    V own = v_load(sweep->own + row * width + i), gain = v_load(sweep->gain + row * width + i);
    Vx3 w = {filtered_line(sweep, source, own, gain),
             filtered_line(sweep, source + wide, own, gain),
             filtered_line(sweep, source + 2 * wide, own, gain)};
    if (held) {
        Vx3 s = vx3_load(source, wide);
        V m = v_load(sweep->mass + at);
        VMask is_free = v_load(sweep->inverse_mass + at) > v_all(0.0);
        w = (Vx3){v_select(is_free, w.x, s.x), v_select(is_free, w.y, s.y),
                  v_select(is_free, w.z, s.z)};
        sums->loss += m * (square_loss(s.x, w.x) + square_loss(s.y, w.y) + square_loss(s.z, w.z));
        V square = v_where(is_free, vx3_dot(w, w));
        sums->kinetic += m * square;
        sums->square = v_max(square, sums->square);
    }
    vx3_store(sweep->out + at, width, w);
    if (!drifts) return;
    Vx3 q = vx3_add_scaled(vx3_load(sweep->x + at, width), v_all(sweep->h), w);
    sums->lowest = v_min(q.y, sums->lowest);
    vx3_store(sweep->new_x + at, width, q);
}

CASE void filter_rows(bool held, bool drifts, const FilterSweep *sweep, int first, int last)
{
    for (int row = first; row < last; row++) {
        Sums sums = {.lowest = v_all(INFINITY)};
        for (int i = 0; i < sweep->width; i += V_LANES)
            filter_part(held, drifts, sweep, row, i, &sums);
        if (held) sweep->loss[row] = 0.5 * v_sum(sums.loss);
        if (!drifts) continue;
        sweep->sums[row] = (GridRowSums){.kinetic = 0.5 * v_sum(sums.kinetic),
                                         .square = v_largest(sums.square),
                                         .lowest = -v_largest(-sums.lowest)};
    }
}

void KERNEL(filter_rows)(const FilterSweep *sweep, int first, int last);
void KERNEL(filter_rows)(const FilterSweep *sweep, int first, int last)
{
    if (!sweep->mass) {
        filter_rows(false, false, sweep, first, last);
    } else if (!sweep->new_x) {
        filter_rows(true, false, sweep, first, last);
    } else {
        filter_rows(true, true, sweep, first, last);
    }
}
