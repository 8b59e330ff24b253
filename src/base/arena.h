// A bump allocator over one block: memory for a step without malloc.
//
// Sizes are computed up front (arena_footprint), so running out is a programming error: it stops
// the program, in release builds too, before anything is overwritten.
#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/status.h"

#include <stddef.h>

typedef struct Arena {
    unsigned char *data; // aligned to ARENA_ALIGNMENT
    size_t size, used;   // bytes
} Arena;

enum { ARENA_ALIGNMENT = 64 }; // a cache line, and the widest vector register

Status arena_init(Arena *arena, size_t size, Error *error);
void arena_finish(Arena *arena); // accepts a zeroed one
void arena_reset(Arena *arena);  // everything allocated so far is free again

void *arena_alloc(Arena *arena, size_t bytes); // not cleared; never NULL
#define ARENA_ALLOC(arena, count, type)                                                            \
    ((type *)arena_alloc((arena), (size_t)(count) * sizeof(type)))

// Bytes that one allocation takes from the arena, padding included.
size_t arena_footprint(size_t bytes);

#endif
