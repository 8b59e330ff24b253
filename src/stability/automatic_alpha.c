#include "stability/automatic_alpha.h"

#include "stability/search.h"

#include <math.h>

const char *alpha_rule_name(int rule)
{
    static const char *const names[ALPHA_RULES] = {"corrected", "paper"};
    return rule >= 0 && rule < ALPHA_RULES ? names[rule] : NULL;
}

// The smallest step to look at, in units of the largest.
#define SMALLEST 1e-3

enum { HALVINGS = 12 };

typedef struct Question {
    const Scheme *scheme;
    const Stiffness *stiffness;
    const ModeSet *modes;
    AlphaRule rule;
    double h, air;
} Question;

static bool stable_with_alpha(const void *self, double alpha)
{
    const Question *q = self;
    return modes_are_stable(q->scheme, q->modes, q->h, q->air, alpha);
}

// Half of the largest alpha that keeps every mode stable: symplectic methods need no damping, and
// this leaves room on both sides.
static double half_of_what_fits(const Question *question, double k0)
{
    StableAt stable = {stable_with_alpha, question};
    double most = 1.0 / (question->h * k0); // X = 1, more than is ever useful
    if (!stable.test(stable.self, 0.0)) return 0.0;
    if (stable.test(stable.self, most)) return 0.5 * most;
    return 0.5 * search_between(stable, 0.0, most);
}

// Where damping has modes of its own, the rules are of no use: does any alpha keep all pairs
// stable?
static bool some_alpha_fits(const Question *q, double h)
{
    const double first = 1e-3, last = 1e2, ratio = 1.2; // of X = h alpha c0
    double c0 = modes_largest_c(q->modes);
    for (double X = first; X < last; X *= ratio) {
        if (modes_are_stable(q->scheme, q->modes, h, q->air, X / (h * c0))) return true;
    }
    return false;
}

// The largest step up to `largest` for which one does, to 1 %; 0 if none does.
static double largest_that_fits(const Question *question, double largest)
{
    enum { BISECTIONS = 5 };
    const double ratio = 1.3;
    double inside = largest, outside = largest;
    while (!some_alpha_fits(question, inside)) {
        outside = inside;
        inside /= ratio;
        if (inside < SMALLEST * largest) return 0.0;
    }
    for (int i = 0; i < BISECTIONS && inside < outside; i++) {
        double middle = 0.5 * (inside + outside);
        *(some_alpha_fits(question, middle) ? &inside : &outside) = middle;
    }
    return inside;
}

// The middle of those that do, by their ratio. If none does, X = 1 for the most damped mode: what
// can be damped is.
static double middle_of_what_fits(const Question *question)
{
    AlphaRange range =
        modes_alpha_range(question->scheme, question->modes, question->h, question->air);
    if (!(range.low <= range.high) || isinf(range.high))
        return 1.0 / (question->h * modes_largest_c(question->modes));
    return range.low > 0.0 ? sqrt(range.low * range.high) : 0.5 * range.high;
}

double automatic_alpha(const Scheme *scheme, const Stiffness *stiffness, AlphaRule rule, double h,
                       double air)
{
    const Integrator *integrator = scheme->integrator;
    double k0 = fmax(stiffness->k0, stiffness->taut);
    if (!(h * k0 > 0.0) || (integrator->traits & INTEGRATOR_IMPLICIT)) return 0.0;
    if (integrator->wanted_tip && stiffness->corner_count > 0) {
        ModeSet modes = mode_set_of(scheme, stiffness);
        Question question = {.scheme = scheme, .modes = &modes, .h = h, .air = air};
        return middle_of_what_fits(&question);
    }
    if (integrator->wanted_tip) {
        double drag = air + 0.5 * stiffness->wind; // with as much room on both sides
        double tip = integrator->wanted_tip(rule == ALPHA_PAPER, h * drag, h * h * k0);
        return fmax((tip - h * drag) / (h * k0), 0.0);
    }
    if (!integrator->amplification) return 0.0;
    ModeSet modes = mode_set_of(scheme, stiffness);
    Question question = {.scheme = scheme, .modes = &modes, .h = h, .air = air};
    double alpha = half_of_what_fits(&question, k0);
    // what a method damps explicitly beside the rest has a limit of its own
    for (int i = 0; i < HALVINGS && step_limit(scheme, stiffness, air, alpha).step < h; i++)
        alpha *= 0.5;
    return alpha;
}

static bool stable_with_its_alpha(const void *self, double h)
{
    const Question *q = self;
    double alpha = automatic_alpha(q->scheme, q->stiffness, q->rule, h, q->air);
    return modes_are_stable(q->scheme, q->modes, h, q->air, alpha);
}

StepLimit automatic_alpha_step_limit(const Scheme *scheme, const Stiffness *stiffness,
                                     AlphaRule rule, double air)
{
    const Integrator *integrator = scheme->integrator;
    if (!integrator->wanted_tip) return step_limit(scheme, stiffness, air, 0.0);
    double k0 = fmax(stiffness->k0, stiffness->taut);
    if (!(k0 > 0.0)) return (StepLimit){.step = INFINITY};
    double largest = sqrt(integrator->largest_Y / k0);
    if (stiffness->corner_count > 0) {
        ModeSet modes = mode_set_of(scheme, stiffness);
        Question question = {.scheme = scheme, .modes = &modes, .air = air};
        return (StepLimit){.step = largest_that_fits(&question, largest), .is_bound = true};
    }
    if (scheme->filter == SCHEME_UNFILTERED && stiffness->wind == 0.0)
        return (StepLimit){.step = largest};
    // the rule ignores filters and wind, so search for the largest step that works with them
    ModeSet modes = mode_set_of(scheme, stiffness);
    Question question = {
        .scheme = scheme, .stiffness = stiffness, .modes = &modes, .rule = rule, .air = air};
    double limit = search_upwards((StableAt){stable_with_its_alpha, &question}, SMALLEST * largest,
                                  largest, 1.1);
    return (StepLimit){.step = fmin(limit, largest), .is_bound = true};
}

double automatic_alpha_step(const Scheme *scheme, const Stiffness *stiffness, AlphaRule rule,
                            double air, double safety)
{
    const double ratio = 0.95, smallest = 0.25;
    const Integrator *integrator = scheme->integrator;
    StepLimit limit = automatic_alpha_step_limit(scheme, stiffness, rule, air);
    Stiffness never_slack = *stiffness;
    never_slack.k0 = fmax(stiffness->k0, stiffness->taut);
    never_slack.taut = 0.0;
    double largest = automatic_step(integrator, &never_slack, limit, air, 0.0, safety);
    if (!(stiffness->taut > 0.0)) return largest;
    double h = largest;
    while (h > smallest * largest) { // which alpha comes with it decides whether slack springs hold
        double alpha = automatic_alpha(scheme, stiffness, rule, h, air);
        if (automatic_step(integrator, stiffness, limit, air, alpha, safety) >= h) break;
        h *= ratio;
    }
    return h;
}
