#include "runtime/snapshot_exchange.h"

#include <string.h>

void snapshot_exchange_init(SnapshotExchange *exchange)
{
    memset(exchange->slots, 0, sizeof exchange->slots);
    triple_buffer_init(&exchange->buffer);
}

void snapshot_exchange_finish(SnapshotExchange *exchange)
{
    for (int i = 0; i < 3; i++) stage_snapshot_finish(&exchange->slots[i]);
}

StageSnapshot *snapshot_exchange_back(SnapshotExchange *exchange)
{
    return &exchange->slots[exchange->buffer.back];
}

void snapshot_exchange_publish(SnapshotExchange *exchange)
{
    triple_buffer_publish(&exchange->buffer);
}

const StageSnapshot *snapshot_exchange_latest(SnapshotExchange *exchange)
{
    triple_buffer_take(&exchange->buffer);
    return &exchange->slots[exchange->buffer.front];
}

bool snapshot_exchange_has_news(SnapshotExchange *exchange)
{
    return triple_buffer_has_news(&exchange->buffer);
}
