// Three slots, each with one owner at a time:
//   back    written by the simulation thread
//   middle  the last one given away, swapped atomically
//   front   read by the window
// Publishing and looking are one exchange each: nobody waits, the reader may skip a snapshot and
// never sees a half-written one. Whoever owns a slot may also resize its arrays.
#include "runtime/snapshot_exchange.h"

#include <string.h>

enum { SLOT_INDEX = 3, SLOT_FRESH = 4 }; // bits of `middle`

void snapshot_exchange_init(SnapshotExchange *exchange)
{
    memset(exchange->slots, 0, sizeof exchange->slots);
    exchange->back = 0;
    exchange->front = 2;
    atomic_init(&exchange->middle, 1);
}

void snapshot_exchange_finish(SnapshotExchange *exchange)
{
    for (int i = 0; i < 3; i++) snapshot_finish(&exchange->slots[i]);
}

Snapshot *snapshot_exchange_back(SnapshotExchange *exchange)
{
    return &exchange->slots[exchange->back];
}

void snapshot_exchange_publish(SnapshotExchange *exchange)
{
    // release: the contents before the index; acquire: the reader is done with the slot we get
    unsigned old = atomic_exchange_explicit(&exchange->middle, exchange->back | SLOT_FRESH,
                                            memory_order_acq_rel);
    exchange->back = old & SLOT_INDEX;
}

const Snapshot *snapshot_exchange_latest(SnapshotExchange *exchange)
{
    // relaxed: only a hint that there is news, the exchange below orders the contents
    if (atomic_load_explicit(&exchange->middle, memory_order_relaxed) & SLOT_FRESH) {
        unsigned old =
            atomic_exchange_explicit(&exchange->middle, exchange->front, memory_order_acq_rel);
        exchange->front = old & SLOT_INDEX;
    }
    return &exchange->slots[exchange->front];
}
