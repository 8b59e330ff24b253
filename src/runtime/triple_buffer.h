// Who owns which of three slots, when one thread writes and another reads and neither ever waits.
//   back    written by the writer
//   middle  the last one given away by either side, swapped atomically
//   front   read by the reader
// Publishing and taking are one exchange each. The reader may skip a value and never sees a
// half-written one. Whoever owns a slot may also resize what it holds.
#ifndef RUNTIME_TRIPLE_BUFFER_H
#define RUNTIME_TRIPLE_BUFFER_H

#include <stdatomic.h>
#include <stdbool.h>

typedef struct TripleBuffer {
    unsigned back;      // writer's own
    unsigned front;     // reader's own
    atomic_uint middle; // a slot, and whether it is news
} TripleBuffer;

enum { TRIPLE_SLOT = 3, TRIPLE_NEWS = 4 }; // bits of `middle`

static inline void triple_buffer_init(TripleBuffer *buffer)
{
    buffer->back = 0;
    buffer->front = 2;
    atomic_init(&buffer->middle, 1);
}

// Writer: give the slot `back` away; another one is `back` from here on.
static inline void triple_buffer_publish(TripleBuffer *buffer)
{
    // release: the contents before the index; acquire: the reader is done with the slot we get
    unsigned old =
        atomic_exchange_explicit(&buffer->middle, buffer->back | TRIPLE_NEWS, memory_order_acq_rel);
    buffer->back = old & TRIPLE_SLOT;
}

// Reader: whether there is a newer slot to take. Changes nothing.
static inline bool triple_buffer_has_news(TripleBuffer *buffer)
{
    // relaxed: only a hint, the exchange in triple_buffer_take orders the contents
    return atomic_load_explicit(&buffer->middle, memory_order_relaxed) & TRIPLE_NEWS;
}

// Reader: make the newest slot `front`. False when there is nothing new.
static inline bool triple_buffer_take(TripleBuffer *buffer)
{
    if (!triple_buffer_has_news(buffer)) return false;
    unsigned old = atomic_exchange_explicit(&buffer->middle, buffer->front, memory_order_acq_rel);
    buffer->front = old & TRIPLE_SLOT;
    return true;
}

#endif
