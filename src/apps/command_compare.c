// selvage compare: one scene under several methods, on one clock.
#include "apps/commands.h"
#include "apps/comparison.h"
#include "apps/interrupt.h"
#include "apps/report.h"

#include <stdlib.h>
#include <string.h>

typedef struct Outputs {
    OutputFile csv, svg, png;
} Outputs;

static Status outputs_begin(Outputs *outputs, const Options *options, Error *error)
{
    *outputs = (Outputs){0};
#ifndef HAVE_VIEWER
    if (options->png) {
        return error_set(error, STATUS_BAD_PARAMETER,
                         "--png needs the renderer, and this build has none");
    }
#endif
    Status status = output_file_begin(&outputs->csv, options->csv, error);
    if (status == STATUS_OK) status = output_file_begin(&outputs->svg, options->svg, error);
    if (status == STATUS_OK) status = output_file_begin(&outputs->png, options->png, error);
    return status;
}

static void outputs_finish(Outputs *outputs)
{
    output_file_finish(&outputs->csv);
    output_file_finish(&outputs->svg);
    output_file_finish(&outputs->png);
}

static Status write_text(OutputFile *output, const Comparison *comparison,
                         void (*print)(const Comparison *, FILE *), Error *error)
{
    if (!output->wanted) return STATUS_OK;
    FILE *file = output_file_open(output, error);
    if (!file) return STATUS_FILE;
    print(comparison, file);
    return output_file_close(output, file, error);
}

static Status write_picture(OutputFile *output, const Comparison *comparison, Error *error)
{
    if (!output->wanted) return STATUS_OK;
    return comparison_write_picture(comparison, output, error);
}

// Writes everything requested, even if one file fails.
static int write_all(Outputs *outputs, const Comparison *comparison)
{
    int code = EXIT_DONE;
    Error error;
    if (write_text(&outputs->csv, comparison, comparison_print_csv, &error) != STATUS_OK)
        code = report_error(&error);
    if (write_text(&outputs->svg, comparison, comparison_draw, &error) != STATUS_OK)
        code = report_error(&error);
    if (write_picture(&outputs->png, comparison, &error) != STATUS_OK) code = report_error(&error);
    return code;
}

static Status read_lanes(const Options *options, const Scene *scene, Lane lanes[COMPARED_MAX],
                         int *count, Error *error)
{
    Status status = options_lanes(options, scene, lanes, COMPARED_MAX, count, error);
    if (status != STATUS_OK || *count > 0) return status;
    return error_set(
        error, STATUS_BAD_PARAMETER,
        "the scene %s has no [lane] sections, and compare takes 1 to %d lanes, such as "
        "--lane integrator=rk4 --lane \"integrator=backward-euler step=0.01\"",
        scene->name, (int)COMPARED_MAX);
}

// A lane's number from 1, its name, or `fine`, which is -1 and the default.
static Status find_reference(const char *text, const Lane *lanes, int count, int *out, Error *error)
{
    *out = -1;
    if (!text || strcmp(text, "fine") == 0) return STATUS_OK;
    char *end;
    long number = strtol(text, &end, 10);
    for (int i = 0; i < count; i++) {
        bool numbered = end != text && *end == '\0' && number == i + 1;
        if (numbered || strcmp(text, lanes[i].name) == 0) {
            *out = i;
            return STATUS_OK;
        }
    }
    return error_set(error, STATUS_BAD_PARAMETER,
                     "--reference takes fine, the number of a lane from 1 to %d, or its name, such "
                     "as \"%s\", not \"%.80s\"",
                     count, lanes[0].name, text);
}

static int compare(const Options *options, Comparison *comparison)
{
    Error error;
    Outputs outputs;
    Interrupt interrupt;
    interrupt_begin(&interrupt);
    Status status = outputs_begin(&outputs, options, &error);
    comparison_set_cancel(comparison, &interrupt.raised);
    if (status == STATUS_OK)
        status = comparison_run(comparison, options->seconds, interrupt_pending, &error);
    int code = EXIT_DONE;
    if (status == STATUS_OK) {
        code = write_all(&outputs, comparison);
        (options->json ? comparison_print_json : comparison_print_table)(comparison, stdout);
        if (code == EXIT_DONE && comparison->interrupted) {
            error_set(&error, STATUS_INTERRUPTED,
                      "interrupted at t = %.4g s; what was asked for ends there",
                      comparison->stage.time);
            code = report_error(&error);
        }
    } else {
        code = report_error(&error);
    }
    comparison_set_cancel(comparison, NULL);
    outputs_finish(&outputs);
    interrupt_end(&interrupt);
    return code;
}

int command_compare(const Options *options)
{
    interrupt_announce();
    Scene scene;
    Lane lanes[COMPARED_MAX];
    Comparison *comparison = calloc(1, sizeof *comparison);
    Error error;
    int count, reference;
    Status status =
        comparison ? STATUS_OK : error_set(&error, STATUS_OUT_OF_MEMORY, "out of memory");
    if (status == STATUS_OK) status = options_load_scene(options, &scene, &error);
    if (status == STATUS_OK) status = read_lanes(options, &scene, lanes, &count, &error);
    if (status == STATUS_OK)
        status = find_reference(options->reference, lanes, count, &reference, &error);
    if (status == STATUS_OK)
        status = comparison_init(comparison, &scene, lanes, count, reference, &error);
    if (status == STATUS_OK)
        report_notice(simulation_mesh_notice(comparison->stage.lanes[0].simulation));
    int code = status == STATUS_OK ? compare(options, comparison) : report_error(&error);
    if (comparison) comparison_finish(comparison);
    free(comparison);
    return code;
}
