// A simulation without a window, a thread or a clock to keep: for `run`, and for `view` where
// there is no display.
#ifndef APPS_HEADLESS_H
#define APPS_HEADLESS_H

#include "apps/output_file.h"
#include "simulation/simulation.h"

#include <stdio.h>

typedef struct HeadlessPlan {
    double seconds; // s, simulated; whole steps until less than half a step is missing
    long steps;     // instead of `seconds` if >= 0
    FILE *series;   // time series as CSV; NULL: none. The caller checks it for write errors.
    bool (*is_interrupted)(void); // asked between steps, now and then; NULL: never
} HeadlessPlan;

typedef struct HeadlessResult {
    Scene scene; // params as they were used
    Readings readings;
    double real_time_factor; // simulated per real second
    bool diverged, interrupted;
    char message[sizeof((Error *)0)->text]; // what happened; "" while all is well
} HeadlessResult;

// Steps until the plan is fulfilled, the cloth diverges or somebody interrupts: all of them
// results. Fails only for want of memory.
Status headless_simulate(Simulation *simulation, const Scene *scene, const HeadlessPlan *plan,
                         HeadlessResult *out, Error *error);

// Make k0 and the step limit of a result exact, as `analyze` gives them.
void headless_refine(Simulation *simulation, HeadlessResult *result);
void headless_print_table(const HeadlessResult *result, FILE *file);
void headless_print_json(const HeadlessResult *result, FILE *file);

// A picture of the simulation as it is now, put in its place when it is complete. A build without
// the renderer refuses.
Status headless_write_picture(Simulation *simulation, OutputFile *output, Error *error);

#endif
