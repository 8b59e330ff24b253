// What the fuzz targets share. A target is one function that is given any bytes; libFuzzer calls it
// with bytes that reach new branches (tools/fuzz), cases.c with those of files.
#ifndef TESTS_FUZZ_H
#define TESTS_FUZZ_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size); // returns 0

// A promise that was broken ends the program.
void fuzz_require(bool holds, const char *promise);
// What is refused is refused with one whole sentence, on one line.
void fuzz_require_sentence(Status status, const Error *error);
// A copy of the bytes with a 0 behind it; free it. Its exact size lets a sanitizer see a read
// beyond it.
char *fuzz_text(const uint8_t *data, size_t size);

#endif
