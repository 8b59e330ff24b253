// Writes a recording while it happens. Each command is in the file before the next step is taken,
// so a program that is killed leaves a file that can be played up to its last command.
//
// Used by the thread of the simulation. A command costs one write to the file and no memory is
// kept. When a write fails, the recording ends there and what was written before stays.
#ifndef RUNTIME_RECORDER_H
#define RUNTIME_RECORDER_H

#include "simulation/simulation.h"

typedef struct Recorder Recorder;

// `simulation` is at its beginning, made from `scene`; `other_particles` says that its particles
// were changed since. A file that was there before is kept as `path`~. On failure *out is NULL.
Status recorder_create(const char *path, const Scene *scene, bool other_particles,
                       const Simulation *simulation, Recorder **out, Error *error);
void recorder_destroy(Recorder *recorder); // without an end; accepts NULL

// A step was tried.
void recorder_tick(Recorder *recorder);
// A command was applied, at `time` (s); the simulation is as it is afterwards. Not for RUN, PAUSE,
// STEP and QUIT, which change no bit. After a failure it does nothing, successfully.
Status recorder_add(Recorder *recorder, double time, const Command *command,
                    const Simulation *simulation, Error *error);
// The end: writes the hash of the state and closes the file. Tells of the first failure since the
// beginning.
Status recorder_end(Recorder *recorder, const Simulation *simulation, Error *error);

#endif
