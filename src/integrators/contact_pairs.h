// Contacts of a system with itself, inside an implicit step: particle against triangle, edge
// against edge, each a weighted sum of four velocities,
//   u = sum w_i v_i,   n.u >= least,
// with impulses w_i J on the four, whose sum is 0. Unlike a surface, which takes the motion of one
// particle, a pair ties four, so its impulse is found by the augmented Lagrangian,
//   J = n p - drag (u along the surface),   p = push + stiffness (least - n.u),
// while it is closed, p > 0; else 0. That is implicit as the forces are. `push` is what the turns
// before have found, so that what is left of least - n.u falls by a factor in each turn. Which
// pairs are closed is found by Newton's method on the potential of it all, which is convex and
// quadratic in pieces: solve as if none opened or closed, and go along the correction to where the
// potential is least. Friction is Coulomb's in the same way:
// drag = friction n.J / |u along|, at most the stiffness, of the turn before: it slows, and never
// turns back.
//
// After the step, impulses would move the four without their neighbours. Springs that the step sees
// as stiff, h^2 k / m >> 1, would be stretched by that, and gain more energy than the contact
// takes.
#ifndef INTEGRATORS_CONTACT_PAIRS_H
#define INTEGRATORS_CONTACT_PAIRS_H

#include "linalg/pcg.h"
#include "linalg/vec3.h"

typedef struct ContactPair {
    int first_dof[4];
    double weight[4]; // of the velocities
    double given[4];  // of the impulse: the same, or 0 where a particle is held
    double inverse;   // 1/kg, u changes by so much per impulse
    Vec3 normal;
    double least;     // m/s
    double stiffness; // kg
    double push;      // kg m/s
    double drag;      // kg
    bool closed;
    Vec3 total; // kg m/s, of the whole step, which may be taken in parts
} ContactPair;

typedef struct ContactPairs {
    int count;
    ContactPair *items;
    int component_stride;
    double friction;           // Coulomb's coefficient
    double slack;              // m/s: n.u may be less than `least` by so much
    double creep;              // m/s: what slides slower has no direction
    int turns, friction_turns; // of this solve
} ContactPairs;

// Before a solve with A: stiffness by that of A. `room`: two vectors of its size.
void contact_pairs_stiffen(ContactPairs *pairs, const LinearOperator *A, double *room[2]);
// Adds scale times their impulses at the velocities v.
void contact_pairs_add(const ContactPairs *pairs, const double *v, double scale, double *out);
// Adds the part of -J that is linear in v.
void contact_pairs_multiply(const ContactPairs *pairs, const double *v, double *out);
// At the velocities v: which are closed. Returns true if that changed.
bool contact_pairs_close(ContactPairs *pairs, const double *v);
// The share of a correction dv of the velocities v at which the potential is least. `descent`: how
// steeply it falls at first, and so much it would fall less at the end if no pair changed.
double contact_pairs_share(const ContactPairs *pairs, const double *v, const double *dv,
                           double descent);
// After a turn that ended at the velocities v. Returns true if another has to follow.
bool contact_pairs_update(ContactPairs *pairs, const double *v);
// J.dv of the impulses at the velocities v
double contact_pairs_work(const ContactPairs *pairs, const double *v, const double *dv);
// A step, or a part of it, was taken, and ended with the velocities v.
void contact_pairs_keep(ContactPairs *pairs, const double *v);
// J, of the whole step from the velocities v to end_v, with which it moves. What of an impulse
// stops the velocity that the pair came with counts with the mean of both.
double contact_pairs_taken(const ContactPairs *pairs, const double *v, const double *end_v);

#endif
