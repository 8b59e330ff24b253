// Judges each step before it is accepted: measures what the monitor wants, keeps good states, and
// does what the user chose when the run diverges. Private to simulation/.
#ifndef SIMULATION_WATCH_H
#define SIMULATION_WATCH_H

#include "simulation/simulation_state.h"

typedef enum StepOutcome {
    STEP_TAKEN,
    STEP_REWOUND, // the state is an older one, and the step is a safe one from now on
    STEP_REFUSED, // the state is the one before the step; simulation->now.diverged_text says why
} StepOutcome;

void watch_start(Simulation *simulation); // at a new start: limits, no history, no autopsy
// Judge the step just taken, of size h; `max_speed` is the state's, NaN when any speed is NaN.
StepOutcome watch_judge(Simulation *simulation, double h, double max_speed);
// The step was accepted and the clock is set: keep the state if it is due.
void watch_keep(Simulation *simulation);

// Go back by at least this many seconds; 0 means to before the growth that ended in the last
// divergence, or by one state if there was none. False when there is no older state.
bool watch_rewind(Simulation *simulation, double seconds);
bool watch_can_rewind(const Simulation *simulation, double seconds);

#endif
