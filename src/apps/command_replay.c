// A recording with lanes, played to its end: how each of them ended.
#include "apps/clip.h"
#include "apps/commands.h"
#include "apps/interrupt.h"
#include "apps/json.h"
#include "apps/report.h"
#include "base/output_file.h"
#include "runtime/replay.h"
#include "simulation/state.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static const char *outcome_of(const Session *session, int lane)
{
    return session_has_stopped(session, lane) ? "diverged" : "done";
}

// NULL when there is nothing to compare with.
static const char *agreement(const Recording *recording, bool matches)
{
    if (!recording->has_end || recording->hash_count == 0) return NULL;
    return matches ? "agrees to the last bit" : "does not agree with what was recorded";
}

static void print_json(const Recording *recording, const Session *session, bool matches, FILE *file)
{
    Json json = {.file = file};
    json_open_object(&json, NULL);
    json_text(&json, "scene", recording->scene.name);
    json_number(&json, "time", session_time(session));
    if (agreement(recording, matches))
        json_bool(&json, "replay_matches", matches);
    else
        json_number(&json, "replay_matches", NAN); // null
    json_open_array(&json, "lanes");
    for (int i = 0; i < session_lane_count(session); i++) {
        const Simulation *lane = session_simulation(session, i);
        Readings now = simulation_readings(lane);
        char hash[17];
        snprintf(hash, sizeof hash, "%016" PRIx64, simulation_hash(lane));
        json_open_object(&json, NULL);
        json_text(&json, "integrator", integrator_table[simulation_params(lane)->integrator]->name);
        json_number(&json, "time", now.time);
        json_count(&json, "steps", now.step_count);
        json_number(&json, "step", now.step);
        json_text(&json, "hash", hash);
        json_text(&json, "outcome", outcome_of(session, i));
        json_close_object(&json);
    }
    json_close_array(&json);
    json_close_object(&json);
}

static void print_table(const Recording *recording, const Session *session, bool matches,
                        FILE *file)
{
    const char *how = agreement(recording, matches);
    fprintf(file, "scene      %s\n", recording->scene.name);
    fprintf(file, "simulated  %.6g s\n", session_time(session));
    fprintf(file, "replay     %s\n\n", how ? how : "played; it has no hash to compare with");
    fprintf(file, "%-4s  %-30s  %10s  %8s  %-16s  %s\n", "lane", "integrator", "time, s", "steps",
            "state", "outcome");
    for (int i = 0; i < session_lane_count(session); i++) {
        const Simulation *lane = session_simulation(session, i);
        Readings now = simulation_readings(lane);
        fprintf(file, "%-4d  %-30s  %10.6g  %8ld  %016" PRIx64 "  %s\n", i + 1,
                integrator_table[simulation_params(lane)->integrator]->name, now.time,
                now.step_count, simulation_hash(lane), outcome_of(session, i));
    }
}

// The first thing that is asked for and cannot be had of lanes; NULL: none.
static const char *not_for_lanes(const Options *options)
{
    if (options->csv) return "--csv";
    if (options->png) return "--png";
    if (options->state_out) return "--state-out";
    return options->record ? "--record" : NULL;
}

// A frame whenever one is due, from now on to the end. Commands and times decide every bit, so the
// frames in between change nothing.
static Status play_filmed(Replay *replay, Session *session, Clip *clip, StageSnapshot *stage,
                          Error *error)
{
    double filmed = 0.0; // s, without what was taken back
    Status status = STATUS_OK;
    while (status == STATUS_OK) {
        double now = session_time(session);
        if (filmed >= clip_due(clip) - 1e-9) { // rounding
            status = session_fill_snapshot(session, stage, error);
            if (status == STATUS_OK) status = clip_show(clip, stage->lanes, stage->count, error);
            continue;
        }
        ReplayMove move = replay_move(replay, now);
        if (move == REPLAY_OVER) break;
        if (interrupt_pending())
            return error_set(error, STATUS_INTERRUPTED, "interrupted at %g s", now);
        if (move == REPLAY_COMMAND) {
            status = replay_apply_to(replay, session, NULL, error);
            continue;
        }
        status = replay_move_on(replay, session, clip_due(clip) - filmed, error);
        filmed += fmax(0.0, session_time(session) - now);
    }
    return status;
}

static Status play_to_video(Replay *replay, Session *session, const Options *options, Error *error)
{
    OutputFile output;
    Clip *clip = NULL;
    StageSnapshot *stage = calloc(1, sizeof *stage);
    Status status = stage ? output_file_begin(&output, options->video, error)
                          : error_set(error, STATUS_OUT_OF_MEMORY, "out of memory for a video");
    if (status != STATUS_OK) {
        free(stage);
        return status;
    }
    status = clip_start_as_asked(options, output.write, &clip, error);
    if (status == STATUS_OK) status = play_filmed(replay, session, clip, stage, error);
    if (status == STATUS_OK) status = clip_finish(clip, error);
    clip_destroy(clip);
    if (status == STATUS_OK) status = output_file_commit(&output, error);
    output_file_finish(&output);
    stage_snapshot_finish(stage);
    free(stage);
    return status;
}

static Status play(const Recording *recording, const Options *options, Error *error)
{
    Session *session;
    Status status = replay_start_session(recording, 0, &session, error);
    if (status != STATUS_OK) return status;
    Replay replay = {.recording = recording};
    Interrupt interrupt;
    interrupt_begin(&interrupt);
    session_set_cancel(session, &interrupt.raised);
    status = options->video ? play_to_video(&replay, session, options, error)
                            : replay_play(&replay, session, interrupt_pending, error);
    session_set_cancel(session, NULL);
    interrupt_end(&interrupt);
    if (status == STATUS_OK) {
        bool matches = replay_agrees_with(&replay, session, error);
        (options->json ? print_json : print_table)(recording, session, matches, stdout);
        if (!matches) status = STATUS_FILE;
        for (int i = 0; i < session_lane_count(session) && status == STATUS_OK; i++) {
            if (session_has_stopped(session, i))
                status = error_set(error, STATUS_DIVERGED, "lane %d diverged at %.6g s", i + 1,
                                   simulation_time(session_simulation(session, i)));
        }
    }
    session_destroy(session);
    return status;
}

int command_replay_lanes(const Recording *recording, const Options *options)
{
    Error error;
    const char *wrong = not_for_lanes(options);
    if (wrong) {
        error_set(&error, STATUS_BAD_PARAMETER,
                  "%s is for one cloth, and %.200s has lanes; `selvage compare` writes such files",
                  wrong, recording->path);
        return report_error(&error);
    }
    return play(recording, options, &error) == STATUS_OK ? EXIT_DONE : report_error(&error);
}
