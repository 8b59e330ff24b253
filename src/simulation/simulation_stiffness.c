// How a run follows its stiffness: when it is estimated again, with how much effort, and the step
// limit that follows from it.
#include "simulation/simulation_state.h"

#include "cloth/collide.h"
#include "cloth/forces.h"
#include "stability/automatic_alpha.h"

#include <math.h>
#include <string.h>

// s of simulated time between two estimates of the stiffness: a falling cloth changes k0 by a third
// in about a second, and the safety factor covers what happens in between. An estimate costs about
// as much as twelve steps: where steps are large, it waits for so many of them, but not for long.
// Energy that rises without a cause asks for one at once (watch.c).
#define STIFFNESS_INTERVAL 0.1
#define STIFFNESS_INTERVAL_MOST 0.2
enum { STIFFNESS_STEPS = 40 };
// Most cloths of springs keep their k0 within 3 % for seconds. While nothing touches the cloth, the
// wait doubles up to this, but ends when k0 may have changed by this factor, up or down, if it goes
// on as between the last two estimates.
#define STIFFNESS_INTERVAL_CALM 0.4
#define STIFFNESS_CHANGE 1.1
// It may have grown by this factor before it is estimated again: together with what an estimate
// misses, up to a tenth, less than the safety factor covers, 1.56 as the default. So the wait is
// shorter where the last estimates rose fast, but never below so many steps; and where K follows
// the strain, the strain is looked at in between.
#define STIFFNESS_GROWTH 1.15
enum { STIFFNESS_STEPS_LEAST = 8 };
#define STRAIN_INTERVAL 0.02
enum { STRAIN_STEPS = 16 };
// The same for `across`: tension changes as fast as waves run through the cloth.
#define ACROSS_INTERVAL 0.01
// Where it touches something, tension may come in a single step: a cloth that falls on a ball has
// none before. In wind a loose end snaps: after 10 ms, under imex-axial, `across` of `flag` was
// half of the true one, and the automatic step up to 1.16 of the limit.
#define ACROSS_INTERVAL_PUSHED 0.0025
// Products for an estimate during a run, after a command, and for a readout. With 8 products, a
// mode of `across` that had just become the largest was a fifth too low.
#define EFFORT_FIRST                                                                               \
    {                                                                                              \
        .steps = 30, .products = 120, .tolerance = 1e-5                                            \
    }
#define EFFORT_EXACT                                                                               \
    {                                                                                              \
        .steps = 30, .products = 300, .tolerance = 1e-7                                            \
    }
static const StiffnessEffort during_run = {.first = EFFORT_FIRST,
                                           .again = {.steps = 8, .products = 8},
                                           .follow_least = 5,
                                           .follow = 8,
                                           .shape_only = true};
// After a long wait the mode is older, and the wait has saved more than this costs.
static const StiffnessEffort after_calm = {.first = EFFORT_FIRST,
                                           .again = {.steps = 8, .products = 8},
                                           .follow_least = 8,
                                           .follow = 8,
                                           .shape_only = true};
// While it grows fast, another place of the cloth may have become the stiffest: from the old mode,
// 8 products were 15 % too low there.
static const StiffnessEffort while_rising = {
    .first = EFFORT_FIRST,
    .again = {.steps = 16, .products = 32, .tolerance = 1e-3},
    .shape_only = true};
static const StiffnessEffort after_command = {
    .first = EFFORT_FIRST, .again = {.steps = 16, .products = 64, .tolerance = 1e-5}};
static const StiffnessEffort for_readout = {.first = EFFORT_EXACT, .again = EFFORT_EXACT};
static const KrylovEffort of_across = {.steps = 16, .products = 16};

size_t simulation_stiffness_scratch_size(int dofs)
{
    return stiffness_scratch_size(dofs, during_run.first.steps);
}

// First the step that some alpha allows, then that alpha.
static void answer_with_alpha(Simulation *simulation, const LimitQuestion *q)
{
    AlphaRule rule = (AlphaRule)q->alpha_rule;
    simulation->automatic_step =
        automatic_alpha_step(&q->scheme, &q->stiffness, rule, q->air, q->safety);
    double h = q->step == PARAM_WORD ? simulation->automatic_step : q->step;
    simulation->automatic_alpha = automatic_alpha(&q->scheme, &q->stiffness, rule, h, q->air);
    simulation->limit = step_limit(&q->scheme, &q->stiffness, q->air, simulation->automatic_alpha);
}

static void answer(Simulation *simulation, const LimitQuestion *q)
{
    simulation->limit = step_limit(&q->scheme, &q->stiffness, q->air, q->alpha);
    simulation->automatic_step = automatic_step(q->scheme.integrator, &q->stiffness,
                                                simulation->limit, q->air, q->alpha, q->safety);
}

// A search over all modes: what has an answer is not asked again. Padding that differs costs a
// search, not a wrong answer.
void simulation_update_step_limit(Simulation *simulation)
{
    const Params *params = &simulation->scene.params;
    bool follows = params->alpha == PARAM_WORD;
    LimitQuestion question;
    memset(&question, 0, sizeof question);
    question.scheme = simulation->scheme;
    question.stiffness = simulation->now.stiffness;
    question.air = params->air;
    question.alpha = params->alpha;
    question.alpha_rule = params->alpha_rule;
    question.safety = params->safety;
    question.step = params->step;
    if (memcmp(&question, &simulation->limits_asked, sizeof question) != 0) {
        if (follows)
            answer_with_alpha(simulation, &question);
        else
            answer(simulation, &question);
        simulation->limits_asked = question;
    }
    if (follows)
        simulation->system.alpha = simulation->body.cloth.material.alpha =
            simulation->automatic_alpha;
}

// Single precision is enough for a start, and halves what the timeline keeps of it.
static void round_mode(const Body *body, double *mode)
{
    for (int i = 0; i < body->cloth.mesh.dofs; i++) mode[i] = (double)(float)mode[i];
}

static double largest_stiffness(const Stiffness *stiffness)
{
    return fmax(stiffness->k0, stiffness->taut);
}

static double strain_of(const Simulation *simulation)
{
    const Cloth *cloth = &simulation->body.cloth;
    return cloth->model->stiffens ? cloth_max_strain(cloth, cloth->x) : 0.0;
}

static void estimate(Simulation *simulation, const StiffnessEffort *effort)
{
    Body *body = &simulation->body;
    StateValues *now = &simulation->now;
    arena_reset(&body->scratch);
    VelocityFilter filter = {.apply = cloth_system_filter,
                             .self = &simulation->hooks,
                             .constant = body->cloth.filter.distance == FILTER_REST};
    stiffness_estimate(&simulation->system, body->cloth.x, &simulation->scheme, filter, effort,
                       body->modes, &now->stiffness, &body->scratch);
    for (int m = 0; m < STIFFNESS_MODES; m++) round_mode(body, body->modes[m]);
    Surroundings around = simulation_surroundings(simulation);
    now->stiffness.contact = collide_is_touching(&body->cloth, &around, body->cloth.x);
    now->stiffness.wind =
        wind_drag_bound(&body->cloth, wind_strongest(&body->cloth.wind), body->cloth.x);
    now->stiffness_time = now->across_time = now->strain_time = now->time;
    now->stiffness_wait = 0.0;
    now->strain = strain_of(simulation);
    now->stiffness_due = false;
    simulation_update_step_limit(simulation);
}

void simulation_update_stiffness(Simulation *simulation)
{
    estimate(simulation, &after_command);
}

// s, between two estimates of a cloth of which nothing is known
static double usual_wait(double step)
{
    return fmax(fmin(STIFFNESS_STEPS * step, STIFFNESS_INTERVAL_MOST), STIFFNESS_INTERVAL);
}

// The next estimate is due when the stiffness has grown too much, if it goes on as since the last
// one.
static void follow_stiffness(Simulation *simulation, bool rises)
{
    StateValues *now = &simulation->now;
    double before = largest_stiffness(&now->stiffness), elapsed = now->time - now->stiffness_time;
    double usual = usual_wait(simulation_next_step(simulation));
    estimate(simulation, rises ? &while_rising : elapsed > 1.5 * usual ? &after_calm : &during_run);
    double growth = log(largest_stiffness(&now->stiffness) / before);
    if (!isfinite(growth)) return;
    double soon = growth > 0.0 ? log(STIFFNESS_GROWTH) * elapsed / growth : usual;
    if (soon < usual) {
        now->stiffness_wait = soon;
        return;
    }
    double changed = fmin(log(STIFFNESS_CHANGE) * elapsed / fabs(growth), 2.0 * elapsed);
    now->stiffness_wait = fmax(fmin(changed, STIFFNESS_INTERVAL_CALM), usual);
}

// Whether the strain says so. Where energies are polynomials of the threads' lengths, K grows with
// their squares.
static bool has_strained(Simulation *simulation)
{
    StateValues *now = &simulation->now;
    double interval = fmax(STRAIN_INTERVAL, STRAIN_STEPS * simulation_next_step(simulation));
    if (!simulation->body.cloth.model->stiffens || now->time - now->strain_time < interval)
        return false;
    now->strain_time = now->time;
    double stretch = (1.0 + strain_of(simulation)) / (1.0 + now->strain);
    return stretch * stretch > STIFFNESS_GROWTH;
}

void simulation_refine_stiffness(Simulation *simulation)
{
    estimate(simulation, &for_readout);
}

static void update_across(Simulation *simulation)
{
    Body *body = &simulation->body;
    StiffnessParts parts;
    arena_reset(&body->scratch);
    stiffness_parts(&simulation->system, &simulation->scheme, &parts);
    simulation->now.stiffness.across =
        stiffness_across(&simulation->system, body->cloth.x, parts, of_across,
                         body->modes[STIFFNESS_ACROSS], &body->scratch);
    round_mode(body, body->modes[STIFFNESS_ACROSS]);
    simulation->now.across_time = simulation->now.time;
    simulation_update_step_limit(simulation);
}

// Does the limit follow from `across` alone?
static bool follows_tension(const Simulation *simulation)
{
    const Scheme *scheme = &simulation->scheme;
    bool clamped = (scheme->integrator->traits & INTEGRATOR_NEEDS_SPRINGS) &&
                   scheme->options.harmonic == HARMONIC_CLAMPED;
    StiffnessParts parts;
    return (clamped || (scheme->integrator->traits & INTEGRATOR_EXPLICIT_ACROSS)) &&
           stiffness_parts(&simulation->system, scheme, &parts);
}

void simulation_refresh_estimates(Simulation *simulation)
{
    const StateValues *now = &simulation->now;
    bool touches = now->contacts > 0 || simulation->body.cloth.grabbed >= 0;
    bool pushed = now->contacts > 0 || simulation->system.add_wind;
    double interval = pushed ? ACROSS_INTERVAL_PUSHED : ACROSS_INTERVAL;
    double step = simulation_next_step(simulation), wait = usual_wait(step);
    double soon = fmax(now->stiffness_wait, STIFFNESS_STEPS_LEAST * step);
    double elapsed = now->time - now->stiffness_time;
    bool rises = now->stiffness_wait > 0.0 && soon < wait && elapsed >= soon;
    rises = rises || has_strained(simulation);
    if (!touches) wait = fmax(wait, now->stiffness_wait);
    if (rises || now->stiffness_due || elapsed >= wait) {
        follow_stiffness(simulation, rises);
    } else if (follows_tension(simulation) && now->time - now->across_time >= interval) {
        update_across(simulation);
    }
}
