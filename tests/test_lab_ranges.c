// The red part of a slider is right: there the lab calls the cloth unstable, and a little before it
// the cloth is stable.
#include "support/solver_test.h"

#include "lab/unstable_range.h"

#include <math.h>
#include <string.h>

static const AnalysisPlan PLAN = {.spectrum_products = 400,
                                  .spectrum_tolerance = 1e-6,
                                  .refine = true,
                                  .filter = {.steps = 30, .products = 300, .tolerance = 1e-6}};

static void set(Simulation *simulation, const char *name, double value)
{
    Command command = command_set(name, value);
    assert_int_equal(simulation_apply(simulation, &command, NULL), STATUS_OK);
}

typedef struct Bench {
    Simulation *simulation;
    Lab lab;
    Analysis analysis;
} Bench;

static void look(Bench *bench)
{
    lab_analyze(&bench->lab, bench->simulation, &PLAN, &bench->analysis);
}

static Bench start(const char *assignments, double share_of_limit)
{
    Bench bench = {0};
    Scene scene = scene_with(assignments);
    scene.params.rows = scene.params.columns = 10;
    assert_int_equal(simulation_create(&scene, &bench.simulation, NULL), STATUS_OK);
    assert_int_equal(lab_init(&bench.lab, bench.simulation, NULL), STATUS_OK);
    for (int i = 0; i < 300; i++)
        assert_int_equal(simulation_step(bench.simulation, NULL), STATUS_OK);
    look(&bench);
    if (isfinite(bench.analysis.limit.step))
        set(bench.simulation, "step", share_of_limit * bench.analysis.limit.step);
    look(&bench);
    return bench;
}

static void finish(Bench *bench)
{
    lab_finish(&bench->lab);
    simulation_destroy(bench->simulation);
}

static double limit_with(Bench *bench, const char *name, double value)
{
    State *before;
    assert_int_equal(state_create(&before, NULL), STATUS_OK);
    assert_int_equal(state_save(bench->simulation, before, NULL), STATUS_OK);
    set(bench->simulation, name, value);
    simulation_refine_stiffness(bench->simulation);
    double limit = simulation_readings(bench->simulation).limit.step;
    assert_int_equal(state_restore(before, bench->simulation, NULL), STATUS_OK);
    state_destroy(before);
    return limit;
}

static void red_means_unstable(void **state)
{
    (void)state;
    const char *const cases[] = {
        "integrator=symplectic-euler",
        "integrator=velocity-verlet",
        "integrator=rk4",
        "integrator=symplectic-euler filter=exponential lambda=1.5",
        "integrator=symplectic-euler damping=difference",
        "integrator=symplectic-euler model=baraff-witkin",
    };
    for (size_t m = 0; m < sizeof cases / sizeof cases[0]; m++) {
        Bench bench = start(cases[m], 0.8);
        UnstableRanges ranges = unstable_ranges(&bench.lab, bench.simulation, &bench.analysis);
        assert_false(ranges.exact); // from above
        const struct {
            const char *name;
            double high, before; // `before`: a share of it that is still stable
        } sliders[] = {
            {"alpha", ranges.alpha.high, 0.98},
            {"stretch", ranges.stretch.high, 0.85},
            {"shear", ranges.shear.high, 0.6},
        };
        double h = bench.analysis.step;
        for (int i = 0; i < 3; i++) {
            double value = sliders[i].high, now = param_get(simulation_params(bench.simulation),
                                                            param_find(sliders[i].name));
            bool decides = strstr(cases[m], "baraff") == NULL || i < 2;
            if (decides && !isfinite(value))
                fail_msg("%s: %s is not red anywhere", cases[m], sliders[i].name);
            if (!(value * 1.02 <= param_find(sliders[i].name)->max)) continue;
            double above = limit_with(&bench, sliders[i].name, 1.02 * value);
            double below =
                limit_with(&bench, sliders[i].name, fmax(sliders[i].before * value, now));
            if (!(above < h && below >= h))
                fail_msg("%s, %s red from %g: limit %g above, %g below, step %g", cases[m],
                         sliders[i].name, value, above, below, h);
        }
        finish(&bench);
    }
}

// Just below the limit the step is allowed, just above it is not.
static void the_limit_of_a_stiffness_is_exact(void **state)
{
    (void)state;
    const char *const cases[] = {
        "integrator=symplectic-euler",
        "integrator=rk4 air=0.5 alpha=1e-5",
        "integrator=symplectic-euler filter=exponential lambda=1.5",
        "integrator=symplectic-euler damping=difference alpha=1e-5",
        "integrator=velocity-verlet model=baraff-witkin",
    };
    for (size_t m = 0; m < sizeof cases / sizeof cases[0]; m++) {
        for (int over = 0; over < 2; over++) { // from below the limit, and from above
            Bench bench = start(cases[m], over ? 1.4 : 0.7);
            uint64_t before = simulation_hash(bench.simulation);
            UnstableRanges ranges = unstable_stiffness(&bench.lab, bench.simulation);
            assert_true(ranges.exact && simulation_hash(bench.simulation) == before);
            const struct {
                const char *name;
                double high;
            } sliders[] = {{"stretch", ranges.stretch.high},
                           {"shear", ranges.shear.high},
                           {"bend", ranges.bend.high}};
            double h = bench.analysis.step;
            for (int i = 0; i < 3; i++) {
                const ParamInfo *info = param_find(sliders[i].name);
                double value = sliders[i].high;
                if (value == 0.0) {
                    assert_true(limit_with(&bench, info->name, info->min) < h);
                    continue;
                }
                if (isinf(value)) {
                    assert_true(limit_with(&bench, info->name, info->max) >= h);
                    continue;
                }
                double above = limit_with(&bench, info->name, fmin(1.003 * value, info->max));
                double below = limit_with(&bench, info->name, value);
                if (!(above < h * 1.00001 && below >= h * 0.99999))
                    fail_msg("%s, %s up to %g: limit %g above, %g below, step %g", cases[m],
                             info->name, value, above, below, h);
            }
            finish(&bench);
        }
    }
}

static void lambda_is_red_on_both_sides(void **state)
{
    (void)state;
    // 1.2 times the limit without a filter: too strong a filter inverts modes, too weak a filter
    // does not help
    Bench bench = start("filter=exponential lambda=1.5", 1.0);
    double unfiltered = limit_with(&bench, "filter", 0.0), h = 1.2 * unfiltered;
    set(bench.simulation, "step", h);
    look(&bench);
    StableRange range = unstable_lambda(&bench.lab, bench.simulation, &bench.analysis);
    print_message("lambda: stable from %.3f to %.3f\n", range.low, range.high);
    assert_true(range.low > 0.5 && range.low < 1.2 && range.high > 1.4 && range.high < 4.0);
    assert_true(limit_with(&bench, "lambda", 0.95 * range.low) < h);
    assert_true(limit_with(&bench, "lambda", 1.05 * range.low) >= h);
    assert_true(limit_with(&bench, "lambda", 0.97 * range.high) >= h);
    assert_true(limit_with(&bench, "lambda", 1.05 * range.high) < h);
    finish(&bench);
}

static void nothing_is_red_where_nothing_is_unstable(void **state)
{
    (void)state;
    Bench bench = start("integrator=symplectic-euler filter=exponential", 0.8);
    set(bench.simulation, "step", PARAM_WORD); // an automatic step would follow
    look(&bench);
    UnstableRanges ranges = unstable_ranges(&bench.lab, bench.simulation, &bench.analysis);
    StableRange lambda = unstable_lambda(&bench.lab, bench.simulation, &bench.analysis);
    assert_true(isinf(ranges.stretch.high) && isinf(ranges.shear.high) && isinf(ranges.bend.high));
    assert_true(isinf(ranges.alpha.high) && isinf(lambda.low) && isinf(lambda.high));
    assert_false(unstable_stiffness(&bench.lab, bench.simulation).exact); // there is no limit
    finish(&bench);
    // beyond a bound a step may be stable
    bench = start(
        "integrator=rk4 filter=exponential lambda=2 filter_on=force filter_form=conserving", 0.8);
    assert_true(bench.analysis.limit.is_bound);
    ranges = unstable_ranges(&bench.lab, bench.simulation, &bench.analysis);
    assert_true(isinf(ranges.alpha.high) && isinf(ranges.stretch.high));
    finish(&bench);
    bench = start("integrator=backward-euler step=0.01", 0.8);
    ranges = unstable_ranges(&bench.lab, bench.simulation, &bench.analysis);
    assert_true(isinf(ranges.stretch.high) && isinf(ranges.alpha.high));
    finish(&bench);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(red_means_unstable),
        cmocka_unit_test(the_limit_of_a_stiffness_is_exact),
        cmocka_unit_test(lambda_is_red_on_both_sides),
        cmocka_unit_test(nothing_is_red_where_nothing_is_unstable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
