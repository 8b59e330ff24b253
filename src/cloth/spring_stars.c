#include "cloth/spring_stars.h"

#include "cloth/block_law.h"
#include "cloth/mesh_levels.h"
#include "cloth/sweep.h"

#include <stdlib.h>
#include <string.h>

struct SpringStars {
    StarGroups groups;
    int *first, *other;
    double *stiffness, *rest_length;
    int (*slots)[2];   // per spring: its places in these, at both ends
    GridRowSums *sums; // per block
    int blocks;
    // Of the last linearisation. K stays what it was while muscles or the material change.
    StarGroups linearised;
    double *then_stiffness, *axes;
    BlockLaw K, D;
    // of the last matrix
    StarProduct matrix;
    double *inverse, *block_sums; // see StarInvert
    MeshLevels *levels;           // NULL: too few particles
    bool use_levels;
    double *dots[2]; // per block
    int *held, held_count;
    double *free_p; // flat
    const SpringKernels *kernels;
    Crew *crew;
};

// Blocks that are worth a thread; what is kept of a spring, u and r.
enum { BAND_BLOCKS = 8, AXIS_NUMBERS = 4 };

// See levels_pay. With fewer particles block Jacobi needs few iterations anyhow.
#define LEVELS_CONDITION 400.0
enum { LEVELS_PARTICLES = 576 };

static int place_of(const Mesh *mesh, int particle)
{
    return mesh->first_dof[particle] / MESH_ENTRIES;
}

// How many slots each group has, as the sums of those before it.
static void count_slots(const Mesh *mesh, SpringStars *stars, int *springs_at)
{
    for (int s = 0; s < mesh->spring_count; s++) {
        for (int end = 0; end < 2; end++) springs_at[place_of(mesh, mesh->springs[s][end])]++;
    }
    for (int group = 0; group < stars->groups.groups; group++) {
        int most = 0;
        for (int i = MESH_LANES * group; i < MESH_LANES * (group + 1); i++)
            most = springs_at[i] > most ? springs_at[i] : most;
        stars->first[group + 1] = stars->first[group] + most;
    }
}

static void place_springs(const Mesh *mesh, SpringStars *stars, int *springs_at)
{
    int groups = stars->groups.groups;
    for (int group = 0; group < groups; group++) { // slots without a spring lead to the particle
        for (int at = MESH_LANES * stars->first[group]; at < MESH_LANES * stars->first[group + 1];
             at++)
            stars->other[at] = MESH_ENTRIES * (MESH_LANES * group + at % MESH_LANES);
    }
    memset(springs_at, 0, (size_t)(MESH_LANES * groups) * sizeof *springs_at);
    for (int s = 0; s < mesh->spring_count; s++) {
        for (int end = 0; end < 2; end++) {
            int place = place_of(mesh, mesh->springs[s][end]);
            int slot = stars->first[place / MESH_LANES] + springs_at[place]++;
            stars->slots[s][end] = MESH_LANES * slot + place % MESH_LANES;
            stars->other[stars->slots[s][end]] = mesh->first_dof[mesh->springs[s][1 - end]];
        }
    }
}

Status spring_stars_create(const Mesh *mesh, SpringStars **out, Error *error)
{
    SpringStars *stars = calloc(1, sizeof *stars);
    int *springs_at = calloc((size_t)mesh->dofs / MESH_ENTRIES, sizeof(int)); // per place
    bool complete = stars && springs_at;
    if (complete) {
        int groups = mesh->dofs / (MESH_ENTRIES * MESH_LANES);
        stars->groups = (StarGroups){.particles = mesh->particle_count, .groups = groups};
        stars->blocks = (groups + STAR_BLOCK - 1) / STAR_BLOCK;
        stars->first = calloc((size_t)groups + 1, sizeof(int));
        stars->slots = calloc((size_t)mesh->spring_count, sizeof *stars->slots);
        stars->sums = calloc((size_t)stars->blocks, sizeof *stars->sums);
        size_t blocks = (size_t)groups * MESH_LANES * STAR_BLOCK_NUMBERS;
        stars->inverse = calloc(blocks, sizeof(double));
        stars->block_sums = calloc(STAR_SUMS * blocks, sizeof(double));
        for (int i = 0; i < 2; i++) stars->dots[i] = calloc((size_t)stars->blocks, sizeof(double));
        stars->held = calloc((size_t)mesh->particle_count, sizeof(int));
        stars->free_p = mesh_flat_create(mesh);
        complete = stars->first && stars->slots && stars->sums && stars->inverse &&
                   stars->block_sums && stars->dots[0] && stars->dots[1] && stars->held &&
                   stars->free_p;
    }
    if (complete) {
        count_slots(mesh, stars, springs_at);
        size_t slots = (size_t)MESH_LANES * (size_t)stars->first[stars->groups.groups];
        stars->other = calloc(slots, sizeof(int));
        stars->stiffness = calloc(slots, sizeof(double));
        stars->rest_length = calloc(slots, sizeof(double));
        stars->then_stiffness = calloc(slots, sizeof(double));
        stars->axes = calloc(slots, AXIS_NUMBERS * sizeof(double));
        complete = stars->other && stars->stiffness && stars->rest_length &&
                   stars->then_stiffness && stars->axes;
    }
    if (complete) {
        place_springs(mesh, stars, springs_at);
        stars->groups.first = stars->first;
        stars->groups.other = stars->other;
        stars->groups.stiffness = stars->stiffness;
        stars->groups.rest_length = stars->rest_length;
        stars->linearised = stars->groups;
        stars->linearised.stiffness = stars->then_stiffness;
        if (mesh->particle_count >= LEVELS_PARTICLES)
            complete = mesh_levels_create(mesh, &stars->levels, error) == STATUS_OK;
    }
    free(springs_at);
    if (!complete) {
        spring_stars_destroy(stars);
        return error_set(error, STATUS_OUT_OF_MEMORY,
                         "not enough memory for the springs of %d particles", mesh->particle_count);
    }
    *out = stars;
    return STATUS_OK;
}

void spring_stars_destroy(SpringStars *stars)
{
    if (!stars) return;
    free(stars->first);
    free(stars->other);
    free(stars->stiffness);
    free(stars->rest_length);
    free(stars->slots);
    free(stars->sums);
    free(stars->then_stiffness);
    free(stars->axes);
    free(stars->inverse);
    free(stars->block_sums);
    mesh_levels_destroy(stars->levels);
    for (int i = 0; i < 2; i++) free(stars->dots[i]);
    free(stars->held);
    free(stars->free_p);
    free(stars);
}

void spring_stars_set_length(const Cloth *cloth, int spring)
{
    SpringStars *stars = cloth->stars;
    for (int end = 0; end < 2; end++)
        stars->rest_length[stars->slots[spring][end]] = cloth->rest_length[spring];
}

void spring_stars_update(const Cloth *cloth)
{
    SpringStars *stars = cloth->stars;
    for (int s = 0; s < cloth->mesh.spring_count; s++) {
        for (int end = 0; end < 2; end++)
            stars->stiffness[stars->slots[s][end]] = cloth->spring_stiffness[s];
        spring_stars_set_length(cloth, s);
    }
}

// ---- forces and steps

typedef struct SweepJob {
    const Cloth *cloth;
    const GridSweep *sweep;
    int parts;
} SweepJob;

static void sweep_part(void *self, int part)
{
    const SweepJob *job = self;
    const SpringStars *stars = job->cloth->stars;
    job->cloth->kernels->stars->sweep(&stars->groups, job->sweep,
                                      crew_start(stars->blocks, job->parts, part),
                                      crew_start(stars->blocks, job->parts, part + 1));
}

static ForceSums sweep_stars(const Cloth *cloth, const ForceStep *step)
{
    const SpringStars *stars = cloth->stars;
    GridSweep sweep = sweep_of(cloth, step, stars->sums);
    SweepJob job = {cloth, &sweep, crew_parts(cloth->crew, stars->blocks, BAND_BLOCKS)};
    crew_run(cloth->crew, job.parts, sweep_part, &job);
    return sweep_sums(stars->blocks, stars->sums);
}

void spring_stars_forces(const Cloth *cloth, const double *x, const double *v, double *f,
                         double *power)
{
    *power = sweep_stars(cloth, &(ForceStep){.x = x, .v = v, .f = f}).power;
}

void spring_stars_step(const Cloth *cloth, const ForceStep *step, ForceSums *sums)
{
    *sums = sweep_stars(cloth, step);
}

// ---- products

// A loop over blocks, in as many parts as there are threads for.
typedef struct Job Job;
struct Job {
    void (*run)(const Job *job, int first, int last);
    const SpringStars *stars;
    const StarKernels *kernels;
    const StarGroups *groups;
    const void *work;
    double *out;
    int parts;
};

static void job_part(void *self, int part)
{
    const Job *job = self;
    int blocks = job->stars->blocks;
    job->run(job, crew_start(blocks, job->parts, part), crew_start(blocks, job->parts, part + 1));
}

static void run(Crew *crew, Job job)
{
    job.parts = crew_parts(crew, job.stars->blocks, BAND_BLOCKS);
    crew_run(crew, job.parts, job_part, &job);
}

static void multiply_part(const Job *job, int first, int last)
{
    job->kernels->multiply(job->groups, job->work, first, last);
}

static void multiply(const Cloth *cloth, const StarGroups *groups, StarProduct product)
{
    run(cloth->crew, (Job){.run = multiply_part,
                           .stars = cloth->stars,
                           .kernels = cloth->kernels->stars,
                           .groups = groups,
                           .work = &product});
}

static void axes_part(const Job *job, int first, int last)
{
    job->kernels->axes(job->groups, job->work, job->out, first, last);
}

void spring_stars_linearise(const Cloth *cloth, const double *x, Tangent tangent)
{
    SpringStars *stars = cloth->stars;
    stars->K = block_law(GRID_MODEL_SPRINGS, tangent);
    stars->D = block_law_of_damping(&cloth->material, stars->K);
    size_t slots = (size_t)MESH_LANES * (size_t)stars->first[stars->groups.groups];
    memcpy(stars->then_stiffness, stars->stiffness, slots * sizeof *stars->stiffness);
    run(cloth->crew, (Job){.run = axes_part,
                           .stars = stars,
                           .kernels = cloth->kernels->stars,
                           .groups = &stars->groups,
                           .work = x,
                           .out = stars->axes});
}

void spring_stars_product(const Cloth *cloth, const double *p, double *Kp)
{
    const SpringStars *stars = cloth->stars;
    multiply(cloth, &stars->linearised,
             (StarProduct){.law = stars->K, .axes = stars->axes, .p = p, .out = Kp});
}

void spring_stars_damping_product(const Cloth *cloth, const double *p, double *Dp)
{
    const SpringStars *stars = cloth->stars;
    multiply(cloth, &stars->linearised,
             (StarProduct){.law = stars->D, .axes = stars->axes, .p = p, .out = Dp});
}

void spring_stars_product_at(const Cloth *cloth, const double *x, Tangent tangent, const double *p,
                             double *Kp)
{
    BlockLaw law = block_law(GRID_MODEL_SPRINGS, tangent);
    multiply(cloth, &cloth->stars->groups, (StarProduct){.law = law, .x = x, .p = p, .out = Kp});
}

// ---- the matrix

static Job matrix_job(SpringStars *stars, void (*part)(const Job *job, int first, int last),
                      const void *work)
{
    return (Job){.run = part,
                 .stars = stars,
                 .kernels = stars->kernels->stars,
                 .groups = &stars->linearised,
                 .work = work};
}

static double sum_of_blocks(const SpringStars *stars, const double *of_block)
{
    double sum = 0.0;
    for (int block = 0; block < stars->blocks; block++) sum += of_block[block];
    return sum;
}

// p may be anything at particles that are held; they count as 0 for others.
static void multiply_matrix(void *self, const double *p, double *out)
{
    SpringStars *stars = self;
    StarProduct product = stars->matrix;
    product.p = p;
    product.out = out;
    if (stars->held_count > 0) {
        size_t particles = (size_t)MESH_LANES * (size_t)stars->groups.groups;
        memcpy(stars->free_p, p, MESH_ENTRIES * particles * sizeof *p);
        for (int h = 0; h < stars->held_count; h++)
            memset(stars->free_p + stars->held[h], 0, 3 * sizeof *p);
        product.p = stars->free_p;
    }
    run(stars->crew, matrix_job(stars, multiply_part, &product));
    for (int h = 0; h < stars->held_count; h++)
        memcpy(out + stars->held[h], p + stars->held[h], 3 * sizeof *p);
}

static void turn_part(const Job *job, int first, int last)
{
    job->kernels->turn(job->groups, job->work, first, last);
}

static double turn(void *self, const PcgTurn *turn)
{
    SpringStars *stars = self;
    StarProduct product = stars->matrix;
    product.p = turn->p;
    product.out = turn->q;
    product.dots = stars->dots[0];
    run(stars->crew, matrix_job(stars, turn_part, turn));
    run(stars->crew, matrix_job(stars, multiply_part, &product));
    return sum_of_blocks(stars, stars->dots[0]);
}

static void advance_part(const Job *job, int first, int last)
{
    job->kernels->advance(job->groups, job->work, first, last);
}

static PcgSums advance(void *self, double step, double *r, double *q)
{
    SpringStars *stars = self;
    StarAdvance pass = {.step = step,
                        .inverse = stars->inverse,
                        .r = r,
                        .q = q,
                        .rr = stars->dots[0],
                        .rz = stars->dots[1]};
    run(stars->crew, matrix_job(stars, advance_part, &pass));
    PcgSums sums = {sum_of_blocks(stars, pass.rr), sum_of_blocks(stars, pass.rz)};
    if (stars->use_levels)
        sums.rz += mesh_levels_add(stars->levels, stars->crew, stars->matrix.inverse_mass, r, q);
    return sums;
}

// Without a step, `advance` leaves r as it is.
static void precondition(void *self, const double *r, double *z)
{
    const SpringStars *stars = self;
    memset(z, 0, (size_t)MESH_ENTRIES * MESH_LANES * (size_t)stars->groups.groups * sizeof *z);
    advance(self, 0.0, (double *)r, z);
}

static void invert_part(const Job *job, int first, int last)
{
    const SpringStars *stars = job->stars;
    job->kernels->invert(job->groups, job->work, job->out,
                         stars->use_levels ? stars->block_sums : NULL, first, last);
}

// Whether the levels of mesh_levels.h save more than they cost, as grid_springs.c decides it: where
// springs are much stiffer than masses are heavy, block Jacobi takes iterations from one side of
// the mesh to the other. No clock decides.
static bool levels_pay(const Cloth *cloth, double mass_factor, double law_total)
{
    const Mesh *mesh = &cloth->mesh;
    if (cloth->only_block_jacobi || !cloth->stars->levels) return false;
    double mass = 0.0, stiffness = 0.0;
    for (int p = 0; p < mesh->particle_count; p++) mass += mass_factor * cloth_mass(cloth, p);
    for (int s = 0; s < mesh->spring_count; s++) stiffness += 4.0 * cloth->spring_stiffness[s];
    return law_total * stiffness > LEVELS_CONDITION * mass;
}

static Sym3 block_at(const double *blocks, int lane)
{
    const double *at = blocks + lane;
    return (Sym3){at[0],
                  at[MESH_LANES],
                  at[2 * MESH_LANES],
                  at[3 * MESH_LANES],
                  at[4 * MESH_LANES],
                  at[5 * MESH_LANES]};
}

static void assemble_levels(SpringStars *stars)
{
    enum { NUMBERS = STAR_BLOCK_NUMBERS * MESH_LANES };
    const StarProduct *matrix = &stars->matrix;
    HatSums *sums = mesh_levels_particles(stars->levels);
    for (int i = 0; i < stars->groups.particles; i++) {
        const double *blocks = stars->block_sums + (size_t)(i / MESH_LANES) * STAR_SUMS * NUMBERS;
        int lane = i % MESH_LANES, at = MESH_ENTRIES * i;
        sums[i] = (HatSums){.springs = block_at(blocks + NUMBERS, lane),
                            .mass = matrix->mass_factor * matrix->mass[at]};
        if (matrix->inverse_mass[at] == 0.0) sums[i].held = block_at(blocks, lane);
    }
    mesh_levels_assemble(stars->levels, stars->crew);
}

LinearOperator spring_stars_assemble(const Cloth *cloth, double a, double b, double c)
{
    static const PcgPasses passes = {turn, advance};
    SpringStars *stars = cloth->stars;
    stars->kernels = cloth->kernels;
    stars->crew = cloth->crew;
    stars->matrix = (StarProduct){.law = block_law_sum(b, stars->K, c, stars->D),
                                  .axes = stars->axes,
                                  .mass_factor = a,
                                  .mass = cloth->mass,
                                  .inverse_mass = cloth->inverse_mass};
    stars->held_count = 0;
    for (int p = 0; p < cloth->mesh.particle_count; p++) {
        if (cloth_is_held(cloth, p)) stars->held[stars->held_count++] = cloth->mesh.first_dof[p];
    }
    stars->use_levels = levels_pay(cloth, a, stars->matrix.law.total);
    Job job = matrix_job(stars, invert_part, &stars->matrix);
    job.out = stars->inverse;
    run(stars->crew, job);
    if (stars->use_levels) assemble_levels(stars);
    return (LinearOperator){.self = stars,
                            .dofs = cloth->mesh.dofs,
                            .multiply = multiply_matrix,
                            .precondition = precondition,
                            .passes = &passes};
}
