// Private to self_contact.c: pairs that may meet in a step, and the impulses between them.
#ifndef CLOTH_SELF_TOUCH_H
#define CLOTH_SELF_TOUCH_H

#include "cloth/self_contact.h"

// How much of its distance each of two may come nearer in a step.
#define SELF_SHARE 0.4

// In spacings: pairs nearer than this always have limits.
#define SELF_LEAST_TIGHT 1e-3

// In spacings: pairs may come so much nearer than their own motion lets them, because others push
// them.
#define SELF_PUSHED 5e-3

typedef struct SelfRange {
    double near;  // m: pairs do not come nearer by more in the step
    double tight; // m: pairs nearer than this limit their particles
} SelfRange;

// Measures what of the listed pairs may meet in a step to cloth->x, in a frame that moves by
// `frame`, m.
void self_gather(SelfContact *contact, const Cloth *cloth, const SelfStep *step, Vec3 frame,
                 SelfRange range);

// Keeps them apart.
SelfReport self_push(SelfContact *contact, Cloth *cloth, const SelfStep *step);

#endif
