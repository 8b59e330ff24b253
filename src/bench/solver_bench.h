// The speed of the solver against a naive loop and against what the machine can do.
//
// Times are processor time of this thread, or of the clock on the wall where two threads work.
// Values that are compared are measured in turns in one process, and the best of several rounds
// counts, so that other programs disturb both equally.
#ifndef BENCH_SOLVER_BENCH_H
#define BENCH_SOLVER_BENCH_H

#include "base/crew.h"
#include "base/status.h"

#include <stdbool.h>

enum { BENCH_MAX_LINES = 128 };

typedef struct BenchLine {
    char name[56];
    double value;
    const char *unit;
    double naive;      // the naive loop's value, 0 if there is none
    double goal;       // 0: none
    bool goal_is_most; // reached when value <= goal; otherwise when naive / value (or, without a
                       // naive loop, value) >= goal
    char note[96];     // "" or the reason for the value
} BenchLine;

typedef struct BenchResult {
    const char *kernels; // in use
    int count;
    BenchLine lines[BENCH_MAX_LINES];
} BenchResult;

// The number that is compared with the goal.
double bench_achieved(const BenchLine *line);
bool bench_reached(const BenchLine *line);

// quick: small cloths and few rounds, for tests; its numbers mean little. `crew`: of two threads,
// or NULL.
Status bench_run(bool quick, Crew *crew, BenchResult *out, Error *error);

#endif
