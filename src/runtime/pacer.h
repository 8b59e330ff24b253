// How many steps are due, and when the next one will be: converts between real and simulated time.
// It has no clock and no thread; the caller says what time it is.
#ifndef RUNTIME_PACER_H
#define RUNTIME_PACER_H

#include <stdbool.h>

enum { PACER_SAMPLES = 16 };

typedef struct Pacer {
    double speed; // simulated per real second; INFINITY: as fast as possible; may be changed
    double now;   // s, real time up to which `debt` is computed
    double debt;  // s, simulated time that is due but not yet stepped
    double done;  // s, simulated since the start

    // Progress during the last half second, a ring buffer.
    struct {
        double real, done; // s
    } samples[PACER_SAMPLES];
    int newest, sample_count;
} Pacer;

// Time starts at `now`: nothing is due yet.
void pacer_start(Pacer *pacer, double now, double speed);

// The clock shows `now` and the next step is h. Adds the simulated time since the last call to the
// debt, and limits the debt to a tenth of a real second plus one step: a simulation that is too
// slow falls behind instead of piling up work.
void pacer_advance(Pacer *pacer, double now, double h);

int pacer_due(const Pacer *pacer, double h);         // whole steps of h due now; INT_MAX: no limit
double pacer_next_due(const Pacer *pacer, double h); // s, real time at which one is due
// More is due than the pause between two looks explains: it falls behind, though it may catch up.
bool pacer_is_late(const Pacer *pacer, double h);
void pacer_stepped(Pacer *pacer, double h); // one step of h was taken

// Simulated per real second, over the last half second (or since the start, if that is shorter).
// Call it several times a second, after stepping: it also takes the samples.
double pacer_real_time_factor(Pacer *pacer, double h);

#endif
