// Contact of a cloth with itself: particles against triangles, edges against edges.
//
// Thickness. Particle and triangle are kept SELF_THICKNESS spacings apart, edges half of that: two
// layers that lie on each other are held by their particles, edges matter where the cloth is sharp.
// It is less than half of the spacing, and neighbours at rest are 0.7 spacings apart, so that a
// flat cloth does not touch itself. Triangles that share a particle are looked at too, but only
// their particles and edges that have none in common.
//
// Blocks of some triangles, nodes of the tree of boxes, are what pairs are listed by.
//
// A search (boxes.h) takes each particle where it will be in some steps, at `seen`, if it goes on
// as it does; `ahead` is its way there. It lists all pairs of blocks with parts nearer than
//   reach + |ahead| of the one + |ahead| of the other
// so fast parts are looked at further away than slow ones. What is not listed stays further apart
// than `needed` as long as, for every particle,
//   |x - seen| <= |ahead| + (reach - needed) / 2
// and then the search is good for another step. Blocks that are smooth together are left out.
//
// Two listed blocks are known to be some way apart; or their pairs of particles and triangles and
// of edges that are near are listed, each with what it is apart at least. Neither is looked at
// again before the two blocks have moved as much: each block's motion in a step is that of its
// middle, u, and the largest that a particle differs from it, r. Since a look, two blocks came
// nearer by at most  |sum of (u of the one - u of the other)| + sum of (r of the one + r of the
// other),  so what moves together stays unlooked at.
//
// A step:
//   self_contact_gather  Before it, for a method that meets pairs in its own solve.
// After it:
//   self_contact_push  Of the listed pairs those that may meet in this step are measured at its
//                      start: distance, nearest points, the direction between them. Pairs that
//                      would come too near get impulses along that direction, equal and opposite,
//                      with weights by the nearest points: inelastic, with Coulomb's friction, on
//                      velocities and on this step's way. One pair after the other, in some rounds;
//                      after the first, pairs of which something was moved since. Pairs that are
//                      too near already are moved apart slowly. Where velocities move particles
//                      in the next step only, pairs that meet in that step are stopped too.
//   self_contact_hold  After floor and bodies. Two parts that a plane separates at the start of a
//                      step, d apart, and that it still separates at the end, 0.2 d apart, did not
//                      pass through each other. Where that fails, their particles go no further
//                      than 0.4 times the least distance of each, or are taken back. So whatever
//                      happened before, nothing passes through.
// Impulses conserve momentum and take energy. Taking back does not conserve momentum; it happens
// when the rounds did not suffice, as under a hand that pulls cloth through cloth.
//
// Where the cloth crosses itself already, because contact was off before, the crossing parts have
// neither limits nor impulses until they are apart. Each crossing edge is moved, slowly, in the
// direction in which the line of intersection becomes shorter (Volino & Magnenat-Thalmann 2006).
//
// What is known from one step to the next is `seen`, `ahead` and `reach`: they say which blocks are
// listed. Which of their pairs touch, and in which order, follows from the step alone, not from
// when they were last looked at. So a run that goes on from a saved state has the same bits.
#ifndef CLOTH_SELF_CONTACT_H
#define CLOTH_SELF_CONTACT_H

#include "cloth/boxes.h"
#include "cloth/cloth.h"

#include <stdint.h>

// In units of the spacing.
#define SELF_THICKNESS 0.4
// Pairs that are usually listed, pairs of blocks, and pairs that may meet in a step, per particle.
enum { SELF_PAIRS = 48, SELF_CLOSE = 16, SELF_TOUCHES = 8 };
// Pairs that can be listed, per particle. A heap that collapses in long steps, 1/60 s, lists 255;
// with room for 48 nothing was allowed to move far, and 6512 particles were taken back. There is
// room for so many of SELF_PAIRS_ROOM pairs at most, 84 MB, which is 4096 particles; more have
// SELF_PAIRS at least. What is not needed is never touched.
enum { SELF_PAIRS_MOST = 256, SELF_PAIRS_ROOM = 1 << 20 };

typedef struct SelfPair {
    // Of length 1 or 0, single precision: along it the two were furthest apart when they were last
    // measured. The gap between their shadows on it is never more than their distance.
    float normal[3];
    int particle[4]; // the particle and the triangle's corners; the ends of two edges
    bool edges;
} SelfPair;

// A pair that may meet in the present step, at its start.
typedef struct SelfTouch {
    int mover[4];
    long seen;        // the count of pushes when it was last looked at
    double weight[4]; // of the nearest points: their difference is the weighted sum
    double W;         // 1/kg, sum of weight^2 inverse
    Vec3 normal;      // from the second point to the first
    double left;      // m, distance - thickness
} SelfTouch;

// A particle of such pairs.
typedef struct SelfMover {
    int particle;
    long pushed;           // the count of pushes at its last one
    double inverse;        // 1/kg
    Vec3 way, v;           // m and m/s, of this step
    Vec3 old_v;            // m/s, at its start
    Vec3 free_way, free_v; // without contact
} SelfMover;

typedef struct SelfEdge {
    int ends[2];
    int opposite[2]; // third corners of its triangles; the second is -1 on a border
} SelfEdge;

// An edge that passes through a triangle.
typedef struct SelfCrossing {
    int edge, triangle;
} SelfCrossing;

// Triangles that lie together. Each particle and each edge belongs to one block.
typedef struct SelfBlock {
    int node;                      // of the boxes
    int first_leaf, leaves;        // its leaves are nodes of the boxes
    int first_triangle, triangles; // their triangles
    int first_particle, particles; // its own
    int first_edge, edges;         // its own
    int first_corner, corners;     // all particles of its triangles
} SelfBlock;

// Two blocks that may have parts near each other; or one with itself.
typedef struct SelfClose {
    Float4 from; // m, `travel` of the one minus that of the other when this was last looked at,
                 // and the sum of their fourth parts
    int a, b;    // blocks, a <= b
    int first, pairs; // of the listed
    // m, at that time: distance - thickness, at least, of all pairs, and of those that are not
    // listed
    float slack, unlisted;
} SelfClose;

// One of the listed pairs that is so near that it might pass through in this step: two blocks, and
// its place among their pairs.
typedef struct SelfTight {
    int close, pair;
} SelfTight;

// Blocks, and all of their particles, each once.
typedef struct SelfPlaces {
    int *blocks, *particles;
    int block_count, particle_count;
} SelfPlaces;

typedef struct SelfContact {
    Boxes boxes;
    SelfEdge *edges; // in the order of their blocks
    int edge_count;
    int *particles; // in the order of their blocks
    int *leaf_nodes, *corners;
    int (*triangles)[3]; // corners, in the order of their blocks
    SelfBlock *blocks;
    int block_count;
    int *last_block; // per node: the last block in it

    // of the last search
    Vec3 *place;   // m, per particle
    Float4 *at;    // the same
    Float4 *ahead; // m, per particle, and its length
    float *room;
    SelfClose *close, *close_before; // by a, then b
    int close_count, close_capacity;
    int *awake; // of the listed: those that are looked at in every step
    int awake_count;
    int survey_age, survey_due; // steps since then, and to the next one
    bool full;                  // there were more pairs than room
    bool *tangled;              // per particle: of a triangle that crosses another
    int crossings;              // edges that pass through triangles
    SelfCrossing *crossing;     // as many as there is room for
    int crossing_count, crossing_capacity;
    bool searched; // all of this belongs to the state's `seen`, `ahead` and `reach`
    long searches; // since it was made
    double moved;  // m, at least the largest |x - seen| - |ahead| at the start of the step

    // listed pairs
    SelfPair *pairs, *pairs_spare;
    float *slack, *slack_spare; // m, per pair: as SelfClose
    int count, capacity;        // some of them are no longer in use
    int usual, roomy; // when there are `roomy`, those are sorted out; at first as many as usual

    // motion
    bool followed;                        // `now` is the start of the last step
    bool surveyed;                        // `awake` and `asleep` hold
    SelfPlaces listed;                    // that are in one of the listed pairs
    SelfPlaces used;                      // in one that is awake
    bool *is_followed;                    // per block: `travel` was followed up to the last step
    long set;                             // the last set of blocks that was made
    long *set_of_block, *set_of_particle; // the last one that has it
    Float4 *now;        // m, per particle, at the start of the step, from a particle in the middle
    Float4 *before;     // m, per particle: its way in the last step
    Float4 *next;       // m, per particle: its way in this one, before contact
    Float4 *anchor;     // m, per particle: `now` of the last survey
    Float4 *since;      // m, per particle: its way from there to the present one
    Float4 *travel;     // m, per block: sum of u, and of r
    Float4 *coming;     // m, per block: u and r of the present step
    Float4 *reached;    // m, per block: travel, and in the fourth part the most that it moves now
    int follows;        // steps that are in `travel`
    float asleep;       // m: pairs of blocks that sleep were at least so far apart at the survey
    double gone;        // m, at least the way of any particle since then
    double last_way;    // m, of the last step
    float rounding;     // m, of distances between `now` then
    uint64_t positions; // of the end of the last step, all of their bits together

    // boxes of the present step, of blocks that needed them
    long step;
    long *fitted;   // per block: the step of its boxes
    Box *block_box; // m

    // of the present step
    SelfTouch *touches;
    int touch_count, touch_capacity;
    SelfMover *movers;
    int *mover; // per particle; -1 outside a step
    int mover_count;
    bool crowded; // there were more than room
    int thin;     // for so many steps lists have no margin
    SelfTight *tight;
    int tight_count;
    double *limit; // m, per particle: as far as it may go for sure; infinite outside a step
    int *limited;  // particles that have a limit
    int limited_count;
    bool *held;  // per particle: it keeps its limit in this step
    double most; // m, limit of the others
    bool floats; // the motion of the whole does not count
} SelfContact;

// What a run continues from.
typedef struct SelfState {
    double *seen;  // flat, m: positions of the last search
    double *ahead; // flat, m: from the positions of its step to `seen`
    double reach;  // m; 0: there was none
    bool suspect;  // it may cross itself
} SelfState;

typedef struct SelfReport {
    double work;   // J, on the particles; that of the impulses is known after self_contact_hold
    int pairs;     // that got an impulse
    int held_back; // particles that were taken back to their limits
} SelfReport;

Status self_contact_init(SelfContact *contact, const Mesh *mesh, Error *error);
void self_contact_finish(SelfContact *contact); // accepts a zeroed one
void self_contact_forget(SelfContact *contact); // `seen` and `reach` changed

// A step that has been taken.
typedef struct SelfStep {
    const double *old_x, *old_v; // flat, where it came from
    double h;                    // s
    bool floats; // nothing is held or touches floor and bodies: the motion of the whole is left out
    bool late;   // velocities of this step move particles in the next one
    double slack; // m: pairs were kept apart up to this by the step itself
} SelfStep;

// Before the step, with a guess of its end in cloth->x: what may meet in it, in `touches`.
void self_contact_gather(SelfContact *contact, const Cloth *cloth, SelfState *state,
                         const SelfStep *step);
SelfReport self_contact_push(SelfContact *contact, Cloth *cloth, SelfState *state,
                             const SelfStep *step);
void self_contact_hold(SelfContact *contact, Cloth *cloth, const SelfStep *step,
                       SelfReport *report);

// m, by which a pair that is `left` too near, < 0, is moved apart in a step of length h
double self_apart(double left, double h);

double self_contact_thickness(const Mesh *mesh); // m
int self_contact_capacity(const Mesh *mesh);     // pairs that can be listed

#endif
