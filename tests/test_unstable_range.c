// The red part of a slider keeps its word: from there on the lab calls the cloth unstable, and a
// little before it the cloth is stable.
#include "ui/unstable_range.h"

#include "lab/analysis.h"
#include "simulation/simulation.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

static const AnalysisPlan PLAN = {.spectrum_products = 400, .spectrum_tolerance = 1e-6};

typedef struct Bench {
    Simulation *simulation;
    Lab lab;
    Snapshot now;
    LabResult result;
} Bench;

static void look(Bench *bench)
{
    lab_analyze(&bench->lab, bench->simulation, &PLAN, &bench->result.analysis);
    assert_int_equal(simulation_fill_snapshot(bench->simulation, &bench->now, NULL), STATUS_OK);
    bench->result.serial = 1;
    bench->result.topology_version = bench->now.topology_version;
    bench->result.particle_count = bench->now.particle_count;
    bench->result.has_shape[0] = true;
    lab_mode_shape(&bench->lab, bench->simulation, 0, bench->result.shapes);
}

static void start(Bench *bench, const char *integrator, double share_of_limit)
{
    *bench = (Bench){0};
    Scene scene = scene_default();
    scene.params.rows = scene.params.columns = 10;
    scene.params.integrator = integrator_find(integrator);
    assert_int_equal(simulation_create(&scene, &bench->simulation, NULL), STATUS_OK);
    assert_int_equal(lab_init(&bench->lab, bench->simulation, NULL), STATUS_OK);
    bench->result.shapes = calloc(LAB_SHAPES * 3 * 100, sizeof(float));
    for (int i = 0; i < 300; i++)
        assert_int_equal(simulation_step(bench->simulation, NULL), STATUS_OK);
    look(bench);
    Command command = {.kind = COMMAND_SET_PARAM,
                       .param = {(int)(param_find("step") - param_table),
                                 share_of_limit * bench->result.analysis.step_limit}};
    assert_int_equal(simulation_apply(bench->simulation, &command, NULL), STATUS_OK);
    look(bench);
}

static void finish(Bench *bench)
{
    free(bench->result.shapes);
    snapshot_finish(&bench->now);
    lab_finish(&bench->lab);
    simulation_destroy(bench->simulation);
}

static Verdict verdict_with(Bench *bench, const char *name, double value)
{
    const ParamInfo *info = param_find(name);
    double before = param_get(simulation_params(bench->simulation), info);
    Command command = {.kind = COMMAND_SET_PARAM, .param = {(int)(info - param_table), value}};
    assert_int_equal(simulation_apply(bench->simulation, &command, NULL), STATUS_OK);
    Analysis analysis;
    lab_analyze(&bench->lab, bench->simulation, &PLAN, &analysis);
    command.param.value = before;
    assert_int_equal(simulation_apply(bench->simulation, &command, NULL), STATUS_OK);
    return analysis.verdict;
}

static void red_means_unstable(void **state)
{
    (void)state;
    const char *const methods[] = {"symplectic-euler", "velocity-verlet", "rk4"};
    for (int m = 0; m < 3; m++) {
        Bench bench;
        start(&bench, methods[m], 0.8);
        UnstableFrom from = unstable_range(&bench.now, &bench.result);
        const struct {
            const char *name;
            double from, before; // `before`: a share of it that is stable still
        } sliders[] = {
            {"step", from.step, 0.98},
            {"alpha", from.alpha, 0.98},
            {"stretch", from.stretch, 0.85},
            {"shear", from.shear, 0.6},
        };
        for (int i = 0; i < 4; i++) {
            double value = sliders[i].from;
            assert_true(isfinite(value));
            if (value * 1.02 > param_find(sliders[i].name)->max) continue;
            assert_int_equal(verdict_with(&bench, sliders[i].name, 1.02 * value), VERDICT_UNSTABLE);
            double below = sliders[i].before * value;
            double now =
                param_get(simulation_params(bench.simulation), param_find(sliders[i].name));
            assert_int_equal(verdict_with(&bench, sliders[i].name, fmax(below, now)),
                             VERDICT_STABLE);
        }
        finish(&bench);
    }
}

static void nothing_is_red_where_nothing_is_unstable(void **state)
{
    (void)state;
    Bench bench;
    start(&bench, "symplectic-euler", 0.8);
    bench.now.scene.params.step = PARAM_WORD; // the step would follow
    UnstableFrom from = unstable_range(&bench.now, &bench.result);
    assert_true(isinf(from.stretch) && isinf(from.shear) && isinf(from.bend) && isinf(from.alpha));
    bench.result.serial = 0; // the lab has not said anything yet
    from = unstable_range(&bench.now, &bench.result);
    assert_true(isinf(from.step));
    finish(&bench);

    Scene scene = scene_default();
    scene.params.integrator = integrator_find("backward-euler");
    scene.params.step = 0.01;
    scene.params.rows = scene.params.columns = 10;
    Simulation *simulation;
    Lab lab;
    assert_int_equal(simulation_create(&scene, &simulation, NULL), STATUS_OK);
    assert_int_equal(lab_init(&lab, simulation, NULL), STATUS_OK);
    bench = (Bench){.simulation = simulation, .lab = lab};
    bench.result.shapes = calloc(LAB_SHAPES * 3 * 100, sizeof(float));
    look(&bench);
    from = unstable_range(&bench.now, &bench.result);
    assert_true(isinf(from.step) && isinf(from.stretch) && isinf(from.alpha));
    finish(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(red_means_unstable),
        cmocka_unit_test(nothing_is_red_where_nothing_is_unstable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
