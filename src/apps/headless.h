// Runs a simulation without window, threads or pacing: for `run`, and for `view` without a display.
#ifndef APPS_HEADLESS_H
#define APPS_HEADLESS_H

#include "apps/clip.h"
#include "apps/json.h"
#include "base/output_file.h"
#include "runtime/recorder.h"
#include "runtime/replay.h"

#include <stdio.h>

typedef struct HeadlessPlan {
    double seconds; // s, simulated; whole steps until less than half a step is missing
    long steps;     // instead of `seconds` if >= 0
    FILE *series;   // time series as CSV; NULL: none. The caller checks it for write errors.
    bool (*is_interrupted)(void); // asked between steps, now and then; NULL: never
    const Recording *replay;      // instead of both: until it is over; NULL: none
    Recorder *recorder;           // NULL: none. The caller ends it.
    Clip *clip;                   // likewise: a video
} HeadlessPlan;

typedef struct HeadlessResult {
    Scene scene; // with the parameters that were used
    Readings readings;
    double real_time_factor; // simulated per real second
    uint64_t hash;           // of the state at the end
    bool diverged, interrupted;
    bool replay_checked; // a replay came to its end, and the recording has a hash to compare with
    bool replay_matches;
    char replay_text[160];                  // how it ended; "" without a replay
    Error replay_difference;                // when it does not match
    char message[sizeof((Error *)0)->text]; // what happened; "" while all is well
} HeadlessResult;

// Steps until the plan is fulfilled, the cloth diverges or somebody interrupts: all of them
// results. A replay goes on where the recorded run did. Fails for want of memory, when a command of
// the replay is refused, or when there is no more video.
Status headless_simulate(Simulation *simulation, const Scene *scene, const HeadlessPlan *plan,
                         HeadlessResult *out, Error *error);

// Make k0 and the step limit of a result exact, as `analyze` gives them.
void headless_refine(Simulation *simulation, HeadlessResult *result);
void headless_print_table(const HeadlessResult *result, FILE *file);
void headless_print_json(const HeadlessResult *result, FILE *file);
void headless_print_energy(Energy energy, Json *json); // as the member "energy"

// Writes a picture of the present state and renames it when it is complete; of 1280 x 800 pixels if
// width is 0. Fails in a build without the renderer.
Status headless_write_picture(Simulation *simulation, OutputFile *output, int width, int height,
                              Error *error);

#endif
