#include "cloth/grid_levels.h"

#include "linalg/mat3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The coarsest level has fewer than this many rows or columns.
enum { COARSEST_SIDE = 4, MOST_LEVELS = 16 };
// Rows of a level that are worth a thread: of the first on the way down and up, and in an assembly.
enum { BAND_ROWS = 8, ASSEMBLY_ROWS = 16 };

typedef struct Level {
    GridNodes nodes;
    double *cells;      // GRID_CELL lines for each row of cells
    double *main, *off; // those of the nodes
} Level;

struct GridLevels {
    GridNodes mesh; // only its sizes
    int count;
    Level level[MOST_LEVELS];
    const SpringKernels *kernels; // of the last assembly
    GridHeld held;
    double *lines; // work: GRID_CELL for each thread
    double *dots;  // per row of the first level
};

// If the last node of the finer grid is not one of these, one lies beyond the border.
static int half(int nodes)
{
    return nodes / 2 + 1;
}

static size_t line_size(const GridLevels *levels)
{
    return (size_t)levels->mesh.width + GRID_LINE_ENDS;
}

// A register's loads may begin at any node, so they reach beyond the last line. A line starts where
// a cache line does.
static double *lines_create(size_t lines, long width)
{
    size_t bytes = (lines * (size_t)width + MESH_LANES) * sizeof(double);
    double *memory = aligned_alloc(MESH_LANES * sizeof(double), bytes);
    return memory ? memset(memory, 0, bytes) : NULL;
}

static bool level_init(Level *level, int rows, int columns)
{
    GridNodes *nodes = &level->nodes;
    // a register may begin at the last column
    long width = (columns + 2 * (MESH_LANES - 1)) / MESH_LANES * MESH_LANES;
    *nodes = (GridNodes){.rows = rows, .columns = columns, .width = width};
    size_t lines = 3 * ((size_t)rows + 1);
    level->cells = calloc(GRID_CELL * ((size_t)rows + 1) * (size_t)width, sizeof(double));
    nodes->main = level->main = lines_create(lines, width);
    nodes->off = level->off = lines_create(lines, width);
    nodes->r = lines_create(lines, width);
    nodes->z = lines_create(lines, width);
    return level->cells && level->main && level->off && nodes->r && nodes->z;
}

Status grid_levels_create(const Mesh *mesh, GridLevels **out, Error *error)
{
    GridLevels *levels = calloc(1, sizeof *levels);
    bool complete = levels != NULL;
    if (levels) {
        levels->mesh =
            (GridNodes){.rows = mesh->rows, .columns = mesh->columns, .width = mesh->row_width};
        levels->lines = calloc(CREW_MAX * GRID_CELL * line_size(levels), sizeof(double));
        levels->dots = calloc((size_t)half(mesh->rows), sizeof(double));
        complete = levels->lines && levels->dots;
    }
    int rows = mesh->rows, columns = mesh->columns;
    while (complete && levels->count < MOST_LEVELS && rows >= COARSEST_SIDE &&
           columns >= COARSEST_SIDE) {
        rows = half(rows);
        columns = half(columns);
        complete = level_init(&levels->level[levels->count++], rows, columns);
    }
    if (!complete) {
        grid_levels_destroy(levels);
        return error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory for the levels of a grid");
    }
    *out = levels;
    return STATUS_OK;
}

void grid_levels_destroy(GridLevels *levels)
{
    if (!levels) return;
    for (int l = 0; l < levels->count; l++) {
        Level *level = &levels->level[l];
        free(level->cells);
        free(level->main);
        free(level->off);
        free(level->nodes.r);
        free(level->nodes.z);
    }
    free(levels->lines);
    free(levels->dots);
    free(levels);
}

// ---- the diagonal blocks

static double *cell_line(const Level *level, int row, int number)
{
    return level->cells + (row * GRID_CELL + number) * level->nodes.width;
}

// to[i] += from[2 i] + from[2 i + 1]
static void add_pairs(int columns, const double *restrict from, double *restrict to)
{
    for (int i = 0; i < columns / 2; i++) to[i] += from[2 * i] + from[2 * i + 1];
    if (columns % 2) to[columns / 2] += from[columns - 1];
}

// A row of cells of the first level, from two rows of springs.
static void sum_springs(const GridLevels *levels, const GridLevelsMatrix *A, int row, double *lines)
{
    size_t width = (size_t)levels->mesh.width;
    memset(lines, 0, GRID_CELL * width * sizeof(double));
    for (int j = 2 * row; j < 2 * row + 2 && j < levels->mesh.rows; j++)
        A->kernels->grid_cells(A->stencil, A->law, A->x, A->geometry, A->mass, j, lines);
    for (int c = 0; c < GRID_CELL; c++)
        add_pairs(levels->mesh.columns, lines + (size_t)c * width,
                  cell_line(&levels->level[0], row, c));
}

static void sum_cells(const Level *finer, const Level *level, int row)
{
    for (int j = 2 * row; j < 2 * row + 2 && j < finer->nodes.rows; j++) {
        for (int c = 0; c < GRID_CELL; c++)
            add_pairs(finer->nodes.columns, cell_line(finer, j, c), cell_line(level, row, c));
    }
}

// A particle and the nodes of a level whose hats reach it.
typedef struct Reach {
    int count;
    int node[4][2];
    double weight[4];
} Reach;

static Reach reach_of(int row, int column, int H)
{
    Reach reach = {0};
    for (int j = row / H; j <= row / H + 1; j++) {
        for (int i = column / H; i <= column / H + 1; i++) {
            double across = 1.0 - fabs((double)(column - i * H)) / H;
            double down = 1.0 - fabs((double)(row - j * H)) / H;
            if (across <= 0.0 || down <= 0.0) continue;
            reach.node[reach.count][0] = j;
            reach.node[reach.count][1] = i;
            reach.weight[reach.count++] = across * down;
        }
    }
    return reach;
}

static Sym3 block_at(const Level *level, long row, long column)
{
    long width = level->nodes.width, at = 3 * row * width + column;
    const double *main = level->main + at, *off = level->off + at;
    return (Sym3){main[0], main[width], main[2 * width], off[0], off[width], off[2 * width]};
}

static void set_block(const Level *level, long row, long column, Sym3 block)
{
    long width = level->nodes.width, at = 3 * row * width + column;
    double *main = level->main + at, *off = level->off + at;
    main[0] = block.xx, main[width] = block.yy, main[2 * width] = block.zz;
    off[0] = block.xy, off[width] = block.xz, off[2 * width] = block.yz;
}

// A hat is 0 at a held particle: the springs there are stretched by all of its height.
static void add_held(const GridLevels *levels, const Level *level, int H, const GridLevelsMatrix *A)
{
    long width = levels->mesh.width;
    for (int row = 0; row < levels->mesh.rows; row++) {
        for (int h = A->held.start[row]; h < A->held.start[row + 1]; h++) {
            int column = A->held.column[h];
            const double *main = A->main + 3L * row * width + column;
            const double *off = main - A->main + A->off;
            Sym3 own = {main[0], main[width], main[2 * width], off[0], off[width], off[2 * width]};
            Reach reach = reach_of(row, column, H);
            for (int n = 0; n < reach.count; n++) {
                int j = reach.node[n][0], i = reach.node[n][1];
                Sym3 block = block_at(level, j, i);
                set_block(level, j, i,
                          sym3_add_scaled(block, reach.weight[n] * reach.weight[n], own));
            }
        }
    }
}

// Work on the rows of a level.
typedef struct AssembleJob {
    const GridLevels *levels;
    const GridLevelsMatrix *A;
    int number, parts; // of the level, of the threads
} AssembleJob;

static void cells_part(void *self, int part)
{
    const AssembleJob *job = self;
    const GridLevels *levels = job->levels;
    const Level *level = &levels->level[job->number];
    int rows = level->nodes.rows, last = crew_start(rows, job->parts, part + 1);
    for (int row = crew_start(rows, job->parts, part); row < last; row++) {
        memset(cell_line(level, row, 0), 0,
               GRID_CELL * (size_t)level->nodes.width * sizeof(double));
        if (job->number == 0)
            sum_springs(levels, job->A, row,
                        levels->lines + (size_t)(part * GRID_CELL) * line_size(levels));
        else
            sum_cells(level - 1, level, row);
    }
}

static void nodes_part(void *self, int part)
{
    const AssembleJob *job = self;
    const Level *level = &job->levels->level[job->number];
    int rows = level->nodes.rows, last = crew_start(rows, job->parts, part + 1);
    double H = 2 << job->number; // 1/9: the mean square of a hat
    for (int row = crew_start(rows, job->parts, part); row < last; row++) {
        GridCells cells = {.above = cell_line(level, row > 0 ? row - 1 : rows, 0), // `rows`: 0
                           .below = cell_line(level, row, 0),
                           .scale = 1.0 / (H * H),
                           .mass = job->A->mass_factor / 9.0};
        job->A->kernels->level_nodes(&level->nodes, &cells, row, level->main, level->off);
    }
}

// Invert D_l; it is 0 beyond the border where nothing reaches.
static void invert_part(void *self, int part)
{
    const AssembleJob *job = self;
    const Level *level = &job->levels->level[job->number];
    int rows = level->nodes.rows, last = crew_start(rows, job->parts, part + 1);
    for (int row = crew_start(rows, job->parts, part); row < last; row++) {
        for (int column = 0; column < level->nodes.columns; column++) {
            Sym3 block = block_at(level, row, column);
            set_block(level, row, column, block.xx > 0.0 ? sym3_inverse(block) : (Sym3){0});
        }
    }
}

void grid_levels_assemble(GridLevels *levels, Crew *crew, const GridLevelsMatrix *A)
{
    levels->kernels = A->kernels;
    levels->held = A->held;
    for (int l = 0; l < levels->count; l++) {
        const Level *level = &levels->level[l];
        AssembleJob job = {levels, A, l, crew_parts(crew, level->nodes.rows, ASSEMBLY_ROWS)};
        crew_run(crew, job.parts, cells_part, &job);
        crew_run(crew, job.parts, nodes_part, &job);
        add_held(levels, level, 2 << l, A);
        crew_run(crew, job.parts, invert_part, &job);
    }
}

// ---- down and up

typedef struct LevelsJob {
    GridLevels *levels;
    const double *r;
    int parts;
} LevelsJob;

static double *lines_of(const LevelsJob *job, int part)
{
    return job->levels->lines + (size_t)(part * GRID_CELL) * line_size(job->levels);
}

static void down_part(void *self, int part)
{
    const LevelsJob *job = self;
    GridLevels *levels = job->levels;
    const GridNodes *to = &levels->level[0].nodes;
    int last = crew_start(to->rows, job->parts, part + 1);
    for (int row = crew_start(to->rows, job->parts, part); row < last; row++)
        levels->dots[row] = levels->kernels->level_down(&levels->mesh, job->r, levels->held, to,
                                                        row, lines_of(job, part));
}

static void up_part(void *self, int part)
{
    const LevelsJob *job = self;
    const GridLevels *levels = job->levels;
    const GridNodes *to = &levels->level[0].nodes;
    int last = crew_start(to->rows, job->parts, part + 1);
    for (int row = crew_start(to->rows, job->parts, part); row < last; row++)
        levels->kernels->level_up(&levels->level[1].nodes, to, row);
}

GridCoarse grid_levels_solve(GridLevels *levels, Crew *crew, const double *r)
{
    const GridNodes *first = &levels->level[0].nodes;
    LevelsJob job = {levels, r, crew_parts(crew, first->rows, BAND_ROWS)};
    GridCoarse coarse = {.z = first->z, .width = first->width};
    crew_run(crew, job.parts, down_part, &job);
    for (int row = 0; row < first->rows; row++) coarse.rz += levels->dots[row];
    for (int l = 1; l < levels->count; l++) {
        const GridNodes *from = &levels->level[l - 1].nodes, *to = &levels->level[l].nodes;
        for (int row = 0; row < to->rows; row++)
            coarse.rz +=
                levels->kernels->level_down(from, from->r, (GridHeld){0}, to, row, levels->lines);
    }
    for (int l = levels->count - 2; l > 0; l--) {
        const GridNodes *from = &levels->level[l + 1].nodes, *to = &levels->level[l].nodes;
        for (int row = 0; row < to->rows; row++) levels->kernels->level_up(from, to, row);
    }
    if (levels->count > 1) crew_run(crew, job.parts, up_part, &job);
    return coarse;
}
