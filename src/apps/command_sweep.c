// selvage sweep: a grid of runs or analyses over parameters, and joining what several machines did.
#include "apps/commands.h"
#include "apps/interrupt.h"
#include "apps/report.h"
#include "sweep/sweep_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static Status make_sweep(const Options *options, Sweep *sweep, Error *error)
{
    *sweep = (Sweep){.seconds = options->seconds, .time = options->time, .shard = 1, .shards = 1};
    Status status = options_load_scene(options, &sweep->scene, error);
    for (int i = 0; i < options->axis_count && status == STATUS_OK; i++)
        status = sweep_add_axis(sweep, options->axes[i], error);
    if (status == STATUS_OK)
        status =
            sweep_set_measures(sweep, options->measure ? options->measure : "verdict,limit", error);
    if (status == STATUS_OK && options->shard)
        status = sweep_set_shard(sweep, options->shard, error);
    return status == STATUS_OK ? sweep_check(sweep, error) : status;
}

// "1 h 12 min", "3 min 20 s", "12 s"
static void print_time_left(double seconds, char *text, size_t size)
{
    long s = lround(seconds);
    if (isnan(seconds))
        snprintf(text, size, "?");
    else if (s >= 3600)
        snprintf(text, size, "%ld h %ld min", s / 3600, s % 3600 / 60);
    else if (s >= 60)
        snprintf(text, size, "%ld min %ld s", s / 60, s % 60);
    else
        snprintf(text, size, "%ld s", s);
}

static void draw_bar(const SweepProgress *progress)
{
    enum { WIDTH = 30 };
    char bar[WIDTH + 1], left[32];
    int filled = (int)(WIDTH * progress->done / (progress->count > 0 ? progress->count : 1));
    for (int i = 0; i < WIDTH; i++) bar[i] = i < filled ? '#' : '.';
    bar[WIDTH] = '\0';
    print_time_left(progress->left, left, sizeof left);
    fprintf(stderr, "\r[%s] %ld of %ld, %.3g/s, %s left\033[K", bar, progress->done,
            progress->count, progress->rate, left);
    if (progress->done == progress->count) fputc('\n', stderr);
    fflush(stderr);
}

// `context`: whether to draw a bar.
static bool look(void *context, const SweepProgress *progress)
{
    const bool *draws = context;
    if (*draws) draw_bar(progress);
    if (!interrupt_pending()) return true;
    if (*draws) fputc('\n', stderr);
    return false;
}

static Status compute(const Options *options, const Sweep *sweep, SweepTable *table, Error *error)
{
    bool draws = isatty(STDERR_FILENO);
    Interrupt interrupt;
    Status status = sweep_table_open(table, sweep, options->csv, error);
    if (status != STATUS_OK) return status;
    report_notice(table->notice);
    interrupt_begin(&interrupt);
    status = sweep_run(sweep, table, options->threads, look, &draws, error);
    interrupt_end(&interrupt);
    if (status == STATUS_OK && !options->csv) sweep_table_print(table, stdout);
    if (status == STATUS_INTERRUPTED && options->csv) {
        Error reason = *error;
        return error_set(error, status,
                         "%s; they are in %.250s, and the same command goes on from "
                         "there",
                         reason.text, options->csv);
    }
    return status;
}

static Status merge(const Options *options, SweepTable *table, Error *error)
{
    if (options->file_count == 0 || options->axis_count > 0 || options->measure || options->shard)
        return error_set(error, STATUS_BAD_PARAMETER,
                         "--merge takes the FILES of one sweep, and --csv FILE, and nothing else");
    Status status = sweep_table_merge(table, options->files, options->file_count, error);
    if (status != STATUS_OK) return status;
    if (options->csv)
        status = sweep_table_write(table, options->csv, error);
    else
        sweep_table_print(table, stdout);
    long missing = table->points - table->count;
    if (status == STATUS_OK && missing > 0)
        status = error_set(error, STATUS_FILE,
                           "%ld of %ld points are in none of these files; the sweep's command with "
                           "--csv and the merged file computes them",
                           missing, table->points);
    return status;
}

int command_sweep(const Options *options)
{
    Sweep *sweep = calloc(1, sizeof *sweep);
    SweepTable table = {.file = -1};
    Error error;
    Status status = sweep ? STATUS_OK : error_set(&error, STATUS_OUT_OF_MEMORY, "out of memory");
    if (status == STATUS_OK && options->merge) {
        status = merge(options, &table, &error);
    } else if (status == STATUS_OK) {
        status = make_sweep(options, sweep, &error);
        if (status == STATUS_OK) status = compute(options, sweep, &table, &error);
    }
    int code = status == STATUS_OK ? EXIT_DONE : report_error(&error);
    sweep_table_finish(&table);
    if (sweep) sweep_finish(sweep);
    free(sweep);
    return code;
}
