// Ownership of three slots between one writer thread and one reader thread. Neither ever waits.
//   back    the writer writes it
//   middle  the last one that either side gave away, swapped atomically
//   front   the reader reads it
// Publishing and taking are one atomic exchange each. A late reader skips to the newest slot and
// never sees a half-written one. The owner of a slot may also resize its contents.
#ifndef RUNTIME_TRIPLE_BUFFER_H
#define RUNTIME_TRIPLE_BUFFER_H

#include <stdatomic.h>
#include <stdbool.h>

typedef struct TripleBuffer {
    unsigned back;      // writer only
    unsigned front;     // reader only
    atomic_uint middle; // a slot, and whether it is new
} TripleBuffer;

enum { TRIPLE_SLOT = 3, TRIPLE_NEWS = 4 }; // bits of `middle`

static inline void triple_buffer_init(TripleBuffer *buffer)
{
    buffer->back = 0;
    buffer->front = 2;
    atomic_init(&buffer->middle, 1);
}

// Writer: give the slot `back` away; `back` is then another slot.
static inline void triple_buffer_publish(TripleBuffer *buffer)
{
    // release: the contents before the index; acquire: the reader is done with the slot we get
    unsigned old =
        atomic_exchange_explicit(&buffer->middle, buffer->back | TRIPLE_NEWS, memory_order_acq_rel);
    buffer->back = old & TRIPLE_SLOT;
}

// Either: whether there is a slot that the reader has not taken. Changes nothing.
static inline bool triple_buffer_has_news(TripleBuffer *buffer)
{
    // relaxed: only a hint; the exchange in triple_buffer_take orders the contents
    return atomic_load_explicit(&buffer->middle, memory_order_relaxed) & TRIPLE_NEWS;
}

// Reader: make the newest slot `front`. False if there is nothing new.
static inline bool triple_buffer_take(TripleBuffer *buffer)
{
    if (!triple_buffer_has_news(buffer)) return false;
    unsigned old = atomic_exchange_explicit(&buffer->middle, buffer->front, memory_order_acq_rel);
    buffer->front = old & TRIPLE_SLOT;
    return true;
}

#endif
