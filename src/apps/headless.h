// Runs a simulation without window, threads or pacing: for `run`, and for `view` without a display.
#ifndef APPS_HEADLESS_H
#define APPS_HEADLESS_H

#include "apps/output_file.h"
#include "simulation/simulation.h"

#include <stdio.h>

typedef struct HeadlessPlan {
    double seconds; // s, simulated; whole steps until less than half a step is missing
    long steps;     // instead of `seconds` if >= 0
    FILE *series;   // time series as CSV; NULL: none. The caller checks it for write errors.
    bool (*is_interrupted)(void); // called every few steps; NULL: never
} HeadlessPlan;

typedef struct HeadlessResult {
    Scene scene; // with the parameters that were used
    Readings readings;
    double real_time_factor; // simulated seconds per real second
    bool diverged, interrupted;
    char message[sizeof((Error *)0)->text]; // what went wrong; "" if nothing
} HeadlessResult;

// Steps until the plan is done, the cloth diverges or the user interrupts; all three are results.
// Fails only without memory.
Status headless_simulate(Simulation *simulation, const Scene *scene, const HeadlessPlan *plan,
                         HeadlessResult *out, Error *error);

// Make k0 and the step limit of a result exact, as `analyze` gives them.
void headless_refine(Simulation *simulation, HeadlessResult *result);
void headless_print_table(const HeadlessResult *result, FILE *file);
void headless_print_json(const HeadlessResult *result, FILE *file);

// Writes a picture of the present state and renames it when it is complete. Fails in a build
// without the renderer.
Status headless_write_picture(Simulation *simulation, OutputFile *output, Error *error);

#endif
