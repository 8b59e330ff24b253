#include "stage/stage_snapshot.h"

void stage_snapshot_finish(StageSnapshot *snapshot)
{
    for (int i = 0; i < SCENE_LANES_MAX; i++) snapshot_finish(&snapshot->lanes[i]);
    *snapshot = (StageSnapshot){0};
}
