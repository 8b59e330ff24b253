#include "base/arena.h"

#include <stdlib.h>

size_t arena_footprint(size_t bytes)
{
    return (bytes + ARENA_ALIGNMENT - 1) / ARENA_ALIGNMENT * ARENA_ALIGNMENT;
}

Status arena_init(Arena *arena, size_t size, Error *error)
{
    size = arena_footprint(size);
    *arena = (Arena){.data = aligned_alloc(ARENA_ALIGNMENT, size ? size : ARENA_ALIGNMENT)};
    if (!arena->data) {
        return error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory for %zu bytes of scratch",
                         size);
    }
    arena->size = size;
    return STATUS_OK;
}

void arena_finish(Arena *arena)
{
    free(arena->data);
    *arena = (Arena){0};
}

void arena_reset(Arena *arena)
{
    arena->used = 0;
}

void *arena_alloc(Arena *arena, size_t bytes)
{
    size_t room = arena->size - arena->used;
    // compared before rounding up, so that a huge request cannot wrap around
    if (bytes > room || arena_footprint(bytes) > room) abort();
    void *result = arena->data + arena->used;
    arena->used += arena_footprint(bytes);
    return result;
}
