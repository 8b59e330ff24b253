#include "support/recorded.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

char recorded_folder[] = "/tmp/selvage-test-XXXXXX";
char recorded_path[64], recorded_old_path[66], recorded_mesh_path[64];

int recorded_make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(recorded_folder)) return -1;
    snprintf(recorded_path, sizeof recorded_path, "%s/session.rec", recorded_folder);
    snprintf(recorded_old_path, sizeof recorded_old_path, "%s~", recorded_path);
    snprintf(recorded_mesh_path, sizeof recorded_mesh_path, "%s/cloth.obj", recorded_folder);
    return 0;
}

int recorded_remove_folder(void **state)
{
    (void)state;
    unlink(recorded_path);
    unlink(recorded_old_path);
    unlink(recorded_mesh_path);
    return rmdir(recorded_folder);
}

void recorded_read(Recording *recording)
{
    Error error;
    if (recording_read(recorded_path, recording, &error) != STATUS_OK) fail_msg("%s", error.text);
}

uint64_t recorded_play(const Recording *recording, int left_out)
{
    Simulation *simulation;
    Error error;
    if (replay_start(recording, &simulation, &error) != STATUS_OK) fail_msg("%s", error.text);
    Replay replay = {.recording = recording};
    ReplayMove move;
    while ((move = replay_move(&replay, simulation_time(simulation))) != REPLAY_OVER) {
        if (move == REPLAY_COMMAND && replay.next == left_out) {
            replay.next++;
        } else if (move == REPLAY_COMMAND) {
            if (replay_apply(&replay, simulation, NULL, &error) != STATUS_OK && left_out < 0)
                fail_msg("%s", error.text);
        } else {
            simulation_step(simulation, NULL); // may diverge, as it did when recorded
            replay.tick++;
        }
    }
    uint64_t hash = simulation_hash(simulation);
    bool agrees = replay_agrees(&replay, simulation, &error);
    assert_true(agrees == (recording->hash_count == 0 || hash == recording->hashes[0]));
    if (!agrees) assert_non_null(strstr(error.text, "recorded was"));
    simulation_destroy(simulation);
    return hash;
}

RecordedRun recorded_begin(const Scene *scene)
{
    RecordedRun run;
    Error error;
    assert_int_equal(simulation_create(scene, &run.simulation, NULL), STATUS_OK);
    if (recorder_create(recorded_path, scene, false, run.simulation, &run.recorder, &error) !=
        STATUS_OK)
        fail_msg("%s", error.text);
    return run;
}

void recorded_steps(RecordedRun *run, int count)
{
    for (int i = 0; i < count; i++) {
        simulation_step(run->simulation, NULL);
        recorder_tick(run->recorder);
    }
}

void recorded_apply(RecordedRun *run, Command command)
{
    double time = simulation_time(run->simulation);
    Error error;
    if (simulation_apply(run->simulation, &command, &error) != STATUS_OK ||
        recorder_add(run->recorder, time, &command, run->simulation, &error) != STATUS_OK)
        fail_msg("%s", error.text);
}

uint64_t recorded_end(RecordedRun *run)
{
    assert_int_equal(recorder_end(run->recorder, run->simulation, NULL), STATUS_OK);
    uint64_t hash = simulation_hash(run->simulation);
    recorder_destroy(run->recorder);
    simulation_destroy(run->simulation);
    return hash;
}
