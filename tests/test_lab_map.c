// The map of two parameters: its boundary is the limit, and short runs agree with it.
#include "support/solver_test.h"

#include "lab/stability_map.h"
#include "simulation/probe.h"

#include <math.h>
#include <string.h>

static ParamRange axis(const char *name, double min, double max, bool logarithmic)
{
    return (ParamRange){(int)(param_find(name) - param_table), min, max, logarithmic};
}

static Mapper *map_of(Simulation *simulation, ParamRange x, ParamRange y)
{
    Mapper *mapper;
    assert_int_equal(mapper_create(&mapper, NULL), STATUS_OK);
    assert_false(mapper_go_on(mapper, INFINITY)); // nothing was asked
    MapRequest request = {x, y};
    assert_int_equal(mapper_begin(mapper, simulation, &request, NULL), STATUS_OK);
    uint64_t before = simulation_hash(simulation);
    int pieces = 0;
    while (mapper_go_on(mapper, 0.0)) pieces++;
    assert_int_equal(simulation_hash(simulation), before);
    assert_true(pieces >= MAP_ROWS + MAP_RUNS);
    assert_true(mapper_map(mapper)->complete);
    return mapper;
}

// The limit that a simulation with these values has, estimated until it is exact.
static StepLimit limit_with(const Simulation *simulation, const StabilityMap *map, double x,
                            double y, double *h)
{
    State *state;
    Simulation *other;
    assert_int_equal(state_create(&state, NULL), STATUS_OK);
    assert_int_equal(state_save(simulation, state, NULL), STATUS_OK);
    assert_int_equal(state_create_simulation(state, &other, NULL), STATUS_OK);
    apply_command(other, command_set("step", map->step));
    apply_command(other, command_set(param_table[map->request.x.param].name, x));
    apply_command(other, command_set(param_table[map->request.y.param].name, y));
    simulation_refine_stiffness(other);
    SimulationView view = simulation_view(other);
    *h = view.step;
    state_destroy(state);
    simulation_destroy(other);
    return view.limit;
}

// Every cell whose neighbours agree is what the limit says; only at the boundary may it be off by a
// cell. And runs that came to a result agree with their cell.
static void check(const char *text, ParamRange x, ParamRange y, int least_grew, int least_stayed)
{
    Simulation *simulation = simulation_with(text);
    run_steps(simulation, 50);
    Mapper *mapper = map_of(simulation, x, y);
    const StabilityMap *map = mapper_map(mapper);
    int stable = 0, unstable = 0, wrong = 0;
    for (int row = 1; row < MAP_ROWS - 1; row += 7) {
        for (int column = 1; column < MAP_COLUMNS - 1; column += 9) {
            PointTheory cell = map->cell[row][column];
            bool inside = map->cell[row - 1][column] == cell &&
                          map->cell[row + 1][column] == cell &&
                          map->cell[row][column - 1] == cell && map->cell[row][column + 1] == cell;
            if (!inside) continue;
            double h;
            StepLimit limit = limit_with(simulation, map, map_x(map, column), map_y(map, row), &h);
            wrong += (cell == POINT_STABLE) != (h <= limit.step);
            stable += cell == POINT_STABLE;
            unstable += cell == POINT_UNSTABLE;
        }
    }
    assert_int_equal(wrong, 0);
    assert_true(stable > 2 && unstable > 2);
    int grew = 0, stayed = 0;
    assert_int_equal(map->run_count, MAP_RUNS);
    for (int i = 0; i < map->run_count; i++) {
        const MapRun *run = &map->runs[i];
        PointTheory cell = map->cell[run->row][run->column];
        bool edge = false; // right at the boundary it may be either
        for (int d = -1; d <= 1; d++)
            edge |= map->cell[run->row + d][run->column] != cell ||
                    map->cell[run->row][run->column + d] != cell;
        grew += run->outcome == POINT_GREW;
        stayed += run->outcome == POINT_STAYED;
        if (edge) continue;
        if (run->outcome == POINT_GREW && cell != POINT_UNSTABLE)
            fail_msg("%s: %g, %g grew", text, map_x(map, run->column), map_y(map, run->row));
        if (run->outcome == POINT_STAYED && cell != POINT_STABLE)
            fail_msg("%s: %g, %g stayed", text, map_x(map, run->column), map_y(map, run->row));
    }
    if (grew < least_grew || stayed < least_stayed)
        fail_msg("%s: %d grew and %d stayed", text, grew, stayed);
    mapper_destroy(mapper);
    simulation_destroy(simulation);
}

static void step_and_stretch(void **state)
{
    (void)state;
    check("rows=6 columns=6 step=2e-4 integrator=symplectic-euler alpha=1e-4",
          axis("step", 1e-4, 1e-2, true), axis("stretch", 30.0, 3e4, true), 6, 6);
}

static void stretch_and_step(void **state)
{
    (void)state;
    check("rows=5 columns=7 step=2e-4 integrator=rk4 alpha=1e-4", axis("stretch", 30.0, 3e4, true),
          axis("step", 1e-4, 2e-2, true), 6, 6);
}

static void alpha_and_step(void **state)
{
    (void)state;
    check("rows=6 columns=6 step=2e-4 integrator=symplectic-euler", axis("alpha", 0.0, 2e-3, false),
          axis("step", 1e-4, 2e-2, true), 6, 4);
}

static void two_stiffnesses(void **state)
{
    (void)state;
    check("rows=5 columns=5 step=1.5e-3 integrator=velocity-verlet alpha=0",
          axis("stretch", 10.0, 1e4, true), axis("bend", 1.0, 1e4, true), 4, 4);
}

// A closed form: one spring, h = 2 / sqrt(2 k / m).
static void one_spring(void **state)
{
    (void)state;
    Simulation *simulation =
        simulation_with("rows=1 columns=2 size=0.5 density=8 stretch=400 air=0 "
                        "alpha=0 gravity=0 step=1e-3");
    apply_command(simulation, (Command){.kind = COMMAND_TOGGLE_PIN, .particle = 0});
    apply_command(simulation, (Command){.kind = COMMAND_TOGGLE_PIN, .particle = 1});
    Mapper *mapper =
        map_of(simulation, axis("step", 1e-2, 1.0e-1, true), axis("stretch", 100.0, 1e4, true));
    const StabilityMap *map = mapper_map(mapper);
    for (int row = 0; row < MAP_ROWS; row++) {
        double limit = 2.0 / sqrt(2.0 * map_y(map, row) / 1.0);
        for (int column = 0; column < MAP_COLUMNS; column++) {
            double h = map_x(map, column), cell = log(10.0) / MAP_COLUMNS;
            if (fabs(log(h / limit)) < cell) continue;
            assert_int_equal(map->cell[row][column], h < limit ? POINT_STABLE : POINT_UNSTABLE);
        }
    }
    // the exact edge: of the step, for each row
    for (int row = 0; row < MAP_ROWS; row++)
        assert_near(map->edge[row] * sqrt(2.0 * map_y(map, row)), 2.0, 1e-6);
    mapper_destroy(mapper);
    simulation_destroy(simulation);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_spring),       cmocka_unit_test(step_and_stretch),
        cmocka_unit_test(stretch_and_step), cmocka_unit_test(alpha_and_step),
        cmocka_unit_test(two_stiffnesses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
