// Private to simulation/. The numbers of a state with their names, one after the other: the hash
// adds them up, a state file has an entry for each.
#ifndef SIMULATION_STATE_FIELDS_H
#define SIMULATION_STATE_FIELDS_H

#include "simulation/simulation_state.h"

typedef struct FieldVisitor {
    void (*number)(void *self, const char *name, double *value); // may change it
    void *self;
} FieldVisitor;

// All of StateValues that a run continues from. The autopsy's texts and springs only explain and
// are left out. A count that does not fit its array is cut.
void state_fields_visit(StateValues *values, int *grabbed, FieldVisitor visitor);

#endif
