#include "runtime/recording_reader.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool reader_fail(Reader *reader, const char *format, ...)
{
    char what[sizeof reader->error->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    error_set(reader->error, STATUS_BAD_PARAMETER, "%s, line %d: %.500s", reader->path,
              reader->line, what);
    return false;
}

// The next line, unchanged, without its line end. False at the end of the text. A last line without
// a line end may be incomplete, so it does not count.
static bool raw_line(Reader *reader, size_t *length)
{
    size_t left = (size_t)(reader->end - reader->next);
    const char *newline = memchr(reader->next, '\n', left);
    if (!newline) {
        reader->out->cut = reader->out->cut || left > 0;
        reader->next = reader->end;
        return false;
    }
    reader->start = reader->next;
    reader->next = newline + 1;
    reader->line++;
    *length = (size_t)(newline - reader->start);
    if (*length > 0 && newline[-1] == '\r') --*length;
    return true;
}

static bool split(Reader *reader, size_t length)
{
    if (length >= sizeof reader->copy)
        return reader_fail(reader, "the line is longer than %d characters",
                           RECORDING_LONGEST_LINE - 1);
    memcpy(reader->copy, reader->start, length);
    reader->copy[length] = '\0';
    reader->word_count = 0;
    char *rest = NULL;
    for (char *word = strtok_r(reader->copy, " \t", &rest); word;
         word = strtok_r(NULL, " \t", &rest)) {
        if (reader->word_count == RECORDING_MOST_WORDS)
            return reader_fail(reader, "there are more than %d words", RECORDING_MOST_WORDS);
        reader->words[reader->word_count++] = word;
    }
    return true;
}

LineResult reader_next_line(Reader *reader)
{
    size_t length;
    while (raw_line(reader, &length)) {
        const char *first = reader->start;
        while (first < reader->start + length && (*first == ' ' || *first == '\t')) first++;
        if (first == reader->start + length || *first == ';' || *first == '#') continue;
        return split(reader, length) ? LINE_READ : LINE_BAD;
    }
    return LINE_NONE;
}

static bool is_line(const Reader *reader, size_t length, const char *text)
{
    return length == strlen(text) && memcmp(reader->start, text, length) == 0;
}

bool reader_block(Reader *reader, const char *last, const char **text, size_t *size)
{
    size_t length;
    *text = reader->next;
    while (raw_line(reader, &length)) {
        *size = (size_t)(reader->start - *text);
        if (is_line(reader, length, last)) return true;
    }
    reader->out->cut = true;
    return false;
}

bool reader_number(Reader *reader, const char *word, double *out)
{
    char *end;
    *out = strtod(word, &end);
    if (end != word && *end == '\0' && isfinite(*out)) return true;
    return reader_fail(reader, "\"%.60s\" is not a number", word);
}

bool reader_count(Reader *reader, const char *word, long most, long *out)
{
    char *end;
    errno = 0;
    *out = strtol(word, &end, 10);
    if (end != word && *end == '\0' && errno == 0 && *out >= 0 && *out <= most) return true;
    return reader_fail(reader, "\"%.60s\" is not a whole number from 0 to %ld", word, most);
}

bool reader_hash(Reader *reader, const char *word, uint64_t *out)
{
    char *end;
    *out = strtoull(word, &end, 16);
    if (strlen(word) == 16 && strspn(word, "0123456789abcdef") == 16) return true;
    return reader_fail(reader, "\"%.60s\" is not a hash: it has 16 digits from 0 to f", word);
}

bool reader_out_of_memory(Reader *reader)
{
    error_set(reader->error, STATUS_OUT_OF_MEMORY, "%s does not fit into memory", reader->path);
    return false;
}
