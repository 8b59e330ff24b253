#include "simulation/state_fields.h"

#include <math.h>

static void real(FieldVisitor v, const char *name, double *value)
{
    v.number(v.self, name, value);
}

static void whole(FieldVisitor v, const char *name, int *value)
{
    double number = *value;
    v.number(v.self, name, &number);
    *value = fabs(number) <= 2147483647.0 ? (int)number : 0; // NaN gives 0
}

static void count(FieldVisitor v, const char *name, unsigned *value)
{
    double number = *value;
    v.number(v.self, name, &number);
    *value = number >= 0.0 && number <= 4294967295.0 ? (unsigned)number : 0;
}

static void steps(FieldVisitor v, const char *name, long *value)
{
    double number = (double)*value;
    v.number(v.self, name, &number);
    *value = fabs(number) <= 9007199254740992.0 ? (long)number : 0;
}

static void flag(FieldVisitor v, const char *name, bool *value)
{
    double number = *value;
    v.number(v.self, name, &number);
    *value = number != 0.0;
}

static void vector(FieldVisitor v, const char *name, Vec3 *value)
{
    real(v, name, &value->x);
    real(v, name, &value->y);
    real(v, name, &value->z);
}

static void params(FieldVisitor v, Params *values)
{
    for (int i = 0; i < param_count; i++) {
        double value = param_get(values, &param_table[i]);
        v.number(v.self, param_table[i].name, &value);
        param_set(values, &param_table[i], value, NULL); // a value out of range is ignored
    }
}

static void visit_pins(FieldVisitor v, PinToggles *pins)
{
    whole(v, "pins", &pins->count);
    int lost = 0; // in files since there could be some
    whole(v, "pins_lost", &lost);
    if (pins->count < 0 || pins->count > PIN_TOGGLES_MAX) pins->count = 0;
    for (int i = 0; i < pins->count; i++) whole(v, "pin", &pins->particle[i]);
}

static void visit_motions(FieldVisitor v, int bodies, ColliderMotion *motions)
{
    for (int i = 0; i < bodies; i++) {
        vector(v, "body_centre", &motions[i].centre);
        vector(v, "body_velocity", &motions[i].velocity);
        vector(v, "body_spin", &motions[i].spin);
    }
}

static void visit_self(FieldVisitor v, SelfReadings *self)
{
    real(v, "self_reach", &self->reach);
    if (!(self->reach >= 0.0 && self->reach <= 1e3)) self->reach = 0.0;
    whole(v, "self_pairs", &self->pairs);
    whole(v, "self_held_back", &self->held_back);
    whole(v, "self_crossings", &self->crossings);
    flag(v, "self_full", &self->full);
}

static void visit_stiffness(FieldVisitor v, Stiffness *stiffness)
{
    real(v, "k0", &stiffness->k0);
    real(v, "taut", &stiffness->taut);
    real(v, "across", &stiffness->across);
    whole(v, "corners", &stiffness->corner_count);
    if (stiffness->corner_count < 0 || stiffness->corner_count > CORNERS_MAX)
        stiffness->corner_count = 0;
    for (int i = 0; i < stiffness->corner_count; i++) {
        real(v, "corner_k", &stiffness->corner_k[i]);
        real(v, "corner_c", &stiffness->corner_c[i]);
    }
    real(v, "deciding_k", &stiffness->deciding_k);
    real(v, "deciding_c", &stiffness->deciding_c);
    real(v, "spring", &stiffness->spring);
    real(v, "wind_drag", &stiffness->wind);
    flag(v, "single", &stiffness->single);
    flag(v, "rayleigh", &stiffness->rayleigh);
    flag(v, "contact", &stiffness->contact);
    flag(v, "uneven", &stiffness->uneven);
    real(v, "lowest_k", &stiffness->lowest.k);
    real(v, "lowest_symbol", &stiffness->lowest.symbol);
    real(v, "decisive_k", &stiffness->decisive.k);
    real(v, "decisive_symbol", &stiffness->decisive.symbol);
}

static void visit_memory(FieldVisitor v, StepMemory *memory)
{
    flag(v, "memory", &memory->valid);
    real(v, "memory_age", &memory->age);
    real(v, "memory_time", &memory->time);
    real(v, "memory_speed_then", &memory->speed_then);
    real(v, "memory_speed", &memory->speed);
    real(v, "memory_moved", &memory->moved);
}

static void visit_report(FieldVisitor v, StepReport *last)
{
    whole(v, "last_forces", &last->force_evaluations);
    whole(v, "last_newton", &last->newton_iterations);
    whole(v, "last_linearisations", &last->linearisations);
    whole(v, "last_fallbacks", &last->fallbacks);
    whole(v, "last_retries", &last->retries);
    flag(v, "last_unconverged", &last->unconverged);
    flag(v, "last_spent", &last->spent);
    whole(v, "last_pcg", &last->pcg.iterations);
    real(v, "last_pcg_residual", &last->pcg.residual);
    flag(v, "last_pcg_converged", &last->pcg.converged);
    flag(v, "last_pcg_negative", &last->pcg.negative_curvature);
}

static void losses(FieldVisitor v, const char *name, Losses *value)
{
    real(v, name, &value->damping);
    real(v, name, &value->filter);
    real(v, name, &value->wind);
    real(v, name, &value->muscle);
}

static void visit_balance(FieldVisitor v, BalanceMeter *meter)
{
    real(v, "energy_start", &meter->sum.start);
    real(v, "energy_hand", &meter->sum.hand);
    real(v, "energy_contact", &meter->sum.contact);
    real(v, "energy_taken", &meter->taken);
    real(v, "energy_wind", &meter->sum.wind);
    real(v, "energy_muscle", &meter->sum.muscle);
    real(v, "energy_damping", &meter->sum.damping);
    real(v, "energy_filter", &meter->sum.filter);
    real(v, "energy_remainder", &meter->sum.remainder);
    real(v, "energy_error", &meter->sum.error);
    steps(v, "energy_steps", &meter->steps);
    vector(v, "energy_force", &meter->force);
    vector(v, "energy_moved", &meter->moved);
    vector(v, "energy_force_before", &meter->force_before);
    whole(v, "energy_forces_known", &meter->forces_known);
    losses(v, "energy_power", &meter->power);
    losses(v, "energy_slope", &meter->slope);
    losses(v, "energy_bend", &meter->bend);
    losses(v, "energy_pending", &meter->pending);
    flag(v, "energy_own", &meter->own);
    real(v, "energy_muscle_power", &meter->muscle_power);
    flag(v, "energy_muscle_known", &meter->muscle_known);
    whole(v, "energy_powers_known", &meter->powers_known);
    real(v, "energy_time", &meter->time);
    real(v, "energy_time_before", &meter->time_before);
    whole(v, "energy_unsampled", &meter->unsampled);
    real(v, "energy_deviation", &meter->deviation);
    real(v, "energy_scatter2", &meter->scatter2);
    real(v, "energy_swing", &meter->swing);
}

static void visit_monitor(FieldVisitor v, Monitor *monitor)
{
    int state = (int)monitor->state, detector = (int)monitor->detector;
    real(v, "monitor_energy", &monitor->limits.energy);
    real(v, "monitor_speed", &monitor->limits.speed);
    real(v, "monitor_strain", &monitor->limits.strain);
    whole(v, "monitor_state", &state);
    whole(v, "monitor_detector", &detector);
    flag(v, "monitor_based", &monitor->based);
    real(v, "monitor_scale", &monitor->scale);
    real(v, "monitor_reference", &monitor->reference);
    real(v, "monitor_reference_work", &monitor->reference_work);
    real(v, "monitor_motion", &monitor->motion);
    real(v, "monitor_excess", &monitor->excess);
    real(v, "monitor_allowed", &monitor->allowed);
    real(v, "monitor_marked_excess", &monitor->marked_excess);
    real(v, "monitor_marked_time", &monitor->marked_time);
    real(v, "monitor_pace", &monitor->pace);
    whole(v, "monitor_rising", &monitor->rising);
    real(v, "monitor_rising_time", &monitor->rising_time);
    real(v, "monitor_ripple", &monitor->ripple);
    real(v, "monitor_ripple_share", &monitor->ripple_share);
    flag(v, "monitor_strong", &monitor->strong);
    real(v, "monitor_buzzing", &monitor->buzzing);
    real(v, "monitor_measured_time", &monitor->measured_time);
    real(v, "monitor_measured_speed", &monitor->measured_speed);
    real(v, "monitor_ripple_time", &monitor->ripple_time);
    real(v, "monitor_strain_time", &monitor->strain_time);
    whole(v, "monitor_since_energy", &monitor->since_energy);
    whole(v, "monitor_since_ripple", &monitor->since_ripple);
    whole(v, "monitor_since_strain", &monitor->since_strain);
    monitor->state = monitor_state_name(state) ? (MonitorState)state : MONITOR_STABLE;
    monitor->detector = detector_name(detector) ? (Detector)detector : DETECTOR_NONE;
}

// What a later rewind or retry depends on.
static void visit_divergence(FieldVisitor v, StateValues *values)
{
    Autopsy *autopsy = &values->autopsy;
    whole(v, "rewinds", &values->rewinds);
    real(v, "rewound_time", &values->rewound_time);
    flag(v, "diverged", &values->diverged);
    count(v, "autopsy_serial", &autopsy->serial);
    flag(v, "autopsy", &autopsy->present);
    if (!autopsy->present) return;
    steps(v, "autopsy_noticed", &autopsy->noticed_step);
    steps(v, "autopsy_first", &autopsy->first_bad_step);
    real(v, "autopsy_time", &autopsy->time);
    real(v, "autopsy_limit", &autopsy->limit.step);
    real(v, "autopsy_k0", &autopsy->k0);
    real(v, "autopsy_k", &autopsy->k_mode);
    whole(v, "autopsy_particle", &autopsy->mode_particle);
    real(v, "autopsy_growth", &autopsy->growth_measured);
    params(v, &values->autopsy_params);
    flag(v, "sound", &autopsy->can_go_back);
    if (!autopsy->can_go_back) return;
    real(v, "sound_time", &values->sound.time);
    real(v, "sound_muscle", &values->sound.muscle_offset);
    steps(v, "sound_steps", &values->sound.step_count);
    params(v, &values->sound.params);
    visit_balance(v, &values->sound.balance);
    visit_motions(v, values->body_count, values->sound.motions);
}

void state_fields_visit(StateValues *values, int *grabbed, FieldVisitor v)
{
    real(v, "time", &values->time);
    steps(v, "steps", &values->step_count);
    whole(v, "grabbed", grabbed);
    vector(v, "hand", &values->hand);
    whole(v, "grabbed_body", &values->grabbed_body);
    if (values->grabbed_body < 0 || values->grabbed_body > COLLIDERS_MAX) values->grabbed_body = 0;
    whole(v, "bodies", &values->body_count);
    if (values->body_count < 0 || values->body_count > COLLIDERS_MAX) values->body_count = 0;
    visit_motions(v, values->body_count, values->motions);
    real(v, "muscle_offset", &values->muscle_offset);
    whole(v, "contacts", &values->contacts);
    visit_self(v, &values->self);
    visit_pins(v, &values->toggled_pins);
    visit_stiffness(v, &values->stiffness);
    real(v, "stiffness_time", &values->stiffness_time);
    real(v, "across_time", &values->across_time);
    real(v, "stiffness_wait", &values->stiffness_wait);
    real(v, "strain", &values->strain);
    real(v, "strain_time", &values->strain_time);
    flag(v, "stiffness_due", &values->stiffness_due);
    visit_memory(v, &values->memory);
    visit_report(v, &values->last);
    visit_balance(v, &values->balance);
    visit_monitor(v, &values->monitor);
    visit_divergence(v, values);
}
