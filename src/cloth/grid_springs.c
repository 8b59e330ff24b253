#include "cloth/grid_springs.h"

#include "cloth/block_law.h"
#include "cloth/grid_levels.h"
#include "cloth/grid_stencil.h"
#include "cloth/sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct GridSprings {
    // of the last linearisation; the arrays exist only if the mesh is a grid
    GridStencil stencil;
    BlockLaw stiffness, damping; // K and D
    double *geometry;            // what the model keeps, see spring_kernels.h
    double *x;                   // flat, where it was linearised

    // of the last assembly: a M + b K + c D without the rows and columns of held particles
    const SpringKernels *kernels; // the cloth's
    BlockLaw law;
    double *matrix; // the springs', see GridDiagonal; NULL: the model has none
    double mass_factor;
    const double *mass;            // the cloth's
    const int *first_dof;          // the mesh's
    double *main, *off;            // flat, inverted diagonal blocks
    double *held_out;              // flat, a copy of a vector with 0 at held particles
    int *held, held_count;         // particles
    int *held_column, *held_start; // the same, see GridHeld
    int dofs, component_stride;

    bool have_present;
    GridStencil present; // of the present material
    double present_k[GRID_SPRINGS];

    Crew *crew;        // the cloth's
    GridRowSums *sums; // per row, of the last sweep
    double *dots[2];   // per row, of the last product or advance
    double *roll;      // GRID_WORK rows for each part

    GridLevels *levels; // of the preconditioner; NULL: the model has none
    bool use_levels;    // in this assembly
    GridCoarse coarse;  // of the last advance
};

// Where the levels pay, see levels_pay.
#define LEVELS_CONDITION 400.0
enum { LEVELS_SIDE = 24 };
// Rows that are worth a thread: the two above them are computed twice.
enum { BAND_ROWS = 12, ROWS_ABOVE = 2 };

// Part `part` of `parts` starts in this row. Every band but the first has the two rows above it,
// too.
static int band_start(int rows, int parts, int part)
{
    return crew_start_below(rows, parts, part, ROWS_ABOVE);
}

static size_t roll_size(const Mesh *mesh)
{
    return GRID_WORK * 3 * (size_t)mesh->row_width;
}

Status grid_springs_create(const Mesh *mesh, GridModel model, GridSprings **out, Error *error)
{
    GridSprings *grid = calloc(1, sizeof *grid);
    bool complete = grid != NULL;
    if (grid) {
        size_t blocks = (size_t)mesh->rows * (size_t)grid_stencil_blocks(mesh);
        const GridModelKernels *kernels = spring_kernels_portable.grid[model];
        size_t size = (size_t)kernels->geometry_size;
        grid->stencil.model = model;
        grid->geometry = calloc(blocks * size, sizeof(double));
        if (kernels->has_matrix) grid->matrix = calloc(blocks * GRID_MATRIX, sizeof(double));
        grid->x = mesh_flat_create(mesh);
        grid->main = mesh_flat_create(mesh);
        grid->off = mesh_flat_create(mesh);
        grid->held_out = mesh_flat_create(mesh);
        grid->held = calloc((size_t)mesh->particle_count, sizeof(int));
        grid->held_column = calloc((size_t)mesh->particle_count, sizeof(int));
        grid->held_start = calloc((size_t)mesh->rows + 1, sizeof(int));
        grid->sums = calloc((size_t)mesh->rows, sizeof *grid->sums);
        for (int i = 0; i < 2; i++) grid->dots[i] = calloc((size_t)mesh->rows, sizeof(double));
        grid->roll = calloc(CREW_MAX * roll_size(mesh), sizeof(double));
        Status levels = STATUS_OK; // only springs have them
        if (model == GRID_MODEL_SPRINGS) levels = grid_levels_create(mesh, &grid->levels, error);
        complete = levels == STATUS_OK && grid->geometry &&
                   (grid->matrix || !kernels->has_matrix) && grid->x && grid->main && grid->off &&
                   grid->held_out && grid->held && grid->held_column && grid->held_start &&
                   grid->sums && grid->dots[0] && grid->dots[1] && grid->roll;
    }
    if (!complete) {
        grid_springs_destroy(grid);
        return error_set(error, STATUS_OUT_OF_MEMORY,
                         "not enough memory for the springs of %d particles", mesh->particle_count);
    }
    *out = grid;
    return STATUS_OK;
}

void grid_springs_destroy(GridSprings *grid)
{
    if (!grid) return;
    free(grid->geometry);
    free(grid->matrix);
    free(grid->x);
    free(grid->main);
    free(grid->off);
    free(grid->held_out);
    free(grid->held);
    free(grid->held_column);
    free(grid->held_start);
    free(grid->sums);
    for (int i = 0; i < 2; i++) free(grid->dots[i]);
    free(grid->roll);
    grid_levels_destroy(grid->levels);
    free(grid);
}

bool grid_springs_apply(const Cloth *cloth)
{
    return cloth->grid && cloth->uniform;
}

// The stencil of the present material. A step of a small cloth is as short as ten times making it,
// so it is made again only when what it follows from has changed.
static const GridStencil *stencil_of(const Cloth *cloth)
{
    GridSprings *grid = cloth->grid;
    double k[GRID_SPRINGS];
    grid_stencil_stiffness(cloth, grid->stencil.model, k);
    if (!grid->have_present || memcmp(k, grid->present_k, sizeof k) != 0) {
        grid->present = grid_stencil(&cloth->mesh, grid->stencil.model, k);
        memcpy(grid->present_k, k, sizeof k);
        grid->have_present = true;
    }
    return &grid->present;
}

// Padding that no loop over rows writes.
static void clear_line_ends(const GridStencil *stencil, double *flat)
{
    size_t width = (size_t)stencil->width, used = (size_t)(MESH_LANES * stencil->blocks);
    size_t lines = 3 * (size_t)stencil->rows;
    for (size_t line = 0; used < width && line < lines; line++)
        memset(flat + line * width + used, 0, (width - used) * sizeof *flat);
    memset(flat + lines * width, 0, 3 * GRID_HALO_ROWS * width * sizeof *flat);
}

typedef struct SweepJob {
    const Cloth *cloth;
    const GridStencil *stencil;
    const GridSweep *sweep;
    int parts;
} SweepJob;

static void sweep_part(void *self, int part)
{
    const SweepJob *job = self;
    const Mesh *mesh = &job->cloth->mesh;
    const GridSprings *grid = job->cloth->grid;
    job->cloth->kernels->grid[job->stencil->model]->sweep(
        job->stencil, job->sweep, band_start(mesh->rows, job->parts, part),
        band_start(mesh->rows, job->parts, part + 1), grid->roll + (size_t)part * roll_size(mesh));
}

// In the order of the rows, whatever the bands were.
static double sum_of_rows(int rows, const double *of_row)
{
    double sum = 0.0;
    for (int row = 0; row < rows; row++) sum += of_row[row];
    return sum;
}

static ForceSums sweep_rows(const Cloth *cloth, const ForceStep *step)
{
    const GridSprings *grid = cloth->grid;
    const GridStencil *stencil = stencil_of(cloth);
    GridSweep sweep = sweep_of(cloth, step, grid->sums);
    if (sweep.f) clear_line_ends(stencil, sweep.f);
    SweepJob job = {cloth, stencil, &sweep, crew_parts(cloth->crew, cloth->mesh.rows, BAND_ROWS)};
    crew_run(cloth->crew, job.parts, sweep_part, &job);
    return sweep_sums(cloth->mesh.rows, grid->sums);
}

bool grid_springs_forces(const Cloth *cloth, const double *x, const double *v, double *f,
                         double *power)
{
    if (!grid_springs_apply(cloth)) return false;
    *power = sweep_rows(cloth, &(ForceStep){.x = x, .v = v, .f = f}).power;
    return true;
}

bool grid_springs_step(const Cloth *cloth, const ForceStep *step, ForceSums *sums)
{
    if (!grid_springs_apply(cloth)) return false;
    *sums = sweep_rows(cloth, step);
    return true;
}

typedef struct RowsJob {
    const Cloth *cloth;
    const GridStencil *stencil;
    const double *x;
    int parts;
} RowsJob;

static void energy_part(void *self, int part)
{
    const RowsJob *job = self;
    int rows = job->stencil->rows;
    job->cloth->kernels->grid[job->stencil->model]->energy(
        job->stencil, job->x, crew_start(rows, job->parts, part),
        crew_start(rows, job->parts, part + 1), job->cloth->grid->dots[0]);
}

double grid_springs_energy(const Cloth *cloth, const double *x)
{
    const GridStencil *stencil = stencil_of(cloth);
    RowsJob job = {cloth, stencil, x, crew_parts(cloth->crew, stencil->rows, BAND_ROWS)};
    crew_run(cloth->crew, job.parts, energy_part, &job);
    return sum_of_rows(stencil->rows, cloth->grid->dots[0]);
}

static void geometry_part(void *self, int part)
{
    const RowsJob *job = self;
    int rows = job->stencil->rows;
    job->cloth->kernels->grid[job->stencil->model]->geometry(
        job->stencil, job->x, crew_start(rows, job->parts, part),
        crew_start(rows, job->parts, part + 1), job->cloth->grid->geometry);
}

void grid_springs_linearise(const Cloth *cloth, const double *x, Tangent tangent)
{
    GridSprings *grid = cloth->grid;
    grid->stencil = *stencil_of(cloth);
    grid->stiffness = block_law(grid->stencil.model, tangent);
    grid->damping = block_law_of_damping(&cloth->material, grid->stiffness);
    memcpy(grid->x, x, (size_t)cloth->mesh.dofs * sizeof *x);
    RowsJob job = {cloth, &grid->stencil, x,
                   crew_parts(cloth->crew, grid->stencil.rows, BAND_ROWS)};
    crew_run(cloth->crew, job.parts, geometry_part, &job);
}

typedef struct ProductJob {
    const GridSprings *grid;
    const SpringKernels *kernels;
    const GridStencil *stencil;
    const GridProduct *product;
    int parts;
} ProductJob;

static void product_part(void *self, int part)
{
    const ProductJob *job = self;
    int rows = job->stencil->rows;
    size_t roll = GRID_WORK * 3 * (size_t)job->stencil->width;
    job->kernels->grid[job->stencil->model]->product(
        job->stencil, job->product, band_start(rows, job->parts, part),
        band_start(rows, job->parts, part + 1), job->grid->roll + (size_t)part * roll);
}

static void around_part(void *self, int part)
{
    const ProductJob *job = self;
    int rows = job->stencil->rows;
    size_t roll = GRID_WORK * 3 * (size_t)job->stencil->width;
    job->kernels->grid_around(job->stencil, job->product, band_start(rows, job->parts, part),
                              band_start(rows, job->parts, part + 1),
                              job->grid->roll + (size_t)part * roll);
}

// Returns p'out.
static double multiply_rows(const GridSprings *grid, const SpringKernels *kernels,
                            const GridStencil *stencil, Crew *crew, GridProduct product)
{
    int rows = stencil->rows;
    product.dots = grid->dots[0];
    ProductJob job = {grid, kernels, stencil, &product, crew_parts(crew, rows, BAND_ROWS)};
    if (product.turn) crew_run(crew, job.parts, around_part, &job);
    crew_run(crew, job.parts, product_part, &job);
    return sum_of_rows(rows, product.dots);
}

static void product_of(const Cloth *cloth, const GridStencil *stencil, GridProduct product)
{
    product.mass = cloth->mass;
    clear_line_ends(stencil, product.out);
    multiply_rows(cloth->grid, cloth->kernels, stencil, cloth->crew, product);
}

void grid_springs_product(const Cloth *cloth, const double *p, double *Kp)
{
    const GridSprings *grid = cloth->grid;
    product_of(
        cloth, &grid->stencil,
        (GridProduct){
            .law = grid->stiffness, .geometry = grid->geometry, .x = grid->x, .p = p, .out = Kp});
}

void grid_springs_damping_product(const Cloth *cloth, const double *p, double *Dp)
{
    const GridSprings *grid = cloth->grid;
    product_of(
        cloth, &grid->stencil,
        (GridProduct){
            .law = grid->damping, .geometry = grid->geometry, .x = grid->x, .p = p, .out = Dp});
}

void grid_springs_product_at(const Cloth *cloth, const double *x, Tangent tangent, const double *p,
                             double *Kp)
{
    const GridStencil *stencil = stencil_of(cloth);
    product_of(cloth, stencil,
               (GridProduct){.law = block_law(stencil->model, tangent), .x = x, .p = p, .out = Kp});
}

// ---- the assembled matrix

static Vec3 vector_at(const GridSprings *grid, const double *flat, int particle)
{
    const double *q = flat + grid->first_dof[particle];
    return (Vec3){q[0], q[grid->component_stride], q[2 * grid->component_stride]};
}

static void set_vector(const GridSprings *grid, double *flat, int particle, Vec3 value)
{
    double *q = flat + grid->first_dof[particle];
    q[0] = value.x;
    q[grid->component_stride] = value.y;
    q[2 * grid->component_stride] = value.z;
}

// The stencil ignores which particles are held. That is correct while p is 0 there, as it is in a
// solve; otherwise the stencil gets a copy of p with zeros there.
static const double *without_held(GridSprings *grid, const double *p)
{
    bool zero = true;
    for (int h = 0; h < grid->held_count && zero; h++) {
        Vec3 q = vector_at(grid, p, grid->held[h]);
        zero = q.x == 0.0 && q.y == 0.0 && q.z == 0.0;
    }
    if (zero) return p;
    memcpy(grid->held_out, p, (size_t)grid->dofs * sizeof *p);
    for (int h = 0; h < grid->held_count; h++) {
        set_vector(grid, grid->held_out, grid->held[h], (Vec3){0});
    }
    return grid->held_out;
}

static double multiply_dot(void *self, const double *p, double *out)
{
    GridSprings *grid = self;
    const double *free_p = without_held(grid, p);
    clear_line_ends(&grid->stencil, out);
    double dot = multiply_rows(grid, grid->kernels, &grid->stencil, grid->crew,
                               (GridProduct){.law = grid->law,
                                             .geometry = grid->geometry,
                                             .x = grid->x,
                                             .matrix = grid->matrix,
                                             .mass_factor = grid->mass_factor,
                                             .mass = grid->mass,
                                             .p = free_p,
                                             .out = out});
    for (int h = 0; h < grid->held_count; h++) {
        Vec3 q = vector_at(grid, p, grid->held[h]);
        set_vector(grid, out, grid->held[h], q);
        dot += vec3_dot(q, q);
    }
    return dot;
}

static void multiply(void *self, const double *p, double *out)
{
    multiply_dot(self, p, out);
}

static void precondition(void *self, const double *r, double *z)
{
    GridSprings *grid = self;
    grid->kernels->grid_precondition(&grid->stencil, grid->main, grid->off, r, z);
}

typedef struct AdvanceJob {
    const GridSprings *grid;
    const GridAdvance *advance;
    int parts;
} AdvanceJob;

static void advance_part(void *self, int part)
{
    const AdvanceJob *job = self;
    const GridStencil *stencil = &job->grid->stencil;
    job->grid->kernels->grid_advance(stencil, job->advance,
                                     band_start(stencil->rows, job->parts, part),
                                     band_start(stencil->rows, job->parts, part + 1));
}

static PcgSums advance(void *self, double step, double *r, double *q)
{
    GridSprings *grid = self;
    int rows = grid->stencil.rows;
    GridAdvance pass = {.step = step,
                        .main = grid->main,
                        .off = grid->off,
                        .r = r,
                        .q = q,
                        .rr = grid->dots[0],
                        .rz = grid->dots[1]};
    AdvanceJob job = {grid, &pass, crew_parts(grid->crew, rows, BAND_ROWS)};
    crew_run(grid->crew, job.parts, advance_part, &job);
    PcgSums sums = {sum_of_rows(rows, pass.rr), sum_of_rows(rows, pass.rz)};
    if (grid->use_levels) {
        grid->coarse = grid_levels_solve(grid->levels, grid->crew, r);
        sums.rz += grid->coarse.rz;
    }
    return sums;
}

// p is 0 at held particles, as r is, so the stencil may ignore which are held.
static double turn(void *self, const PcgTurn *turn)
{
    GridSprings *grid = self;
    GridTurn pass = {.step = turn->step,
                     .beta = turn->beta,
                     .coarse = grid->use_levels ? grid->coarse.z : NULL,
                     .coarse_width = grid->coarse.width,
                     .held = {grid->held_column, grid->held_start},
                     .x = turn->x,
                     .p = turn->p};
    double dot = multiply_rows(grid, grid->kernels, &grid->stencil, grid->crew,
                               (GridProduct){.law = grid->law,
                                             .geometry = grid->geometry,
                                             .x = grid->x,
                                             .matrix = grid->matrix,
                                             .mass_factor = grid->mass_factor,
                                             .mass = grid->mass,
                                             .turn = &pass,
                                             .out = turn->q});
    for (int h = 0; h < grid->held_count; h++) set_vector(grid, turn->q, grid->held[h], (Vec3){0});
    return dot;
}

static const PcgPasses passes = {turn, advance};

static double mean_mass(const Cloth *cloth)
{
    const Mesh *mesh = &cloth->mesh;
    double sum = 0.0;
    for (int row = 0; row < mesh->rows; row++) {
        const double *mass = cloth->mass + 3L * row * mesh->row_width;
        double of_row[4] = {0.0};
        for (int i = 0; i < mesh->columns; i++) of_row[i % 4] += mass[i];
        sum += (of_row[0] + of_row[1]) + (of_row[2] + of_row[3]);
    }
    return sum / mesh->particle_count;
}

// Whether the levels of grid_levels.h save more than they cost. Block Jacobi takes iterations in
// proportion to the root of the condition, which is about 1 + h^2 k0, until they reach from one
// side to the other. The levels take a fixed number, and as much as some iterations to set up. No
// clock decides: the same cloth takes the same way everywhere.
static bool levels_pay(const Cloth *cloth, double mass_factor, BlockLaw law)
{
    const Mesh *mesh = &cloth->mesh;
    const GridSprings *grid = cloth->grid;
    if (cloth->only_block_jacobi || !grid->levels) return false;
    if (mesh->rows < LEVELS_SIDE || mesh->columns < LEVELS_SIDE) return false;
    double stiffness = 0.0;
    for (int s = 0; s < GRID_SPRINGS; s++) stiffness += 4.0 * grid->stencil.stiffness[2][0][s][0];
    return law.total * stiffness > LEVELS_CONDITION * mass_factor * mean_mass(cloth);
}

static void list_held(const Cloth *cloth, GridSprings *grid)
{
    const Mesh *mesh = &cloth->mesh;
    grid->held_count = 0;
    for (int row = 0; row < mesh->rows; row++) {
        grid->held_start[row] = grid->held_count;
        for (int column = 0; column < mesh->columns; column++) {
            int p = row * mesh->columns + column;
            if (!cloth_is_held(cloth, p)) continue;
            grid->held_column[grid->held_count] = column;
            grid->held[grid->held_count++] = p;
        }
    }
    grid->held_start[mesh->rows] = grid->held_count;
}

typedef struct DiagonalJob {
    const GridSprings *grid;
    const GridDiagonal *diagonal;
    const double *inverse_mass; // of invert_part
    int parts;
} DiagonalJob;

static void diagonal_part(void *self, int part)
{
    const DiagonalJob *job = self;
    const GridStencil *stencil = &job->grid->stencil;
    size_t roll = GRID_WORK * 3 * (size_t)stencil->width;
    job->grid->kernels->grid[stencil->model]->diagonal(
        stencil, job->diagonal, band_start(stencil->rows, job->parts, part),
        band_start(stencil->rows, job->parts, part + 1), job->grid->roll + (size_t)part * roll);
}

static void invert_part(void *self, int part)
{
    const DiagonalJob *job = self;
    const GridSprings *grid = job->grid;
    int rows = grid->stencil.rows;
    grid->kernels->grid_invert(&grid->stencil, grid->mass_factor, grid->mass, job->inverse_mass,
                               crew_start(rows, job->parts, part),
                               crew_start(rows, job->parts, part + 1), grid->main, grid->off);
}

LinearOperator grid_springs_assemble(const Cloth *cloth, double a, double b, double c)
{
    GridSprings *grid = cloth->grid;
    const Mesh *mesh = &cloth->mesh;
    grid->law = block_law_sum(b, grid->stiffness, c, grid->damping);
    grid->kernels = cloth->kernels;
    grid->crew = cloth->crew;
    grid->mass_factor = a;
    grid->mass = cloth->mass;
    grid->first_dof = mesh->first_dof;
    grid->component_stride = mesh->component_stride;
    grid->dofs = mesh->dofs;
    list_held(cloth, grid);
    GridDiagonal diagonal = {.law = grid->law,
                             .geometry = grid->geometry,
                             .x = grid->x,
                             .main = grid->main,
                             .off = grid->off,
                             .matrix = grid->matrix};
    DiagonalJob job = {grid, &diagonal, cloth->inverse_mass,
                       crew_parts(grid->crew, mesh->rows, BAND_ROWS)};
    clear_line_ends(&grid->stencil, grid->main);
    clear_line_ends(&grid->stencil, grid->off);
    crew_run(grid->crew, job.parts, diagonal_part, &job);
    grid->use_levels = levels_pay(cloth, a, grid->law);
    if (grid->use_levels) {
        grid_levels_assemble(grid->levels, grid->crew,
                             &(GridLevelsMatrix){.kernels = cloth->kernels,
                                                 .stencil = &grid->stencil,
                                                 .law = grid->law,
                                                 .x = grid->x,
                                                 .geometry = grid->geometry,
                                                 .mass_factor = a,
                                                 .mass = cloth->mass,
                                                 .held = {grid->held_column, grid->held_start},
                                                 .main = grid->main,
                                                 .off = grid->off});
    }
    crew_run(grid->crew, job.parts, invert_part, &job);
    return (LinearOperator){.self = grid,
                            .dofs = mesh->dofs,
                            .multiply = multiply,
                            .precondition = precondition,
                            .passes = &passes};
}
