// rho of the real step about one shape, in parts: a measurement that takes longer than a result
// may.
//
// It has a simulation of its own, which stays at the shape where it began while newer shapes are
// analysed. What is known so far can be shown at any time, with its residual. One thread at a time.
#ifndef LAB_RHO_WORK_H
#define LAB_RHO_WORK_H

#include "lab/analysis.h"

typedef struct RhoWork {
    Simulation *simulation; // NULL before the first measurement
    bool open;              // there is a measurement
    Analysis analysis;      // of the shape, with rho so far
    // work
    SimulationProbe probe;
    State *saved;
    double *extra; // flat
    int dofs;      // of it
} RhoWork;

void rho_work_finish(RhoWork *work); // accepts a zeroed one

// Begin at a state, of which `analysis` is. Uses lab->map. False without memory.
bool rho_work_begin(RhoWork *work, Lab *lab, const State *state, const Analysis *analysis,
                    const atomic_bool *cancel);
void rho_work_end(RhoWork *work); // without a result

// Go on until `deadline`, by clock_seconds, with at most `products` products in all. At least one
// is made, so it may take longer. False when there is no more to do.
bool rho_work_go_on(RhoWork *work, Lab *lab, int products, double deadline);

#endif
