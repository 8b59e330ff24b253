#include "base/text_stream.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static ssize_t take(void *cookie, const char *bytes, size_t count)
{
    TextStream *stream = cookie;
    size_t needed = stream->size + count + 1;
    if (needed > stream->room) {
        size_t room = needed > 2 * stream->room ? needed : 2 * stream->room;
        char *larger = realloc(stream->text, room);
        if (!larger) {
            stream->failed = true;
            errno = ENOMEM;
            return 0;
        }
        stream->text = larger;
        stream->room = room;
    }
    memcpy(stream->text + stream->size, bytes, count);
    stream->size += count;
    stream->text[stream->size] = '\0';
    return (ssize_t)count;
}

bool text_stream_open(TextStream *stream)
{
    *stream = (TextStream){0};
    stream->file = fopencookie(stream, "w", (cookie_io_functions_t){.write = take});
    if (stream->file) take(stream, "", 0); // an empty text is one, too
    return stream->file != NULL;
}

bool text_stream_close(TextStream *stream)
{
    bool whole = !ferror(stream->file);
    whole = fclose(stream->file) == 0 && whole && !stream->failed;
    stream->file = NULL;
    if (whole) return true;
    free(stream->text);
    stream->text = NULL;
    stream->size = 0;
    return false;
}
