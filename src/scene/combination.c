#include "scene/combination.h"

#include "cloth/filter.h"
#include "integrators/integrator.h"

const char *params_refusal(const Params *params)
{
    unsigned traits = integrator_table[params->integrator]->traits;
    if ((traits & INTEGRATOR_NEEDS_SPRINGS) && !force_model_table[params->model]->made_of_springs) {
        return "this integrator moves springs one by one and works with nothing else: use model = "
               "springs, or another integrator";
    }
    bool filtered = params->filter != FILTER_OFF;
    bool rides_linearisation =
        (traits & INTEGRATOR_USES_LINEARISATION) && !(traits & INTEGRATOR_IMPLICIT);
    if (rides_linearisation && force_model_table[params->model]->goes_slack &&
        params->leu_interval != PARAM_WORD) {
        return "this integrator moves on an old linearisation, which does not know of springs that "
               "were slack then and are tight now: use leu_interval = auto, or another model";
    }
    if (filtered && params->filter_on == FILTER_VELOCITY && params->filter_place == FILTER_BEFORE &&
        !(traits & INTEGRATOR_POSITION_LAST)) {
        return "this integrator does not move particles with its new velocities, so there is no "
               "place for a filter before the position update: use filter_place = after, or an "
               "integrator such as symplectic-euler, velocity-verlet or backward-euler";
    }
    if (filtered && params->filter_on == FILTER_FORCE &&
        (traits & (INTEGRATOR_USES_LINEARISATION | INTEGRATOR_NEEDS_SPRINGS))) {
        return "this integrator does not work with forces alone, which are all that filter_on = "
               "force changes: use filter_on = velocity, or an explicit integrator such as "
               "symplectic-euler or rk4";
    }
    // F M^-1 K has real eigenvalues only if F is symmetric in the masses' inner product. The means
    // of the other forms are not where particles have different numbers of neighbours: such forces
    // do net work on a cycle, and the cloth starts to swing by itself at any step.
    if (filtered && params->filter_on == FILTER_FORCE && params->filter_form != FILTER_CONSERVING) {
        return "filtered forces of this form have no equal and opposite ones, so they feed energy "
               "into "
               "the cloth at any step: use filter_form = conserving, or filter_on = velocity";
    }
    if ((traits & INTEGRATOR_NEEDS_SPRINGS) && params->damping == DAMPING_DIFFERENCE) {
        return "this integrator has dampers along its springs only: use damping = projected (or "
               "rayleigh, of which it takes that part)";
    }
    return NULL;
}
