// All lanes at one moment, for the window: a copy that owns its memory.
#ifndef STAGE_STAGE_SNAPSHOT_H
#define STAGE_STAGE_SNAPSHOT_H

#include "simulation/snapshot.h"

typedef struct StageSnapshot {
    double time;   // s, of the clock: particles of all lanes are where they are at this time
    Scene scene;   // with its lanes as they are now; params: those that lanes share
    int count;     // lanes to show, at least 1
    int selected;  // lane that the lab studies
    int reference; // lane that others are compared with; `count`: the fine one; -1: none
    int slowest;   // lane that keeps the clock from its speed; `count`: the fine one; -1: none
    Snapshot lanes[SCENE_LANES_MAX];
} StageSnapshot;

void stage_snapshot_finish(StageSnapshot *snapshot); // accepts a zeroed one

#endif
