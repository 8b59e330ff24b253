// docs/measured.md: orders with every kind of damping, what resists turning, a draped cloth.
#ifndef TESTS_MEASURED_DOCUMENT_H
#define TESTS_MEASURED_DOCUMENT_H

#include <stdio.h>

void measured_write_document(FILE *out);

#endif
