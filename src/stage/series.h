// What a run measured over its simulated time, for plots: as fine as needed near its end, coarser
// and never larger before.
//
// Levels. A bucket of level k holds the least and the largest value of 4^k samples in a row, so no
// extreme is ever lost. Each level keeps its last SERIES_BUCKETS buckets. A reader takes the finest
// level that still reaches back to where its window begins.
//
// One block of memory without pointers: a copy is an assignment. Nothing here allocates but
// series_show.
#ifndef STAGE_SERIES_H
#define STAGE_SERIES_H

#include "base/status.h"

typedef enum SeriesQuantity {
    SERIES_KINETIC,  // J
    SERIES_ELASTIC,  // J
    SERIES_GRAVITY,  // J
    SERIES_TOTAL,    // J, the sum of these
    SERIES_RIPPLE,   // J, of neighbours that shake against each other
    SERIES_DISTANCE, // m, of the particles to the lane that it is compared with: root of mean
                     // square
    SERIES_QUANTITIES,
} SeriesQuantity;

enum { SERIES_LEVELS = 10, SERIES_BUCKETS = 1024 }; // the longest hold 262144 samples a bucket

typedef struct SeriesBucket {
    double first, last;                                   // s, of its samples
    int count;                                            // of samples
    float min[SERIES_QUANTITIES], max[SERIES_QUANTITIES]; // min > max: no sample had a value
} SeriesBucket;

typedef struct SeriesLevel {
    long begin, end; // buckets begin .. end - 1 are kept, bucket i at i % SERIES_BUCKETS
    SeriesBucket buckets[SERIES_BUCKETS];
} SeriesLevel;

typedef struct Series {
    double first, last;   // s, of what is kept; NaN: nothing is
    unsigned long serial; // changes with every change
    double
        rewritten; // clock_seconds when more than the newest bucket last changed: tells two apart
    int every;     // a sample is taken every so many steps, at present; for the reader
    SeriesLevel levels[SERIES_LEVELS];
} Series;

void series_clear(Series *series);
// Times never fall: an earlier one forgets what came after it. NaN: no value.
void series_add(Series *series, double time, const double values[SERIES_QUANTITIES]);
// A value that is measured apart from the others: it belongs to the newest sample, unless that has
// one.
void series_note(Series *series, SeriesQuantity quantity, double value);
void series_forget(Series *series, SeriesQuantity quantity); // all of its values
// Forget what came after `time`. Where nothing finer is left, the bucket that reaches beyond it
// goes as a whole.
void series_cut(Series *series, double time);
// Become a copy that was made earlier.
void series_restore(Series *series, const Series *copy);

// Bring a copy for a reader up to date: only what is new is copied. *copy NULL: it is allocated.
Status series_show(const Series *series, Series **copy, Error *error);

// ---- for readers

// The finest level that reaches back to `time`, or as far back as any.
int series_level(const Series *series, double time);
int series_level_samples(int level); // in one of its buckets
int series_count(const Series *series, int level);
const SeriesBucket *series_bucket(const Series *series, int level, int i); // in order of time
// The bucket of a level that a time is in, or the last before it; -1: none.
int series_find(const Series *series, int level, double time);

#endif
