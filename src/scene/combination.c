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
    if ((traits & INTEGRATOR_NEEDS_SPRINGS) && params->damping == DAMPING_DIFFERENCE) {
        return "this integrator has dampers along its springs only: use damping = projected (or "
               "rayleigh, of which it takes that part)";
    }
    return NULL;
}
