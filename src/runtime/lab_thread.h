// The lab beside a running simulation: a worker with a copy of the state, so that the simulation
// never waits for an eigenvalue.
//
// The simulation's thread hands over a copy when the worker is ready for one. The window reads the
// newest result. Each result carries the time of the state it was computed from: "linearised now".
#ifndef RUNTIME_LAB_THREAD_H
#define RUNTIME_LAB_THREAD_H

#include "lab/analysis.h"

enum { LAB_SHAPES = SPECTRUM_MODES + 2 }; // the stiffest modes, the softest, and what grows

// A value: owns its arrays. Written by the worker, read by the window.
typedef struct LabResult {
    unsigned serial;           // counts results; 0: none yet, and all else is void
    unsigned topology_version; // of the snapshots it belongs to
    long step_count;           // of the state it belongs to; its time is analysis.time
    Analysis analysis;         // with the newest rho that still holds
    SpectrumDensity density;   // the newest one; all zero before there is one
    double seconds;            // it took
    int particle_count;
    bool has_shape[LAB_SHAPES];
    float *shapes; // LAB_SHAPES times 3 per particle
} LabResult;

// Displacements of a mode, 3 per particle, the largest coordinate 1: mode m of analysis.modes,
// LAB_SOFTEST or LAB_GROWING (where rho was measured last). NULL when there is none.
const float *lab_result_shape(const LabResult *result, int mode);

typedef struct LabThread LabThread;

// `wake` (may be NULL) is called on the worker after each result.
Status lab_thread_start(void (*wake)(void), LabThread **out, Error *error);
void lab_thread_stop(LabThread *lab); // ends after the analysis under way; accepts NULL

// The simulation's thread: is the worker ready for a state; and here is one. Neither waits.
bool lab_thread_wants_state(LabThread *lab);
Status lab_thread_offer(LabThread *lab, const Simulation *simulation, Error *error);

// The window's thread: the newest result, valid until the next call. Never NULL.
const LabResult *lab_thread_latest(LabThread *lab);
bool lab_thread_has_news(LabThread *lab); // whether that would return another one

#endif
