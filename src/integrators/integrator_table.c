#include "integrators/integrator.h"

#include <string.h>

extern const Integrator explicit_euler;
extern const Integrator symplectic_euler;
extern const Integrator symplectic_euler_implicit_air;
extern const Integrator velocity_verlet;
extern const Integrator midpoint;
extern const Integrator rk4;
extern const Integrator backward_euler;
extern const Integrator backward_euler_newton;
extern const Integrator imex;
extern const Integrator imex_axial;
extern const Integrator leu;
extern const Integrator harmonic_integrator;

// Explicit methods first, then implicit ones, then the two that are neither.
const Integrator *const integrator_table[] = {
    &explicit_euler,
    &symplectic_euler,
    &symplectic_euler_implicit_air,
    &velocity_verlet,
    &midpoint,
    &rk4,
    &backward_euler,
    &backward_euler_newton,
    &imex,
    &imex_axial,
    &leu,
    &harmonic_integrator,
};
const int integrator_count = sizeof integrator_table / sizeof integrator_table[0];
_Static_assert(sizeof integrator_table / sizeof integrator_table[0] == INTEGRATOR_COUNT,
               "INTEGRATOR_COUNT is the length of the table");

const char *integrator_name(int index)
{
    return index >= 0 && index < integrator_count ? integrator_table[index]->name : NULL;
}

int step_evaluations(const Integrator *method, const StepReport *report)
{
    bool on_linearisation =
        (method->traits & INTEGRATOR_USES_LINEARISATION) && !(method->traits & INTEGRATOR_IMPLICIT);
    return report->force_evaluations + report->linearisations + report->pcg.iterations +
           (on_linearisation ? 1 : 0);
}

int integrator_find(const char *name)
{
    for (int i = 0; i < integrator_count; i++) {
        if (strcmp(integrator_table[i]->name, name) == 0) return i;
    }
    return -1;
}
