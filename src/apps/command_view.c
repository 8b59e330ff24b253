// selvage view: the window, or a table and a picture without one.
#include "apps/commands.h"
#include "apps/comparison.h"
#include "apps/headless.h"
#include "apps/interrupt.h"
#include "apps/report.h"
#include "lesson/lesson_file.h"

#ifdef HAVE_VIEWER
#include "apps/display.h"
#include "apps/viewer.h"
#endif

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static const double HEADLESS_SECONDS = 5.0;

// Simulate for a while, print the readouts, and write a picture if there is a name for it.
static int view_one(const Scene *scene, const Recording *replay, const char *record,
                    const char *picture, const atomic_bool *cancel)
{
    Simulation *simulation = NULL;
    Recorder *recorder = NULL;
    OutputFile output = {0};
    HeadlessResult result;
    Error error;
    Status status = output_file_begin(&output, picture, &error);
    if (status == STATUS_OK)
        status = replay ? replay_start(replay, &simulation, &error)
                        : simulation_create(scene, &simulation, &error);
    if (status == STATUS_OK) report_notice(simulation_mesh_notice(simulation));
    if (status == STATUS_OK && record)
        status = recorder_create(record, scene, replay && replay->particles, simulation, &recorder,
                                 &error);
    if (status == STATUS_OK) {
        simulation_set_cancel(simulation, cancel);
        HeadlessPlan plan = {.seconds = HEADLESS_SECONDS,
                             .steps = -1,
                             .is_interrupted = interrupt_pending,
                             .replay = replay,
                             .recorder = recorder};
        status = headless_simulate(simulation, scene, &plan, &result, &error);
    }
    if (status == STATUS_OK) {
        headless_print_table(&result, stdout);
        status = headless_write_picture(simulation, &output, 0, 0, &error);
        if (status == STATUS_OK && recorder) status = recorder_end(recorder, simulation, &error);
    }
    if (status == STATUS_OK && result.replay_checked && !result.replay_matches) {
        error = result.replay_difference;
        status = error.status;
    } else if (status == STATUS_OK && result.diverged) {
        status =
            error_set(&error, STATUS_DIVERGED, "%s diverged: %.300s", scene->name, result.message);
    } else if (status == STATUS_OK && result.interrupted) {
        status = error_set(&error, STATUS_INTERRUPTED,
                           "interrupted %.40s; what was asked for ends there", result.message);
    }
    recorder_destroy(recorder);
    output_file_finish(&output);
    simulation_destroy(simulation);
    return status == STATUS_OK ? EXIT_DONE : report_error(&error);
}

// The same for a scene with lanes: all of them, as `compare` does.
static int view_lanes(const Scene *scene, int reference, const char *picture,
                      const atomic_bool *cancel)
{
    Comparison *comparison = calloc(1, sizeof *comparison);
    OutputFile output = {0};
    Error error;
    Status status =
        comparison ? STATUS_OK : error_set(&error, STATUS_OUT_OF_MEMORY, "out of memory");
    if (status == STATUS_OK) status = output_file_begin(&output, picture, &error);
    if (status == STATUS_OK)
        status =
            comparison_init(comparison, scene, scene->lanes, scene->lane_count, reference, &error);
    if (status == STATUS_OK) {
        comparison_set_cancel(comparison, cancel);
        status = comparison_run(comparison, HEADLESS_SECONDS, interrupt_pending, &error);
    }
    if (status == STATUS_OK) comparison_print_table(comparison, stdout);
    if (status == STATUS_OK && output.wanted) {
        status = comparison_write_picture(comparison, &output, &error);
    }
    if (status == STATUS_OK && comparison->interrupted) {
        status = error_set(&error, STATUS_INTERRUPTED,
                           "interrupted at t = %.4g s; what was asked for ends there",
                           comparison->stage.time);
    }
    output_file_finish(&output);
    if (comparison) comparison_finish(comparison);
    free(comparison);
    return status == STATUS_OK ? EXIT_DONE : report_error(&error);
}

static int view_anything(const Scene *scene, const Recording *replay, const Options *options,
                         const char *picture, const atomic_bool *cancel)
{
    const char *record = options->record;
    int reference;
    Error error;
    if (scene->lane_count == 0 || replay) return view_one(scene, replay, record, picture, cancel);
    if (options_reference(options, scene, &reference, &error) != STATUS_OK)
        return report_error(&error);
    if (!record) return view_lanes(scene, reference, picture, cancel);
    error_set(&error, STATUS_BAD_PARAMETER,
              "without a window --record takes a scene with one lane, not with %d",
              scene->lane_count);
    return report_error(&error);
}

static int view_without_window(const Scene *scene, const Recording *replay, const Options *options,
                               const char *picture)
{
    Interrupt interrupt;
    interrupt_begin(&interrupt);
    int code = view_anything(scene, replay, options, picture, &interrupt.raised);
    interrupt_end(&interrupt);
    return code;
}

#ifdef HAVE_VIEWER
// What the command line says goes before what is remembered.
static Settings wanted_settings(const Settings *remembered, const Options *options)
{
    Settings wanted = *remembered;
    if (options->light || options->dark) wanted.light = options->light;
    if (!isnan(options->text_size)) wanted.text_size = (int)lround(options->text_size);
    if (options->width > 0) {
        wanted.width = options->width;
        wanted.height = options->height;
    }
    return wanted;
}

static int view_in_window(const Scene *scene, const Recording *replay, const Options *options)
{
    Settings remembered;
    Error complaint = {0}, error;
    int reference;
    if (options_reference(options, scene, &reference, &error) != STATUS_OK)
        return report_error(&error);
    RecentFiles *recent = calloc(1, sizeof *recent);
    settings_load(&remembered, &complaint);
    if (recent) recent_load(recent);
    const Settings first = wanted_settings(&remembered, options);
    Settings last = first;
    // a scene given by its path; one that is given by its name is in the list anyway
    const char *file = replay ? options->replay : options->scene;
    Error not_kept = {0};
    if (recent && file && access(file, F_OK) == 0) recent_add(recent, file, &not_kept);
    ViewerOptions viewer = {.scene = *scene,
                            .record = options->record,
                            .replay = replay,
                            .lesson = options->lesson,
                            .shader_directory = options->shaders,
                            .paused = options->paused,
                            .threads = options->threads,
                            .reference = reference,
                            .settings = &last,
                            .recent = recent,
                            .notice = *complaint.text ? complaint.text : not_kept.text};
    Status status = viewer_run(&viewer, &error);
    free(recent);
    if (status != STATUS_OK) return report_error(&error);
    if (settings_save_changes(&first, &last, &error) != STATUS_OK) report_notice(error.text);
    return EXIT_DONE;
}

static int view(const Scene *scene, const Recording *replay, const Options *options)
{
    if (!display_connect()) {
        if (replay && recording_has_lanes(replay)) {
            fprintf(stderr, "selvage: there is no display for a window, so the recording is played "
                            "without\n");
            return command_replay_lanes(replay, options);
        }
        char picture[sizeof scene->name + sizeof ".png"];
        snprintf(picture, sizeof picture, "%s.png", scene->name);
        if (replay) {
            fprintf(stderr,
                    "selvage: there is no display for a window, so the recording is played "
                    "and its end pictured in %s\n",
                    picture);
        } else {
            fprintf(stderr,
                    "selvage: there is no display for a window, so %g s are simulated and pictured "
                    "in %s\n",
                    HEADLESS_SECONDS, picture);
        }
        return view_without_window(scene, replay, options, picture);
    }
    return view_in_window(scene, replay, options);
}
#else
static int view(const Scene *scene, const Recording *replay, const Options *options)
{
    if (replay) {
        fprintf(stderr, "selvage: this build has no window, so the recording is played without\n");
        if (recording_has_lanes(replay)) return command_replay_lanes(replay, options);
    } else {
        fprintf(stderr, "selvage: this build has no window, so %g s are simulated without one\n",
                HEADLESS_SECONDS);
    }
    return view_without_window(scene, replay, options, NULL);
}
#endif

// A lesson starts with the scene of its first step. Without a window its promises are checked.
static int view_lesson(const Options *options)
{
#ifdef HAVE_VIEWER
    if (display_connect()) {
        Lesson *lesson;
        Error error;
        if (lesson_load(options->lesson, &lesson, &error) != STATUS_OK) return report_error(&error);
        Scene scene = lesson->steps[0].scene;
        lesson_destroy(lesson);
        return view(&scene, NULL, options);
    }
    fprintf(stderr, "selvage: there is no display for a window, so the lesson is run without\n");
#else
    fprintf(stderr, "selvage: this build has no window, so the lesson is run without\n");
#endif
    return command_lesson(options);
}

int command_view(const Options *options)
{
    Scene scene;
    Error error;
    if (options->lesson) return view_lesson(options);
    if (options->replay) {
        Recording recording;
        if (recording_read(options->replay, &recording, &error) != STATUS_OK)
            return report_error(&error);
        int code = view(&recording.scene, &recording, options);
        recording_finish(&recording);
        return code;
    }
    if (options_load_scene(options, &scene, &error) != STATUS_OK) return report_error(&error);
    return view(&scene, NULL, options);
}
