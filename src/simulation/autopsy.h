// Why a run diverged, as far as the states around the end can tell, and what would have helped.
// Made once by the simulation when the monitor calls a divergence; the window shows it.
#ifndef SIMULATION_AUTOPSY_H
#define SIMULATION_AUTOPSY_H

#include "simulation/monitor.h"

#include <stdbool.h>

enum {
    AUTOPSY_SPRINGS = 6,
    AUTOPSY_SUGGESTIONS = 4,
    AUTOPSY_LINES = 6,
    AUTOPSY_TEXT = 160,
};

typedef struct AutopsySpring {
    int spring;           // index into the mesh's
    double before, after; // strain, (l - L) / L, in the last good state and in the bad one
} AutopsySpring;

// A change that would have been stable: set that parameter to that value.
typedef struct Suggestion {
    int param; // index into param_table
    double value;
    char label[64]; // for a button: "h = 0.000512 s"
} Suggestion;

typedef struct Autopsy {
    bool present; // false: nothing happened yet, all else is void
    Detector detector;
    long noticed_step;   // the step that was not taken
    long first_bad_step; // where the mode was a thousand times smaller, by its measured growth
    double time;         // s, of the noticed step
    double max_speed;    // m/s, in the bad state; may be not finite

    double step, step_limit; // s; the limit at the last good state
    double k0;               // 1/s^2, likewise
    double k_mode;           // 1/s^2, u'Ku / u'Mu of the mode that grew
    int mode_particle;       // where it is largest
    double growth_predicted; // per step, spectral radius of G at k0; 0: the method has no G
    double growth_measured;  // per step, of the mode; 0: too few states in a row to tell
    int growth_steps;        // states it was measured over

    int spring_count;
    AutopsySpring springs[AUTOPSY_SPRINGS]; // the most changed first
    int suggestion_count;
    Suggestion suggestions[AUTOPSY_SUGGESTIONS];
    int line_count;
    char lines[AUTOPSY_LINES][AUTOPSY_TEXT]; // all of this for a person
} Autopsy;

typedef struct Simulation Simulation;

// The bad state is in the cloth, the good one before it in the body, older ones in the ring. Leaves
// the mode that grew in the body. Takes a few vectors from the scratch, which it resets.
void autopsy_make(Simulation *simulation, double h, double max_speed);

// Growth per step of a sequence that obeys  a[i] = T a[i+1] - D a[i+2]  (the newest first), by
// least squares: the larger root of  z^2 - T z + D. 0 with fewer than 4 values.
double autopsy_growth(const double *a, int count);

#endif
