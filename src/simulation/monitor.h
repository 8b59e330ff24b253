// Watches a run for numerical divergence. It sees only numbers after every step, no cloth.
//
// Without a source of energy, E - W (energy minus the work of hand, wind, muscles and colliders)
// can only fall: damping takes from it, and so do layers of the cloth that meet; nothing adds. What
// layers take is no part of W: pressed together, they tremble under explicit Euler and `leu`, at
// any step, and take again and again what the method gives them. The reference is its lowest value
// so far. An excess of 2 % of m g H above it, while the prediction calls the step unstable, agrees
// with theory's step limits to 0.4 %; a speed limit alone misses a bounded buzz and is 8 to 24 %
// late. A method inside its limit still lets E oscillate (symplectic Euler by a factor up to (1 +
// s) / (1 - s), s = omega h / 2, in each mode). So while the prediction says stable, the excess may
// also reach a share of the recent motion. Beyond that the state is only `growing`: an
// unconditionally stable method at a huge step may stretch a cloth grossly without diverging.
#ifndef SIMULATION_MONITOR_H
#define SIMULATION_MONITOR_H

#include <stdbool.h>

typedef enum MonitorState {
    MONITOR_STABLE,
    MONITOR_GROWING,  // predicted, or energy rises without a cause, or the cloth buzzes
    MONITOR_DIVERGED, // past a limit, or not finite
    MONITOR_STATES,
} MonitorState;

typedef enum Detector { // which test fired, the most severe last
    DETECTOR_NONE,
    DETECTOR_PREDICTION, // spectral radius above 1
    DETECTOR_BUZZ,       // neighbours keep shaking against each other
    DETECTOR_ENERGY,
    DETECTOR_STRAIN,
    DETECTOR_SPEED,
    DETECTOR_FINITE, // NaN, or too large to compute with
    DETECTORS,
} Detector;

const char *monitor_state_name(int state); // "stable", ...; NULL outside the enumeration
const char *detector_name(int detector);   // a few words; NULL as above

typedef struct MonitorLimits {
    double energy; // J, m g H
    double speed;  // m/s
    double strain;
} MonitorLimits;

enum { // what to measure for the next sample
    MEASURE_ENERGY = 1,
    MEASURE_STRAIN = 2,
    MEASURE_RIPPLE = 4,
};

typedef enum Prediction { // linear theory's answer for the step
    PREDICTION_UNKNOWN,
    PREDICTION_STABLE,
    PREDICTION_UNSTABLE,
} Prediction;

typedef struct MonitorSample {
    double time; // s, after the step
    double step; // h, s
    Prediction prediction;
    double max_speed;  // m/s, after every step; NaN or infinity when the state is not finite
    unsigned measured; // MEASURE_ flags: which of the following are valid
    double motion;     // J, kinetic and elastic energy
    double gravity;    // J
    double work;       // J, of hand, wind, muscles and colliders since any fixed time
    double max_strain;
    double kinetic; // J, measured together with ripple
    double ripple;  // J, kinetic energy in v - F v, F the mean over neighbours
} MonitorSample;

typedef struct Monitor {
    MonitorLimits limits;
    MonitorState state;
    Detector detector;

    // energy
    bool based;            // the values below are valid
    double scale;          // J; 2 % of it is tolerated
    double reference;      // J, lowest E - W so far
    double reference_work; // J, W then
    double motion;         // J, kinetic + elastic, smoothed over MONITOR_MEMORY
    double excess;         // J, of the last measurement
    double allowed;        // J
    double marked_excess;  // J, when the excess last doubled
    double marked_time;    // s, of that measurement
    double pace;           // J/s, of the excess while it doubled
    int rising;            // consecutive measurements above the alarm level
    double rising_time;    // s, of the first of them

    // ripple, smoothed
    double ripple;       // J
    double ripple_share; // of the kinetic energy, 0 to 1
    bool strong;         // too strong at the last measurement
    double buzzing;      // s, how long it has been too strong

    // the last measurements
    double measured_time, measured_speed;         // s, m/s
    double ripple_time, strain_time;              // s
    int since_energy, since_ripple, since_strain; // steps
} Monitor;

#define MONITOR_MEMORY 0.1 // s

Monitor monitor_start(MonitorLimits limits);
// The state changed without a step: the present energy becomes the reference.
void monitor_rebase(Monitor *monitor);
// What to measure after the step just taken, which ended at `time`: often near trouble, rarely in a
// calm run.
unsigned monitor_wants(const Monitor *monitor, double time, double max_speed,
                       Prediction prediction);
// J, by which E - W may rise without a cause, for any prediction.
double monitor_tolerance(const Monitor *monitor);
MonitorState monitor_feed(Monitor *monitor, const MonitorSample *sample);

#endif
