// Many independent pieces of work on several threads, in any order, and the caller told of each one
// that is done. For whole runs and analyses; base/crew.h is for parts of a step.
#ifndef RUNTIME_PARALLEL_H
#define RUNTIME_PARALLEL_H

#include "base/status.h"

#include <stdatomic.h>
#include <stdbool.h>

typedef struct ParallelJob {
    long count;
    int threads; // 1 or more; 0: as many as there are processors
    void *context;
    // On one of the threads, which are numbered from 0. Looks at `stop` now and then; false: it
    // stopped before the item was done.
    bool (*work)(void *context, long item, int thread, const atomic_bool *stop);
    // On the caller's thread. done: an item is complete. look: at least five times a second. False:
    // stop. Either may be NULL.
    bool (*done)(void *context, long item);
    bool (*look)(void *context);
} ParallelJob;

int parallel_threads(int wanted); // what `threads` above stands for
// True in `complete` when every item was done. Fails when no thread can be started.
Status parallel_run(const ParallelJob *job, bool *complete, Error *error);

#endif
