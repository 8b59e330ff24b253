#include "cloth/mesh_levels.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LEVELS = 16, FEWEST_NODES = 12, CORNERS = 8 };
// What is worth a thread; nodes that have a sum.
enum { BAND = 512, BLOCK = 64 };

// Rows of weights: row i has the entries start[i] .. start[i + 1] - 1.
typedef struct Weights {
    int rows;
    int *start, *column;
    double *weight;
} Weights;

typedef struct Level {
    int count;
    double H;     // m
    int64_t *key; // of each node, ascending: its place in the lattice
    Weights up;   // per item of the finer level: the nodes whose hats reach it
    Weights down; // the same, per node
    HatSums *sums;
    Sym3 *inverse;
    Vec3 *r, *z;
    double *dots; // per block
} Level;

struct MeshLevels {
    int count;
    int places; // of a flat array, padding included
    HatSums *particles;
    Level level[MOST_LEVELS];
};

// ---- the lattice

// Coordinates fit 21 bits; 65,536 particles are at most that many spacings apart in practice, and
// where they are not, hats of different places share a node and serve both worse.
static int64_t key_at(const int64_t place[3])
{
    return (place[0] & 0x1fffff) << 42 | (place[1] & 0x1fffff) << 21 | (place[2] & 0x1fffff);
}

static void place_of(int64_t key, int64_t place[3])
{
    for (int d = 0; d < 3; d++) place[d] = key >> (42 - 21 * d) & 0x1fffff;
}

typedef struct Reach {
    int count;
    int64_t key[CORNERS];
    double weight[CORNERS];
} Reach;

// The nodes whose hats reach a point, in spacings of the lattice.
static Reach reach_of(const double point[3])
{
    Reach reach = {0};
    int64_t low[3];
    double far[3];
    for (int d = 0; d < 3; d++) {
        low[d] = (int64_t)floor(point[d]);
        far[d] = point[d] - (double)low[d];
    }
    for (int corner = 0; corner < CORNERS; corner++) {
        int64_t place[3];
        double weight = 1.0;
        for (int d = 0; d < 3; d++) {
            int up = corner >> d & 1;
            place[d] = low[d] + up;
            weight *= up ? far[d] : 1.0 - far[d];
        }
        if (weight < 1e-9) continue;
        reach.key[reach.count] = key_at(place);
        reach.weight[reach.count++] = weight;
    }
    return reach;
}

// Item i of the finer level: particle i, or a node.
static Reach reach_of_item(const Mesh *mesh, const Level *finer, double H, int i)
{
    double point[3];
    if (finer) {
        int64_t place[3];
        place_of(finer->key[i], place);
        for (int d = 0; d < 3; d++) point[d] = 0.5 * (double)place[d];
    } else { // 0 <= x <= width,  -depth <= y <= 0,  0 <= z <= height
        Vec3 at = mesh->rest_position[i];
        point[0] = at.x / H, point[1] = fmax(at.y + mesh->depth, 0.0) / H, point[2] = at.z / H;
    }
    return reach_of(point);
}

static int compare_keys(const void *a, const void *b)
{
    int64_t one = *(const int64_t *)a, other = *(const int64_t *)b;
    return (one > other) - (one < other);
}

static int find_key(const Level *level, int64_t key)
{
    const int64_t *found =
        bsearch(&key, level->key, (size_t)level->count, sizeof key, compare_keys);
    return (int)(found - level->key);
}

// ---- making the levels

static bool weights_init(Weights *weights, int rows, int entries)
{
    weights->rows = rows;
    weights->start = calloc((size_t)rows + 1, sizeof *weights->start);
    weights->column = calloc((size_t)entries + 1, sizeof *weights->column);
    weights->weight = calloc((size_t)entries + 1, sizeof *weights->weight);
    return weights->start && weights->column && weights->weight;
}

static void weights_finish(Weights *weights)
{
    free(weights->start);
    free(weights->column);
    free(weights->weight);
}

static void transpose(const Weights *from, Weights *to)
{
    int entries = from->start[from->rows];
    for (int e = 0; e < entries; e++) to->start[from->column[e] + 1]++;
    for (int row = 0; row < to->rows; row++) to->start[row + 1] += to->start[row];
    for (int row = 0; row < from->rows; row++) { // start[] is where the next one goes
        for (int e = from->start[row]; e < from->start[row + 1]; e++) {
            int at = to->start[from->column[e]]++;
            to->column[at] = row;
            to->weight[at] = from->weight[e];
        }
    }
    for (int row = to->rows; row > 0; row--) to->start[row] = to->start[row - 1];
    to->start[0] = 0;
}

// The keys of all reaches, each once. Returns how many entries the weights have; -1 without memory.
static int find_nodes(const Mesh *mesh, const Level *finer, int items, Level *level)
{
    int64_t *keys = calloc((size_t)items * CORNERS, sizeof *keys);
    int entries = 0;
    if (!keys) return -1;
    for (int i = 0; i < items; i++) {
        Reach reach = reach_of_item(mesh, finer, level->H, i);
        for (int n = 0; n < reach.count; n++) keys[entries++] = reach.key[n];
    }
    qsort(keys, (size_t)entries, sizeof *keys, compare_keys);
    for (int e = 0; e < entries; e++) {
        if (level->count == 0 || keys[level->count - 1] != keys[e]) keys[level->count++] = keys[e];
    }
    level->key = keys;
    return entries;
}

// In the order of flat arrays, where particle p has the place first_dof[p] / MESH_ENTRIES.
static bool level_init(const Mesh *mesh, const Level *finer, const int *particle_at, int items,
                       Level *level)
{
    int entries = find_nodes(mesh, finer, items, level);
    if (entries < 0) return false;
    size_t count = (size_t)level->count;
    level->sums = calloc(count, sizeof *level->sums);
    level->inverse = calloc(count, sizeof *level->inverse);
    level->r = calloc(count, sizeof *level->r);
    level->z = calloc(count, sizeof *level->z);
    level->dots = calloc(count / BLOCK + 1, sizeof *level->dots);
    if (!level->sums || !level->inverse || !level->r || !level->z || !level->dots) return false;
    if (!weights_init(&level->up, items, entries) ||
        !weights_init(&level->down, level->count, entries))
        return false;
    for (int i = 0, e = 0; i < items; i++) {
        Reach reach = reach_of_item(mesh, finer, level->H, finer ? i : particle_at[i]);
        for (int n = 0; n < reach.count; n++, e++) {
            level->up.column[e] = find_key(level, reach.key[n]);
            level->up.weight[e] = reach.weight[n];
        }
        level->up.start[i + 1] = e;
    }
    transpose(&level->up, &level->down);
    return true;
}

Status mesh_levels_create(const Mesh *mesh, MeshLevels **out, Error *error)
{
    MeshLevels *levels = calloc(1, sizeof *levels);
    int items = mesh->particle_count;
    int *particle_at = calloc((size_t)items, sizeof *particle_at);
    bool complete = levels && particle_at;
    if (complete) {
        for (int p = 0; p < items; p++) particle_at[mesh->first_dof[p] / MESH_ENTRIES] = p;
        levels->places = mesh->dofs / MESH_ENTRIES;
        levels->particles = calloc((size_t)levels->places, sizeof *levels->particles);
        complete = levels->particles != NULL;
    }
    while (complete && items > FEWEST_NODES && levels->count < MOST_LEVELS) {
        const Level *finer = levels->count > 0 ? &levels->level[levels->count - 1] : NULL;
        Level *level = &levels->level[levels->count++];
        level->H = 2.0 * (finer ? finer->H : mesh->spacing);
        complete = level_init(mesh, finer, particle_at, items, level);
        items = level->count;
    }
    free(particle_at);
    if (!complete) {
        mesh_levels_destroy(levels);
        return error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory for the levels of a mesh");
    }
    *out = levels;
    return STATUS_OK;
}

void mesh_levels_destroy(MeshLevels *levels)
{
    if (!levels) return;
    for (int l = 0; l < levels->count; l++) {
        Level *level = &levels->level[l];
        free(level->key);
        weights_finish(&level->up);
        weights_finish(&level->down);
        free(level->sums);
        free(level->inverse);
        free(level->r);
        free(level->z);
        free(level->dots);
    }
    free(levels->particles);
    free(levels);
}

// ---- the diagonal blocks

HatSums *mesh_levels_particles(MeshLevels *levels)
{
    return levels->particles;
}

// Work on a level.
typedef struct Job {
    MeshLevels *levels;
    int number, parts; // of the level, of the threads
    const double *inverse_mass, *r;
    double *z;
} Job;

static void run(Crew *crew, int count, CrewWork *work, Job job)
{
    job.parts = crew_parts(crew, count, BAND);
    crew_run(crew, job.parts, work, &job);
}

static Sym3 inverse_of(const HatSums *sums, double H)
{
    Sym3 none = {0}, block = sym3_add_scaled(sums->held, 4.0 / (3.0 * H * H), sums->springs);
    block = sym3_add_scaled(block, 4.0 / 9.0 * sums->mass, (Sym3){1.0, 1.0, 1.0, 0.0, 0.0, 0.0});
    return block.xx > 0.0 ? sym3_inverse(block) : none;
}

static void assemble_part(void *self, int part)
{
    const Job *job = self;
    const Level *level = &job->levels->level[job->number];
    const HatSums *from = job->number > 0 ? level[-1].sums : job->levels->particles;
    const Weights *down = &level->down;
    int last = crew_start(level->count, job->parts, part + 1);
    for (int node = crew_start(level->count, job->parts, part); node < last; node++) {
        HatSums sums = {0};
        for (int e = down->start[node]; e < down->start[node + 1]; e++) {
            const HatSums *item = &from[down->column[e]];
            double w = down->weight[e];
            sums.springs = sym3_add_scaled(sums.springs, w, item->springs);
            sums.held = sym3_add_scaled(sums.held, w, item->held);
            sums.mass += w * item->mass;
        }
        level->sums[node] = sums;
        level->inverse[node] = inverse_of(&sums, level->H);
    }
}

void mesh_levels_assemble(MeshLevels *levels, Crew *crew)
{
    for (int l = 0; l < levels->count; l++)
        run(crew, levels->level[l].count, assemble_part, (Job){.levels = levels, .number = l});
}

// ---- down and up

static Vec3 particle_vector(const double *flat, int place)
{
    const double *at = flat + MESH_ENTRIES * place;
    return (Vec3){at[0], at[1], at[2]};
}

// r of some nodes, and what they alone make of it; in whole blocks.
static void down_nodes(const Level *level, const Vec3 *finer, const double *r, int block)
{
    const Weights *down = &level->down;
    int first = block * BLOCK, end = first + BLOCK;
    double dot = 0.0;
    for (int node = first; node < end && node < level->count; node++) {
        Vec3 sum = {0};
        for (int e = down->start[node]; e < down->start[node + 1]; e++) {
            int item = down->column[e];
            sum = vec3_add_scaled(sum, down->weight[e],
                                  finer ? finer[item] : particle_vector(r, item));
        }
        level->r[node] = sum;
        level->z[node] = sym3_multiply(level->inverse[node], sum);
        dot += vec3_dot(sum, level->z[node]);
    }
    level->dots[block] = dot;
}

static int blocks_of(const Level *level)
{
    return (level->count + BLOCK - 1) / BLOCK;
}

static void down_part(void *self, int part)
{
    const Job *job = self;
    const Level *level = &job->levels->level[job->number];
    int blocks = blocks_of(level), last = crew_start(blocks, job->parts, part + 1);
    for (int block = crew_start(blocks, job->parts, part); block < last; block++)
        down_nodes(level, job->number > 0 ? level[-1].r : NULL, job->r, block);
}

static Vec3 interpolated(const Level *level, int item)
{
    const Weights *up = &level->up;
    Vec3 sum = {0};
    for (int e = up->start[item]; e < up->start[item + 1]; e++)
        sum = vec3_add_scaled(sum, up->weight[e], level->z[up->column[e]]);
    return sum;
}

static void up_part(void *self, int part)
{
    const Job *job = self;
    const Level *level = &job->levels->level[job->number];
    int last = crew_start(level->up.rows, job->parts, part + 1);
    for (int item = crew_start(level->up.rows, job->parts, part); item < last; item++) {
        if (job->number > 0) {
            level[-1].z[item] = vec3_add(level[-1].z[item], interpolated(level, item));
        } else if (job->inverse_mass[MESH_ENTRIES * item] > 0.0) {
            Vec3 more = interpolated(level, item);
            double *at = job->z + MESH_ENTRIES * item;
            at[0] += more.x, at[1] += more.y, at[2] += more.z;
        }
    }
}

double mesh_levels_add(MeshLevels *levels, Crew *crew, const double *inverse_mass, const double *r,
                       double *z)
{
    Job job = {.levels = levels, .inverse_mass = inverse_mass, .r = r, .z = z};
    double rz = 0.0;
    for (job.number = 0; job.number < levels->count; job.number++) {
        const Level *level = &levels->level[job.number];
        run(crew, level->count, down_part, job);
        for (int block = 0; block < blocks_of(level); block++) rz += level->dots[block];
    }
    for (job.number = levels->count - 1; job.number >= 0; job.number--)
        run(crew, levels->level[job.number].up.rows, up_part, job);
    return rz;
}
