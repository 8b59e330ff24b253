// Contact of a cloth with itself: particles against triangles, edges against edges.
//
// Thickness. Particle and triangle are kept SELF_THICKNESS spacings apart, edges half of that: two
// layers that lie on each other are held by their particles, edges matter where the cloth is sharp.
// It is less than half of the spacing, and neighbours at rest are 0.7 spacings apart, so that a flat
// cloth does not touch itself. Triangles that share a particle are looked at too, but only their
// particles and edges that have none in common.
//
// A search (boxes.h) finds all pairs nearer than `reach`, at the positions `seen`. For each pair it
// keeps the nearest points and the direction between them. It says how far each particle may move
// until the next search:
//   limit = min(0.4 nearest pair of the particle, (reach - thickness) / 2)
// Within their limits no two can meet, because what is d apart may come nearer by 0.8 d. So
//   - a search is repeated only when a particle is about to leave its limit, and
//   - whatever else happens, a particle that is taken back to its limit passes through nothing.
// A step (after that of the method, whichever it is):
//   self_contact_push  Pairs that come too near get impulses along their direction, equal and
//                      opposite, with weights by the nearest points: inelastic, with Coulomb's
//                      friction, on velocities and on this step's way. One pair after the other,
//                      in some rounds. Pairs that are too near already are moved apart slowly.
//   self_contact_hold  After floor and bodies: what would leave its limit is taken back to it.
// Impulses conserve momentum and take energy. Taking back does not conserve momentum; it happens
// when the rounds did not suffice, as under a hand that pulls cloth through cloth.
//
// Where the cloth crosses itself already, because contact was off before, the crossing parts have
// neither limit nor impulses until they are apart. Each crossing edge is moved, slowly, in the
// direction in which the line of intersection becomes shorter (Volino & Magnenat-Thalmann 2006).
//
// What is known from one step to the next is `seen` and `reach`; the rest follows from them. So a
// run that goes on from a saved state searches there, and has the same bits.
#ifndef CLOTH_SELF_CONTACT_H
#define CLOTH_SELF_CONTACT_H

#include "cloth/boxes.h"
#include "cloth/cloth.h"

// In units of the spacing.
#define SELF_THICKNESS 0.4
// Pairs that are kept, per particle. If there are more, the others have limits but no impulses.
enum { SELF_PAIRS = 16 };

typedef struct SelfPair {
    int particle[4]; // the particle and the triangle's corners; the ends of two edges
    float share[2];  // where the nearest points are, see nearest.h
    float normal[3]; // from the second to the first
    float thickness; // m
    bool edges;
} SelfPair;

// A side of a triangle that passes through another triangle.
typedef struct SelfCrossing {
    int side[3]; // its ends, and the third corner of its triangle
    int triangle[3];
} SelfCrossing;

typedef struct SelfContact {
    Boxes boxes;
    unsigned char *owned; // per triangle: bits of the corners and sides that no earlier one has
    Vec3 *place;          // m, per particle: at the last search
    double *limit;        // m, per particle
    bool *tangled;        // per particle: of a triangle that crosses another
    SelfPair *pairs;
    float *slack; // m, per pair: distance at the search - thickness
    int count, capacity;
    bool full;                // there were more pairs than room
    int crossings;            // sides of triangles that pass through triangles
    int new_crossings;        // the same, while they are counted
    bool looks_for_crossings; // while searching
    int crossing_count, crossing_capacity;
    SelfCrossing *crossing; // as many as there is room for
    bool searched;          // all of this belongs to the state's `seen` and `reach`
    bool fresh;             // and that is where the present step started
    long searches;          // since it was made
    bool floats;            // of the present step
    Vec3 frame;             // m, motion of the whole since the search
    double moved;           // m, largest, within it
} SelfContact;

// What a run continues from.
typedef struct SelfState {
    double *seen; // flat, m: positions at the last search
    double reach; // m; 0: there was none
} SelfState;

typedef struct SelfReport {
    double work;   // J, kinetic and gravity energy that the particles got
    int pairs;     // that got an impulse
    int held_back; // particles that were taken back to their limits
} SelfReport;

Status self_contact_init(SelfContact *contact, const Mesh *mesh, Error *error);
void self_contact_finish(SelfContact *contact); // accepts a zeroed one
void self_contact_forget(SelfContact *contact); // `seen` and `reach` changed

// A step of length h from old_x, which has been taken. `floats`: nothing is held and nothing
// touches floor or bodies, so that a motion of the whole does not count.
SelfReport self_contact_push(SelfContact *contact, Cloth *cloth, SelfState *state,
                             const double *old_x, double h, bool floats);
void self_contact_hold(SelfContact *contact, Cloth *cloth, SelfState *state, const double *old_x,
                       SelfReport *report);

double self_contact_thickness(const Mesh *mesh); // m

#endif
