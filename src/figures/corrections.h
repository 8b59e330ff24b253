// Errors in the sources, and where a figure shows them.
#ifndef FIGURES_CORRECTIONS_H
#define FIGURES_CORRECTIONS_H

#include <stdio.h>

typedef struct Correction {
    const char *source, *what;
    const char *figure; // NULL: it cannot be seen in one
    const char *seen;   // a fact or a curve of the figure; without one, why
} Correction;
extern const Correction correction_table[];
extern const int correction_count;

void corrections_write(FILE *file); // as a table in Markdown, with a heading

#endif
