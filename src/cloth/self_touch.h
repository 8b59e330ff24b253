// Private to self_contact.c: pairs that may meet in a step, and the impulses between them.
#ifndef CLOTH_SELF_TOUCH_H
#define CLOTH_SELF_TOUCH_H

#include "cloth/self_contact.h"

// How much of its distance each of two may come nearer in a step.
#define SELF_SHARE 0.4

// Measures what of the listed pairs may meet in the step from old_x to cloth->x, by at most `way`,
// m, in any particle; pairs nearer than `tight`, m, limit their particles.
void self_gather(SelfContact *contact, const Cloth *cloth, const double *old_x, double way,
                 double tight);

// Keeps them apart.
SelfReport self_push(SelfContact *contact, Cloth *cloth, const SelfStep *step);

#endif
