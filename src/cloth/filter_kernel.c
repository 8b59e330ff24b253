// Compiled once per instruction set, see src/meson.build: rows of a grid under a filter, and their
// drift.
#include "cloth/grid_parts.h"

// Of one component along a row: a register of the input and the one before it, and the sums of the
// rows above and below them. Neighbours in a row are made of these, because most loads that are not
// aligned cross a cache line.
typedef struct Line {
    V before, here, sides_before, sides_here;
} Line;

CASE V above_and_below(const double *source, ptrdiff_t row)
{
    return v_load(source - row) + v_load(source + row);
}

// `source` is where the row starts; what is left of it is 0.
CASE Line line_start(const double *source, ptrdiff_t row)
{
    return (Line){.before = v_all(0.0),
                  .here = v_load(source),
                  .sides_before = v_all(0.0),
                  .sides_here = above_and_below(source, row)};
}

// The filter at `source`; then the line is one register further.
CASE V filtered_line(const double *kernel, const double *source, ptrdiff_t row, V own, V gain,
                     Line *line)
{
    V next = v_load(source + V_LANES), sides_next = above_and_below(source + V_LANES, row);
    V sides = (v_shift1(line->before, line->here) + v_ahead1(line->here, next)) + line->sides_here;
    V diagonals =
        v_shift1(line->sides_before, line->sides_here) + v_ahead1(line->sides_here, sides_next);
    V second = (v_shift2(line->before, line->here) + v_ahead2(line->here, next)) +
               above_and_below(source, 2 * row);
    V neighbours = kernel[0] * sides + kernel[1] * diagonals + kernel[2] * second;
    V filtered = own * line->here + gain * neighbours;
    *line = (Line){line->here, next, line->sides_here, sides_next};
    return filtered;
}

typedef struct Sums { // per lane
    V loss, kinetic, square, lowest;
} Sums;

// As (s - w)(s + w), which is exact also where the two differ little.
CASE V square_loss(V s, V w)
{
    return (s - w) * (s + w);
}

CASE void filter_part(bool held, bool drifts, const FilterSweep *sweep, int row, int i,
                      Line lines[3], Sums *sums)
{
    long width = sweep->width, at = 3L * row * width + i;
    ptrdiff_t wide = sweep->source_width;
    const double *source = sweep->source + 3 * row * wide + i;
    V own = v_load(sweep->own + row * width + i), gain = v_load(sweep->gain + row * width + i);
    Vx3 s = {lines[0].here, lines[1].here, lines[2].here};
    Vx3 w = {filtered_line(sweep->kernel, source, 3 * wide, own, gain, &lines[0]),
             filtered_line(sweep->kernel, source + wide, 3 * wide, own, gain, &lines[1]),
             filtered_line(sweep->kernel, source + 2 * wide, 3 * wide, own, gain, &lines[2])};
    if (held) {
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
        ptrdiff_t wide = sweep->source_width;
        const double *source = sweep->source + 3 * row * wide;
        Line lines[3] = {line_start(source, 3 * wide), line_start(source + wide, 3 * wide),
                         line_start(source + 2 * wide, 3 * wide)};
        for (int i = 0; i < sweep->width; i += V_LANES)
            filter_part(held, drifts, sweep, row, i, lines, &sums);
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
