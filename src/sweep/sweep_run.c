#include "sweep/sweep_run.h"

#include "base/clock.h"
#include "runtime/parallel.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Runner {
    const Sweep *sweep;
    SweepTable *table; // NULL: numbers only
    long *todo;        // points
    long todo_count;
    Measured *measured; // measure_count for each of them
    PointWork *works;   // of each thread
    Error *failures;    // of each thread; STATUS_OK: none
    int threads;
    bool (*look)(void *context, const SweepProgress *progress);
    void *context;
    const atomic_bool *cancel; // instead of `look`; may be NULL
    double start;              // s, clock
    long before;               // points that the file had
    long done;                 // since then
    bool interrupted;
    Status status; // of writing
    Error *error;
} Runner;

static bool work(void *context, long item, int thread, const atomic_bool *stop)
{
    Runner *self = context;
    const Sweep *sweep = self->sweep;
    Scene scene = sweep_scene(sweep, self->todo[item]);
    Status status =
        point_measure(&self->works[thread], &scene, sweep->time, sweep->seconds, sweep->measures,
                      sweep->measure_count, stop, self->measured + item * sweep->measure_count,
                      &self->failures[thread]);
    self->failures[thread].status = status == STATUS_INTERRUPTED ? STATUS_OK : status;
    return status == STATUS_OK;
}

static bool done(void *context, long item)
{
    Runner *self = context;
    self->done++;
    if (!self->table) return true;
    char row[SWEEP_ROW_SIZE];
    sweep_print_row(self->sweep, self->todo[item],
                    self->measured + item * self->sweep->measure_count, row, sizeof row);
    self->status = sweep_table_add(self->table, self->todo[item], row, self->error);
    return self->status == STATUS_OK;
}

static bool look(void *context)
{
    Runner *self = context;
    if (self->cancel && atomic_load(self->cancel)) self->interrupted = true;
    if (!self->look) return !self->interrupted;
    double spent = clock_seconds() - self->start;
    double rate = self->done > 0 && spent > 0.0 ? (double)self->done / spent : 0.0;
    SweepProgress progress = {.done = self->before + self->done,
                              .count = self->before + self->todo_count,
                              .rate = rate,
                              .left = rate > 0.0 ? (double)(self->todo_count - self->done) / rate
                                                 : NAN};
    self->interrupted = !self->look(self->context, &progress);
    return !self->interrupted;
}

static Status collect(Runner *self, Error *error)
{
    const Sweep *sweep = self->sweep;
    long points = sweep_points(sweep);
    self->todo = malloc((size_t)points * sizeof *self->todo);
    for (long i = 0; i < points && self->todo; i++) {
        if (!sweep_has(sweep, i)) continue;
        if (self->table && self->table->rows[i])
            self->before++;
        else
            self->todo[self->todo_count++] = i;
    }
    size_t values = ((size_t)self->todo_count + 1) * (size_t)sweep->measure_count;
    if (!self->measured) self->measured = malloc(values * sizeof *self->measured);
    self->works = calloc((size_t)self->threads, sizeof *self->works);
    self->failures = calloc((size_t)self->threads, sizeof *self->failures);
    if (!self->todo || !self->measured || !self->works || !self->failures)
        return error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory for %ld points", points);
    Status status = STATUS_OK;
    for (int i = 0; i < self->threads && status == STATUS_OK; i++)
        status = point_work_init(&self->works[i], error);
    return status;
}

static Status run(Runner *self, Error *error)
{
    bool complete = false;
    self->start = clock_seconds();
    self->error = error;
    ParallelJob job = {.count = self->todo_count,
                       .threads = self->threads,
                       .context = self,
                       .work = work,
                       .done = done,
                       .look = look};
    Status status = parallel_run(&job, &complete, error);
    if (status != STATUS_OK || self->status != STATUS_OK) return status ? status : self->status;
    for (int i = 0; i < self->threads; i++) {
        if (self->failures[i].status != STATUS_OK) {
            if (error) *error = self->failures[i];
            return self->failures[i].status;
        }
    }
    if (self->interrupted)
        return error_set(error, STATUS_INTERRUPTED, "interrupted after %ld of %ld points",
                         self->before + self->done, self->before + self->todo_count);
    return STATUS_OK;
}

static void finish(Runner *self)
{
    for (int i = 0; i < self->threads && self->works; i++) point_work_finish(&self->works[i]);
    free(self->works);
    free(self->failures);
    free(self->todo);
}

Status sweep_run(const Sweep *sweep, SweepTable *table, int threads,
                 bool (*look_at)(void *context, const SweepProgress *progress), void *context,
                 Error *error)
{
    Runner self = {.sweep = sweep,
                   .table = table,
                   .threads = parallel_threads(threads),
                   .look = look_at,
                   .context = context};
    Status status = collect(&self, error);
    if (status == STATUS_OK && self.todo_count > 0) status = run(&self, error);
    if (status == STATUS_OK && look_at) look(&self);
    if (status == STATUS_OK) status = sweep_table_complete(table, error);
    finish(&self);
    free(self.measured);
    return status;
}

Status sweep_measure(const Sweep *sweep, int threads, const atomic_bool *cancel, Measured *out,
                     Error *error)
{
    Runner self = {
        .sweep = sweep, .threads = parallel_threads(threads), .cancel = cancel, .measured = out};
    Status status = collect(&self, error);
    if (status == STATUS_OK) status = run(&self, error);
    finish(&self);
    return status;
}
