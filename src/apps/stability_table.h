// The table of docs/stability-table.md: for every method on a draped 16x16 cloth, the largest
// stable step from theory, from rho of the real step, and from running the simulation.
#ifndef APPS_STABILITY_TABLE_H
#define APPS_STABILITY_TABLE_H

#include "base/status.h"

#include <stdio.h>

// Writes Markdown: the rows of the method `only`, or of all if it is NULL, which takes minutes.
Status stability_table_write(const char *only, FILE *file, Error *error);

#endif
