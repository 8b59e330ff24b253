// The table of docs/stability-table.md: for every method on a draped 16x16 cloth, the largest
// stable step as theory has it, as rho of the real step has it, and as the simulation itself shows
// it.
#ifndef APPS_STABILITY_TABLE_H
#define APPS_STABILITY_TABLE_H

#include "base/status.h"

#include <stdio.h>

// Markdown. Takes a few minutes.
Status stability_table_write(FILE *file, Error *error);

#endif
