// The mode that grew is what the last step added to the velocities, v' - v, without its smooth
// part. When the monitor fires, the fastest growing mode outweighs all others there.
#include "simulation/autopsy.h"

#include "base/duration.h"
#include "cloth/forces.h"
#include "simulation/ripple.h"
#include "simulation/simulation_state.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { HISTORY = 14 }; // increments used
// Increments smaller than the newest by this factor are noise of other modes.
#define NOISE 1e-3
// Growth starts where the mode was smaller by this factor: `diverges in` uses the same factor.
#define THOUSAND 1000.0
// A state is sound while the energy that the numerics added is below this share of the monitor's
// tolerance.
#define SOUND_SHARE 0.25

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

// Velocities of successive steps, newest first: the bad state if it is finite, the good state
// before it, then the states of the ring that follow without a gap.
static int collect(const Simulation *simulation, double max_speed, const double **v)
{
    const Body *body = &simulation->body;
    int count = 0;
    if (isfinite(max_speed)) v[count++] = body->cloth.v;
    v[count++] = body->good_v;
    long step = simulation->now.step_count;
    for (int i = 0; i < good_states_count(&body->good) && count <= HISTORY; i++) {
        GoodState good = good_states_at(&body->good, i);
        if (good.step_count >= step) continue; // already in the list
        if (good.step_count != step - 1) break;
        // another step or stiffness makes it another run
        if (memcmp(&good.params, &simulation->scene.params, sizeof good.params) != 0) break;
        v[count++] = good.v;
        step--;
    }
    return count;
}

// Write the mode to body->mode, with unit mass norm, and find its growth.
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

static double strain(const Cloth *cloth, const double *x, int spring)
{
    const Mesh *mesh = &cloth->mesh;
    Vec3 a = mesh_vector(mesh, x, mesh->springs[spring][0]);
    Vec3 b = mesh_vector(mesh, x, mesh->springs[spring][1]);
    return vec3_length(vec3_sub(a, b)) / cloth->rest_length[spring] - 1.0;
}

static void find_springs(const Simulation *simulation, Autopsy *autopsy)
{
    const Body *body = &simulation->body;
    const Mesh *mesh = &body->cloth.mesh;
    autopsy->spring_count = 0;
    for (int s = 0; s < mesh->spring_count; s++) {
        AutopsySpring found = {s, strain(&body->cloth, body->good_x, s),
                               strain(&body->cloth, body->cloth.x, s)};
        double change = fabs(found.after - found.before);
        if (!isfinite(change)) continue; // the finite springs around it are enough
        int at = autopsy->spring_count;  // insert into the short sorted list
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

static double predicted_growth(const Simulation *simulation, double h)
{
    const System *system = &simulation->system;
    const Stiffness *stiffness = &simulation->now.stiffness;
    Scheme scheme = scheme_on(&simulation->scheme, stiffness);
    if (!scheme.integrator->amplification) return 0.0;
    ModeSet modes = mode_set_of(&scheme, stiffness);
    return modes_largest_rho(&scheme, &modes, h, system->air, system->alpha);
}

// Energy that the numerics had added up to a kept state, J.
static double remainder_of(const Simulation *simulation, const GoodState *good)
{
    const Cloth *cloth = &simulation->body.cloth;
    double energy = cloth_kinetic_energy(cloth, good->v) + cloth_elastic_energy(cloth, good->x) +
                    cloth_gravity_energy(cloth, good->x);
    return balance_read(&good->balance, energy).remainder;
}

// The newest sound state from before the growth; x is NULL when there is none.
static GoodState find_sound(const Simulation *simulation, const Autopsy *autopsy)
{
    const GoodStates *good = &simulation->body.good;
    const Monitor *monitor = &simulation->now.monitor;
    const Params *params = &simulation->scene.params;
    double tolerated = SOUND_SHARE * monitor_tolerance(monitor);
    for (int i = 0; i < good_states_count(good); i++) {
        GoodState state = good_states_at(good, i);
        if (state.step_count >= autopsy->first_bad_step) continue;
        // other parameters make it another run, in which no detector had fired
        bool other = memcmp(&state.params, params, sizeof *params) != 0;
        if (other || !monitor->based || remainder_of(simulation, &state) <= tolerated) return state;
    }
    return (GoodState){0};
}

static void keep_sound(Simulation *simulation, Autopsy *autopsy)
{
    Body *body = &simulation->body;
    GoodState sound = find_sound(simulation, autopsy);
    autopsy->can_go_back = sound.x != NULL;
    if (!sound.x) return;
    size_t bytes = (size_t)body->cloth.mesh.dofs * sizeof(double);
    memcpy(body->sound_x, sound.x, bytes);
    memcpy(body->sound_v, sound.v, bytes);
    sound.x = sound.v = NULL;
    simulation->now.sound = sound;
}

__attribute__((format(printf, 2, 3))) static void say(Autopsy *autopsy, const char *format, ...)
{
    if (autopsy->line_count == AUTOPSY_LINES) return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(autopsy->lines[autopsy->line_count++], AUTOPSY_TEXT, format, arguments);
    va_end(arguments);
}

typedef struct StiffnessText {
    char text[40];
} StiffnessText;

// "6.33·10⁶ s⁻²", as the panels have it.
static StiffnessText stiffness_text(double k)
{
    static const char *const powers[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    StiffnessText out;
    int exponent = k > 0.0 ? (int)floor(log10(k) + 1e-9) : 0;
    if (exponent < 5 || exponent > 9)
        snprintf(out.text, sizeof out.text, "%.3g s⁻²", k);
    else
        snprintf(out.text, sizeof out.text, "%.2f·10%s s⁻²", k / pow(10.0, exponent),
                 powers[exponent]);
    return out;
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
    long steps = autopsy->noticed_step - autopsy->first_bad_step;
    if (autopsy->growth_measured > 1.0 && autopsy->first_bad_step > 1) {
        say(autopsy, "From step %ld on a mode grew a thousandfold, in %ld steps",
            autopsy->first_bad_step, steps);
    } else if (autopsy->growth_measured > 1.0) {
        say(autopsy, "A mode grew by %.3g in the last %d steps",
            pow(autopsy->growth_measured, autopsy->growth_steps), autopsy->growth_steps);
    }
    double ratio = autopsy->step / autopsy->limit.step;
    const Integrator *method = simulation->scheme.integrator;
    bool turned = simulation->scheme.filter != SCHEME_UNFILTERED &&
                  simulation->now.stiffness.lowest.symbol < 0.0;
    if (autopsy->limit.step == 0.0 && turned) {
        say(autopsy, "No step is stable at \u03bb = %.3g: the filter inverts modes (symbol %.3f)",
            simulation->scene.params.lambda, simulation->now.stiffness.lowest.symbol);
    } else if (autopsy->limit.step == 0.0) {
        say(autopsy, "%s is unstable at every step with this damping", method->label);
    } else if (autopsy->step <= autopsy->limit.step) {
        say(autopsy, "Linear theory calls h = %s stable: it is too large for so large a motion",
            duration_text(autopsy->step).text);
    } else {
        say(autopsy, "h = %s is %.3g of %s, %s at k\u2080 = %s", duration_text(autopsy->step).text,
            ratio, step_limit_name(autopsy->limit), duration_text(autopsy->limit.step).text,
            stiffness_text(autopsy->k0).text);
    }
    if (autopsy->growth_measured > 0.0 && autopsy->growth_predicted > 0.0) {
        say(autopsy, "Growth per step: predicted %.4g, measured %.4g over %d steps",
            autopsy->growth_predicted, autopsy->growth_measured, autopsy->growth_steps);
    }
    if (autopsy->k_mode > 0.0 && autopsy->k0 > 0.0) {
        say(autopsy, "The mode has k = %s, %.2f of k\u2080, and is largest at particle %d",
            stiffness_text(autopsy->k_mode).text, autopsy->k_mode / autopsy->k0,
            autopsy->mode_particle);
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
    simulation->now.last.force = NULL; // it was in the scratch
    Autopsy *autopsy = &simulation->now.autopsy;
    *autopsy = (Autopsy){
        .present = true,
        .serial = autopsy->serial + 1,
        .detector = simulation->now.monitor.detector,
        .noticed_step = simulation->now.step_count + 1,
        .time = simulation->now.time + h,
        .max_speed = max_speed,
        .step = h,
        .limit = simulation->limit,
        .k0 = simulation->now.stiffness.k0,
        .mode_particle = -1,
    };
    find_mode(simulation, autopsy);
    autopsy->growth_predicted = predicted_growth(simulation, h);
    find_springs(simulation, autopsy);
    keep_sound(simulation, autopsy);
    write_lines(simulation, autopsy);
}
