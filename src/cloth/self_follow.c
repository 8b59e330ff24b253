#include "cloth/self_follow.h"

#include <string.h>

// After so many steps, or so many metres of r, sums start anew: they are in single precision.
enum { LONGEST = 1000 };
#define FURTHEST 0.5f
// Rounding of distances in single precision, as a share of the largest coordinate.
#define ROUNDING 4e-6f
// And that of adding to a sum, as a share of the largest.
#define ADDING 1.2e-7f

// ---- which blocks

static void start_set(SelfContact *contact, SelfPlaces *places)
{
    places->block_count = places->particle_count = 0;
    contact->set++;
}

static void add_block(SelfContact *contact, SelfPlaces *places, int b)
{
    if (contact->set_of_block[b] == contact->set) return;
    contact->set_of_block[b] = contact->set;
    places->blocks[places->block_count++] = b;
    const SelfBlock *block = &contact->blocks[b];
    for (int i = block->first_corner; i < block->first_corner + block->corners; i++) {
        int p = contact->corners[i];
        if (contact->set_of_particle[p] == contact->set) continue;
        contact->set_of_particle[p] = contact->set;
        places->particles[places->particle_count++] = p;
    }
}

static void use_listed(SelfContact *contact)
{
    const SelfPlaces *listed = &contact->listed;
    SelfPlaces *used = &contact->used;
    used->block_count = listed->block_count;
    used->particle_count = listed->particle_count;
    memcpy(used->blocks, listed->blocks, (size_t)used->block_count * sizeof *used->blocks);
    memcpy(used->particles, listed->particles,
           (size_t)used->particle_count * sizeof *used->particles);
}

void self_use_blocks(SelfContact *contact)
{
    start_set(contact, &contact->listed);
    for (int i = 0; i < contact->close_count; i++) {
        add_block(contact, &contact->listed, contact->close[i].a);
        add_block(contact, &contact->listed, contact->close[i].b);
    }
    use_listed(contact);
    contact->surveyed = false;
}

// ---- positions

static Vec3 middle_of(const Mesh *mesh, const double *x)
{
    enum { SAMPLES = 16 };
    Vec3 sum = {0};
    for (int i = 0; i < SAMPLES; i++)
        sum = vec3_add(
            sum, mesh_vector(mesh, x, (int)((long)i * (mesh->particle_count - 1) / (SAMPLES - 1))));
    return vec3_scale(1.0 / SAMPLES, sum);
}

typedef struct Taker {
    const double *from, *to; // m, flat
    int stride;
    Vec3 middle, frame;
    Box all; // m, of the positions
} Taker;

static Taker taker_of(const Mesh *mesh, const SelfWay *way)
{
    return (Taker){.from = way->from,
                   .to = way->to,
                   .stride = mesh->component_stride,
                   .middle = middle_of(mesh, way->from),
                   .frame = way->frame};
}

// The position of a particle, in single precision, from the middle, and its ways; that from its
// anchor, which is moved to it, in a survey.
static inline void take_position(SelfContact *contact, Taker *taker, int p, int dof, bool survey)
{
    int y = dof + taker->stride, z = y + taker->stride;
    const double *from = taker->from, *to = taker->to;
    Float4 at = {(float)(from[dof] - taker->middle.x), (float)(from[y] - taker->middle.y),
                 (float)(from[z] - taker->middle.z), 0.0f};
    contact->before[p] = at - contact->now[p];
    contact->now[p] = at;
    if (survey) {
        contact->since[p] = at - contact->anchor[p];
        contact->anchor[p] = at;
    }
    contact->next[p] = (Float4){(float)(to[dof] - from[dof] - taker->frame.x),
                                (float)(to[y] - from[y] - taker->frame.y),
                                (float)(to[z] - from[z] - taker->frame.z), 0.0f};
    box_add(&taker->all, at);
}

// Of these particles, or of all if they are many. Returns the largest coordinate.
static inline float take_positions(SelfContact *contact, const Mesh *mesh, const SelfWay *way,
                                   const SelfPlaces *places, bool survey)
{
    Taker taker = taker_of(mesh, way);
    if (2 * places->particle_count < mesh->particle_count) {
        for (int i = 0; i < places->particle_count; i++) {
            int p = places->particles[i];
            take_position(contact, &taker, p, mesh->first_dof[p], survey);
        }
    } else {
        int count = mesh->row_width > 0 ? mesh->columns : 1;
        for (int p = 0; p < mesh->particle_count; p += count)
            for (int i = 0; i < count; i++)
                take_position(contact, &taker, p + i, mesh->first_dof[p] + i, survey);
    }
    if (!contact->followed) { // they came from nowhere
        size_t bytes = (size_t)mesh->particle_count * sizeof *contact->before;
        memset(contact->before, 0, bytes);
        memset(contact->since, 0, bytes);
    }
    contact->followed = true;
    Float4 largest = float4_higher(taker.all.high, -taker.all.low);
    return fmaxf(largest[0], fmaxf(largest[1], largest[2]));
}

// ---- blocks

// u and, in the fourth part, r of vectors in a box.
static inline Float4 middle_and_radius(Float4 low, Float4 high)
{
    Float4 middle = 0.5f * (low + high), half = 0.5f * (high - low), square = half * half;
    middle[3] = sqrtf(square[0] + square[1] + square[2]);
    return middle;
}

static inline float length_of(Float4 a)
{
    Float4 square = a * a;
    return sqrtf(square[0] + square[1] + square[2]);
}

// `way` has the particles' ways since the block was followed last; `rounding` is that of the sums,
// m.
static void follow_block(SelfContact *contact, int b, const Float4 *way, float rounding)
{
    const SelfBlock *block = &contact->blocks[b];
    const int *corner = contact->corners + block->first_corner;
    const Float4 *next = contact->next;
    Float4 low = way[corner[0]], high = low, low_next = next[corner[0]], high_next = low_next;
    for (int i = 1; i < block->corners; i++) {
        Float4 way_next = next[corner[i]];
        low = float4_lower(low, way[corner[i]]);
        high = float4_higher(high, way[corner[i]]);
        low_next = float4_lower(low_next, way_next);
        high_next = float4_higher(high_next, way_next);
    }
    const Float4 more = {0.0f, 0.0f, 0.0f, rounding};
    Float4 went = middle_and_radius(low, high) + more,
           coming = middle_and_radius(low_next, high_next);
    contact->travel[b] += went;
    contact->coming[b] = coming;
    Float4 reached = contact->travel[b];
    reached[3] += length_of(coming) + coming[3];
    contact->reached[b] = reached;
}

static const Float4 others = {-1.0f, -1.0f, -1.0f, 1.0f};

float self_nearing(const SelfContact *contact, const SelfClose *close)
{
    Float4 way = contact->travel[close->a] + others * contact->travel[close->b] - close->from;
    return way[3] + length_of(way);
}

void self_take_reference(SelfContact *contact, SelfClose *close)
{
    float nearing = self_nearing(contact, close);
    close->from = contact->travel[close->a] + others * contact->travel[close->b];
    close->slack -= nearing;
    close->unlisted -= nearing;
    for (int i = close->first; i < close->first + close->pairs; i++) contact->slack[i] -= nearing;
}

// Sums of motions start from 0.
static void start_anew(SelfContact *contact)
{
    const Float4 none = {0};
    for (int i = 0; i < contact->close_count; i++) {
        self_take_reference(contact, &contact->close[i]);
        contact->close[i].from = none;
    }
    for (int b = 0; b < contact->block_count; b++) contact->travel[b] = none;
    contact->follows = 0;
}

// Of blocks in one of these sets.
static void follow_blocks(SelfContact *contact, const SelfPlaces *places, bool survey,
                          float largest)
{
    float furthest = 0.0f;
    if (contact->follows >= LONGEST) start_anew(contact);
    for (int i = 0; i < places->block_count; i++) {
        int b = places->blocks[i];
        const Float4 *way = survey && !contact->is_followed[b] ? contact->since : contact->before;
        follow_block(contact, b, way, ADDING * (largest + FURTHEST));
        furthest = fmaxf(furthest, contact->travel[b][3]);
    }
    contact->follows = furthest > FURTHEST ? LONGEST : contact->follows + 1;
}

float self_follow(SelfContact *contact, const Mesh *mesh, const SelfWay *way)
{
    float largest = take_positions(contact, mesh, way, &contact->used, false);
    follow_blocks(contact, &contact->used, false, largest);
    return ROUNDING * largest;
}

static void all_awake(SelfContact *contact)
{
    for (int i = 0; i < contact->close_count; i++) contact->awake[i] = i;
    contact->awake_count = contact->close_count;
    use_listed(contact);
}

// Pairs of blocks that are not as far apart as this are looked at in every step, m.
static void wake(SelfContact *contact, float below)
{
    contact->awake_count = 0;
    start_set(contact, &contact->used);
    for (int i = 0; i < contact->close_count; i++) {
        const SelfClose *close = &contact->close[i];
        float apart = close->slack - self_nearing(contact, close);
        if (apart > below) {
            contact->asleep = apart < contact->asleep ? apart : contact->asleep;
            continue;
        }
        contact->awake[contact->awake_count++] = i;
        add_block(contact, &contact->used, close->a);
        add_block(contact, &contact->used, close->b);
    }
}

float self_survey(SelfContact *contact, const Mesh *mesh, const SelfWay *way, float below)
{
    float largest = take_positions(contact, mesh, way, &contact->listed, true);
    follow_blocks(contact, &contact->listed, true, largest);
    contact->asleep = INFINITY;
    if (below < INFINITY)
        wake(contact, below);
    else
        all_awake(contact);
    for (int i = 0; i < contact->listed.block_count; i++)
        contact->is_followed[contact->listed.blocks[i]] = false;
    for (int i = 0; i < contact->used.block_count; i++)
        contact->is_followed[contact->used.blocks[i]] = true;
    contact->surveyed = true;
    contact->survey_age = 0;
    contact->gone = 0.0;
    contact->rounding = ROUNDING * largest;
    return contact->rounding;
}
