#include "cloth/self_list.h"

#include "cloth/nearest4.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

// ---- pairs

// Candidates that wait for being measured.
enum { WAITING = 64 };

typedef struct Lister {
    SelfContact *contact;
    bool edges;      // or particles and triangles
    float thickness; // m, of these
    float reach;     // m
    bool full;
    int count;
    int of[WAITING][4]; // as SelfPair
} Lister;

static bool all_tangled(const SelfContact *contact, const int particle[4])
{
    return contact->crossings > 0 && contact->tangled[particle[0]] &&
           contact->tangled[particle[1]] && contact->tangled[particle[2]] &&
           contact->tangled[particle[3]];
}

// `away` is the vector between their nearest points, m.
static void add_pair(Lister *lister, const int particle[4], Float4 away, float distance)
{
    SelfContact *contact = lister->contact;
    if (all_tangled(contact, particle)) return;
    if (contact->count == contact->capacity) {
        lister->full = true;
        return;
    }
    contact->slack[contact->count] = distance - lister->thickness;
    SelfPair *pair = &contact->pairs[contact->count++];
    away *= distance > 0.0f ? 1.0f / distance : 0.0f;
    memcpy(pair->normal, &away, sizeof pair->normal);
    memcpy(pair->particle, particle, sizeof pair->particle);
    pair->edges = lister->edges;
}

// Measures what waits, and lists what is near.
static void measure(Lister *lister)
{
    const Float4 *now = lister->contact->now;
    float safe = 1.0f - NEAREST4_ERROR;
    for (int i = 0; i < lister->count; i += 4) {
        const int(*of)[4] = (const int(*)[4])lister->of + i;
        int count = lister->count - i < 4 ? lister->count - i : 4;
        Float4x3 away =
            lister->edges ? nearest4_edges(now, of, count) : nearest4_triangles(now, of, count);
        Float4 square = away.x * away.x + away.y * away.y + away.z * away.z;
        square *= safe * safe;
        Int4 far = square >= lister->reach * lister->reach; // NaN is not far
        for (int k = 0; k < count; k++) {
            if (far[k]) continue;
            Float4 vector = {away.x[k], away.y[k], away.z[k], 0.0f};
            add_pair(lister, of[k], vector, sqrtf(square[k]));
        }
    }
    lister->count = 0;
}

static inline int *place_for(Lister *lister)
{
    if (lister->count == WAITING) measure(lister);
    return lister->of[lister->count++];
}

static inline void try_particle(Lister *lister, int particle, const int *corner)
{
    if (corner[0] == particle || corner[1] == particle || corner[2] == particle) return;
    int *of = place_for(lister);
    of[0] = particle;
    for (int k = 0; k < 3; k++) of[1 + k] = corner[k];
}

static inline void try_edges(Lister *lister, const int a[2], const int b[2])
{
    if (a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1]) return;
    int *of = place_for(lister);
    of[0] = a[0], of[1] = a[1], of[2] = b[0], of[3] = b[1];
}

// ---- parts of a block

static const Box nothing = {{INFINITY, INFINITY, INFINITY, 0.0f},
                            {-INFINITY, -INFINITY, -INFINITY, 0.0f}};

// Parts that reach into some box, with their own boxes.
enum { MOST_PARTS = 64 };

typedef struct Parts {
    int count;
    int of[MOST_PARTS];
    Box box[MOST_PARTS]; // m
} Parts;

static inline void add_part(Parts *parts, const Box *within, int part, Box box)
{
    parts->of[parts->count] = part;
    parts->box[parts->count] = box;
    parts->count += box_overlaps(&box, within);
}

static inline unsigned bits_of(Int4 mask)
{
#ifdef __SSE2__
    return (unsigned)_mm_movemask_ps((Float4)mask);
#else
    return (mask[0] & 1u) | (mask[1] & 2u) | (mask[2] & 4u) | (mask[3] & 8u);
#endif
}

// The boxes of parts, four of them in each number.
typedef struct Rows {
    Float4 low[3][MOST_PARTS / 4], high[3][MOST_PARTS / 4]; // m, by component
} Rows;

static inline void transpose(const Float4 a, const Float4 b, const Float4 c, const Float4 d,
                             Float4 *x, Float4 *y, Float4 *z)
{
    Float4 xy = __builtin_shufflevector(a, b, 0, 4, 1, 5),
           other = __builtin_shufflevector(c, d, 0, 4, 1, 5);
    *x = __builtin_shufflevector(xy, other, 0, 1, 4, 5);
    *y = __builtin_shufflevector(xy, other, 2, 3, 6, 7);
    xy = __builtin_shufflevector(a, b, 2, 6, 2, 6);
    other = __builtin_shufflevector(c, d, 2, 6, 2, 6);
    *z = __builtin_shufflevector(xy, other, 0, 1, 4, 5);
}

// Fills the last four with boxes of nothing.
static void take_rows(Parts *parts, Rows *rows)
{
    for (int i = parts->count; i % 4 != 0; i++) parts->box[i] = nothing;
    for (int i = 0; i < parts->count; i += 4) {
        const Box *of = parts->box + i;
        transpose(of[0].low, of[1].low, of[2].low, of[3].low, &rows->low[0][i / 4],
                  &rows->low[1][i / 4], &rows->low[2][i / 4]);
        transpose(of[0].high, of[1].high, of[2].high, of[3].high, &rows->high[0][i / 4],
                  &rows->high[1][i / 4], &rows->high[2][i / 4]);
    }
}

// A bit for each of `count` parts whose boxes overlap this one.
static inline uint64_t overlapping(const Rows *rows, int count, Box box)
{
    const Float4 none = {0};
    Float4 low_x = none + box.low[0], low_y = none + box.low[1], low_z = none + box.low[2],
           high_x = none + box.high[0], high_y = none + box.high[1], high_z = none + box.high[2];
    uint64_t bits = 0;
    for (int i = 0; 4 * i < count; i++) {
        Int4 in = (rows->low[0][i] <= high_x) & (rows->high[0][i] >= low_x) &
                  (rows->low[1][i] <= high_y) & (rows->high[1][i] >= low_y) &
                  (rows->low[2][i] <= high_z) & (rows->high[2][i] >= low_z);
        bits |= (uint64_t)bits_of(in) << (4 * i);
    }
    return bits;
}

static void pick_particles(const SelfContact *contact, const SelfBlock *block, const Box *within,
                           Parts *parts)
{
    parts->count = 0;
    for (int i = block->first_particle; i < block->first_particle + block->particles; i++) {
        Float4 at = contact->now[contact->particles[i]];
        add_part(parts, within, contact->particles[i], (Box){at, at});
    }
}

static void pick_triangles(const SelfContact *contact, const SelfBlock *block, const Box *within,
                           Parts *parts)
{
    const Float4 *now = contact->now;
    parts->count = 0;
    for (int i = block->first_triangle; i < block->first_triangle + block->triangles; i++) {
        const int *corner = contact->triangles[i];
        Float4 a = now[corner[0]], b = now[corner[1]], c = now[corner[2]];
        Box box = {float4_lower(a, float4_lower(b, c)), float4_higher(a, float4_higher(b, c))};
        add_part(parts, within, i, box);
    }
}

static void pick_edges(const SelfContact *contact, const SelfBlock *block, const Box *within,
                       Parts *parts)
{
    parts->count = 0;
    for (int e = block->first_edge; e < block->first_edge + block->edges; e++) {
        Float4 from = contact->now[contact->edges[e].ends[0]],
               to = contact->now[contact->edges[e].ends[1]];
        add_part(parts, within, e, (Box){float4_lower(from, to), float4_higher(from, to)});
    }
}

// ---- candidates

// What of either of two blocks can be as near to the other as the lister reaches, m.
static Box common_of(const Lister *lister, int a, int b)
{
    Box of_a = box_wider(&lister->contact->block_box[a], lister->reach),
        of_b = box_wider(&lister->contact->block_box[b], lister->reach);
    return (Box){float4_higher(of_a.low, of_b.low), float4_lower(of_a.high, of_b.high)};
}

// Particles of one block against the triangles of another.
static void try_particles(Lister *lister, const Box *common, int of, int against)
{
    const SelfContact *contact = lister->contact;
    Parts particles, triangles;
    pick_particles(contact, &contact->blocks[of], common, &particles);
    if (particles.count == 0) return;
    pick_triangles(contact, &contact->blocks[against], common, &triangles);
    if (triangles.count == 0) return;
    Rows rows;
    take_rows(&triangles, &rows);
    for (int i = 0; i < particles.count; i++) {
        uint64_t bits =
            overlapping(&rows, triangles.count, box_wider(&particles.box[i], lister->reach));
        for (; bits != 0; bits &= bits - 1)
            try_particle(lister, particles.of[i],
                         contact->triangles[triangles.of[__builtin_ctzll(bits)]]);
    }
}

static void try_all_edges(Lister *lister, const Box *common, int a, int b)
{
    const SelfContact *contact = lister->contact;
    Parts first, second;
    pick_edges(contact, &contact->blocks[a], common, &first);
    if (first.count == 0) return;
    pick_edges(contact, &contact->blocks[b], common, &second);
    Rows rows;
    take_rows(&second, &rows);
    for (int i = 0; i < first.count; i++) {
        uint64_t bits = overlapping(&rows, second.count, box_wider(&first.box[i], lister->reach));
        const int *ends = contact->edges[first.of[i]].ends;
        if (a == b) bits &= ~(uint64_t)1 << i; // each pair once
        for (; bits != 0; bits &= bits - 1)
            try_edges(lister, ends, contact->edges[second.of[__builtin_ctzll(bits)]].ends);
    }
}

// ---- distance of blocks

static void fit_block(SelfContact *contact, int b)
{
    if (contact->fitted[b] == contact->step) return;
    contact->fitted[b] = contact->step;
    const SelfBlock *block = &contact->blocks[b];
    const int *corner = contact->corners + block->first_corner;
    Box box = {contact->now[corner[0]], contact->now[corner[0]]};
    for (int i = 1; i < block->corners; i++) box_add(&box, contact->now[corner[i]]);
    contact->block_box[b] = box;
}

typedef struct Shadow {
    float low, high;
} Shadow;

// Of a block, on a line.
static Shadow shadow_of(const SelfContact *contact, int b, Float4 along)
{
    const SelfBlock *block = &contact->blocks[b];
    const int *corner = contact->corners + block->first_corner;
    Shadow shadow = {INFINITY, -INFINITY};
    for (int i = 0; i < block->corners; i++) {
        Float4 product = along * contact->now[corner[i]];
        float at = product[0] + product[1] + product[2];
        shadow.low = at < shadow.low ? at : shadow.low;
        shadow.high = at > shadow.high ? at : shadow.high;
    }
    return shadow;
}

// The gap between the shadows of two blocks, m: they are not nearer. Less than 0 if there is none.
static float gap_along(const SelfContact *contact, int a, int b, Float4 along)
{
    Float4 square = along * along;
    float length = sqrtf(square[0] + square[1] + square[2]);
    if (!(length > 0.0f)) return -INFINITY;
    along *= 1.0f / length;
    Shadow of_a = shadow_of(contact, a, along), of_b = shadow_of(contact, b, along);
    float before = of_b.low - of_a.high, after = of_a.low - of_b.high;
    return before > after ? before : after;
}

// At least so far are two blocks apart, m: the largest gap along the line between them and along
// the normals that they had in the search, if it is more than `enough`.
static float gap_between(const SelfContact *contact, int a, int b, float enough)
{
    const SelfBlock *of_a = &contact->blocks[a], *of_b = &contact->blocks[b];
    const Box *normals_a = &contact->boxes.nodes[of_a->node].normals,
              *normals_b = &contact->boxes.nodes[of_b->node].normals;
    const int *corner = contact->corners;
    Float4 line = contact->now[corner[of_a->first_corner + of_a->corners / 2]] -
                  contact->now[corner[of_b->first_corner + of_b->corners / 2]];
    float gap = gap_along(contact, a, b, line);
    if (gap > enough) return gap;
    float other = gap_along(contact, a, b, normals_a->low + normals_a->high);
    if (other > enough) return other;
    gap = other > gap ? other : gap;
    other = gap_along(contact, a, b, normals_b->low + normals_b->high);
    return other > gap ? other : gap;
}

// Beside each other at rest: they have particles in common, and no gap. So has a block with itself.
static bool are_beside(const SelfContact *contact, int a, int b)
{
    const BoxNode *nodes = contact->boxes.nodes;
    return box_overlaps(&nodes[contact->blocks[a].node].rest, &nodes[contact->blocks[b].node].rest);
}

// ---- lists

void self_list_none(SelfContact *contact)
{
    contact->count = 0;
    contact->surveyed = false;
    for (int i = 0; i < contact->close_count; i++) {
        SelfClose *close = &contact->close[i];
        close->pairs = 0;
        close->slack = close->unlisted = -INFINITY;
    }
}

void self_list_compact(SelfContact *contact)
{
    int count = 0;
    for (int i = 0; i < contact->close_count; i++) {
        SelfClose *close = &contact->close[i];
        size_t pairs = (size_t)close->pairs;
        memcpy(contact->pairs_spare + count, contact->pairs + close->first,
               pairs * sizeof *contact->pairs);
        memcpy(contact->slack_spare + count, contact->slack + close->first,
               pairs * sizeof *contact->slack);
        close->first = count;
        count += close->pairs;
    }
    SelfPair *pairs = contact->pairs;
    float *slack = contact->slack;
    contact->pairs = contact->pairs_spare, contact->slack = contact->slack_spare;
    contact->pairs_spare = pairs, contact->slack_spare = slack;
    contact->count = count;
    contact->roomy = count > contact->usual / 2 ? 2 * count : contact->usual;
    if (contact->roomy > contact->capacity) contact->roomy = contact->capacity;
}

static void make_room(SelfContact *contact, const SelfClose *close)
{
    const SelfBlock *a = &contact->blocks[close->a], *b = &contact->blocks[close->b];
    int most = a->particles * b->triangles + b->particles * a->triangles + a->edges * b->edges;
    if (contact->roomy - contact->count < most) self_list_compact(contact);
}

// All pairs, in an order that does not depend on where they are.
static bool list_pairs(SelfContact *contact, const Mesh *mesh, SelfClose *close, float margin,
                       float rounding)
{
    int a = close->a, b = close->b;
    float thickness = (float)self_contact_thickness(mesh);
    fit_block(contact, a);
    fit_block(contact, b);
    close->first = contact->count;
    Lister lister; // candidates need no zeros
    lister.contact = contact;
    lister.edges = lister.full = false;
    lister.count = 0;
    lister.thickness = thickness;
    lister.reach = margin + thickness + rounding;
    Box common = common_of(&lister, a, b);
    try_particles(&lister, &common, a, b);
    if (a != b) try_particles(&lister, &common, b, a);
    measure(&lister);
    lister.edges = true;
    lister.thickness *= 0.5f;
    lister.reach = margin + lister.thickness + rounding;
    common = common_of(&lister, a, b);
    try_all_edges(&lister, &common, a, b);
    measure(&lister);
    close->pairs = contact->count - close->first;
    return !lister.full;
}

bool self_list(SelfContact *contact, const Mesh *mesh, SelfClose *close, float margin,
               float rounding)
{
    float thickness = (float)self_contact_thickness(mesh), apart = -INFINITY;
    close->pairs = 0;
    if (!are_beside(contact, close->a, close->b))
        apart = gap_between(contact, close->a, close->b, thickness + 2.0f * margin) - thickness -
                rounding;
    close->unlisted = apart > margin ? apart : margin;
    if (apart > margin) return true;
    make_room(contact, close);
    return list_pairs(contact, mesh, close, margin, rounding);
}
