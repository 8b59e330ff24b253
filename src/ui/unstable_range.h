// Which part of a slider theory calls unstable, with the other parameters as they are.
//
// The step: above the lab's limit. alpha: above the lab's alpha_limit. A stiffness: k0 depends on
// it as a convex function, so k0 grows at least along its tangent, whose slope is the share that
// the springs of that kind have in the energy of the stiffest mode. From where that line meets the
// largest k0 the step allows, the cloth is unstable for certain; it may be so a little earlier.
// With the automatic step there is no such part: the step follows.
#ifndef UI_UNSTABLE_RANGE_H
#define UI_UNSTABLE_RANGE_H

#include "ui/ui.h"

UnstableFrom unstable_range(const Snapshot *now, const LabResult *lab);

#endif
