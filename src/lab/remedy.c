#include "lab/remedy.h"

#include "base/clock.h"
#include "base/duration.h"
#include "cloth/filter.h"
#include "simulation/probe.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// A suggested value keeps this share of its limit: k0 changes by a few per cent as the cloth moves.
#define MARGIN 0.9
enum { LOOK = 64 };    // steps between two checks of the clock
enum { HALVINGS = 4 }; // of a step that is still too large

const RemedyPlan remedy_default = {.seconds = 10.0};

typedef struct Search {
    Simulation *simulation;
    const State *diverged;
    const RemedyPlan *plan;
    Remedies *out;
    Autopsy autopsy;
    Params params; // at the divergence
    double h;      // s, the step that diverged
} Search;

static bool is_over(const Search *search)
{
    return search->plan->is_over && search->plan->is_over(search->plan->self);
}

static Status apply(Simulation *simulation, Command command)
{
    return simulation_apply(simulation, &command, NULL);
}

void remedy_commands(const Remedy *remedy, const Autopsy *autopsy, Command out[REMEDY_COMMANDS])
{
    out[0] = (Command){.kind = COMMAND_SET_PARAM, .param = {remedy->param, remedy->value}};
    out[1] = (Command){.kind = autopsy->can_go_back ? COMMAND_REWIND : COMMAND_RESET};
}

// Apply the remedy and run. Returns the simulated seconds without trouble, or -1.
static double try_remedy(Search *search, const Remedy *remedy)
{
    Simulation *simulation = search->simulation;
    const RemedyPlan *plan = search->plan;
    Command commands[REMEDY_COMMANDS];
    remedy_commands(remedy, &search->autopsy, commands);
    if (state_restore(search->diverged, simulation, NULL) != STATUS_OK) return -1.0;
    for (int i = 0; i < REMEDY_COMMANDS; i++) {
        if (apply(simulation, commands[i]) != STATUS_OK) return -1.0;
    }
    double start = simulation_time(simulation), begun = clock_seconds();
    for (long n = 1; simulation_time(simulation) - start < plan->seconds; n++) {
        if (simulation_step(simulation, NULL) != STATUS_OK) return -1.0;
        // a run that rewinds or continues by itself has diverged too
        if (simulation_divergences(simulation) != search->autopsy.serial) return -1.0;
        if (n % LOOK != 0) continue;
        if (is_over(search)) return -1.0;
        if (plan->budget > 0.0 && clock_seconds() - begun > plan->budget) break;
    }
    return simulation_time(simulation) - start;
}

__attribute__((format(printf, 4, 5))) static bool consider(Search *search, const char *name,
                                                           double value, const char *format, ...)
{
    Remedies *out = search->out;
    const ParamInfo *info = param_find(name);
    if (out->count == REMEDIES_MAX || is_over(search)) return false;
    if (!(value >= info->min && value <= info->max)) return false;
    Remedy remedy = {.param = (int)(info - param_table), .value = value};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(remedy.label, sizeof remedy.label, format, arguments);
    va_end(arguments);
    remedy.tried = try_remedy(search, &remedy);
    if (remedy.tried < 0.0) return false;
    out->remedy[out->count++] = remedy;
    if (search->plan->found) search->plan->found(search->plan->self, out);
    return true;
}

// The limit of the diverged state with one parameter changed; 0 when the change is refused.
static double limit_with(Search *search, const char *name, double value)
{
    Simulation *simulation = search->simulation;
    if (state_restore(search->diverged, simulation, NULL) != STATUS_OK ||
        apply(simulation, command_set(name, value)) != STATUS_OK) {
        return 0.0;
    }
    return simulation_view(simulation).limit.step;
}

static void consider_step(Search *search)
{
    double limit = search->autopsy.limit.step;
    // where theory calls h stable, it cannot say which step really is
    double h = limit > 0.0 && search->h > limit ? MARGIN * limit : 0.5 * search->h;
    if (limit == 0.0 && search->params.filter != FILTER_OFF) return; // no step is stable
    for (int i = 0; i < HALVINGS; i++, h *= 0.5) {
        if (consider(search, "step", h, "h = %s", duration_text(h).text) || is_over(search)) return;
    }
}

static void consider_filter(Search *search)
{
    if (search->params.filter == FILTER_OFF) return;
    const ParamInfo *info = param_find("lambda");
    for (double lambda = 1.2 * search->params.lambda; lambda <= info->max; lambda *= 1.2) {
        if (MARGIN * limit_with(search, "lambda", lambda) < search->h) continue;
        if (consider(search, "lambda", lambda, "\u03bb = %.3g", lambda) || is_over(search)) break;
    }
    if (search->params.filter_form != FILTER_HALF)
        consider(search, "filter_form", FILTER_HALF, "half filter");
    consider(search, "filter", FILTER_OFF, "filter off");
}

// The alpha nearest to the present one (by ratio) that makes h stable; negative when there is none.
static double stable_alpha(const Search *search, const SimulationView *view)
{
    const double first = 1e-7, last = 0.05;
    double now = fmax(view->system->alpha, first), best = -1.0, distance = INFINITY;
    double air = view->system->air;
    for (double alpha = first; alpha <= last; alpha *= 1.05) {
        double away = fabs(log(alpha / now));
        if (away >= distance) continue;
        if (MARGIN * step_limit(&view->scheme, &view->stiffness, air, alpha).step >= search->h)
            best = alpha, distance = away;
    }
    if (best < 0.0 &&
        MARGIN * step_limit(&view->scheme, &view->stiffness, air, 0.0).step >= search->h) {
        best = 0.0;
    }
    return best;
}

static void consider_alpha(Search *search)
{
    if (state_restore(search->diverged, search->simulation, NULL) != STATUS_OK) return;
    SimulationView view = simulation_view(search->simulation);
    // there tension sets the limit, not alpha
    if (view.scheme.integrator->traits & INTEGRATOR_EXPLICIT_ACROSS) return;
    double alpha = stable_alpha(search, &view);
    if (alpha >= 0.0) consider(search, "alpha", alpha, "\u03b1 = %s", duration_text(alpha).text);
}

// The method with the fewest evaluations that is stable at h; an implicit one only if no other is.
static void consider_method(Search *search)
{
    bool tried[INTEGRATOR_COUNT] = {false};
    tried[search->params.integrator] = true;
    for (int attempt = 0; attempt < 3 && !is_over(search); attempt++) {
        int best = -1;
        double lowest = INFINITY;
        for (int i = 0; i < integrator_count; i++) {
            const Integrator *method = integrator_table[i];
            double cost =
                method->forces_per_step + ((method->traits & INTEGRATOR_IMPLICIT) ? 100.0 : 0.0);
            if (tried[i] || cost >= lowest) continue;
            if (MARGIN * limit_with(search, "integrator", i) < search->h) continue;
            lowest = cost;
            best = i;
        }
        if (best < 0) return;
        tried[best] = true;
        if (consider(search, "integrator", best, "%s", integrator_table[best]->label)) return;
    }
}

bool remedies_find(Simulation *simulation, State *saved, const RemedyPlan *plan, Remedies *out)
{
    *out = (Remedies){0};
    const Autopsy *autopsy = simulation_autopsy(simulation);
    if (!autopsy || state_save(simulation, saved, NULL) != STATUS_OK) return false;
    Search search = {.simulation = simulation,
                     .diverged = saved,
                     .plan = plan,
                     .out = out,
                     .autopsy = *autopsy,
                     .params = *simulation_params(simulation),
                     .h = autopsy->step};
    out->autopsy = autopsy->serial;
    consider_step(&search);
    consider_filter(&search);
    consider_alpha(&search);
    consider_method(&search);
    out->complete = !is_over(&search);
    state_restore(saved, simulation, NULL);
    return out->complete;
}
