#include "cloth/grid_levels.h"

#include "linalg/mat3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The coarsest level has fewer than this many rows or columns.
enum { COARSEST_SIDE = 4, MOST_LEVELS = 16 };
// Rows of the first level that are worth a thread.
enum { BAND_ROWS = 8 };
// Lines of work for each thread.
enum { LINES = 2 };

typedef struct Level {
    int rows, columns; // nodes
    int width;         // entries per line, with some to spare
    double *cells;     // GRID_CELL lines for each row of cells
    Sym3 *inverse;     // of D_l, per node
    double *r, *z;     // flat: lines of x, y and z for each row; one more row, which is 0
} Level;

struct GridLevels {
    Level mesh; // only its sizes
    int count;
    Level level[MOST_LEVELS];
    const int *held;
    int held_count;
    double *lines; // work
};

// If the last node of the finer grid is not one of these, one lies beyond the border.
static int half(int nodes)
{
    return nodes / 2 + 1;
}

static size_t line_size(const GridLevels *levels)
{
    return (size_t)levels->mesh.width + 2 * MESH_LANES;
}

static bool level_init(Level *level, int rows, int columns)
{
    *level = (Level){.rows = rows, .columns = columns, .width = columns + MESH_LANES};
    size_t nodes = (size_t)(rows + 1) * (size_t)level->width;
    level->cells = calloc(GRID_CELL * nodes, sizeof(double));
    level->inverse = calloc(nodes, sizeof(Sym3));
    level->r = calloc(3 * nodes, sizeof(double));
    level->z = calloc(3 * nodes, sizeof(double));
    return level->cells && level->inverse && level->r && level->z;
}

Status grid_levels_create(const Mesh *mesh, GridLevels **out, Error *error)
{
    GridLevels *levels = calloc(1, sizeof *levels);
    bool complete = levels != NULL;
    if (levels) {
        levels->mesh =
            (Level){.rows = mesh->rows, .columns = mesh->columns, .width = mesh->row_width};
        size_t lines = GRID_CELL > CREW_MAX * LINES ? GRID_CELL : CREW_MAX * LINES;
        levels->lines = calloc(lines * line_size(levels), sizeof(double));
        complete = levels->lines != NULL;
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
        free(levels->level[l].cells);
        free(levels->level[l].inverse);
        free(levels->level[l].r);
        free(levels->level[l].z);
    }
    free(levels->lines);
    free(levels);
}

// ---- the diagonal blocks

static double *cell_line(const Level *level, int row, int number)
{
    return level->cells + (row * GRID_CELL + number) * level->width;
}

// to[i] += from[2 i] + from[2 i + 1]
static void add_pairs(int columns, const double *restrict from, double *restrict to)
{
    for (int i = 0; i < columns / 2; i++) to[i] += from[2 * i] + from[2 * i + 1];
    if (columns % 2) to[columns / 2] += from[columns - 1];
}

static void sum_springs(const GridLevels *levels, const GridLevelsMatrix *A)
{
    const Level *first = &levels->level[0];
    size_t width = (size_t)levels->mesh.width;
    for (int row = 0; row < levels->mesh.rows; row++) {
        if (row % 2 == 0) memset(levels->lines, 0, GRID_CELL * width * sizeof(double));
        A->kernels->grid_cells(A->stencil, A->law, A->geometry, A->mass, row, levels->lines);
        if (row % 2 == 0 && row + 1 < levels->mesh.rows) continue;
        for (int c = 0; c < GRID_CELL; c++)
            add_pairs(levels->mesh.columns, levels->lines + (size_t)c * width,
                      cell_line(first, row / 2, c));
    }
}

static void sum_cells(const Level *finer, const Level *level)
{
    for (int row = 0; row < finer->rows; row++) {
        for (int c = 0; c < GRID_CELL; c++)
            add_pairs(finer->columns, cell_line(finer, row, c), cell_line(level, row / 2, c));
    }
}

// D_l at a node, from the four cells around it.
static Sym3 node_block(const Level *level, double H, double mass_factor, int row, int column)
{
    double sum[6] = {0}, mass = 0.0;
    for (int j = row > 0 ? row - 1 : 0; j <= row; j++) {
        for (int i = column > 0 ? column - 1 : 0; i <= column; i++) {
            const double *cell = cell_line(level, j, 0) + i;
            double mixed = (j < row) == (i < column) ? 0.5 : -0.5;
            for (int c = 0; c < 6; c++)
                sum[c] += cell[c * level->width] / 3.0 + mixed * cell[(6 + c) * level->width];
            mass += cell[12 * level->width];
        }
    }
    double s = 1.0 / (H * H), m = mass_factor * mass / 9.0; // 1/9: the mean square of a hat
    return (Sym3){s * sum[0] + m, s * sum[1] + m, s * sum[2] + m,
                  s * sum[3],     s * sum[4],     s * sum[5]};
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

// A hat is 0 at a held particle: the springs there are stretched by all of its height.
static void add_held(const GridLevels *levels, const Level *level, int H, const GridLevelsMatrix *A)
{
    long width = levels->mesh.width;
    for (int h = 0; h < A->held_count; h++) {
        int row = A->held[h] / levels->mesh.columns, column = A->held[h] % levels->mesh.columns;
        const double *main = A->main + 3L * row * width + column, *off = main - A->main + A->off;
        Sym3 own = {main[0], main[width], main[2 * width], off[0], off[width], off[2 * width]};
        Reach reach = reach_of(row, column, H);
        for (int n = 0; n < reach.count; n++) {
            Sym3 *block = &level->inverse[reach.node[n][0] * level->width + reach.node[n][1]];
            *block = sym3_add_scaled(*block, reach.weight[n] * reach.weight[n], own);
        }
    }
}

void grid_levels_assemble(GridLevels *levels, const GridLevelsMatrix *A)
{
    levels->held = A->held;
    levels->held_count = A->held_count;
    for (int l = 0, H = 2; l < levels->count; l++, H *= 2) {
        const Level *level = &levels->level[l];
        size_t cells = GRID_CELL * (size_t)(level->rows + 1) * (size_t)level->width;
        memset(level->cells, 0, cells * sizeof(double));
        if (l == 0) sum_springs(levels, A);
        if (l > 0) sum_cells(level - 1, level);
        for (int row = 0; row < level->rows; row++) {
            for (int column = 0; column < level->columns; column++)
                level->inverse[row * level->width + column] =
                    node_block(level, H, A->mass_factor, row, column);
        }
        add_held(levels, level, H, A);
        for (int node = 0; node < level->rows * level->width; node++) {
            Sym3 block = level->inverse[node]; // 0 beyond the border where nothing reaches
            level->inverse[node] = block.xx > 0.0 ? sym3_inverse(block) : (Sym3){0};
        }
    }
}

// ---- down

// Rows first .. last - 1 of P'r, one level down.
static void gather(const Level *from, const double *r, const Level *to, int first, int last,
                   double *line)
{
    long row_size = 3L * from->width;
    line += MESH_LANES; // 0 on both sides
    for (int row = first; row < last; row++) {
        for (int c = 0; c < 3; c++) {
            int j = 2 * row;
            const double *here = r + j * row_size + (long)c * from->width;
            for (int i = 0; i < from->columns; i++) line[i] = j < from->rows ? here[i] : 0.0;
            for (int i = 0; i < from->columns && j > 0; i++) line[i] += 0.5 * here[i - row_size];
            for (int i = 0; i < from->columns && j + 1 < from->rows; i++)
                line[i] += 0.5 * here[i + row_size];
            line[-1] = line[from->columns] = line[from->columns + 1] = 0.0;
            double *out = to->r + (3L * row + c) * to->width;
            for (int i = 0; i < to->columns; i++)
                out[i] = line[2 * i] + 0.5 * (line[2 * i - 1] + line[2 * i + 1]);
        }
    }
}

typedef struct LevelsJob {
    GridLevels *levels;
    int parts;
    double beta;
    const double *r; // or z
    double *p;
} LevelsJob;

static double *lines_of(const LevelsJob *job, int part)
{
    return job->levels->lines + (size_t)(LINES * part) * line_size(job->levels);
}

static void gather_part(void *self, int part)
{
    const LevelsJob *job = self;
    const Level *to = &job->levels->level[0];
    gather(&job->levels->mesh, job->r, to, crew_start(to->rows, job->parts, part),
           crew_start(to->rows, job->parts, part + 1), lines_of(job, part));
}

// What held particles have of r does not belong to the hats. In a solve it is 0.
static void leave_out_held(const GridLevels *levels, const double *r)
{
    const Level *level = &levels->level[0];
    for (int h = 0; h < levels->held_count; h++) {
        int row = levels->held[h] / levels->mesh.columns;
        int column = levels->held[h] % levels->mesh.columns;
        Reach reach = reach_of(row, column, 2);
        for (int c = 0; c < 3; c++) {
            double own = r[(3L * row + c) * levels->mesh.width + column];
            for (int n = 0; n < reach.count && own != 0.0; n++)
                level->r[(3L * reach.node[n][0] + c) * level->width + reach.node[n][1]] -=
                    reach.weight[n] * own;
        }
    }
}

// z = D_l^-1 r;  returns r'z
static double scale(const Level *level)
{
    double dot = 0.0;
    long width = level->width;
    for (int row = 0; row < level->rows; row++) {
        const double *r = level->r + 3 * row * width;
        const Sym3 *inverse = level->inverse + row * width;
        double *z = level->z + 3 * row * width;
        for (int i = 0; i < level->columns; i++) {
            Vec3 q = {r[i], r[i + width], r[i + 2 * width]}, s = sym3_multiply(inverse[i], q);
            z[i] = s.x;
            z[i + width] = s.y;
            z[i + 2 * width] = s.z;
            dot += vec3_dot(q, s);
        }
    }
    return dot;
}

// ---- up

// One line of P z, for a row of the next finer grid. Both arrays have a line's room.
static void spread(const Level *from, int row, int c, int columns, double *restrict line,
                   double *restrict out)
{
    const double *above = from->z + (3L * (row / 2) + c) * from->width;
    const double *below = row % 2 ? above + 3L * from->width : above;
    for (int i = 0; i <= columns / 2; i++) line[i] = 0.5 * (above[i] + below[i]);
    for (int i = 0; i < (columns + 1) / 2; i++) {
        out[2 * i] = line[i];
        out[2 * i + 1] = 0.5 * (line[i] + line[i + 1]);
    }
}

// The same at one place, to the bit.
static double value_at(const Level *from, int row, int c, int column)
{
    const double *above = from->z + (3L * (row / 2) + c) * from->width + column / 2;
    const double *below = row % 2 ? above + 3L * from->width : above;
    double here = 0.5 * (above[0] + below[0]), next = 0.5 * (above[1] + below[1]);
    return column % 2 ? 0.5 * (here + next) : here;
}

static void add_from_below(const GridLevels *levels, const Level *level)
{
    double *line = levels->lines, *out = line + line_size(levels);
    for (int row = 0; row < level->rows; row++) {
        for (int c = 0; c < 3; c++) {
            spread(level + 1, row, c, level->columns, line, out);
            double *z = level->z + (3L * row + c) * level->width;
            for (int i = 0; i < level->columns; i++) z[i] += out[i];
        }
    }
}

double grid_levels_solve(GridLevels *levels, Crew *crew, const double *r)
{
    double dot = 0.0;
    for (int l = 0; l < levels->count; l++) {
        const Level *level = &levels->level[l];
        if (l == 0) {
            LevelsJob job = {
                .levels = levels, .parts = crew_parts(crew, level->rows, BAND_ROWS), .r = r};
            crew_run(crew, job.parts, gather_part, &job);
            leave_out_held(levels, r);
        } else {
            gather(level - 1, level[-1].r, level, 0, level->rows, levels->lines);
        }
        dot += scale(level);
    }
    for (int l = levels->count - 2; l >= 0; l--) add_from_below(levels, &levels->level[l]);
    return dot;
}

static void turn_part(void *self, int part)
{
    const LevelsJob *job = self;
    const Level *mesh = &job->levels->mesh;
    double *line = lines_of(job, part), *out = line + line_size(job->levels);
    int last = crew_start(mesh->rows, job->parts, part + 1);
    for (int row = crew_start(mesh->rows, job->parts, part); row < last; row++) {
        for (int c = 0; c < 3; c++) {
            spread(&job->levels->level[0], row, c, mesh->columns, line, out);
            const double *z = job->r + (3L * row + c) * mesh->width;
            double *restrict p = job->p + (3L * row + c) * mesh->width;
            for (int i = 0; i < mesh->columns; i++) p[i] = z[i] + out[i] + job->beta * p[i];
        }
    }
}

void grid_levels_turn(GridLevels *levels, Crew *crew, double beta, const double *z, double *p)
{
    LevelsJob job = {.levels = levels,
                     .parts = crew_parts(crew, levels->level[0].rows, BAND_ROWS),
                     .beta = beta,
                     .r = z,
                     .p = p};
    crew_run(crew, job.parts, turn_part, &job);
    for (int h = 0; h < levels->held_count; h++) {
        int row = levels->held[h] / levels->mesh.columns;
        int column = levels->held[h] % levels->mesh.columns;
        for (int c = 0; c < 3; c++)
            p[(3L * row + c) * levels->mesh.width + column] -=
                value_at(&levels->level[0], row, c, column);
    }
}
