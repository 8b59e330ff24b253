#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void fuzz_require(bool holds, const char *promise)
{
    if (holds) return;
    fprintf(stderr, "broken: %s\n", promise);
    abort();
}

void fuzz_require_sentence(Status status, const Error *error)
{
    if (status == STATUS_OK) return;
    const char *text = error->text;
    fuzz_require(error->status == status, "the error has the status that is returned");
    fuzz_require(*text, "a refusal has a sentence");
    fuzz_require(strlen(text) < sizeof error->text, "the sentence fits");
    for (; *text; text++)
        fuzz_require((unsigned char)*text >= ' ' && *text != 0x7f,
                     "the sentence has no control character");
}

char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text) abort();
    if (size > 0) memcpy(text, data, size);
    text[size] = '\0';
    return text;
}
