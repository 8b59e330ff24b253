#include "stage/series.h"

#include "base/clock.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

static SeriesBucket *slot(SeriesLevel *level, long i)
{
    return &level->buckets[i % SERIES_BUCKETS];
}

int series_level_samples(int level)
{
    return 1 << 2 * level;
}

static void touch(Series *series, bool rewritten)
{
    series->serial++;
    if (rewritten) series->rewritten = clock_seconds();
}

void series_clear(Series *series)
{
    for (int k = 0; k < SERIES_LEVELS; k++) series->levels[k].begin = series->levels[k].end = 0;
    series->first = series->last = NAN;
    touch(series, true);
}

static void widen(SeriesBucket *bucket, const float *min, const float *max)
{
    for (int q = 0; q < SERIES_QUANTITIES; q++) { // false for NaN
        if (min[q] < bucket->min[q]) bucket->min[q] = min[q];
        if (max[q] > bucket->max[q]) bucket->max[q] = max[q];
    }
}

static SeriesBucket *push_empty(SeriesLevel *level, double time)
{
    if (level->end - level->begin == SERIES_BUCKETS) level->begin++;
    SeriesBucket *bucket = slot(level, level->end++);
    *bucket = (SeriesBucket){.first = time, .last = time};
    for (int q = 0; q < SERIES_QUANTITIES; q++) {
        bucket->min[q] = INFINITY;
        bucket->max[q] = -INFINITY;
    }
    return bucket;
}

// The bucket for what comes next.
static SeriesBucket *open_bucket(Series *series, int k, double time)
{
    SeriesLevel *level = &series->levels[k];
    if (level->end > level->begin) {
        SeriesBucket *last = slot(level, level->end - 1);
        if (last->count < series_level_samples(k)) return last;
    }
    return push_empty(level, time);
}

void series_add(Series *series, double time, const double values[SERIES_QUANTITIES])
{
    if (series->last > time) series_cut(series, time);
    if (isnan(series->first)) series->first = time;
    series->last = time;
    float sample[SERIES_QUANTITIES];
    for (int q = 0; q < SERIES_QUANTITIES; q++) sample[q] = (float)values[q];
    for (int k = 0; k < SERIES_LEVELS; k++) {
        SeriesBucket *bucket = open_bucket(series, k, time);
        bucket->last = time;
        bucket->count++;
        widen(bucket, sample, sample);
    }
    touch(series, false);
}

void series_note(Series *series, SeriesQuantity quantity, double value)
{
    float number = (float)value;
    const SeriesLevel *samples = &series->levels[0];
    const SeriesBucket *newest =
        &samples->buckets[(samples->end + SERIES_BUCKETS - 1) % SERIES_BUCKETS];
    bool has_one = samples->end > samples->begin && newest->min[quantity] <= newest->max[quantity];
    for (int k = 0; k < SERIES_LEVELS && !has_one; k++) {
        SeriesLevel *level = &series->levels[k];
        if (level->end == level->begin) continue;
        SeriesBucket *last = slot(level, level->end - 1);
        if (number < last->min[quantity]) last->min[quantity] = number;
        if (number > last->max[quantity]) last->max[quantity] = number;
    }
    touch(series, false);
}

void series_forget(Series *series, SeriesQuantity quantity)
{
    for (int k = 0; k < SERIES_LEVELS; k++) {
        SeriesLevel *level = &series->levels[k];
        for (long i = level->begin; i < level->end; i++) {
            slot(level, i)->min[quantity] = INFINITY;
            slot(level, i)->max[quantity] = -INFINITY;
        }
    }
    touch(series, true);
}

// Make the part of a bucket that began at `first` again, from what a finer level has.
static void refill(SeriesLevel *level, SeriesLevel *finer, double first)
{
    SeriesBucket *bucket = NULL;
    for (long i = finer->begin; i < finer->end; i++) {
        const SeriesBucket *part = slot(finer, i);
        if (part->first < first) continue;
        if (!bucket) bucket = push_empty(level, part->first);
        bucket->last = part->last;
        bucket->count += part->count;
        widen(bucket, part->min, part->max);
    }
}

void series_cut(Series *series, double time)
{
    for (int k = 0; k < SERIES_LEVELS; k++) {
        SeriesLevel *level = &series->levels[k];
        double first = INFINITY; // of the last bucket taken away
        while (level->end > level->begin && slot(level, level->end - 1)->last > time)
            first = slot(level, --level->end)->first;
        if (k > 0 && first <= time) refill(level, &series->levels[k - 1], first);
    }
    series->last = NAN; // finer levels may be empty now
    for (int k = 0; k < SERIES_LEVELS; k++) {
        const SeriesLevel *level = &series->levels[k];
        if (level->end > level->begin)
            series->last =
                fmax(series->last, level->buckets[(level->end - 1) % SERIES_BUCKETS].last);
    }
    if (isnan(series->last)) series->first = NAN;
    touch(series, true);
}

void series_restore(Series *series, const Series *copy)
{
    *series = *copy;
    touch(series, true);
}

Status series_show(const Series *series, Series **copy, Error *error)
{
    if (!*copy) *copy = calloc(1, sizeof **copy);
    if (!*copy) return error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory for the plots");
    Series *to = *copy;
    bool grew = to->rewritten == series->rewritten;
    if (grew && to->serial == series->serial) return STATUS_OK;
    for (int k = 0; k < SERIES_LEVELS; k++) {
        const SeriesLevel *level = &series->levels[k];
        long known = grew ? to->levels[k].end - 1 : 0; // the newest bucket may have changed
        for (long i = known > level->begin ? known : level->begin; i < level->end; i++)
            *slot(&to->levels[k], i) = level->buckets[i % SERIES_BUCKETS];
        to->levels[k].begin = level->begin;
        to->levels[k].end = level->end;
    }
    to->serial = series->serial;
    to->rewritten = series->rewritten;
    to->every = series->every;
    to->first = series->first;
    to->last = series->last;
    return STATUS_OK;
}

// ---- for readers

int series_level(const Series *series, double time)
{
    int best = 0;
    double reach = INFINITY;
    for (int k = 0; k < SERIES_LEVELS && reach > time; k++) {
        if (series_count(series, k) == 0) continue;
        double first = series_bucket(series, k, 0)->first;
        if (first < reach) {
            reach = first;
            best = k;
        }
    }
    return best;
}

int series_count(const Series *series, int level)
{
    return (int)(series->levels[level].end - series->levels[level].begin);
}

const SeriesBucket *series_bucket(const Series *series, int level, int i)
{
    const SeriesLevel *of = &series->levels[level];
    return &of->buckets[(of->begin + i) % SERIES_BUCKETS];
}

int series_find(const Series *series, int level, double time)
{
    int low = 0, high = series_count(series, level); // first > time from `high` on
    while (low < high) {
        int middle = (low + high) / 2;
        if (series_bucket(series, level, middle)->first <= time)
            low = middle + 1;
        else
            high = middle;
    }
    return low - 1;
}
