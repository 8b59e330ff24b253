// Private to simulation/. The numbers of a state, one after the other under their names: the hash
// adds them up, a state file has a line for each.
#ifndef SIMULATION_STATE_FIELDS_H
#define SIMULATION_STATE_FIELDS_H

#include "simulation/simulation_state.h"

typedef struct FieldVisitor {
    void (*number)(void *self, const char *name, double *value); // may change it
    void *self;
} FieldVisitor;

// All of StateValues that a run continues from: not the autopsy's texts and springs, which only
// explain. A count that does not fit its array is cut.
void state_fields_visit(StateValues *values, int *grabbed, FieldVisitor visitor);

#endif
