#include "apps/comparison.h"

#include "apps/headless.h"
#include "base/certain.h"
#include "base/svg.h"
#include "simulation/state.h"

#ifdef HAVE_VIEWER
#include "render/picture.h"
#endif

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define INTERVAL (1.0 / 60.0) // s, simulated, between two samples
enum { SAMPLES_MAX = 20000 };
enum { PICTURE_WIDTH = 1280, PICTURE_HEIGHT = 800 };

Status comparison_init(Comparison *comparison, const Scene *scene, const Lane *lanes, int count,
                       int reference, Error *error)
{
    *comparison = (Comparison){
        .scene = *scene, .lane_count = count, .reference = reference < 0 ? count : reference};
    Scene scenes[STAGE_LANES_MAX];
    for (int i = 0; i < count; i++) comparison->lanes[i] = lanes[i];
    comparison->lanes[count] = lane_fine();
    int all = reference < 0 ? count + 1 : count;
    for (int i = 0; i < all; i++) scenes[i] = lane_scene(&comparison->lanes[i], scene);
    return stage_init(&comparison->stage, scenes, all, error);
}

void comparison_finish(Comparison *comparison)
{
    stage_finish(&comparison->stage);
    free(comparison->times);
    free(comparison->samples);
    *comparison = (Comparison){0};
}

static void take_sample(Comparison *comparison)
{
    Stage *stage = &comparison->stage;
    int row = comparison->sample_count++;
    comparison->times[row] = stage->time;
    for (int i = 0; i < stage->count; i++) {
        Readings now = simulation_readings(stage->lanes[i].simulation);
        comparison->samples[row * stage->count + i] =
            (ComparisonSample){.error = stage_distance(stage, i, comparison->reference),
                               .energy = now.energy,
                               .step = now.step,
                               .seconds = stage->lanes[i].seconds};
    }
}

void comparison_set_cancel(Comparison *comparison, const atomic_bool *cancel)
{
    for (int i = 0; i < comparison->stage.count; i++)
        simulation_set_cancel(comparison->stage.lanes[i].simulation, cancel);
}

Status comparison_run(Comparison *comparison, double seconds, bool (*is_interrupted)(void),
                      Error *error)
{
    Stage *stage = &comparison->stage;
    int intervals = (int)fmin(ceil(seconds / INTERVAL - 1e-9), SAMPLES_MAX - 1); // rounding
    size_t rows = (size_t)intervals + 1;
    comparison->times = malloc(rows * sizeof *comparison->times);
    comparison->samples = malloc(rows * (size_t)stage->count * sizeof *comparison->samples);
    if (!comparison->times || !comparison->samples)
        return error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory for the samples");
    double interval = fmax(INTERVAL, seconds / (SAMPLES_MAX - 1));
    take_sample(comparison);
    for (int i = 1; i <= intervals && !comparison->interrupted; i++) {
        double time = i == intervals ? seconds : i * interval;
        comparison->interrupted = !stage_advance(stage, time, INFINITY, is_interrupted);
        if (!comparison->interrupted) take_sample(comparison);
    }
    return STATUS_OK;
}

static const ComparisonSample *last_sample(const Comparison *comparison, int lane)
{
    int stride = comparison->stage.count;
    return &comparison->samples[(comparison->sample_count - 1) * stride + lane];
}

// s of computing per simulated second; NaN before the first step.
static double cost_of(const StageLane *lane)
{
    double time = simulation_time(lane->simulation);
    return time > 0.0 ? lane->seconds / time : NAN;
}

static const char *verdict_of(const StageLane *lane)
{
    return monitor_state_name(lane->stopped ? MONITOR_DIVERGED
                                            : simulation_monitor(lane->simulation)->state);
}

static const char *reference_text(const Comparison *comparison)
{
    bool hidden = comparison->reference == comparison->lane_count;
    return hidden ? "fine: RK4 at a fifth of its limit, without a filter"
                  : comparison->lanes[comparison->reference].name;
}

// A number with a unit of the column, or a dash.
static void print_cell(FILE *file, int width, const char *format, double value)
{
    char text[32] = "-";
    if (isfinite(value)) snprintf(text, sizeof text, format, value);
    fprintf(file, "  %*s", width, text);
}

static void print_row(const Comparison *comparison, int i, int width, FILE *file)
{
    const StageLane *lane = &comparison->stage.lanes[i];
    Readings now = simulation_readings(lane->simulation);
    StageDistance error = last_sample(comparison, i)->error;
    char added[32];
    certain_print(now.balance.remainder, now.balance.error, added, sizeof added);
    fprintf(file, "%-*s", width, comparison->lanes[i].name);
    print_cell(file, 9, "%.4g", 1e3 * now.step);
    print_cell(file, 8, "%.3f", isinf(now.limit.step) ? NAN : now.step / now.limit.step);
    print_cell(file, 9, "%.4g", cost_of(lane));
    print_cell(file, 10, "%.4g", 1e3 * error.max);
    print_cell(file, 10, "%.4g", 1e3 * error.rms);
    print_cell(file, 9, "%.4g", energy_total(now.energy));
    fprintf(file, "  %12s  %s", added, verdict_of(lane));
    if (lane->stopped) fprintf(file, " at %.4g s", simulation_time(lane->simulation));
    fputc('\n', file);
}

void comparison_print_table(const Comparison *comparison, FILE *file)
{
    int width = 4;
    for (int i = 0; i < comparison->stage.count; i++)
        width = (int)fmax(width, strlen(comparison->lanes[i].name));
    fprintf(file, "scene      %s%s%s\n", comparison->scene.name,
            *comparison->scene.title ? ": " : "", comparison->scene.title);
    fprintf(file, "simulated  %.6g s\n", comparison->stage.time);
    fprintf(file, "reference  %s\n\n", reference_text(comparison));
    fprintf(file, "%-*s  %9s  %8s  %9s  %10s  %10s  %9s  %12s\n", width, "", "step h", "of its",
            "cost", "error, max", "error, rms", "energy", "added by the");
    fprintf(file, "%-*s  %9s  %8s  %9s  %10s  %10s  %9s  %12s  %s\n", width, "lane", "ms", "limit",
            "s / s", "mm", "mm", "J", "numerics, J", "verdict");
    for (int i = 0; i < comparison->stage.count; i++) print_row(comparison, i, width, file);
}

static void print_lane(const Comparison *comparison, int i, const char *key, Json *json)
{
    const StageLane *lane = &comparison->stage.lanes[i];
    Readings now = simulation_readings(lane->simulation);
    StageDistance error = last_sample(comparison, i)->error;
    char set[1024];
    lane_print(&comparison->lanes[i], set, sizeof set);
    json_open_object(json, key);
    json_text(json, "name", comparison->lanes[i].name);
    json_text(json, "set", set);
    json_number(json, "time", now.time);
    json_count(json, "steps", now.step_count);
    json_number(json, "step", now.step);
    json_number(json, "step_limit", now.limit.step); // null: none
    json_bool(json, "limit_is_bound", now.limit.is_bound);
    json_bool(json, "soft_modes_may_grow", now.limit.but_soft);
    json_number(json, "alpha", now.alpha);
    json_number(json, "cost", cost_of(lane));
    json_number(json, "error_max", error.max);
    json_number(json, "error_rms", error.rms);
    headless_print_energy(now.energy, json);
    json_number(json, "remainder", now.balance.remainder);
    json_number(json, "remainder_error", now.balance.error);
    json_text(json, "verdict", verdict_of(lane));
    json_text(json, "message", lane->failure.text);
    char hash[17];
    snprintf(hash, sizeof hash, "%016" PRIx64, simulation_hash(lane->simulation));
    json_text(json, "hash", hash);
    json_close_object(json);
}

void comparison_print_json(const Comparison *comparison, FILE *file)
{
    Json json = {.file = file};
    json_open_object(&json, NULL);
    json_text(&json, "scene", comparison->scene.name);
    json_number(&json, "seconds", comparison->stage.time);
    json_bool(&json, "interrupted", comparison->interrupted);
    print_lane(comparison, comparison->reference, "reference", &json);
    json_open_array(&json, "lanes");
    for (int i = 0; i < comparison->lane_count; i++) print_lane(comparison, i, NULL, &json);
    json_close_array(&json);
    json_close_object(&json);
}

void comparison_print_csv(const Comparison *comparison, FILE *file)
{
    fputs("time,lane,error_max,error_rms,kinetic,elastic,gravity,total,step,seconds\n", file);
    for (int row = 0; row < comparison->sample_count; row++) {
        for (int i = 0; i < comparison->stage.count; i++) {
            const ComparisonSample *s = &comparison->samples[row * comparison->stage.count + i];
            fprintf(file, "%.10g,\"%s\",%.10g,%.10g,%.10g,%.10g,%.10g,%.10g,%.10g,%.4g\n",
                    comparison->times[row], comparison->lanes[i].name, s->error.max, s->error.rms,
                    s->energy.kinetic, s->energy.elastic, s->energy.gravity,
                    energy_total(s->energy), s->step, s->seconds);
        }
    }
}

// NaN for 0, which a logarithmic axis does not show.
static double error_at(const Comparison *comparison, int row, int lane)
{
    double error = comparison->samples[row * comparison->stage.count + lane].error.max;
    return error > 0.0 ? error : NAN;
}

// A scale of whole decades.
static SvgAxis error_axis(const Comparison *comparison)
{
    const double SMALLEST = 1e-9; // m: below is rounding
    double low = 1.0, high = 1e-3;
    for (int row = 0; row < comparison->sample_count; row++) {
        for (int i = 0; i < comparison->lane_count; i++) {
            double error = error_at(comparison, row, i);
            if (!isfinite(error)) continue;
            low = fmin(low, error);
            high = fmax(high, error);
        }
    }
    return (SvgAxis){.min = pow(10.0, floor(log10(fmax(low, SMALLEST)))),
                     .max = pow(10.0, ceil(log10(high))),
                     .logarithmic = true,
                     .label = "distance (m)"};
}

void comparison_draw(const Comparison *comparison, FILE *file)
{
    enum { LEGEND_LINE = 17 };
    int rows = comparison->sample_count;
    double(*points)[2] = malloc((size_t)rows * sizeof *points);
    Svg svg = svg_plot(file, 640, 520);
    svg.x = (SvgAxis){.max = fmax(comparison->stage.time, 1e-6), .label = "simulated time (s)"};
    svg.y = error_axis(comparison);
    char title[160];
    snprintf(title, sizeof title, "%s: largest distance of a particle to the reference",
             comparison->scene.name);
    svg_page_begin(&svg, title, NULL);
    svg_frame_begin(&svg, NULL);
    for (int i = 0; i < comparison->lane_count && points; i++) {
        for (int row = 0; row < rows; row++) {
            points[row][0] = comparison->times[row];
            points[row][1] = error_at(comparison, row, i);
        }
        svg_line(&svg, svg_series(&svg, i), (const double(*)[2])points, rows);
    }
    svg_frame_end(&svg);
    for (int i = 0; i < comparison->lane_count; i++)
        svg_legend(&svg, svg.box.left + 10, svg.box.top + LEGEND_LINE * (i + 1),
                   svg_series(&svg, i), false, comparison->lanes[i].name);
    svg_page_end(&svg);
    free(points);
}

#ifdef HAVE_VIEWER
Status comparison_write_picture(const Comparison *comparison, OutputFile *output, Error *error)
{
    Snapshot snapshots[STAGE_LANES_MAX] = {0};
    Status status = STATUS_OK;
    int count = comparison->lane_count;
    for (int i = 0; i < count && status == STATUS_OK; i++) {
        status =
            simulation_fill_snapshot(comparison->stage.lanes[i].simulation, &snapshots[i], error);
    }
    if (status == STATUS_OK)
        status = picture_write(snapshots, count, output, PICTURE_WIDTH, PICTURE_HEIGHT, error);
    for (int i = 0; i < count; i++) snapshot_finish(&snapshots[i]);
    return status;
}
#else
Status comparison_write_picture(const Comparison *comparison, OutputFile *output, Error *error)
{
    (void)comparison, (void)output;
    return error_set(error, STATUS_BAD_PARAMETER,
                     "this build has no renderer, so it cannot write pictures");
}
#endif
