// selvage bench: how fast the solver or the window is, as a table or as JSON. A missed goal is
// printed; the exit code stays 0, because machines differ.
#include "apps/commands.h"
#ifdef HAVE_VIEWER
#include "apps/frame_bench.h"
#endif
#include "apps/json.h"
#include "apps/report.h"
#include "bench/solver_bench.h"
#include "runtime/worker_crew.h"

#include <stdlib.h>

static void print_table(const BenchResult *result)
{
    int goals = 0, reached = 0;
    printf(
        "Double precision, kernels %s; one thread where no other number is given; best of several "
        "rounds in turns.\n\n",
        result->kernels);
    printf("%-44s %10s %-12s %9s %8s  %s\n", "", "value", "unit", "naive", "ratio", "goal");
    for (int i = 0; i < result->count; i++) {
        const BenchLine *line = &result->lines[i];
        printf("%-44s %10.4g %-12s", line->name, line->value, line->unit);
        if (line->naive > 0.0) {
            printf(" %9.4g %7.2fx", line->naive, bench_achieved(line));
        } else {
            printf(" %9s %8s", "", "");
        }
        if (line->goal > 0.0) {
            goals++;
            reached += bench_reached(line);
            printf("  %s %g: %s", line->goal_is_most ? "at most" : "at least", line->goal,
                   bench_reached(line) ? "reached" : "missed");
        }
        if (line->note[0]) printf("  %s", line->note);
        putchar('\n');
    }
    printf("\n%d of %d goals reached.\n", reached, goals);
}

static void print_json(const BenchResult *result)
{
    Json json = {.file = stdout};
    json_open_object(&json, NULL);
    json_text(&json, "kernels", result->kernels);
    json_open_array(&json, "lines");
    for (int i = 0; i < result->count; i++) {
        const BenchLine *line = &result->lines[i];
        json_open_object(&json, NULL);
        json_text(&json, "name", line->name);
        json_number(&json, "value", line->value);
        json_text(&json, "unit", line->unit);
        if (line->naive > 0.0) {
            json_number(&json, "naive", line->naive);
            json_number(&json, "ratio", bench_achieved(line));
        }
        if (line->goal > 0.0) {
            json_number(&json, line->goal_is_most ? "goal_at_most" : "goal_at_least", line->goal);
            json_bool(&json, "reached", bench_reached(line));
        }
        if (line->note[0]) json_text(&json, "note", line->note);
        json_close_object(&json);
    }
    json_close_array(&json);
    json_close_object(&json);
}

#ifdef HAVE_VIEWER
static void print_frame_table(const FrameBenchLine *lines)
{
    printf("The window's pictures and panels without a display, the simulation beside them.\n\n");
    printf("%-30s %11s %9s %6s  %-8s %7s %7s %9s %9s %7s %6s %6s  %s\n", "", "window", "frames/s",
           "goal", "", "threads", "always", "panels/s", "pictures", "panels", "pace", "shown",
           "drawn with");
    for (int i = 0; i < FRAME_BENCH_CASES; i++) {
        const FrameBenchLine *line = &lines[i];
        printf(
            "%-30s %5d x%5d %9.1f %6.0f  %-8s %6.0f%% %7.1f %9.1f %8.0f%% %6.0f%% %6.2f %6.2f  %s",
            line->name, line->width, line->height, line->frames, line->goal,
            line->reached ? "reached" : "missed", 100.0 * line->woven, line->all_panels,
            line->panel_frames, 100.0 * line->pictures, 100.0 * line->panels, line->pace,
            line->shown_pace, line->detail);
        if (line->pace_goal > 0.0) printf("; goal with pace %.2f", line->pace_goal);
        putchar('\n');
    }
    printf("\nA goal is reached only with threads. Threads: share of the frames that had them.\n"
           "Always: frames/s if panels were drawn in each. Panels/s: how often they are. Pictures "
           "and panels: shares of the time.\nPace: simulated per real second; shown: as the window "
           "says. Drawn with: at the end.\n");
}

static void print_frame_json(const FrameBenchLine *lines)
{
    Json json = {.file = stdout};
    json_open_object(&json, NULL);
    json_open_array(&json, "frames");
    for (int i = 0; i < FRAME_BENCH_CASES; i++) {
        const FrameBenchLine *line = &lines[i];
        json_open_object(&json, NULL);
        json_text(&json, "name", line->name);
        json_number(&json, "frames_per_second", line->frames);
        json_number(&json, "goal_at_least", line->goal);
        if (line->pace_goal > 0.0) json_number(&json, "pace_goal_at_least", line->pace_goal);
        json_bool(&json, "reached", line->reached);
        json_number(&json, "share_with_threads", line->woven);
        json_number(&json, "frames_per_second_with_all_panels", line->all_panels);
        json_number(&json, "panels_per_second", line->panel_frames);
        json_number(&json, "share_of_pictures", line->pictures);
        json_number(&json, "share_of_panels", line->panels);
        json_number(&json, "pace", line->pace);
        json_number(&json, "shown_pace", line->shown_pace);
        json_text(&json, "detail", line->detail);
        json_close_object(&json);
    }
    json_close_array(&json);
    json_close_object(&json);
}

static int bench_frames(const Options *options)
{
    FrameBenchLine lines[FRAME_BENCH_CASES];
    Error error;
    if (frame_bench_run(options->quick, lines, &error) != STATUS_OK) return report_error(&error);
    (options->json ? print_frame_json : print_frame_table)(lines);
    return EXIT_DONE;
}
#else
static int bench_frames(const Options *options)
{
    (void)options;
    Error error;
    error_set(&error, STATUS_GPU, "bench --frames needs the viewer, which was not built");
    return report_error(&error);
}
#endif

int command_bench(const Options *options)
{
    if (options->frames) return bench_frames(options);
    BenchResult *result = malloc(sizeof *result);
    Error error;
    WorkerCrew *workers = NULL;
    Status status = result ? worker_crew_start(2, &workers, &error)
                           : error_set(&error, STATUS_OUT_OF_MEMORY, "not enough memory");
    if (status == STATUS_OK)
        status = bench_run(options->quick, worker_crew(workers), result, &error);
    worker_crew_stop(workers);
    if (status == STATUS_OK) (options->json ? print_json : print_table)(result);
    free(result);
    return status == STATUS_OK ? EXIT_DONE : report_error(&error);
}
