// selvage bench: how fast the solver is, as a table or as JSON. A missed goal is printed; the exit
// code stays 0, because machines differ.
#include "apps/commands.h"
#include "apps/json.h"
#include "apps/report.h"
#include "bench/solver_bench.h"

#include <stdlib.h>

static void print_table(const BenchResult *result)
{
    int goals = 0, reached = 0;
    printf("One thread, double precision, kernels %s; best of several rounds in turns.\n\n",
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

int command_bench(const Options *options)
{
    BenchResult *result = malloc(sizeof *result);
    Error error;
    Status status = result ? bench_run(options->quick, result, &error)
                           : error_set(&error, STATUS_OUT_OF_MEMORY, "not enough memory");
    if (status == STATUS_OK) (options->json ? print_json : print_table)(result);
    free(result);
    return status == STATUS_OK ? EXIT_DONE : report_error(&error);
}
