// How many steps are due, and when the next one will be: the arithmetic between the clock on the
// wall and simulated time. No clock of its own, no thread; the caller says what time it is.
#ifndef RUNTIME_PACER_H
#define RUNTIME_PACER_H

enum { PACER_SAMPLES = 16 };

typedef struct Pacer {
    double speed; // simulated per real second; INFINITY: as fast as possible; may be changed
    double now;   // s, real time up to which `debt` is reckoned
    double debt;  // s, simulated time that is due and not yet stepped
    double done;  // s, simulated since the start

    // Progress at moments of the last half second, a ring.
    struct {
        double real, done; // s
    } samples[PACER_SAMPLES];
    int newest, sample_count;
} Pacer;

// Time begins to pass at `now`: nothing is due yet.
void pacer_start(Pacer *pacer, double now, double speed);

// The clock shows `now` and the next step is h. What has become due since the last call is added
// to the debt, and the debt is cut to what a tenth of a real second asks for and one step: a
// simulation too slow for its speed falls behind, it does not pile up work.
void pacer_advance(Pacer *pacer, double now, double h);

int pacer_due(const Pacer *pacer, double h);         // whole steps of h due now; INT_MAX: no end
double pacer_next_due(const Pacer *pacer, double h); // s, real time at which one is due
void pacer_stepped(Pacer *pacer, double h);          // one step of h was taken

// Simulated per real second, over the last half second (or since the start, if that is less).
// To be asked several times a second, after stepping: it also takes the samples.
double pacer_real_time_factor(Pacer *pacer, double h);

#endif
