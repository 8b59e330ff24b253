// Writes a recording while it happens. Each command is in the file before the next step, so a
// program that is killed leaves a file that can be played up to its last command.
//
// Used by the simulation's thread. A command costs one write to the file and keeps no memory. When
// a write fails, the recording ends there; what was written before stays.
#ifndef RUNTIME_RECORDER_H
#define RUNTIME_RECORDER_H

#include "simulation/simulation.h"

typedef struct Recorder Recorder;

// `simulation` is at its start, made from `scene`; `other_particles` says that its particles have
// been changed. An existing file is kept as `path`~. On failure *out is NULL.
Status recorder_create(const char *path, const Scene *scene, bool other_particles,
                       const Simulation *simulation, Recorder **out, Error *error);
void recorder_destroy(Recorder *recorder); // writes no end; accepts NULL

// A step was tried.
void recorder_tick(Recorder *recorder);
// A command was applied at `time` (s), and `simulation` is the state after it. Not for RUN, PAUSE,
// STEP and QUIT, which change no bit. After a failure it does nothing and returns STATUS_OK.
Status recorder_add(Recorder *recorder, double time, const Command *command,
                    const Simulation *simulation, Error *error);
// The run goes on from the state of an earlier tick: what came after it is void. The head was at
// `time` (s).
Status recorder_back(Recorder *recorder, double time, long tick, Error *error);
// The last `back` is undone: the run goes on from the tick at which it was.
Status recorder_recall(Recorder *recorder, double time, long tick, Error *error);
// The same of lanes, where the clock shows `time`; `lanes` stands for the state after it.
Status recorder_add_at(Recorder *recorder, double time, const Command *command,
                       const Simulation *lanes, Error *error);
// All lanes go on from where they were at `to`, s.
Status recorder_back_to(Recorder *recorder, double time, double to, Error *error);
Status recorder_recall_at(Recorder *recorder, double time, Error *error);
// Writes the hashes of all lanes at the end.
Status recorder_end_at(Recorder *recorder, double time, const uint64_t *hashes, int count,
                       Error *error);
// Writes the hash of the state, closes the file, and reports the first failure of the recording.
Status recorder_end(Recorder *recorder, const Simulation *simulation, Error *error);

#endif
