// Computes the points of a sweep, on several threads.
#ifndef SWEEP_SWEEP_RUN_H
#define SWEEP_SWEEP_RUN_H

#include "sweep/sweep_table.h"

typedef struct SweepProgress {
    long done, count; // points of this shard; `done` with those that the file had
    double rate;      // points per s; 0: not known yet
    double left;      // s; NaN: not known yet
} SweepProgress;

// Compute what the table lacks. `look`, asked a few times a second, shows how far it is; false:
// stop. STATUS_INTERRUPTED then. `look` may be NULL.
Status sweep_run(const Sweep *sweep, SweepTable *table, int threads,
                 bool (*look)(void *context, const SweepProgress *progress), void *context,
                 Error *error);

// Compute all points and keep them as numbers and words: measure_count for each. For figures.
// STATUS_INTERRUPTED soon after another thread has set `cancel`, which may be NULL.
Status sweep_measure(const Sweep *sweep, int threads, const atomic_bool *cancel, Measured *out,
                     Error *error);

#endif
