// Every allowed combination of method, variant, model, damping, filter and alpha, and the small
// cloths on which the oracle tries them.
#ifndef TESTS_ORACLE_CASES_H
#define TESTS_ORACLE_CASES_H

#include "simulation/simulation.h"

typedef enum CaseState {
    CASE_REST,    // hangs still
    CASE_MOVING,  // on its way down
    CASE_FOLDED,  // starts in folds
    CASE_FLOOR,   // lies partly on the floor, still
    CASE_DRAGGED, // one particle is in the hand
    CASE_STATES,
} CaseState;
const char *case_state_name(CaseState state);

// One combination in one state. Its cloth, grid or mesh, follows from both: the same on every run.
typedef struct Case {
    int combination;
    CaseState state;
    char text[500]; // "integrator=rk4 model=springs ...", and the cloth
    bool mesh;
    uint32_t seed;
} Case;

int combination_count(void); // with those that are refused
Case case_of(int combination, CaseState state);
// The same on a light cloth in wind or a viscous medium, strong enough to move limits.
Case case_in_wind(Case c);

// The case's cloth in its state. NULL when the combination is refused.
struct Simulation *case_simulation(const Case *c);
bool case_is_still(CaseState state); // in balance without help

#endif
