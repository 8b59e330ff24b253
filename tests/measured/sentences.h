// What the rows of the integrators state as measured, measured again on the falling cloth.
#ifndef TESTS_MEASURED_SENTENCES_H
#define TESTS_MEASURED_SENTENCES_H

#include <stdbool.h>
#include <stdio.h>

extern bool measured_thorough; // also runs that take long

typedef struct Sentence {
    const char *method;
    void (*write)(FILE *out);
} Sentence;

extern const Sentence measured_sentences[]; // in the order of the integrators' table
extern const int measured_sentence_count;

void measured_write_sentences(FILE *out);

#endif
