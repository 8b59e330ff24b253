// One answer: for the same state the window, the lab, the monitor, the autopsy, `run` and `analyze`
// give the same step limit.
#include "support/solver_test.h"

#include "lab/analysis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STATES = 200 };

static Simulation *random_state(uint32_t *seed, char *text, size_t size)
{
    static const char *const filters[] = {
        "",
        "",
        " filter=exponential",
        " filter=gaussian filter_form=half",
        " filter=exponential filter_form=conserving",
        " filter=exponential filter_place=after",
        " filter=exponential filter_on=force filter_form=conserving"};
    static const char *const models[] = {"springs", "springs", "baraff-witkin"};
    for (;;) {
        snprintf(text, size,
                 "rows=%d columns=%d integrator=%s model=%s stretch=%g shear=%g bend=%g alpha=%s%s "
                 "lambda=%g air=%g safety=0.8",
                 4 + noise_choice(seed, 7), 4 + noise_choice(seed, 7),
                 integrator_name(noise_choice(seed, integrator_count)),
                 models[noise_choice(seed, 3)], noise_scaled(seed, 20.0, 2000.0),
                 noise_scaled(seed, 5.0, 500.0), noise_scaled(seed, 1.0, 100.0),
                 noise_choice(seed, 3) ? "1e-4" : "auto", filters[noise_choice(seed, 7)],
                 noise_scaled(seed, 0.6, 3.0), noise_scaled(seed, 0.1, 2.0));
        Scene scene = scene_with(text);
        Simulation *simulation;
        if (simulation_create(&scene, &simulation, NULL) != STATUS_OK) continue; // conflicting
        int steps = 1 + noise_choice(seed, 400);
        Status status = STATUS_OK;
        for (int n = 0; n < steps && status == STATUS_OK; n++)
            status = simulation_step(simulation, NULL);
        if (status == STATUS_OK) return simulation;
        simulation_destroy(simulation);
    }
}

static void set(Simulation *simulation, const char *name, double value)
{
    Command command = command_set(name, value);
    assert_int_equal(simulation_apply(simulation, &command, NULL), STATUS_OK);
}

static bool same(double a, double b, double tolerance)
{
    return a == b || fabs(a - b) <= tolerance * fabs(b);
}

// The monitor's prediction one step later: a step that is certainly too large counts as growing.
static bool is_called_growing(Simulation *simulation, double h)
{
    set(simulation, "step", h);
    Status status = simulation_step(simulation, NULL);
    Snapshot snapshot = {0};
    assert_int_equal(simulation_fill_snapshot(simulation, &snapshot, NULL), STATUS_OK);
    bool growing = status != STATUS_OK || snapshot.monitor.state != MONITOR_STABLE;
    if (snapshot.autopsy.present)
        assert_true(snapshot.autopsy.limit.step == snapshot.readings.limit.step);
    snapshot_finish(&snapshot);
    return growing;
}

static void one_number(void **state)
{
    (void)state;
    uint32_t seed = 77u;
    double worst = 0.0;
    int finite = 0, bounds = 0, none = 0;
    for (int n = 0; n < STATES; n += test_share()) {
        char text[320];
        Simulation *simulation = random_state(&seed, text, sizeof text);
        set(simulation, "ground", -50.0); // any command updates the shown values to this state
        Readings window = simulation_readings(simulation);
        Lab lab;
        Analysis live, thorough;
        AnalysisPlan plan = analysis_thorough;
        plan.map_products = 0;
        plan.limits = false;
        assert_int_equal(lab_init(&lab, simulation, NULL), STATUS_OK);
        lab_analyze(&lab, simulation, &analysis_live, &live);
        lab_analyze(&lab, simulation, &plan, &thorough);
        Readings run = simulation_readings(simulation); // refined, as at the end of a run
        // More work brings a bound closer to the truth, from below: by much where a method needs
        // damping that is less than the stiffness in some directions. No step is longer than 0.1 s.
        const Integrator *method = integrator_table[simulation_params(simulation)->integrator];
        bool needy = method->traits & INTEGRATOR_NEEDS_DAMPING;
        bool hard = needy && simulation_params(simulation)->model != 0;
        double longest = param_find("step")->max, share = hard ? 0.02 : 0.75;
        double shown = fmin(window.limit.step, longest), refined = fmin(run.limit.step, longest);
        bool bound = window.limit.is_bound || shown == longest;
        bool agree = bound ? shown <= 1.01 * refined && shown >= share * refined
                           : same(window.limit.step, run.limit.step, needy ? 1e-3 : 1e-5);
        if (live.limit.step != window.limit.step || live.k0 != window.k0 ||
            run.limit.step != thorough.limit.step ||
            (window.limit.is_bound != thorough.limit.is_bound && shown < longest) || !agree) {
            fail_msg("%s\nwindow %.8g, lab %.8g, run %.8g, analyze %.8g", text, window.limit.step,
                     live.limit.step, run.limit.step, thorough.limit.step);
        }
        double limit = run.limit.step;
        none += limit == 0.0;
        if (isfinite(limit) && limit > 0.0) {
            if (!run.limit.is_bound) worst = fmax(worst, fabs(window.limit.step / limit - 1.0));
            finite++;
            bounds += run.limit.is_bound;
        }
        // beyond an exact limit the monitor reports it at once
        double beyond = fmin(1.02 * limit, param_find("step")->max);
        if (isfinite(limit) && limit > 0.0 && !run.limit.is_bound && beyond > limit &&
            simulation_params(simulation)->alpha != PARAM_WORD) {
            if (!is_called_growing(simulation, beyond))
                fail_msg("%s: the monitor is silent beyond %g", text, limit);
        }
        lab_finish(&lab);
        simulation_destroy(simulation);
    }
    print_message("%d states: %d with a limit, of them %d bounds; at %d no step is stable; window "
                  "and analyze differ by %.1e at most\n",
                  STATES, finite, bounds, none, worst);
    assert_true(finite > STATES / 2 / test_share() && bounds > 10 / test_share());
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_number)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
