// Contact of a cloth with itself: particles against triangles, edges against edges.
//
// Thickness. Particle and triangle are kept SELF_THICKNESS spacings apart, edges half of that: two
// layers that lie on each other are held by their particles, edges matter where the cloth is sharp.
// It is less than half of the spacing, and neighbours at rest are 0.7 spacings apart, so that a
// flat cloth does not touch itself. Triangles that share a particle are looked at too, but only
// their particles and edges that have none in common.
//
// A search (boxes.h) takes each particle where it will be in some steps, at `seen`, if it goes on
// as it does; `ahead` is its way there. It lists all pairs that are nearer than
//   reach + |ahead| of the one + |ahead| of the other
// so fast parts are looked at further away than slow ones. What is not listed stays further apart
// than `needed` as long as, for every particle,
//   |x - seen| <= |ahead| + (reach - needed) / 2
// and then the search is good for another step. A step (after that of the method, whichever it is):
//   self_contact_push  Of the listed pairs those that may meet in this step are measured at its
//                      start: distance, nearest points, the direction between them. Pairs that
//                      would come too near get impulses along that direction, equal and opposite,
//                      with weights by the nearest points: inelastic, with Coulomb's friction, on
//                      velocities and on this step's way. One pair after the other, in some rounds;
//                      after the first, pairs of which something was moved since. Pairs that are
//                      too near already are moved apart slowly.
//   self_contact_hold  After floor and bodies. What is d apart at the start of a step may come
//                      nearer by 0.8 d: no particle goes further than 0.4 times its least distance,
//                      or it is taken back. So whatever happened before, nothing passes through.
// Impulses conserve momentum and take energy. Taking back does not conserve momentum; it happens
// when the rounds did not suffice, as under a hand that pulls cloth through cloth.
//
// Where the cloth crosses itself already, because contact was off before, the crossing parts have
// neither limits nor impulses until they are apart. Each crossing edge is moved, slowly, in the
// direction in which the line of intersection becomes shorter (Volino & Magnenat-Thalmann 2006).
//
// What is known from one step to the next is `seen`, `ahead` and `reach`; the rest follows from
// them. So a run that goes on from a saved state searches there, and has the same bits.
#ifndef CLOTH_SELF_CONTACT_H
#define CLOTH_SELF_CONTACT_H

#include "cloth/boxes.h"
#include "cloth/cloth.h"

// In units of the spacing.
#define SELF_THICKNESS 0.4
// Pairs that a search can list, and those that may meet in a step, per particle.
enum { SELF_PAIRS = 48, SELF_TOUCHES = 8 };

typedef struct SelfPair {
    // Of length 1 or 0, single precision: along it the two were furthest apart when they were last
    // measured. The gap between their shadows on it is never more than their distance.
    Float4 normal;
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

// The particles and edges of a leaf of the boxes. Each belongs to one leaf.
typedef struct SelfLeaf {
    int first_particle, particles, first_edge, edges;
} SelfLeaf;

typedef struct SelfContact {
    Boxes boxes;
    SelfLeaf *leaves; // per node
    int *particles;   // in the order of the leaves
    SelfEdge *edges;
    Box *edge_boxes; // m
    int edge_count;

    // of the last search
    Vec3 *place;   // m, per particle
    Float4 *at;    // the same
    Float4 *ahead; // m, per particle, and its length
    float *room;
    SelfPair *pairs;
    // m, per pair, when it was last looked at: distance - thickness, at least, + `travelled`. Less
    // than this minus `travelled` it cannot be now. So most pairs need not be looked at in most
    // steps; which of them touch does not depend on that.
    float *slack;
    int count, capacity;
    bool full;              // there were more pairs than room
    bool *tangled;          // per particle: of a triangle that crosses another
    int crossings;          // edges that pass through triangles
    SelfCrossing *crossing; // as many as there is room for
    int crossing_count, crossing_capacity;
    bool searched;    // all of this belongs to the state's `seen`, `ahead` and `reach`
    long searches;    // since it was made
    double moved;     // m, at least the largest |x - seen| - |ahead| at the start of the step
    double travelled; // m, twice the sum of the largest motions in each step since

    // of the present step
    Float4 *now; // m, per particle, at its start, from a particle in the middle
    SelfTouch *touches;
    int touch_count, touch_capacity;
    SelfMover *movers;
    int *mover; // per particle; -1 outside a step
    int mover_count;
    bool crowded;  // there were more than room
    double *limit; // m, per particle; infinite outside a step
    int *limited;  // particles that have a limit
    int limited_count;
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
    double work;   // J, on the particles: impulses times mean velocities
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
} SelfStep;

SelfReport self_contact_push(SelfContact *contact, Cloth *cloth, SelfState *state,
                             const SelfStep *step);
void self_contact_hold(SelfContact *contact, Cloth *cloth, const SelfStep *step,
                       SelfReport *report);

double self_contact_thickness(const Mesh *mesh); // m

#endif
