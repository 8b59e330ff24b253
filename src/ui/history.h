// The energies of the last seconds, for the plots.
#ifndef UI_HISTORY_H
#define UI_HISTORY_H

#include "simulation/snapshot.h"

enum { HISTORY_CAPACITY = 600 };
#define HISTORY_SECONDS 10.0 // simulated

typedef struct History { // in order of time; the oldest are dropped
    int count;
    float time[HISTORY_CAPACITY];
    float kinetic[HISTORY_CAPACITY], elastic[HISTORY_CAPACITY], gravity[HISTORY_CAPACITY],
        total[HISTORY_CAPACITY];
    float ripple[HISTORY_CAPACITY]; // J, of neighbours oscillating against each other
} History;

// Add the energies of a snapshot, unless it is of the past. When time went back, what came after is
// dropped.
void history_add(History *history, const Snapshot *snapshot);

#endif
