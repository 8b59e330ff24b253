#include "lab/rho_work.h"

#include <stdlib.h>

// Of an implicit method's solves: far below the residuals that Krylov iterations leave.
#define PCG_TOLERANCE 1e-8
#define NEWTON_TOLERANCE 1e-4

void rho_work_end(RhoWork *work)
{
    if (work->open) simulation_probe_end(&work->probe);
    work->open = false;
}

void rho_work_finish(RhoWork *work)
{
    rho_work_end(work);
    free(work->extra);
    state_destroy(work->saved);
    simulation_destroy(work->simulation);
    *work = (RhoWork){0};
}

static bool make_room(RhoWork *work, int dofs)
{
    if (!work->saved && state_create(&work->saved, NULL) != STATUS_OK) return false;
    if (work->dofs == dofs) return true;
    free(work->extra);
    work->extra = calloc((size_t)dofs, sizeof *work->extra);
    work->dofs = work->extra ? dofs : 0;
    return work->extra != NULL;
}

bool rho_work_begin(RhoWork *work, Lab *lab, const State *state, const Analysis *analysis,
                    const atomic_bool *cancel)
{
    rho_work_end(work);
    Status status = work->simulation ? state_restore(state, work->simulation, NULL)
                                     : state_create_simulation(state, &work->simulation, NULL);
    if (status != STATUS_OK) return false;
    simulation_set_cancel(work->simulation, cancel);
    if (!make_room(work, simulation_view(work->simulation).system->dofs)) return false;
    if (simulation_probe_begin(work->simulation, analysis->step, work->saved, work->extra,
                               &work->probe, NULL) != STATUS_OK)
        return false;
    work->analysis = *analysis;
    work->analysis.measured = false;
    work->open = true;
    simulation_probe_set_tolerance(&work->probe, PCG_TOLERANCE, NEWTON_TOLERANCE);
    GrowthTheory theory = analysis_theory(&work->analysis);
    StepMapProblem problem = probe_problem(&work->probe, &theory);
    step_map_begin(&lab->map, &problem);
    return true;
}

bool rho_work_go_on(RhoWork *work, Lab *lab, int products, double deadline)
{
    if (!work->open) return false;
    GrowthTheory theory = analysis_theory(&work->analysis);
    StepMapProblem problem = probe_problem(&work->probe, &theory);
    problem.deadline = deadline;
    StepMap *map = &lab->map;
    if (step_map_has_whole(map, &problem, products) && !map->result.exact) {
        map->result = step_map_measure(map, &problem, products, ANALYSIS_RHO_TOLERANCE);
        map->ended = true;
    } else {
        step_map_go_on(map, &problem, products, ANALYSIS_RHO_TOLERANCE);
    }
    analysis_set_rho(&work->analysis, &map->result);
    return !map->ended && map->result.products < products;
}
