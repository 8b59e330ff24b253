#include "simulation/monitor.h"

#include <math.h>
#include <stddef.h>

// Share of m g H (and of the motion at the start) by which E - W may rise without a cause.
#define ENERGY_TOLERANCE 0.02
// J, a floor for a system without gravity at rest
#define ENERGY_FLOOR 1e-9
// Share of the motion by which E - W may rise while the prediction says stable. Below 1, so that
// slow growth cannot outrun its own allowance.
#define MOTION_SHARE 0.75
// Share of the work since the reference that may be an error of the work itself, which is
// integrated by the trapezoidal rule.
#define WORK_SHARE 0.1
// Beyond the allowed excess a run has diverged if at this pace the motion would double within this
// many simulated seconds, or if the excess is this many times the scale. Slower growth that has
// done no harm yet can be watched: it is `growing`.
#define WATCHABLE 1.0
#define HARM 100.0
// `growing` starts at this share of the allowed excess, in this many measurements in a row. While
// the prediction says stable it must last for MONITOR_MEMORY, or exceed the allowed value by this
// factor: methods that linearise may gain energy for a moment and lose it again.
#define ALARM_SHARE 0.75
enum { ALARM_COUNT = 2, ALARM_FACTOR = 4 };
// A buzz: ripple is more than this share of the kinetic energy and of m g H, for this many seconds.
#define BUZZ_SHARE 0.5
#define BUZZ_ENERGY 0.01
#define BUZZ_TIME 0.25
// m/s. Above this a square soon overflows, so it counts as not finite.
#define SPEED_FINITE 1e9

enum { // steps between two measurements in a calm run; each costs about one force evaluation
    ENERGY_INTERVAL = 48,
    RIPPLE_INTERVAL = 128,
    RIPPLE_INTERVAL_STABLE = 512, // where the prediction says so, ripple is no sign of trouble
    STRAIN_INTERVAL = 512,
    NEAR_INTERVAL = 8, // for ripple and strain near trouble
};

// s between two measurements of the strain, at most: 512 large steps are a long time.
#define STRAIN_TIME 0.2

const char *monitor_state_name(int state)
{
    static const char *const names[MONITOR_STATES] = {"stable", "growing", "diverged"};
    return state >= 0 && state < MONITOR_STATES ? names[state] : NULL;
}

const char *detector_name(int detector)
{
    static const char *const names[DETECTORS] = {
        [DETECTOR_NONE] = "nothing",
        [DETECTOR_PREDICTION] = "the predicted spectral radius",
        [DETECTOR_BUZZ] = "the high-frequency meter",
        [DETECTOR_ENERGY] = "the energy balance",
        [DETECTOR_STRAIN] = "the strain limit",
        [DETECTOR_SPEED] = "the speed limit",
        [DETECTOR_FINITE] = "a number that is not finite",
    };
    return detector >= 0 && detector < DETECTORS ? names[detector] : NULL;
}

Monitor monitor_start(MonitorLimits limits)
{
    Monitor monitor = {.limits = limits};
    monitor_rebase(&monitor);
    return monitor;
}

void monitor_rebase(Monitor *monitor)
{
    *monitor = (Monitor){
        .limits = monitor->limits,
        .since_energy = ENERGY_INTERVAL,
        .since_ripple = RIPPLE_INTERVAL_STABLE,
        .since_strain = STRAIN_INTERVAL,
    };
}

unsigned monitor_wants(const Monitor *monitor, double time, double max_speed, Prediction prediction)
{
    bool near = prediction == PREDICTION_UNSTABLE || monitor->state != MONITOR_STABLE ||
                monitor->rising > 0;
    // Fast growth shows in the speed first; a fall from rest triggers this only a few times.
    bool faster = max_speed > 1.3 * monitor->measured_speed + 0.1;
    int since_energy = monitor->since_energy + 1; // including this step
    int ripple_interval = near                              ? NEAR_INTERVAL
                          : prediction == PREDICTION_STABLE ? RIPPLE_INTERVAL_STABLE
                                                            : RIPPLE_INTERVAL;
    unsigned wanted = 0;
    if (near || faster || since_energy >= ENERGY_INTERVAL) wanted |= MEASURE_ENERGY;
    if (monitor->since_ripple + 1 >= ripple_interval) wanted |= MEASURE_RIPPLE;
    if (monitor->since_strain + 1 >= (near ? NEAR_INTERVAL : STRAIN_INTERVAL) ||
        time - monitor->strain_time >= STRAIN_TIME) {
        wanted |= MEASURE_STRAIN;
    }
    return wanted;
}

// Weight of a new value in a mean over `memory` seconds when the old one is `elapsed` seconds old.
static double newness(double elapsed, double memory)
{
    return elapsed > 0.0 ? -expm1(-elapsed / memory) : 0.0;
}

static bool predicted_stable(const MonitorSample *sample)
{
    return sample->prediction == PREDICTION_STABLE;
}

double monitor_tolerance(const Monitor *monitor)
{
    return ENERGY_TOLERANCE * monitor->scale + ENERGY_FLOOR;
}

static void weigh_energy(Monitor *monitor, const MonitorSample *sample)
{
    double surplus = sample->motion + sample->gravity - sample->work; // E - W
    if (!monitor->based) {
        monitor->based = true;
        monitor->scale = monitor->limits.energy + sample->motion;
        monitor->reference = surplus;
        monitor->reference_work = sample->work;
        monitor->motion = sample->motion;
    }
    monitor->motion += newness(sample->time - monitor->measured_time, MONITOR_MEMORY) *
                       (sample->motion - monitor->motion);
    if (surplus < monitor->reference) {
        monitor->reference = surplus;
        monitor->reference_work = sample->work;
    }
    monitor->excess = surplus - monitor->reference;
    monitor->allowed = monitor_tolerance(monitor);
    monitor->allowed += WORK_SHARE * fabs(sample->work - monitor->reference_work);
    if (sample->prediction != PREDICTION_UNSTABLE)
        monitor->allowed += MOTION_SHARE * monitor->motion;
    if (monitor->excess < monitor->marked_excess) monitor->marked_excess = 0.0; // it fell
    if (!(monitor->excess < 2.0 * monitor->marked_excess)) {                    // it doubled
        monitor->pace =
            (monitor->excess - monitor->marked_excess) / (sample->time - monitor->marked_time);
        monitor->marked_excess = monitor->excess;
        monitor->marked_time = sample->time;
    }
    bool high = !(monitor->excess <= ALARM_SHARE * monitor->allowed);
    if (monitor->rising == 0) monitor->rising_time = sample->time;
    monitor->rising = high ? monitor->rising + 1 : 0;
    monitor->measured_time = sample->time;
    monitor->measured_speed = sample->max_speed;
    monitor->since_energy = 0;
}

static void weigh_ripple(Monitor *monitor, const MonitorSample *sample)
{
    double elapsed = fmax(sample->time - monitor->ripple_time, 0.0);
    double weight = monitor->based ? fmax(newness(elapsed, MONITOR_MEMORY), 0.05) : 1.0;
    double share = sample->kinetic > 0.0 ? fmin(sample->ripple / sample->kinetic, 1.0) : 0.0;
    monitor->ripple += weight * (sample->ripple - monitor->ripple);
    monitor->ripple_share += weight * (share - monitor->ripple_share);
    // An undamped cloth may ring forever inside its limit: that is physics.
    bool strong = monitor->ripple_share > BUZZ_SHARE && !predicted_stable(sample) &&
                  monitor->ripple > BUZZ_ENERGY * monitor->scale + ENERGY_FLOOR;
    monitor->buzzing = strong && monitor->strong ? monitor->buzzing + elapsed : 0.0;
    monitor->strong = strong;
    monitor->ripple_time = sample->time;
    monitor->since_ripple = 0;
}

static bool energy_rises(const Monitor *monitor, const MonitorSample *sample)
{
    if (monitor->rising < ALARM_COUNT) return false;
    return !predicted_stable(sample) || monitor->excess > ALARM_FACTOR * monitor->allowed ||
           sample->time - monitor->rising_time >= MONITOR_MEMORY;
}

static bool does_harm(const Monitor *monitor)
{
    return !(monitor->pace * WATCHABLE <= monitor->motion) ||
           !(monitor->excess <= HARM * monitor->scale);
}

// The most severe detector that fires.
static Detector judge(const Monitor *monitor, const MonitorSample *sample)
{
    if (!(sample->max_speed <= SPEED_FINITE)) return DETECTOR_FINITE;
    if (sample->max_speed > monitor->limits.speed) return DETECTOR_SPEED;
    if (sample->measured & MEASURE_STRAIN) {
        if (!isfinite(sample->max_strain)) return DETECTOR_FINITE;
        if (sample->max_strain > monitor->limits.strain) return DETECTOR_STRAIN;
    }
    if (sample->measured & MEASURE_ENERGY) {
        if (!isfinite(monitor->excess)) return DETECTOR_FINITE;
        if (monitor->excess > monitor->allowed && !predicted_stable(sample)) return DETECTOR_ENERGY;
    }
    if (energy_rises(monitor, sample)) return DETECTOR_ENERGY;
    if (monitor->buzzing >= BUZZ_TIME) return DETECTOR_BUZZ;
    return sample->prediction == PREDICTION_UNSTABLE ? DETECTOR_PREDICTION : DETECTOR_NONE;
}

MonitorState monitor_feed(Monitor *monitor, const MonitorSample *sample)
{
    monitor->since_energy++;
    monitor->since_ripple++;
    monitor->since_strain++;
    if (sample->measured & MEASURE_ENERGY) weigh_energy(monitor, sample);
    if (sample->measured & MEASURE_RIPPLE) weigh_ripple(monitor, sample);
    if (sample->measured & MEASURE_STRAIN) {
        monitor->since_strain = 0;
        monitor->strain_time = sample->time;
    }
    monitor->detector = judge(monitor, sample);
    bool past_energy = monitor->detector == DETECTOR_ENERGY && monitor->excess > monitor->allowed &&
                       !predicted_stable(sample) && does_harm(monitor);
    if (monitor->detector >= DETECTOR_STRAIN || past_energy) {
        monitor->state = MONITOR_DIVERGED;
    } else {
        monitor->state = monitor->detector == DETECTOR_NONE ? MONITOR_STABLE : MONITOR_GROWING;
    }
    return monitor->state;
}
