#include "runtime/map_work.h"

#include "base/clock.h"

#include <math.h>
#include <string.h>

#define REFRESH 4.0 // s between two maps of a cloth that moves

void map_work_finish(MapWork *work)
{
    mapper_destroy(work->mapper);
    *work = (MapWork){0};
}

void map_work_ask(MapWork *work, const MapRequest *request)
{
    bool same = work->wanted == (request != NULL) &&
                (!request || map_request_same(request, &work->request));
    if (same) return;
    work->wanted = request != NULL;
    if (request) work->request = *request;
    work->begun = work->has_shown = false;
}

bool map_work_is_unfinished(const MapWork *work)
{
    return work->wanted && work->begun && !mapper_map(work->mapper)->complete;
}

// Whether the map that was begun is about this cloth: only the two parameters may differ.
static bool is_valid(const MapWork *work, const Simulation *simulation, int lane)
{
    const Params *now = simulation_params(simulation);
    const MapRequest *request = &work->request;
    if (!work->begun || work->lane != lane || work->topology != simulation_topology(simulation))
        return false;
    bool has_step = false;
    for (int i = 0; i < param_count; i++) {
        const ParamInfo *info = &param_table[i];
        bool mapped = i == request->x.param || i == request->y.param;
        has_step |= mapped && strcmp(info->name, "step") == 0;
        bool counts = !mapped && strcmp(info->name, "speed") != 0;
        if (counts && param_get(now, info) != param_get(&work->params, info)) return false;
    }
    double h = simulation_next_step(simulation), then = mapper_map(work->mapper)->step;
    return has_step || fabs(h - then) < 0.02 * then; // an automatic one follows the cloth
}

static void begin(MapWork *work, const Simulation *simulation, int lane)
{
    bool valid = is_valid(work, simulation, lane);
    const StabilityMap *map = work->begun ? mapper_map(work->mapper) : NULL;
    bool moved = valid && map->complete && simulation_time(simulation) != map->time;
    if (valid && !(moved && clock_seconds() - work->done_at > REFRESH)) return;
    if (!work->mapper && mapper_create(&work->mapper, NULL) != STATUS_OK) return;
    if (!valid) work->has_shown = false;
    work->begun = mapper_begin(work->mapper, simulation, &work->request, NULL) == STATUS_OK;
    work->params = *simulation_params(simulation);
    work->lane = lane;
    work->topology = simulation_topology(simulation);
}

bool map_work_go_on(MapWork *work, Simulation *simulation, int lane, double deadline)
{
    // the stiffness of a cloth that has diverged is not of interest
    if (!work->wanted || simulation_autopsy(simulation)) return false;
    begin(work, simulation, lane);
    if (!work->begun || !mapper_go_on(work->mapper, deadline)) return false;
    const StabilityMap *map = mapper_map(work->mapper);
    if (map->complete) work->done_at = clock_seconds();
    if (work->has_shown && work->shown.complete && !map->complete) return false;
    work->shown = *map;
    work->has_shown = true;
    return true;
}
