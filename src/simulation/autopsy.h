// Why a run diverged, as far as the last states can tell. The simulation makes it when the monitor
// reports a divergence; the window shows it. lab/remedy.h tries what would have helped.
#ifndef SIMULATION_AUTOPSY_H
#define SIMULATION_AUTOPSY_H

#include "simulation/monitor.h"
#include "stability/limits.h"

#include <stdbool.h>

enum {
    AUTOPSY_SPRINGS = 6,
    AUTOPSY_LINES = 6,
    AUTOPSY_TEXT = 160,
};

typedef struct AutopsySpring {
    int spring;           // index into the mesh's springs
    double before, after; // strain, (l - L) / L, in the last good state and in the bad one
} AutopsySpring;

typedef struct Autopsy {
    bool can_go_back; // there is a sound state to go back to
    bool present;     // false: no divergence yet, all other fields are invalid
    unsigned serial;  // counts autopsies of this simulation
    Detector detector;
    long noticed_step;   // the step that was not taken
    long first_bad_step; // where the mode was a thousand times smaller, from its measured growth
    double time;         // s, of the noticed step
    double max_speed;    // m/s, in the bad state; may be infinite or NaN

    double step;             // s
    StepLimit limit;         // of that step, as known then
    double k0;               // 1/s^2, as known then
    double k_mode;           // 1/s^2, u'Ku / u'Mu of the mode that grew
    int mode_particle;       // where the mode is largest
    double growth_predicted; // per step, spectral radius of G at k0; 0: the method has no G
    double growth_measured;  // per step, of the mode; 0: too few consecutive states
    int growth_steps;        // number of states used for it

    int spring_count;
    AutopsySpring springs[AUTOPSY_SPRINGS]; // the largest change first
    int line_count;
    char lines[AUTOPSY_LINES][AUTOPSY_TEXT]; // all of this as text
} Autopsy;

typedef struct Simulation Simulation;

// The bad state is in the cloth, the good state before it in the body, older ones in the ring.
// Stores in the body the mode that grew and the state to go back to: the newest sound state, from
// before the growth and without energy that came from nowhere. Takes a few vectors from the scratch
// and resets it.
void autopsy_make(Simulation *simulation, double h, double max_speed);

// Growth per step of a sequence that obeys  a[i] = T a[i+1] - D a[i+2]  (newest first), by least
// squares: the larger root of  z^2 - T z + D. 0 with fewer than 4 values.
double autopsy_growth(const double *a, int count);

#endif
