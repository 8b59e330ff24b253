// A text that is printed into memory through a FILE. Unlike open_memstream, whose stream does not
// remember that memory was missing for a part, it is whole or nothing.
#ifndef BASE_TEXT_STREAM_H
#define BASE_TEXT_STREAM_H

#include <stdbool.h>
#include <stdio.h>

typedef struct TextStream {
    FILE *file; // to print to
    char *text; // after closing: with a 0 behind `size` bytes; to be freed
    size_t size, room;
    bool failed;
} TextStream;

// False without memory. The stream stays where it is until it is closed.
bool text_stream_open(TextStream *stream);
// False, without a text, if not all of it found room.
bool text_stream_close(TextStream *stream);

#endif
