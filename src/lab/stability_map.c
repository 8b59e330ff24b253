#include "lab/stability_map.h"

#include "base/clock.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct Mapper {
    StabilityMap map;
    State *start;
    NoiseRun runner;
    Simulation *simulation;  // a private one; NULL before the first
    bool rows_first;         // a line is a row: x is the step, whose limit is the same along it
    int lines, lines_done;   // of them all
    bool known[MAP_COLUMNS]; // whether a line has its own values
};

double map_x(const StabilityMap *map, int column)
{
    return param_range_value(&map->request.x, (column + 0.5) / MAP_COLUMNS);
}

double map_y(const StabilityMap *map, int row)
{
    return param_range_value(&map->request.y, (row + 0.5) / MAP_ROWS);
}

bool map_request_same(const MapRequest *a, const MapRequest *b)
{
    return param_range_same(&a->x, &b->x) && param_range_same(&a->y, &b->y);
}

Status mapper_create(Mapper **out, Error *error)
{
    Mapper *self = calloc(1, sizeof *self);
    if (!self) return error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory for a map");
    Status status = state_create(&self->start, error);
    if (status == STATUS_OK) status = noise_run_init(&self->runner, error);
    if (status != STATUS_OK) {
        mapper_destroy(self);
        return status;
    }
    self->map.complete = true; // nothing to do
    *out = self;
    return STATUS_OK;
}

void mapper_destroy(Mapper *self)
{
    if (!self) return;
    state_destroy(self->start);
    noise_run_finish(&self->runner);
    simulation_destroy(self->simulation);
    free(self);
}

const StabilityMap *mapper_map(const Mapper *self)
{
    return &self->map;
}

static bool is_step(int param)
{
    return strcmp(param_table[param].name, "step") == 0;
}

static Status set(Simulation *simulation, int param, double value)
{
    Command command = {.kind = COMMAND_SET_PARAM, .param = {param, value}};
    return simulation_apply(simulation, &command, NULL);
}

// The state at the start, with the step in use then: an automatic one would follow the limit.
static bool start_over(Mapper *self)
{
    return state_restore(self->start, self->simulation, NULL) == STATUS_OK &&
           set(self->simulation, (int)(param_find("step") - param_table), self->map.step) ==
               STATUS_OK;
}

Status mapper_begin(Mapper *self, const Simulation *simulation, const MapRequest *request,
                    Error *error)
{
    Status status = state_save(simulation, self->start, error);
    if (status != STATUS_OK) return status;
    status = self->simulation ? state_restore(self->start, self->simulation, error)
                              : state_create_simulation(self->start, &self->simulation, error);
    if (status != STATUS_OK) return status;
    SimulationView view = simulation_view(self->simulation);
    self->map = (StabilityMap){
        .request = *request, .time = view.time, .step = view.step, .k0 = view.stiffness.k0};
    for (int i = 0; i < MAP_COLUMNS; i++) self->map.edge[i] = NAN;
    self->rows_first = is_step(request->x.param);
    self->lines = self->rows_first ? MAP_ROWS : MAP_COLUMNS;
    self->lines_done = 0;
    memset(self->known, 0, sizeof self->known);
    return STATUS_OK;
}

// ---- theory

static void put(Mapper *self, int line, int place, int width, PointTheory cell)
{
    for (int l = line; l < line + width && l < self->lines; l++) {
        if (l > line && self->known[l]) break;
        if (self->rows_first)
            self->map.cell[l][place] = (unsigned char)cell;
        else
            self->map.cell[place][l] = (unsigned char)cell;
    }
}

// All cells of a line; its neighbours up to `width` have its values until they are known.
static void fill_line(Mapper *self, int line, int width)
{
    StabilityMap *map = &self->map;
    const ParamRange *outer = self->rows_first ? &map->request.y : &map->request.x;
    const ParamRange *inner = self->rows_first ? &map->request.x : &map->request.y;
    int places = self->rows_first ? MAP_COLUMNS : MAP_ROWS;
    Simulation *simulation = self->simulation;
    bool there =
        start_over(self) && set(simulation, outer->param,
                                param_range_value(outer, (line + 0.5) / self->lines)) == STATUS_OK;
    if (there) simulation_refine_stiffness(simulation);
    // an automatic alpha follows the step, and the limit follows alpha
    bool along_step = is_step(inner->param) && simulation_params(simulation)->alpha != PARAM_WORD;
    map->edge[line] = there && along_step ? simulation_view(simulation).limit.step : NAN;
    for (int place = 0; place < places; place++) {
        double value = param_range_value(inner, (place + 0.5) / places);
        bool taken = there && (along_step || set(simulation, inner->param, value) == STATUS_OK);
        PointTheory cell = POINT_REFUSED;
        if (taken) {
            SimulationView view = simulation_view(simulation);
            cell = point_theory(&view, is_step(inner->param) ? value : view.step);
        }
        put(self, line, place, width, cell);
    }
    self->known[line] = true;
}

// Every eighth line, then those in between, and so on.
static int line_of(const Mapper *self, int number, int *width)
{
    for (int stride = 8; stride >= 1; stride /= 2) {
        for (int line = stride == 8 ? 0 : stride; line < self->lines;
             line += stride == 8 ? 8 : 2 * stride) {
            if (number-- > 0) continue;
            *width = stride;
            return line;
        }
    }
    return 0;
}

// ---- runs

static void add_run(Mapper *self)
{
    StabilityMap *map = &self->map;
    int n = map->run_count;
    MapRun run = {.column = (2 * (n % MAP_RUNS_ACROSS) + 1) * MAP_COLUMNS / (2 * MAP_RUNS_ACROSS),
                  .row = (2 * (n / MAP_RUNS_ACROSS) + 1) * MAP_ROWS / (2 * MAP_RUNS_DOWN),
                  .outcome = POINT_CLOSE};
    Simulation *simulation = self->simulation;
    bool there = start_over(self) &&
                 set(simulation, map->request.x.param, map_x(map, run.column)) == STATUS_OK &&
                 set(simulation, map->request.y.param, map_y(map, run.row)) == STATUS_OK;
    if (there) noise_run_judge(&self->runner, simulation, &run.outcome, NULL);
    map->runs[map->run_count++] = run;
}

bool mapper_go_on(Mapper *self, double deadline)
{
    StabilityMap *map = &self->map;
    if (map->complete) return false;
    do {
        if (self->lines_done < self->lines) {
            int width = 1, line = line_of(self, self->lines_done, &width);
            fill_line(self, line, width);
            self->lines_done++;
        } else {
            add_run(self);
        }
        map->complete = self->lines_done == self->lines && map->run_count == MAP_RUNS;
    } while (!map->complete && clock_seconds() < deadline);
    return true;
}
