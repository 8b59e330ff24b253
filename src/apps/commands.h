// The commands of the program. Each returns the exit code; if that is not 0, it has printed why.
#ifndef APPS_COMMANDS_H
#define APPS_COMMANDS_H

#include "apps/options.h"
#include "runtime/recording.h"

int command_view(const Options *options);
int command_list(const Options *options);
int command_run(const Options *options);
// Of run: a recording with lanes.
int command_replay_lanes(const Recording *recording, const Options *options);
// Of run: all steps of a lesson, and what they promise.
int command_lesson(const Options *options);
int command_analyze(const Options *options);
int command_region(const Options *options);
int command_bench(const Options *options);
int command_compare(const Options *options);
int command_sweep(const Options *options);
int command_figure(const Options *options);

#endif
