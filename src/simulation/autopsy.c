// The mode that grew is what the last step added to the velocities, v' - v, without its smooth
// part: by the time anybody notices, the fastest growing mode outweighs all others there.
#include "simulation/autopsy.h"

#include "integrators/amplification.h"
#include "simulation/ripple.h"
#include "simulation/simulation_state.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { HISTORY = 14 }; // increments looked at
// Increments smaller than the newest by this are noise of other modes.
#define NOISE 1e-3
// A mode is said to have begun to grow when it was smaller by this: what `diverges in` counts.
#define THOUSAND 1000.0
// A suggested value keeps this share of its limit: k0 moves by a few per cent while the cloth does.
#define MARGIN 0.95

double autopsy_growth(const double *a, int count)
{
    // Normal equations for (T, D), each row scaled to the size of its values, so that the old and
    // small ones count as much. A purely geometric sequence makes them singular; the tiny ridge
    // then picks the least norm, which has the right root too.
    double m11 = 0.0, m12 = 0.0, m22 = 0.0, r1 = 0.0, r2 = 0.0, newest = 0.0;
    if (count < 4) return 0.0;
    for (int i = 0; i + 2 < count; i++) {
        double scale = fabs(a[i]) + fabs(a[i + 1]) + fabs(a[i + 2]);
        if (i == 0) newest = scale;
        if (!(scale > NOISE * newest)) break;
        double y = a[i] / scale, p = a[i + 1] / scale, q = -a[i + 2] / scale;
        m11 += p * p;
        m12 += p * q;
        m22 += q * q;
        r1 += p * y;
        r2 += q * y;
    }
    double ridge = 1e-9 * (m11 + m22) + 1e-300;
    m11 += ridge;
    m22 += ridge;
    double determinant = m11 * m22 - m12 * m12;
    double T = (r1 * m22 - r2 * m12) / determinant, D = (m11 * r2 - m12 * r1) / determinant;
    double discriminant = 0.25 * T * T - D;
    return discriminant < 0.0 ? sqrt(D) : fabs(0.5 * T) + sqrt(discriminant);
}

static double mass_product(const System *system, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < system->dofs; i++) {
        if (system->inverse_mass[i] > 0.0) sum += system->mass[i] * a[i] * b[i];
    }
    return sum;
}

// Velocities of successive steps, newest first: the bad state if it is finite, the good one before
// it, and those of the ring that follow without a gap.
static int collect(const Simulation *simulation, double max_speed, const double **v)
{
    const Body *body = &simulation->body;
    int count = 0;
    if (isfinite(max_speed)) v[count++] = body->cloth.v;
    v[count++] = body->good_v;
    long step = simulation->now.step_count;
    for (int i = 0; i < good_states_count(&body->good) && count <= HISTORY; i++) {
        GoodState good = good_states_at(&body->good, i);
        if (good.step_count >= step) continue; // the state before the bad one is there already
        if (good.step_count != step - 1) break;
        v[count++] = good.v;
        step--;
    }
    return count;
}

// The mode into body->mode, of unit mass norm, and its growth.
static void find_mode(Simulation *simulation, Autopsy *autopsy)
{
    Body *body = &simulation->body;
    const System *system = &simulation->system;
    const double *v[HISTORY + 2];
    int states = collect(simulation, autopsy->max_speed, v), dofs = system->dofs;
    memset(body->mode, 0, (size_t)dofs * sizeof(double));
    autopsy->first_bad_step = autopsy->noticed_step;
    if (states < 2) return;
    double *increment = ARENA_ALLOC(&body->scratch, dofs, double);
    for (int i = 0; i < dofs; i++) increment[i] = v[0][i] - v[1][i];
    ripple_extract(&body->cloth, increment, body->mode);
    double norm = sqrt(mass_product(system, body->mode, body->mode));
    if (!(norm > 0.0) || !isfinite(norm)) {
        memset(body->mode, 0, (size_t)dofs * sizeof(double));
        return;
    }
    for (int i = 0; i < dofs; i++) body->mode[i] /= norm;

    double a[HISTORY + 1];
    int count = states - 1;
    for (int n = 0; n < count; n++) {
        for (int i = 0; i < dofs; i++) increment[i] = v[n][i] - v[n + 1][i];
        a[n] = mass_product(system, body->mode, increment);
    }
    autopsy->growth_steps = count;
    autopsy->growth_measured = autopsy_growth(a, count);
    double growth = autopsy->growth_measured;
    if (growth > 1.0) {
        double steps = ceil(log(THOUSAND) / log(growth));
        double first = (double)autopsy->noticed_step - steps;
        autopsy->first_bad_step = first > 1.0 ? (long)first : 1;
    }

    double *Ku = increment;
    system->stiffness_product_at(system->self, body->good_x, TANGENT_FULL, body->mode, Ku);
    autopsy->k_mode = 0.0;
    for (int i = 0; i < dofs; i++) {
        if (system->inverse_mass[i] > 0.0) autopsy->k_mode += body->mode[i] * Ku[i];
    }
    double largest = 0.0;
    for (int p = 0; p < body->cloth.mesh.particle_count; p++) {
        double length = vec3_length(mesh_vector(&body->cloth.mesh, body->mode, p));
        if (length <= largest) continue;
        largest = length;
        autopsy->mode_particle = p;
    }
}

static double strain(const Mesh *mesh, const double *x, int spring)
{
    Vec3 a = mesh_vector(mesh, x, mesh->springs[spring][0]);
    Vec3 b = mesh_vector(mesh, x, mesh->springs[spring][1]);
    return vec3_length(vec3_sub(a, b)) / mesh->rest_length[spring] - 1.0;
}

static void find_springs(const Simulation *simulation, Autopsy *autopsy)
{
    const Body *body = &simulation->body;
    const Mesh *mesh = &body->cloth.mesh;
    autopsy->spring_count = 0;
    for (int s = 0; s < mesh->spring_count; s++) {
        AutopsySpring found = {s, strain(mesh, body->good_x, s), strain(mesh, body->cloth.x, s)};
        double change = fabs(found.after - found.before);
        if (!isfinite(change)) continue; // the finite ones around tell as much
        int at = autopsy->spring_count;  // insert into the sorted few
        while (at > 0 &&
               change > fabs(autopsy->springs[at - 1].after - autopsy->springs[at - 1].before)) {
            if (at < AUTOPSY_SPRINGS) autopsy->springs[at] = autopsy->springs[at - 1];
            at--;
        }
        if (at == AUTOPSY_SPRINGS) continue;
        autopsy->springs[at] = found;
        if (autopsy->spring_count < AUTOPSY_SPRINGS) autopsy->spring_count++;
    }
}

// Stiffness of the mode over that of the stiffest spring by itself, see Mode.coupling.
static double coupling(const Simulation *simulation, double k)
{
    const SpringList *springs = simulation->system.springs;
    const Cloth *cloth = &simulation->body.cloth;
    double stiffest = 0.0;
    for (int s = 0; springs && s < springs->count; s++) {
        double inverse = 1.0 / cloth_mass(cloth, springs->ends[s][0]) +
                         1.0 / cloth_mass(cloth, springs->ends[s][1]);
        stiffest = fmax(stiffest, springs->stiffness[s] * inverse);
    }
    return stiffest > 0.0 ? fmax(k / stiffest, 1.0) : 1.0;
}

static double predicted_growth(const Simulation *simulation, double h)
{
    const Integrator *method = integrator_table[simulation->scene.params.integrator];
    const System *system = &simulation->system;
    if (!method->amplification) return 0.0;
    Mode mode = mode_at(h, simulation->now.k0, system->air, system->alpha);
    mode.coupling = coupling(simulation, simulation->now.k0);
    double G[2][2];
    method->amplification(&simulation->options, &mode, G);
    return spectral_radius(G);
}

__attribute__((format(printf, 4, 5))) static void suggest(Autopsy *autopsy, const char *name,
                                                          double value, const char *format, ...)
{
    const ParamInfo *info = param_find(name);
    if (autopsy->suggestion_count == AUTOPSY_SUGGESTIONS) return;
    if (!(value >= info->min && value <= info->max)) return;
    Suggestion *suggestion = &autopsy->suggestions[autopsy->suggestion_count++];
    suggestion->param = (int)(info - param_table);
    suggestion->value = value;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(suggestion->label, sizeof suggestion->label, format, arguments);
    va_end(arguments);
}

// The alpha nearest to the one in use (by their ratio) that makes h stable; negative when none
// does.
static double stable_alpha(const Simulation *simulation, const Integrator *method, double h)
{
    const Params *params = &simulation->scene.params;
    const double first = 1e-7, last = 0.05;
    double now = fmax(simulation->system.alpha, first), best = -1.0, distance = INFINITY;
    for (double alpha = first; alpha <= last; alpha *= 1.05) {
        double away = fabs(log(alpha / now));
        if (away >= distance) continue;
        double limit = integrator_step_limit(method, &simulation->options, simulation->now.k0,
                                             params->air, alpha);
        if (MARGIN * limit >= h) best = alpha, distance = away;
    }
    if (best < 0.0 && MARGIN * integrator_step_limit(method, &simulation->options,
                                                     simulation->now.k0, params->air, 0.0) >=
                          h) {
        best = 0.0;
    }
    return best;
}

// The method with the fewest evaluations that is stable at h; an implicit one only if none else is.
static int stable_method(const Simulation *simulation, double h)
{
    const Params *params = &simulation->scene.params;
    int best = -1;
    double lowest = INFINITY;
    for (int i = 0; i < integrator_count; i++) {
        const Integrator *method = integrator_table[i];
        bool needs_springs = (method->traits & INTEGRATOR_NEEDS_SPRINGS) != 0;
        if (i == params->integrator || (needs_springs && !simulation->system.springs)) continue;
        double limit = integrator_step_limit(method, &simulation->options, simulation->now.k0,
                                             params->air, simulation->system.alpha);
        double cost =
            method->forces_per_step + ((method->traits & INTEGRATOR_IMPLICIT) ? 100.0 : 0.0);
        if (MARGIN * limit < h || cost >= lowest) continue;
        lowest = cost;
        best = i;
    }
    return best;
}

static void find_suggestions(const Simulation *simulation, Autopsy *autopsy)
{
    const Integrator *method = integrator_table[simulation->scene.params.integrator];
    double h = autopsy->step, limit = autopsy->step_limit;
    autopsy->suggestion_count = 0;
    if (h <= limit) { // not by the linear theory, so it cannot tell what else would help
        suggest(autopsy, "step", 0.5 * h, "h = %.3g s", 0.5 * h);
        return;
    }
    if (MARGIN * limit < h) suggest(autopsy, "step", MARGIN * limit, "h = %.3g s", MARGIN * limit);
    bool across = method->traits & INTEGRATOR_EXPLICIT_ACROSS; // tension sets the limit, not alpha
    double alpha = across ? -1.0 : stable_alpha(simulation, method, h);
    if (alpha >= 0.0) suggest(autopsy, "alpha", alpha, "\u03b1 = %.3g s", alpha);
    int other = stable_method(simulation, h);
    if (other >= 0) suggest(autopsy, "integrator", other, "%s", integrator_table[other]->label);
}

__attribute__((format(printf, 2, 3))) static void say(Autopsy *autopsy, const char *format, ...)
{
    if (autopsy->line_count == AUTOPSY_LINES) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(autopsy->lines[autopsy->line_count++], AUTOPSY_TEXT, format, arguments);
    va_end(arguments);
}

static void write_lines(const Simulation *simulation, Autopsy *autopsy)
{
    const Monitor *monitor = &simulation->now.monitor;
    autopsy->line_count = 0;
    if (autopsy->detector == DETECTOR_ENERGY) {
        say(autopsy, "Noticed by the energy balance at step %ld: %.3g J more than there can be",
            autopsy->noticed_step, monitor->excess);
    } else {
        say(autopsy, "Noticed by %s at step %ld, t = %.4g s", detector_name(autopsy->detector),
            autopsy->noticed_step, autopsy->time);
    }
    if (autopsy->growth_measured > 1.0) {
        say(autopsy, "From step %ld on a mode grew a thousandfold", autopsy->first_bad_step);
    }
    double ratio = autopsy->step / autopsy->step_limit;
    const Integrator *method = integrator_table[simulation->scene.params.integrator];
    if (autopsy->step_limit == 0.0) {
        say(autopsy, "%s is unstable at every step with this damping", method->label);
    } else if (autopsy->step <= autopsy->step_limit) {
        say(autopsy, "Linear theory calls h = %.3g s stable: it is too large for so large a motion",
            autopsy->step);
    } else if (method->traits & INTEGRATOR_EXPLICIT_ACROSS) {
        say(autopsy, "h = %.3g s is %.3g of the %.3g s that tension across springs allows",
            autopsy->step, ratio, autopsy->step_limit);
    } else {
        say(autopsy, "h = %.3g s is %.3g of the limit %.3g s at k\u2080 = %.3g /s\u00b2",
            autopsy->step, ratio, autopsy->step_limit, autopsy->k0);
    }
    if (autopsy->growth_measured > 0.0 && autopsy->growth_predicted > 0.0) {
        say(autopsy, "Growth per step: predicted %.3f, measured %.3f over %d steps",
            autopsy->growth_predicted, autopsy->growth_measured, autopsy->growth_steps);
    }
    if (autopsy->k_mode > 0.0 && autopsy->k0 > 0.0) {
        say(autopsy,
            "The mode has k = %.3g /s\u00b2, %.2f of k\u2080, and is largest at particle %d",
            autopsy->k_mode, autopsy->k_mode / autopsy->k0, autopsy->mode_particle);
    }
    if (autopsy->spring_count > 0) {
        const AutopsySpring *worst = &autopsy->springs[0];
        say(autopsy, "Spring %d changed most: strain %.3f became %.3f in one step", worst->spring,
            worst->before, worst->after);
    }
}

void autopsy_make(Simulation *simulation, double h, double max_speed)
{
    arena_reset(&simulation->body.scratch);
    simulation->now.last.force = NULL; // was in the scratch
    Autopsy *autopsy = &simulation->now.autopsy;
    *autopsy = (Autopsy){
        .present = true,
        .detector = simulation->now.monitor.detector,
        .noticed_step = simulation->now.step_count + 1,
        .time = simulation->now.time + h,
        .max_speed = max_speed,
        .step = h,
        .step_limit = simulation->step_limit,
        .k0 = simulation->now.k0,
        .mode_particle = -1,
    };
    find_mode(simulation, autopsy);
    autopsy->growth_predicted = predicted_growth(simulation, h);
    find_springs(simulation, autopsy);
    find_suggestions(simulation, autopsy);
    write_lines(simulation, autopsy);
}
