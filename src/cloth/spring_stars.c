#include "cloth/spring_stars.h"

#include "cloth/block_law.h"
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
    double *x, *then_stiffness, *then_length;
    BlockLaw K, D;
};

// Groups and blocks of groups that are worth a thread.
enum { BAND_GROUPS = 64, BAND_BLOCKS = BAND_GROUPS / STAR_BLOCK };

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
        stars->x = mesh_flat_create(mesh);
        complete = stars->first && stars->slots && stars->sums && stars->x;
    }
    if (complete) {
        count_slots(mesh, stars, springs_at);
        size_t slots = (size_t)MESH_LANES * (size_t)stars->first[stars->groups.groups];
        stars->other = calloc(slots, sizeof(int));
        stars->stiffness = calloc(slots, sizeof(double));
        stars->rest_length = calloc(slots, sizeof(double));
        stars->then_stiffness = calloc(slots, sizeof(double));
        stars->then_length = calloc(slots, sizeof(double));
        complete = stars->other && stars->stiffness && stars->rest_length &&
                   stars->then_stiffness && stars->then_length;
    }
    if (complete) {
        place_springs(mesh, stars, springs_at);
        stars->groups.first = stars->first;
        stars->groups.other = stars->other;
        stars->groups.stiffness = stars->stiffness;
        stars->groups.rest_length = stars->rest_length;
        stars->linearised = stars->groups;
        stars->linearised.stiffness = stars->then_stiffness;
        stars->linearised.rest_length = stars->then_length;
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
    free(stars->x);
    free(stars->then_stiffness);
    free(stars->then_length);
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
    job->cloth->kernels->star_sweep(&stars->groups, job->sweep,
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

typedef struct ProductJob {
    const Cloth *cloth;
    const StarGroups *groups;
    BlockLaw law;
    const double *x, *p;
    double *out;
    int parts;
} ProductJob;

static void product_part(void *self, int part)
{
    const ProductJob *job = self;
    job->cloth->kernels->star_product(job->groups, job->law, job->x, job->p, job->out,
                                      crew_start(job->groups->groups, job->parts, part),
                                      crew_start(job->groups->groups, job->parts, part + 1));
}

static void multiply(const Cloth *cloth, const StarGroups *groups, BlockLaw law, const double *x,
                     const double *p, double *out)
{
    ProductJob job = {
        cloth, groups, law, x, p, out, crew_parts(cloth->crew, groups->groups, BAND_GROUPS)};
    crew_run(cloth->crew, job.parts, product_part, &job);
}

void spring_stars_linearise(const Cloth *cloth, const double *x, Tangent tangent)
{
    SpringStars *stars = cloth->stars;
    stars->K = block_law(GRID_MODEL_SPRINGS, tangent);
    stars->D = block_law_of_damping(&cloth->material, stars->K);
    size_t slots = (size_t)MESH_LANES * (size_t)stars->first[stars->groups.groups];
    memcpy(stars->x, x, (size_t)cloth->mesh.dofs * sizeof *x);
    memcpy(stars->then_stiffness, stars->stiffness, slots * sizeof *stars->stiffness);
    memcpy(stars->then_length, stars->rest_length, slots * sizeof *stars->rest_length);
}

void spring_stars_product(const Cloth *cloth, const double *p, double *Kp)
{
    const SpringStars *stars = cloth->stars;
    multiply(cloth, &stars->linearised, stars->K, stars->x, p, Kp);
}

void spring_stars_damping_product(const Cloth *cloth, const double *p, double *Dp)
{
    const SpringStars *stars = cloth->stars;
    multiply(cloth, &stars->linearised, stars->D, stars->x, p, Dp);
}

void spring_stars_product_at(const Cloth *cloth, const double *x, Tangent tangent, const double *p,
                             double *Kp)
{
    multiply(cloth, &cloth->stars->groups, block_law(GRID_MODEL_SPRINGS, tangent), x, p, Kp);
}
