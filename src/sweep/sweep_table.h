// The rows of a sweep, in memory and in a file.
//
// The file is a journal while the sweep runs: rows are appended as points are done, each with one
// write, so a run that is killed leaves whole rows and at most one that is cut off. Opening it
// again takes what is there, and only what is missing is computed. When nothing is missing, the
// file is written anew in the order of the points and renamed: it is then the same, to the byte,
// however often it was interrupted.
#ifndef SWEEP_SWEEP_TABLE_H
#define SWEEP_SWEEP_TABLE_H

#include "sweep/sweep.h"

typedef struct SweepTable {
    char *definition; // the file's first lines
    long points;      // of the whole sweep
    char **rows;      // per point, without its end of line; NULL: not computed yet
    long count;       // rows that are there
    const char *path; // NULL: none
    int file;         // -1: rows are not written before the end
    long length;      // bytes of it that are whole rows
    char notice[256]; // for the user; "" if there is nothing to say
} SweepTable;

// Open or create the file and take the rows that it has. Refuses a file of another sweep, and one
// that another program is writing. `path` may be NULL.
Status sweep_table_open(SweepTable *table, const Sweep *sweep, const char *path, Error *error);
void sweep_table_finish(SweepTable *table); // accepts a zeroed one

Status sweep_table_add(SweepTable *table, long point, const char *row, Error *error);
// All rows are there: the file becomes what it is to be.
Status sweep_table_complete(SweepTable *table, Error *error);
void sweep_table_print(const SweepTable *table, FILE *file);

// The rows of several files of one sweep, its shards for example, as a table of the whole.
Status sweep_table_merge(SweepTable *table, const char *const *paths, int count, Error *error);
// To a file, which is replaced when all is written.
Status sweep_table_write(const SweepTable *table, const char *path, Error *error);

#endif
