// Private to self_contact.c: pairs that may meet in a step, and the impulses between them.
#ifndef CLOTH_SELF_TOUCH_H
#define CLOTH_SELF_TOUCH_H

#include "cloth/self_contact.h"

// How much of its distance each of two may come nearer in a step.
#define SELF_SHARE 0.4
// Of what is not listed: less than a half.
#define SELF_MOST 0.49

// In spacings: pairs nearer than this always have limits.
#define SELF_LEAST_TIGHT 1e-3

// In spacings: pairs may come so much nearer than their own motion lets them, because others push
// them.
#define SELF_PUSHED 5e-3

typedef struct SelfRange {
    double near;  // m: pairs do not come nearer by more in the step
    double tight; // m: pairs nearer than this limit their particles
} SelfRange;

// m, of two parts along the direction between them when they were last measured. Where it is more
// than 0 a plane separates them.
double self_gap(const Mesh *mesh, const SelfPair *pair, const double *x);

// Measures what of the listed pairs may meet in a step to cloth->x, in a frame that moves by
// `frame`, m.
void self_gather(SelfContact *contact, const Cloth *cloth, const SelfStep *step, Vec3 frame,
                 SelfRange range);

// Keeps them apart. Returns how many pairs got an impulse.
int self_push(SelfContact *contact, Cloth *cloth, const SelfStep *step);
// J, of these impulses on the particles, when floor and bodies have been met: each times the way of
// its particle, over h. Not times its velocities: the floor stops only what lies on it, and what
// lies on that has a velocity of some g h without moving. In a landing it differs from the energy
// lost by what the step has left of its way, which has no sign.
double self_push_work(const SelfContact *contact, const Cloth *cloth, const SelfStep *step);

#endif
