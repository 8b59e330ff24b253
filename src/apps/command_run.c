// selvage run: simulate without a window and write the requested files.
#include "apps/commands.h"
#include "apps/headless.h"
#include "apps/interrupt.h"
#include "apps/report.h"
#include "base/cpu.h"
#include "runtime/worker_crew.h"

#include <string.h>

typedef struct Outputs {
    OutputFile csv, png, state, video;
    FILE *series; // csv, open; NULL if not requested
    Clip *clip;   // video, likewise
    int width, height;
} Outputs;

static Status outputs_begin(Outputs *outputs, const Options *options, Error *error)
{
    *outputs = (Outputs){.width = options->width, .height = options->height};
    Status status = STATUS_OK;
#ifndef HAVE_VIEWER
    if (options->png) {
        return error_set(error, STATUS_BAD_PARAMETER,
                         "--png needs the renderer, and this build has none");
    }
    if (options->video) {
        return error_set(error, STATUS_BAD_PARAMETER,
                         "--video needs the renderer, and this build has none");
    }
#endif
    status = output_file_begin(&outputs->csv, options->csv, error);
    if (status == STATUS_OK) status = output_file_begin(&outputs->png, options->png, error);
    if (status == STATUS_OK) status = output_file_begin(&outputs->state, options->state_out, error);
    if (status == STATUS_OK) status = output_file_begin(&outputs->video, options->video, error);
    if (status == STATUS_OK && outputs->video.wanted)
        status = clip_start_as_asked(options, outputs->video.write, &outputs->clip, error);
    if (status == STATUS_OK && outputs->csv.wanted) {
        outputs->series = output_file_open(&outputs->csv, error);
        if (!outputs->series) status = STATUS_FILE;
    }
    return status;
}

static void outputs_finish(Outputs *outputs)
{
    if (outputs->series) fclose(outputs->series);
    clip_destroy(outputs->clip); // before its file is removed
    output_file_finish(&outputs->video);
    output_file_finish(&outputs->csv);
    output_file_finish(&outputs->png);
    output_file_finish(&outputs->state);
}

static Status write_series(Outputs *outputs, Error *error)
{
    if (!outputs->series) return STATUS_OK;
    FILE *series = outputs->series;
    outputs->series = NULL;
    return output_file_close(&outputs->csv, series, error);
}

static Status write_state(Outputs *outputs, const Simulation *simulation, Error *error)
{
    if (!outputs->state.wanted) return STATUS_OK;
    FILE *file = output_file_open(&outputs->state, error);
    if (!file) return STATUS_FILE;
    Status status = simulation_print_state(simulation, file, error);
    if (status == STATUS_OK) return output_file_close(&outputs->state, file, error);
    fclose(file);
    return status;
}

static Status write_video(Outputs *outputs, Error *error)
{
    if (!outputs->clip) return STATUS_OK;
    Status status = clip_finish(outputs->clip, error);
    return status == STATUS_OK ? output_file_commit(&outputs->video, error) : status;
}

// Writes everything requested, even if one file fails.
static int write_all(Outputs *outputs, Simulation *simulation)
{
    int code = EXIT_DONE;
    Error error;
    if (write_series(outputs, &error) != STATUS_OK) code = report_error(&error);
    if (write_state(outputs, simulation, &error) != STATUS_OK) code = report_error(&error);
    if (write_video(outputs, &error) != STATUS_OK) code = report_error(&error);
    clip_destroy(outputs->clip); // its context is current, and the picture makes another
    outputs->clip = NULL;
    if (headless_write_picture(simulation, &outputs->png, outputs->width, outputs->height,
                               &error) != STATUS_OK) {
        code = report_error(&error);
    }
    return code;
}

// What is to be said about how it went, beside what was asked for. The gravest is told.
static Status judge(const HeadlessResult *result, Error *error)
{
    if (result->replay_checked && !result->replay_matches) {
        *error = result->replay_difference;
        return error->status;
    }
    if (result->diverged)
        return error_set(error, STATUS_DIVERGED, "%s diverged: %.300s", result->scene.name,
                         result->message);
    if (result->interrupted)
        return error_set(error, STATUS_INTERRUPTED,
                         "interrupted %.40s; what was asked for ends there", result->message);
    return STATUS_OK;
}

// auto: all processors, unless a step is done before the others have begun.
static int threads_for(const Options *options, const Simulation *simulation)
{
    enum { LEAST = 3000 }; // particles: below that, two threads are as fast as one
    if (options->threads > 0) return options->threads;
    return simulation_particle_count(simulation) < LEAST ? 1 : cpu_count();
}

static Status lend_threads(const Options *options, Simulation *simulation, WorkerCrew **workers,
                           Error *error)
{
    int threads = threads_for(options, simulation);
    if (threads < 2) return STATUS_OK;
    Status status = worker_crew_start(threads, workers, error);
    if (status == STATUS_OK) simulation_set_crew(simulation, worker_crew(*workers));
    return status;
}

static int run(Simulation *simulation, const Scene *scene, const Recording *replay,
               const Options *options)
{
    Outputs outputs;
    HeadlessResult result;
    Recorder *recorder = NULL;
    WorkerCrew *workers = NULL;
    Error error;
    Interrupt interrupt;
    interrupt_begin(&interrupt);
    Status status = outputs_begin(&outputs, options, &error);
    if (status == STATUS_OK) status = lend_threads(options, simulation, &workers, &error);
    if (status == STATUS_OK && options->record) {
        bool other_particles = options->state_in || (replay && replay->particles);
        status =
            recorder_create(options->record, scene, other_particles, simulation, &recorder, &error);
    }
    if (status == STATUS_OK) {
        simulation_set_cancel(simulation, &interrupt.raised);
        HeadlessPlan plan = {.seconds = options->seconds,
                             .steps = options->steps,
                             .series = outputs.series,
                             .is_interrupted = interrupt_pending,
                             .replay = replay,
                             .recorder = recorder,
                             .clip = outputs.clip};
        status = headless_simulate(simulation, scene, &plan, &result, &error);
    }
    int code = EXIT_DONE;
    if (status == STATUS_OK) {
        code = write_all(&outputs, simulation);
        if (recorder && recorder_end(recorder, simulation, &error) != STATUS_OK)
            code = report_error(&error);
        // last: it changes what a run would go on from; whoever interrupts waits for no exact limit
        if (!result.interrupted) headless_refine(simulation, &result);
        (options->json ? headless_print_json : headless_print_table)(&result, stdout);
        if (code == EXIT_DONE && judge(&result, &error) != STATUS_OK) code = report_error(&error);
    } else {
        code = report_error(&error);
    }
    simulation_set_crew(simulation, NULL);
    simulation_set_cancel(simulation, NULL);
    worker_crew_stop(workers);
    recorder_destroy(recorder);
    outputs_finish(&outputs);
    interrupt_end(&interrupt);
    return code;
}

static int run_replay(const Options *options)
{
    Recording recording;
    Simulation *simulation = NULL;
    Error error;
    Status status = recording_read(options->replay, &recording, &error);
    if (status != STATUS_OK) return report_error(&error);
    if (recording_has_lanes(&recording)) {
        int code = command_replay_lanes(&recording, options);
        recording_finish(&recording);
        return code;
    }
    status = replay_start(&recording, &simulation, &error);
    int code = status == STATUS_OK ? run(simulation, &recording.scene, &recording, options)
                                   : report_error(&error);
    simulation_destroy(simulation);
    recording_finish(&recording);
    return code;
}

int command_run(const Options *options)
{
    if (options->lesson) return command_lesson(options);
    interrupt_announce();
    if (options->replay) return run_replay(options);
    Scene scene;
    Simulation *simulation = NULL;
    Error error;
    Status status = options_load_scene(options, &scene, &error);
    if (status == STATUS_OK) status = simulation_create(&scene, &simulation, &error);
    if (status == STATUS_OK) report_notice(simulation_mesh_notice(simulation));
    if (status == STATUS_OK && options->state_in) {
        status = simulation_read_state(simulation, options->state_in, &error);
    }
    int code = status == STATUS_OK ? run(simulation, &scene, NULL, options) : report_error(&error);
    simulation_destroy(simulation);
    return code;
}
