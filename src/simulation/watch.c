#include "simulation/watch.h"

#include "cloth/forces.h"
#include "simulation/ripple.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// A divergence this soon (s) after the last rewind means the step was not safe enough.
#define SOON 0.5
// A safe step is at most this share of the limit.
#define SAFE_SHARE 0.8

// In doubt, an estimate of k0 older than this many steps is repeated.
enum { DOUBT_STEPS = 4 };

void watch_start(Simulation *simulation)
{
    good_states_clear(&simulation->body.good);
    simulation->now.autopsy.present = false;
    simulation->now.rewinds = 0;
    simulation->now.monitor = monitor_start((MonitorLimits){0});
}

static Prediction predict(const Simulation *simulation, double h)
{
    if (h <= simulation->limit.step)
        return simulation->limit.but_soft ? PREDICTION_UNKNOWN : PREDICTION_STABLE;
    return simulation->limit.is_bound ? PREDICTION_UNKNOWN : PREDICTION_UNSTABLE;
}

static MonitorState measure(Simulation *simulation, double h, double max_speed)
{
    const Params *params = &simulation->scene.params;
    const Cloth *cloth = &simulation->body.cloth;
    Monitor *monitor = &simulation->now.monitor;
    monitor->limits = (MonitorLimits){.energy = simulation->drop * params->gravity,
                                      .speed = params->speed_limit,
                                      .strain = params->strain_limit};
    MonitorSample sample = {.time = simulation->now.time + h,
                            .step = h,
                            .prediction = predict(simulation, h),
                            .max_speed = max_speed};
    if (isfinite(max_speed))
        sample.measured = monitor_wants(monitor, sample.time, max_speed, sample.prediction);
    if (sample.measured & (MEASURE_ENERGY | MEASURE_RIPPLE)) {
        sample.kinetic = cloth_kinetic_energy(cloth, cloth->v);
    }
    if (sample.measured & MEASURE_ENERGY) {
        sample.motion = sample.kinetic + cloth_elastic_energy(cloth, cloth->x);
        sample.gravity = cloth_gravity_energy(cloth, cloth->x);
        EnergyBalance balance =
            balance_read(&simulation->now.balance, sample.motion + sample.gravity);
        double contact = balance.contact - simulation->now.balance.taken;
        sample.work = balance.hand + contact + balance.wind + balance.muscle;
    }
    if (sample.measured & MEASURE_RIPPLE) sample.ripple = ripple_energy(cloth, cloth->v);
    if (sample.measured & MEASURE_STRAIN) sample.max_strain = cloth_max_strain(cloth, cloth->x);
    return monitor_feed(monitor, &sample);
}

static void describe(Simulation *simulation, double h, double max_speed, bool goes_on)
{
    char what[128];
    const Monitor *monitor = &simulation->now.monitor;
    switch (monitor->detector) {
    case DETECTOR_SPEED:
        snprintf(what, sizeof what, "a particle reached %.3g m/s, the limit is %g m/s", max_speed,
                 monitor->limits.speed);
        break;
    case DETECTOR_STRAIN:
        snprintf(what, sizeof what,
                 "a spring is strained by more than %g; the fastest particle has %.3g m/s",
                 monitor->limits.strain, max_speed);
        break;
    case DETECTOR_ENERGY:
        snprintf(what, sizeof what,
                 "energy rose by %.3g J without a cause; the fastest particle has %.3g m/s",
                 monitor->excess, max_speed);
        break;
    default:
        snprintf(what, sizeof what, "the velocities are no longer finite");
    }
    simulation->now.diverged = true;
    snprintf(simulation->now.diverged_text, sizeof simulation->now.diverged_text,
             "step %ld at t = %.4g s: %s; %s", simulation->now.step_count + 1,
             simulation->now.time + h, what,
             goes_on ? "it goes on, as asked" : "the last good state is shown");
}

static void restore(Simulation *simulation, const double *x, const double *v,
                    const ColliderMotion *motions, const BalanceMeter *balance)
{
    memcpy(simulation->now.motions, motions, sizeof simulation->now.motions);
    simulation->now.balance = *balance;
    Cloth *cloth = &simulation->body.cloth;
    size_t bytes = (size_t)cloth->mesh.dofs * sizeof(double);
    memcpy(cloth->x, x, bytes);
    memcpy(cloth->v, v, bytes);
    // the monitor keeps its reference: the same step gives the same divergence again
    simulation->now.memory = (StepMemory){.values = simulation->body.memory};
    cloth_system_at(&simulation->hooks, simulation->now.time);
}

// From now on take the automatic step at a safe share of its limit, smaller each time. False when
// there is none.
static bool take_safer_step(Simulation *simulation)
{
    Params *params = &simulation->scene.params;
    const double least = param_find("safety")->min;
    bool soon =
        simulation->now.rewinds > 0 && simulation->now.time - simulation->now.rewound_time < SOON;
    if (simulation->limit.step == 0.0) return false;
    double safety = fmin(params->safety, SAFE_SHARE);
    if (soon || (params->step == PARAM_WORD && params->safety <= SAFE_SHARE)) safety *= 0.5;
    if (safety < least) return false;
    params->step = PARAM_WORD;
    params->safety = safety;
    return true;
}

// Restore an older state with the present parameters and pins. The energy meter goes back too: what
// it has counted since then never happened. Present parameters and pins may give the old state
// another energy; the difference is booked as their change.
static void go_to(Simulation *simulation, const GoodState *good)
{
    Cloth *cloth = &simulation->body.cloth;
    const Params present = simulation->scene.params;
    simulation->now.time = good->time;
    restore(simulation, good->x, good->v, good->motions, &good->balance);
    // Without memory for the old model, the meter counts from the present energy.
    bool changed = memcmp(&present, &good->params, sizeof present) != 0 &&
                   simulation_change_params(simulation, &good->params, NULL) == STATUS_OK;
    bool same_tempo = changed || present.muscle_period == good->params.muscle_period;
    if (cloth->muscle_count > 0 && same_tempo) {
        simulation->now.muscle_offset = good->muscle_offset;
        simulation_sync_params(simulation);
    }
    double then = balance_energy(cloth);
    if (changed && simulation_change_params(simulation, &present, NULL) == STATUS_OK)
        balance_jump_by_parameter(&simulation->now.balance, balance_energy(cloth) - then);
    then = balance_energy(cloth);
    for (int p = 0; p < cloth->mesh.particle_count; p++) { // perhaps pinned since then
        if (cloth->pinned[p]) mesh_set_vector(&cloth->mesh, cloth->v, p, (Vec3){0});
    }
    double lost = balance_energy(cloth) - then;
    if (lost != 0.0) balance_jump_by_hand(&simulation->now.balance, lost);
}

// The state to go back to; x is NULL when there is none.
static GoodState rewind_target(const Simulation *simulation, double seconds)
{
    const Body *body = &simulation->body;
    const StateValues *now = &simulation->now;
    if (seconds == 0.0 && now->diverged && now->autopsy.present) {
        GoodState sound = now->sound;
        sound.x = now->autopsy.can_go_back ? body->sound_x : NULL;
        sound.v = body->sound_v;
        return sound;
    }
    int count = good_states_count(&body->good);
    for (int i = 0; i < count; i++) {
        GoodState good = good_states_at(&body->good, i);
        bool old = seconds > 0.0 ? good.time <= now->time - seconds : true;
        // if none is old enough, the oldest
        if (good.step_count < now->step_count && (old || i == count - 1)) return good;
    }
    return (GoodState){0};
}

bool watch_can_rewind(const Simulation *simulation, double seconds)
{
    return rewind_target(simulation, seconds).x != NULL;
}

bool watch_rewind(Simulation *simulation, double seconds)
{
    GoodState good = rewind_target(simulation, seconds);
    if (!good.x) return false;
    go_to(simulation, &good);
    simulation->last_step = 0.0;
    simulation->now.step_count = good.step_count;
    good_states_drop_after(&simulation->body.good, good.step_count);
    simulation->now.diverged = false;
    simulation->now.diverged_text[0] = '\0';
    simulation_forget(simulation);
    simulation->now.stiffness_due = true;
    return true;
}

static StepOutcome act(Simulation *simulation, double h, double max_speed)
{
    OnDivergence action = (OnDivergence)simulation->scene.params.on_divergence;
    bool finite = simulation->now.monitor.detector != DETECTOR_FINITE;
    // The run went on past a divergence, or was tried again: the first autopsy explains it. With
    // other parameters it is a new divergence.
    StateValues *now = &simulation->now;
    const Params *params = &simulation->scene.params;
    bool known = now->diverged && now->autopsy.present &&
                 memcmp(&now->autopsy_params, params, sizeof *params) == 0;
    if (!known) {
        autopsy_make(simulation, h, max_speed);
        now->autopsy_params = *params;
    }
    bool goes_on = action == ON_DIVERGENCE_CONTINUE && finite;
    describe(simulation, h, max_speed, goes_on);
    if (goes_on) return STEP_TAKEN;
    restore(simulation, simulation->body.good_x, simulation->body.good_v,
            simulation->body.good_motions, &simulation->body.good_balance);
    if (action != ON_DIVERGENCE_REWIND || !now->autopsy.can_go_back ||
        !take_safer_step(simulation) || !watch_rewind(simulation, 0.0)) {
        return STEP_REFUSED;
    }
    simulation->now.rewinds++;
    simulation->now.rewound_time = simulation->now.time;
    simulation_sync_params(simulation);
    return STEP_REWOUND;
}

// Energy rises without a cause although the step is predicted stable: k0 may be out of date.
static void doubt_prediction(Simulation *simulation, double h)
{
    if (simulation->now.monitor.rising > 1 &&
        simulation->now.time - simulation->now.stiffness_time > DOUBT_STEPS * h) {
        simulation->now.stiffness_due = true;
    }
}

StepOutcome watch_judge(Simulation *simulation, double h, double max_speed)
{
    if (measure(simulation, h, max_speed) == MONITOR_DIVERGED) return act(simulation, h, max_speed);
    doubt_prediction(simulation, h);
    // while the run continues past a divergence, the divergence stays on record
    if (simulation->scene.params.on_divergence != ON_DIVERGENCE_CONTINUE) {
        simulation->now.diverged = false;
        simulation->now.diverged_text[0] = '\0';
    }
    return STEP_TAKEN;
}

void watch_keep(Simulation *simulation)
{
    if (simulation->now.diverged) return;
    Body *body = &simulation->body;
    bool dense =
        simulation->now.monitor.state != MONITOR_STABLE || simulation->now.monitor.rising > 0;
    good_states_drop_after(&body->good, simulation->now.step_count - 1);
    if (!good_states_due(&body->good, simulation->now.step_count, simulation->now.time, dense))
        return;
    GoodState state = {.time = simulation->now.time,
                       .muscle_offset = simulation->now.muscle_offset,
                       .step_count = simulation->now.step_count,
                       .params = simulation->scene.params,
                       .balance = simulation->now.balance,
                       .x = body->cloth.x,
                       .v = body->cloth.v};
    memcpy(state.motions, simulation->now.motions, sizeof state.motions);
    body->good.crew = simulation->crew;
    good_states_offer(&body->good, &state, dense);
}
