#include "stability/automatic_alpha.h"

#include "stability/search.h"

#include <math.h>

const char *alpha_rule_name(int rule)
{
    static const char *const names[ALPHA_RULES] = {"corrected", "paper"};
    return rule >= 0 && rule < ALPHA_RULES ? names[rule] : NULL;
}

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

// Where damping has modes of its own, the rules are of no use: the middle of the alphas that keep
// all pairs stable, by their ratio; negative when none does.
static double middle_of_what_fits(const Question *question, double c0)
{
    const double first = 1e-3, last = 1e2, ratio = 1.2; // of X = h alpha c0
    double low = 0.0, high = 0.0;
    for (double X = first; X < last; X *= ratio) {
        double alpha = X / (question->h * c0);
        if (stable_with_alpha(question, alpha)) {
            if (high == 0.0) low = alpha;
            high = alpha;
        } else if (high > 0.0) {
            break;
        }
    }
    return high > 0.0 ? sqrt(low * high) : -1.0;
}

static double largest_c(const Stiffness *stiffness)
{
    double c0 = 0.0;
    for (int i = 0; i < stiffness->corner_count; i++) c0 = fmax(c0, stiffness->corner_c[i]);
    return c0;
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
        return fmax(middle_of_what_fits(&question, largest_c(stiffness)), 0.0);
    }
    if (integrator->wanted_tip) {
        double tip = integrator->wanted_tip(rule == ALPHA_PAPER, h * air, h * h * k0);
        return fmax((tip - h * air) / (h * k0), 0.0);
    }
    if (!integrator->amplification) return 0.0;
    ModeSet modes = mode_set_of(scheme, stiffness);
    Question question = {.scheme = scheme, .modes = &modes, .h = h, .air = air};
    return half_of_what_fits(&question, k0);
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
    if (!(stiffness->k0 > 0.0)) return (StepLimit){INFINITY, false};
    double largest = sqrt(integrator->largest_Y / fmax(stiffness->k0, stiffness->taut));
    if (stiffness->corner_count > 0) {
        ModeSet modes = mode_set_of(scheme, stiffness);
        Question question = {.scheme = scheme, .modes = &modes, .h = largest, .air = air};
        double c0 = largest_c(stiffness);
        while (question.h > 1e-4 * largest && middle_of_what_fits(&question, c0) < 0.0)
            question.h /= 1.1;
        return (StepLimit){question.h, true};
    }
    if (scheme->filter == SCHEME_UNFILTERED) return (StepLimit){largest, false};
    // the rule ignores filters, so search for the largest step that works with this one
    ModeSet modes = mode_set_of(scheme, stiffness);
    Question question = {
        .scheme = scheme, .stiffness = stiffness, .modes = &modes, .rule = rule, .air = air};
    double limit =
        search_upwards((StableAt){stable_with_its_alpha, &question}, 1e-3 * largest, largest, 1.1);
    return (StepLimit){fmin(limit, largest), true};
}
