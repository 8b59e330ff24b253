// Passes snapshots from the simulation thread to the window's thread. Neither ever waits.
#ifndef RUNTIME_SNAPSHOT_EXCHANGE_H
#define RUNTIME_SNAPSHOT_EXCHANGE_H

#include "runtime/triple_buffer.h"
#include "stage/stage_snapshot.h"

typedef struct SnapshotExchange {
    StageSnapshot slots[3];
    TripleBuffer buffer;
} SnapshotExchange;

// All three slots empty; the reader sees a zeroed snapshot until the first one is published.
void snapshot_exchange_init(SnapshotExchange *exchange);
// Frees the slots' contents. Writer and reader must have stopped.
void snapshot_exchange_finish(SnapshotExchange *exchange);

// Writer thread: the slot to fill, resized as needed. It holds an older snapshot, not zeros.
StageSnapshot *snapshot_exchange_back(SnapshotExchange *exchange);
// Writer thread: give the filled slot away; snapshot_exchange_back then returns another one.
void snapshot_exchange_publish(SnapshotExchange *exchange);

// Reader thread: the newest published snapshot, valid until the next call. Never NULL.
const StageSnapshot *snapshot_exchange_latest(SnapshotExchange *exchange);
// Either thread: whether snapshot_exchange_latest would return a newer one.
bool snapshot_exchange_has_news(SnapshotExchange *exchange);

#endif
