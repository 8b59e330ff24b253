#include "integrators/automatic_alpha.h"

#include "integrators/amplification.h"

#include <math.h>
#include <string.h>

// Methods that need damping, or gain from it: where the stiffest mode should lie in the plane
// X = h d, Y = h^2 k, and the largest Y that this allows (theory of each region).
typedef struct Target {
    const char *name;
    double largest_Y;
} Target;

static const Target targets[] = {
    {"explicit-euler", 4.0}, // the corner (4, 4) of its triangle, not attained
    {"leu", 4.0},            // the same
    {"midpoint", 4.7},       // below the top of the ellipse, 2 + 2 sqrt 2
    {"rk4", 8.70},           // below the top of the left lobe, 8.762
};

static const Target *target_of(const Integrator *integrator)
{
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        if (strcmp(integrator->name, targets[i].name) == 0) return &targets[i];
    }
    return NULL;
}

const char *alpha_rule_name(int rule)
{
    static const char *const names[ALPHA_RULES] = {"corrected", "paper"};
    return rule >= 0 && rule < ALPHA_RULES ? names[rule] : NULL;
}

// X of the stiffest mode at Y0 = h^2 k0, air drag X0 included.
static double wanted_tip(const Target *target, AlphaRule rule, double X0, double Y0)
{
    bool paper = rule == ALPHA_PAPER;
    if (target->largest_Y == 4.0) {
        // The paper's alpha = h (4 - d0 h) / 4 puts it on the edge Y = X when d0 = 0; the middle of
        // the stable interval is 1 + 3 Y0 / 4.
        return paper ? 0.25 * (4.0 - X0) * Y0 + X0 : 1.0 + 0.75 * Y0;
    }
    if (strcmp(target->name, "midpoint") == 0) return 2.0 + sqrt(2.0);
    // h (0.725 - d0 h) / 8.75 in print; h (0.825 - d0 h) / 8.70 is in the middle of the lobe
    double X = paper ? 0.725 : 0.825, Y = paper ? 8.75 : 8.70;
    return (X - X0) * Y0 / Y + X0;
}

// Half of the largest alpha that keeps every mode stable: symplectic methods need none, and this
// leaves room on both sides.
static double half_of_what_fits(const Integrator *integrator, const StepOptions *options, double h,
                                double k0, double air)
{
    enum { BISECTIONS = 30 };
    if (!modes_are_stable(integrator, options, 1.0, h, k0, air, 0.0)) return 0.0;
    double low = 0.0, high = 1.0 / (h * k0); // X = 1, more than anybody wants
    if (modes_are_stable(integrator, options, 1.0, h, k0, air, high)) return 0.5 * high;
    for (int i = 0; i < BISECTIONS; i++) {
        double middle = 0.5 * (low + high);
        if (modes_are_stable(integrator, options, 1.0, h, k0, air, middle))
            low = middle;
        else
            high = middle;
    }
    return 0.5 * low;
}

double automatic_alpha(const Integrator *integrator, const StepOptions *options, AlphaRule rule,
                       double h, double k0, double air)
{
    if (!(h * k0 > 0.0) || (integrator->traits & INTEGRATOR_IMPLICIT)) return 0.0;
    const Target *target = target_of(integrator);
    if (target) {
        double tip = wanted_tip(target, rule, h * air, h * h * k0);
        return fmax((tip - h * air) / (h * k0), 0.0);
    }
    return integrator->amplification ? half_of_what_fits(integrator, options, h, k0, air) : 0.0;
}

double automatic_alpha_step_limit(const Integrator *integrator, const StepOptions *options,
                                  double k0, double air)
{
    const Target *target = target_of(integrator);
    if (target) return k0 > 0.0 ? sqrt(target->largest_Y / k0) : INFINITY;
    return integrator_step_limit(integrator, options, k0, air, 0.0);
}
