// The lab beside a running simulation: a worker with a copy of the state, so that the simulation
// never waits for an eigenvalue.
//
// The simulation's thread provides a copy when the worker is ready for one. The window reads the
// newest result. Each result carries the time of its state: "linearised now".
#ifndef RUNTIME_LAB_THREAD_H
#define RUNTIME_LAB_THREAD_H

#include "lab/analysis.h"
#include "lab/remedy.h"
#include "lab/stability_map.h"
#include "lab/unstable_range.h"

enum { LAB_SHAPES = SPECTRUM_MODES + 2 }; // the stiffest modes, the softest, and the growing one

// A value: owns its arrays. Written by the worker, read by the window.
typedef struct LabResult {
    unsigned serial;           // counts results; 0: none yet, all other fields are invalid
    int lane;                  // that it is about, and
    unsigned topology_version; // of the matching snapshots
    long step_count;           // of its state, whose time is analysis.time
    Analysis analysis;         // with the newest rho that is still valid
    SpectrumDensity density;   // the newest one; all zero until the first
    UnstableRanges unstable;   // the red parts of sliders
    Remedies remedies;         // found so far, for the autopsy with that serial
    StabilityMap map;          // as far as it is made; its request has the parameters
    bool has_map;
    double seconds; // s, duration of the analysis
    int particle_count;
    bool has_shape[LAB_SHAPES];
    float *shapes; // LAB_SHAPES times 3 per particle
} LabResult;

// Displacements of a mode, 3 per particle, the largest coordinate 1: mode m of analysis.modes,
// LAB_SOFTEST or LAB_GROWING (where rho was measured last). NULL when there is none.
const float *lab_result_shape(const LabResult *result, int mode);

typedef struct LabThread LabThread;

// `wake` (may be NULL) is called on the worker's thread after each result.
Status lab_thread_start(void (*wake)(void), LabThread **out, Error *error);
void lab_thread_stop(LabThread *lab); // waits for the present analysis to end; accepts NULL

// The simulation's thread asks whether the worker is ready, and offers a state. Neither call waits.
bool lab_thread_wants_state(LabThread *lab);
// It is of that lane.
Status lab_thread_offer(LabThread *lab, const Simulation *simulation, int lane, Error *error);
// The same thread: whether the simulation falls behind its pace. Then the worker takes less time.
void lab_thread_set_late(LabThread *lab, bool late);
// The window's thread: which map to make, in the time that is left; NULL: none. It is made again
// when other parameters change, and now and then while the cloth moves.
void lab_thread_ask_map(LabThread *lab, const MapRequest *request);
// The window's thread: the newest result, valid until the next call. Never NULL.
const LabResult *lab_thread_latest(LabThread *lab);
bool lab_thread_has_news(LabThread *lab); // true when that would return a newer one

#endif
