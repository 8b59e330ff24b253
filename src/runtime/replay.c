#include "runtime/replay.h"

#include "simulation/state.h"

#include <inttypes.h>

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

static bool is_due(const Replay *replay, long tick, double time, const Simulation *simulation)
{
    return tick >= 0 ? replay->tick >= tick : simulation_time(simulation) >= time;
}

ReplayMove replay_move(const Replay *replay, const Simulation *simulation)
{
    const Recording *recording = replay->recording;
    if (replay->next < recording->command_count) {
        const RecordedCommand *next = &recording->commands[replay->next];
        return is_due(replay, next->tick, next->time, simulation) ? REPLAY_COMMAND : REPLAY_STEP;
    }
    if (!recording->has_end) return REPLAY_OVER;
    return is_due(replay, recording->end_tick, recording->end_time, simulation) ? REPLAY_OVER
                                                                                : REPLAY_STEP;
}

Status replay_apply(Replay *replay, Simulation *simulation, const Command **out, Error *error)
{
    const Recording *recording = replay->recording;
    const RecordedCommand *next = &recording->commands[replay->next++];
    if (out) *out = &next->command;
    Error reason;
    Status status = simulation_apply(simulation, &next->command, &reason);
    if (status != STATUS_OK) {
        return error_set(error, status, "%.200s, line %d: %.500s", recording->path, next->line,
                         reason.text);
    }
    if (next->command.kind != COMMAND_LOAD_SCENE) return STATUS_OK;
    return check_mesh(recording, next->line, next->command.scene, next->mesh, simulation, error);
}

bool replay_waits_in_vain(const Replay *replay)
{
    const Recording *recording = replay->recording;
    if (replay->next < recording->command_count) return recording->commands[replay->next].tick < 0;
    return recording->has_end && recording->end_tick < 0;
}

bool replay_agrees(const Replay *replay, const Simulation *simulation, Error *error)
{
    const Recording *recording = replay->recording;
    if (!recording->has_end || !recording->has_hash) return true;
    uint64_t hash = simulation_hash(simulation);
    if (hash == recording->hash) return true;
    error_set(error, STATUS_FILE,
              "%.200s: the replay ends with the state %016" PRIx64 " at t = %.6g s, recorded was "
              "%016" PRIx64 " at %.6g s; another version or processor may compute differently",
              recording->path, hash, simulation_time(simulation), recording->hash,
              recording->end_time);
    return false;
}
