// The boundary of the stable region: marching squares on the sign of Jury's slack; bisection finds
// each crossing of a grid edge.
#include "stability/region.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELLS = 240, NODES = CELLS + 1, NONE = -1 };
enum { BISECTIONS = 40 };

typedef struct Grid {
    const Scheme *scheme;
    RegionBox box;
    double symbol;
    bool closed;
    bool *stable;          // per node
    int (*neighbour)[2];   // per edge: the edges whose crossings it is joined to, or NONE
    double (*crossing)[2]; // per edge
} Grid;

static double node_x(const Grid *grid, int i)
{
    return grid->box.x0 + (grid->box.x1 - grid->box.x0) * i / CELLS;
}

static double node_y(const Grid *grid, int j)
{
    return grid->box.y0 + (grid->box.y1 - grid->box.y0) * j / CELLS;
}

static bool is_stable(const Grid *grid, double X, double Y)
{
    return amplification_at(grid->scheme, X, Y, grid->symbol).slack > 0.0;
}

// Edges: first the horizontal ones, node (i, j) to (i + 1, j), then the vertical ones, to
// (i, j + 1).
enum { HORIZONTAL = CELLS * NODES, EDGES = 2 * CELLS * NODES };

static int horizontal_edge(int i, int j)
{
    return j * CELLS + i;
}

static int vertical_edge(int i, int j)
{
    return HORIZONTAL + j * NODES + i;
}

static bool node_is_stable(const Grid *grid, int i, int j)
{
    return grid->stable[j * NODES + i];
}

static void place_crossing(Grid *grid, int edge, int i0, int j0, int i1, int j1)
{
    if (node_is_stable(grid, i0, j0) == node_is_stable(grid, i1, j1)) return;
    double in[2] = {node_x(grid, i0), node_y(grid, j0)};
    double out[2] = {node_x(grid, i1), node_y(grid, j1)};
    if (!node_is_stable(grid, i0, j0)) {
        for (int c = 0; c < 2; c++) {
            double swap = in[c];
            in[c] = out[c], out[c] = swap;
        }
    }
    for (int k = 0; k < BISECTIONS; k++) {
        double middle[2] = {0.5 * (in[0] + out[0]), 0.5 * (in[1] + out[1])};
        memcpy(is_stable(grid, middle[0], middle[1]) ? in : out, middle, sizeof middle);
    }
    memcpy(grid->crossing[edge], in, sizeof in);
}

static void join(Grid *grid, int a, int b)
{
    grid->neighbour[a][grid->neighbour[a][0] == NONE ? 0 : 1] = b;
    grid->neighbour[b][grid->neighbour[b][0] == NONE ? 0 : 1] = a;
}

static void march_cell(Grid *grid, int i, int j)
{
    // around the cell: bottom, right, top, left
    const int edge[4] = {horizontal_edge(i, j), vertical_edge(i + 1, j), horizontal_edge(i, j + 1),
                         vertical_edge(i, j)};
    const bool corner[4] = {node_is_stable(grid, i, j), node_is_stable(grid, i + 1, j),
                            node_is_stable(grid, i + 1, j + 1), node_is_stable(grid, i, j + 1)};
    int crossed[4], count = 0;
    for (int e = 0; e < 4; e++) {
        if (corner[e] != corner[(e + 1) % 4]) crossed[count++] = e;
    }
    if (count == 2) {
        join(grid, edge[crossed[0]], edge[crossed[1]]);
    } else if (count == 4) { // a saddle: the centre decides which corners belong together
        bool centre = is_stable(grid, node_x(grid, i) + 0.5 * (node_x(grid, 1) - node_x(grid, 0)),
                                node_y(grid, j) + 0.5 * (node_y(grid, 1) - node_y(grid, 0)));
        int shift = centre == corner[0] ? 0 : 3;
        join(grid, edge[shift], edge[(shift + 1) % 4]);
        join(grid, edge[(shift + 2) % 4], edge[(shift + 3) % 4]);
    }
}

// Follow one line from an edge until it ends or closes. Visited crossings lose their joints.
static void follow(Grid *grid, int edge, RegionBoundary *out)
{
    int first = edge, count = out->first[out->line_count], start = count;
    while (edge != NONE) {
        memcpy(out->point[count++], grid->crossing[edge], sizeof grid->crossing[edge]);
        int next =
            grid->neighbour[edge][0] != NONE ? grid->neighbour[edge][0] : grid->neighbour[edge][1];
        grid->neighbour[edge][0] = grid->neighbour[edge][1] = NONE;
        if (next != NONE) {
            int *back = grid->neighbour[next];
            if (back[0] == edge)
                back[0] = NONE;
            else if (back[1] == edge)
                back[1] = NONE;
            // the first crossing of a closed line has lost its joints: this was the last point
            if (next == first) {
                memcpy(out->point[count++], grid->crossing[first], sizeof grid->crossing[first]);
                break;
            }
        }
        edge = next;
    }
    if (count - start > 1) out->first[++out->line_count] = count;
}

static Status grid_allocate(Grid *grid, RegionBoundary *out, Error *error)
{
    grid->stable = calloc(NODES * NODES, sizeof *grid->stable);
    grid->neighbour = malloc(EDGES * sizeof *grid->neighbour);
    grid->crossing = calloc(EDGES, sizeof *grid->crossing);
    out->first = calloc(EDGES + 1, sizeof *out->first);
    out->point = calloc(2 * EDGES, sizeof *out->point);
    if (grid->stable && grid->neighbour && grid->crossing && out->first && out->point) {
        return STATUS_OK;
    }
    return error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory for a stability region");
}

static void march(Grid *grid, RegionBoundary *out)
{
    for (int j = 0; j < NODES; j++) {
        for (int i = 0; i < NODES; i++) {
            bool rim = i == 0 || j == 0 || i == CELLS || j == CELLS;
            grid->stable[j * NODES + i] =
                !(grid->closed && rim) && is_stable(grid, node_x(grid, i), node_y(grid, j));
        }
    }
    for (int e = 0; e < EDGES; e++) grid->neighbour[e][0] = grid->neighbour[e][1] = NONE;
    for (int j = 0; j < NODES; j++) {
        for (int i = 0; i < NODES; i++) {
            if (i < CELLS) place_crossing(grid, horizontal_edge(i, j), i, j, i + 1, j);
            if (j < CELLS) place_crossing(grid, vertical_edge(i, j), i, j, i, j + 1);
        }
    }
    for (int j = 0; j < CELLS; j++) {
        for (int i = 0; i < CELLS; i++) march_cell(grid, i, j);
    }
    // open lines from their ends first, then the closed ones
    for (int pass = 0; pass < 2; pass++) {
        for (int e = 0; e < EDGES; e++) {
            int joints = (grid->neighbour[e][0] != NONE) + (grid->neighbour[e][1] != NONE);
            if (joints == (pass == 0 ? 1 : 2)) follow(grid, e, out);
        }
    }
}

Status region_boundary(const Scheme *scheme, RegionBox box, double symbol, bool closed,
                       RegionBoundary *out, Error *error)
{
    *out = (RegionBoundary){0};
    Grid grid = {.scheme = scheme, .box = box, .symbol = symbol, .closed = closed};
    Status status = grid_allocate(&grid, out, error);
    if (status == STATUS_OK) march(&grid, out);
    free(grid.stable);
    free(grid.neighbour);
    free(grid.crossing);
    if (status != STATUS_OK) region_boundary_finish(out);
    return status;
}

void region_boundary_finish(RegionBoundary *boundary)
{
    free(boundary->first);
    free(boundary->point);
    *boundary = (RegionBoundary){0};
}

RegionBox region_default_box(const Integrator *integrator)
{
    // Implicit methods are stable wherever the physics is, and also beyond the axes.
    if (integrator->traits & INTEGRATOR_IMPLICIT) return (RegionBox){-8.0, 8.0, -10.0, 10.0};
    return (RegionBox){-1.0, 7.0, -1.0, 10.0};
}
