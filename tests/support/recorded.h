// What the tests of recordings share: a folder of their own, a run that is recorded, and a replay.
#ifndef TESTS_RECORDED_H
#define TESTS_RECORDED_H

#include "support/solver_test.h"

#include "runtime/recorder.h"
#include "runtime/replay.h"
#include "simulation/state.h"

// In the folder, once it is made: the recording, the one it replaced, a mesh.
extern char recorded_folder[], recorded_path[64], recorded_old_path[66], recorded_mesh_path[64];
int recorded_make_folder(void **state);   // a group's setup
int recorded_remove_folder(void **state); // and its teardown

void recorded_read(Recording *recording);
// Play it as fast as possible, without the command number `left_out` (-1: all). Returns the hash of
// the end.
uint64_t recorded_play(const Recording *recording, int left_out);

typedef struct RecordedRun {
    Simulation *simulation;
    Recorder *recorder;
} RecordedRun;
RecordedRun recorded_begin(const Scene *scene);
void recorded_steps(RecordedRun *run, int count);
void recorded_apply(RecordedRun *run, Command command);
uint64_t recorded_end(RecordedRun *run); // returns the hash of the end

#endif
