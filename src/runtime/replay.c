#include "runtime/replay.h"

#include "simulation/state.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#define STRIDE 0.1 // s, simulated, between two looks for an interruption

static Status check_mesh(const Recording *recording, int line, const Scene *scene,
                         uint64_t expected, const Simulation *simulation, Error *error)
{
    if (scene->mesh[0] == '\0' || simulation_mesh_fingerprint(simulation) == expected)
        return STATUS_OK;
    return error_set(error, STATUS_FILE,
                     "%.200s, line %d: the mesh %.300s is no longer the one that was recorded",
                     recording->path, line, scene->mesh);
}

Status replay_start(const Recording *recording, Simulation **out, Error *error)
{
    Simulation *simulation = NULL;
    *out = NULL;
    Error reason = {0};
    Status status = simulation_create(&recording->scene, &simulation, &reason);
    if (status != STATUS_OK)
        return error_set(error, status, "%.200s: %.500s", recording->path, reason.text);
    status = check_mesh(recording, recording->scene_line, &recording->scene, recording->mesh,
                        simulation, error);
    if (status == STATUS_OK && recording->particles)
        status = simulation_read_state_text(simulation, recording->path, recording->particles_line,
                                            recording->particles, recording->particles_size, error);
    if (status != STATUS_OK) {
        simulation_destroy(simulation);
        return status;
    }
    *out = simulation;
    return STATUS_OK;
}

bool recording_has_lanes(const Recording *recording)
{
    bool has = recording->scene.lane_count > 0;
    for (int i = 0; i < recording->command_count; i++) {
        const Command *command = &recording->commands[i].command;
        has = has || (command->kind == COMMAND_LOAD_SCENE && command->scene->lane_count > 0);
    }
    return has;
}

Status replay_start_session(const Recording *recording, size_t budget, Session **out, Error *error)
{
    *out = NULL;
    if (recording->scene.lane_count == 0) {
        Simulation *simulation;
        Status status = replay_start(recording, &simulation, error);
        if (status != STATUS_OK) return status;
        return session_create_around(simulation, &recording->scene, budget, out, error);
    }
    Error reason = {0};
    Status status = session_create(&recording->scene, budget, out, &reason);
    if (status != STATUS_OK)
        return error_set(error, status, "%.200s: %.500s", recording->path, reason.text);
    status = check_mesh(recording, recording->scene_line, &recording->scene, recording->mesh,
                        session_simulation(*out, 0), error);
    if (status != STATUS_OK) {
        session_destroy(*out);
        *out = NULL;
    }
    return status;
}

static bool is_due(const Replay *replay, long tick, double due, double time)
{
    return tick >= 0 ? replay->tick >= tick : time >= due;
}

double replay_next_time(const Replay *replay)
{
    const Recording *recording = replay->recording;
    if (replay->next < recording->command_count) {
        const RecordedCommand *next = &recording->commands[replay->next];
        return next->tick < 0 ? next->time : INFINITY;
    }
    return recording->has_end && recording->end_tick < 0 ? recording->end_time : INFINITY;
}

ReplayMove replay_move(const Replay *replay, double time)
{
    const Recording *recording = replay->recording;
    if (replay->next < recording->command_count) {
        const RecordedCommand *next = &recording->commands[replay->next];
        return is_due(replay, next->tick, next->time, time) ? REPLAY_COMMAND : REPLAY_STEP;
    }
    if (!recording->has_end) return REPLAY_OVER;
    return is_due(replay, recording->end_tick, recording->end_time, time) ? REPLAY_OVER
                                                                          : REPLAY_STEP;
}

static Status judge(const Recording *recording, const RecordedCommand *next, Status status,
                    const Error *reason, const Simulation *simulation, Error *error)
{
    if (status != STATUS_OK) {
        return error_set(error, status, "%.200s, line %d: %.500s", recording->path, next->line,
                         reason->text);
    }
    if (next->command.kind != COMMAND_LOAD_SCENE) return STATUS_OK;
    return check_mesh(recording, next->line, next->command.scene, next->mesh, simulation, error);
}

Status replay_apply(Replay *replay, Simulation *simulation, const Command **out, Error *error)
{
    const RecordedCommand *next = &replay->recording->commands[replay->next++];
    if (out) *out = &next->command;
    Error reason;
    Status status = simulation_apply(simulation, &next->command, &reason);
    return judge(replay->recording, next, status, &reason, simulation, error);
}

Status replay_apply_to(Replay *replay, Session *session, const Command **out, Error *error)
{
    const RecordedCommand *next = &replay->recording->commands[replay->next++];
    if (out) *out = &next->command;
    Error reason;
    Status status = session_apply(session, &next->command, &reason);
    return judge(replay->recording, next, status, &reason, session_simulation(session, 0), error);
}

bool replay_waits_in_vain(const Replay *replay)
{
    const Recording *recording = replay->recording;
    if (replay->next < recording->command_count) return recording->commands[replay->next].tick < 0;
    return recording->has_end && recording->end_tick < 0;
}

static bool lane_agrees(const Recording *recording, int lane, const Simulation *simulation,
                        const char *name, Error *error)
{
    uint64_t hash = simulation_hash(simulation), recorded = recording->hashes[lane];
    if (hash == recorded) return true;
    error_set(error, STATUS_FILE,
              "%.200s: the replay ends with the state %016" PRIx64 "%s at t = %.6g s, recorded was "
              "%016" PRIx64 " at %.6g s; another version or processor may compute differently",
              recording->path, hash, name, simulation_time(simulation), recorded,
              recording->end_time);
    return false;
}

bool replay_agrees(const Replay *replay, const Simulation *simulation, Error *error)
{
    const Recording *recording = replay->recording;
    if (!recording->has_end || recording->hash_count == 0) return true;
    return lane_agrees(recording, 0, simulation, "", error);
}

bool replay_agrees_with(const Replay *replay, const Session *session, Error *error)
{
    const Recording *recording = replay->recording;
    if (!recording->has_end || recording->hash_count == 0) return true;
    int count = session_lane_count(session);
    if (count != recording->hash_count) {
        error_set(error, STATUS_FILE, "%.200s: the replay ends with %d lanes, recorded were %d",
                  recording->path, count, recording->hash_count);
        return false;
    }
    for (int i = 0; i < count; i++) {
        char name[32] = "";
        if (count > 1) snprintf(name, sizeof name, " of lane %d", i + 1);
        if (!lane_agrees(recording, i, session_simulation(session, i), name, error)) return false;
    }
    return true;
}

Status replay_move_on(Replay *replay, Session *session, double most, Error *error)
{
    bool lanes = session_has_lanes(session);
    double until = fmin(session_time(session) + fmin(STRIDE, most), replay_next_time(replay));
    Status status = session_advance(session, until, INFINITY, error);
    if (!lanes) replay->tick++;
    if (status == STATUS_OK || (lanes && status == STATUS_DIVERGED)) return STATUS_OK;
    // the recorded run went on, if only to its end
    bool goes_on = status == STATUS_DIVERGED && !replay_waits_in_vain(replay);
    return goes_on ? STATUS_OK : status;
}

Status replay_play(Replay *replay, Session *session, bool (*is_interrupted)(void), Error *error)
{
    for (;;) {
        ReplayMove move = replay_move(replay, session_time(session));
        if (move == REPLAY_OVER) return STATUS_OK;
        if (is_interrupted && is_interrupted())
            return error_set(error, STATUS_INTERRUPTED, "interrupted at %g s",
                             session_time(session));
        Status status = move == REPLAY_COMMAND ? replay_apply_to(replay, session, NULL, error)
                                               : replay_move_on(replay, session, STRIDE, error);
        if (status != STATUS_OK) return status;
    }
}
