// After a divergence every offered remedy helps: applied like the window's button, it keeps the run
// stable for ten seconds. `test_lab_remedy 100` tries a hundred random divergences.
#include "support/solver_test.h"

#include "lab/remedy.h"
#include "simulation/probe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int cases = 8;

// A scene that may diverge: any method, filter and damping, a step beyond or near its limit.
static Simulation *random_simulation(uint32_t *seed, char *text, size_t size)
{
    static const char *const filters[] = {
        "",
        " filter=exponential",
        " filter=gaussian",
        " filter=exponential filter_form=half",
        " filter=exponential filter_form=conserving",
        " filter=exponential filter_place=after",
        " filter=exponential filter_on=force filter_form=conserving"};
    for (;;) {
        int side = 5 + noise_choice(seed, 6);
        snprintf(text, size,
                 "rows=%d columns=%d integrator=%s stretch=%g shear=%g alpha=%g%s "
                 "lambda=%g",
                 side, side + noise_choice(seed, 3),
                 integrator_name(noise_choice(seed, integrator_count)),
                 noise_scaled(seed, 20.0, 2000.0), noise_scaled(seed, 5.0, 500.0),
                 noise_scaled(seed, 1e-5, 1e-3), filters[noise_choice(seed, 7)],
                 noise_scaled(seed, 0.3, 3.0));
        Scene scene = scene_with(text);
        Simulation *simulation;
        if (simulation_create(&scene, &simulation, NULL) != STATUS_OK) continue;
        StepLimit limit = simulation_readings(simulation).limit;
        if (!isfinite(limit.step)) {
            simulation_destroy(simulation);
            continue;
        }
        double h = limit.step > 0.0 ? noise_scaled(seed, 1.02, 3.0) * limit.step
                                    : noise_scaled(seed, 1e-4, 3e-3);
        Command step = command_set("step", h);
        if (simulation_apply(simulation, &step, NULL) == STATUS_OK) {
            snprintf(text + strlen(text), size - strlen(text), " step=%g", h);
            return simulation;
        }
        simulation_destroy(simulation);
    }
}

static bool diverges(Simulation *simulation)
{
    while (simulation_time(simulation) < 3.0) {
        if (simulation_step(simulation, NULL) != STATUS_OK) return true;
    }
    return false;
}

static void every_remedy_helps(void **state)
{
    (void)state;
    uint32_t seed = 2463u;
    State *saved, *diverged;
    assert_int_equal(state_create(&saved, NULL), STATUS_OK);
    assert_int_equal(state_create(&diverged, NULL), STATUS_OK);
    int done = 0, pressed = 0, without = 0;
    while (done < cases) {
        char text[320];
        Simulation *simulation = random_simulation(&seed, text, sizeof text);
        if (!diverges(simulation)) {
            simulation_destroy(simulation);
            continue;
        }
        done++;
        const Autopsy autopsy = *simulation_autopsy(simulation);
        Remedies remedies;
        assert_int_equal(state_save(simulation, diverged, NULL), STATUS_OK);
        assert_true(remedies_find(simulation, saved, &remedy_default, &remedies));
        assert_true(remedies.complete && remedies.autopsy == autopsy.serial);
        without += remedies.count == 0;
        if (cases > 8)
            print_message("%3d  %s: step %ld, %d remedies\n", done, text, autopsy.noticed_step,
                          remedies.count);
        for (int r = 0; r < remedies.count; r++, pressed++) {
            assert_int_equal(state_restore(diverged, simulation, NULL), STATUS_OK);
            Command commands[REMEDY_COMMANDS];
            remedy_commands(&remedies.remedy[r], &autopsy, commands);
            for (int c = 0; c < REMEDY_COMMANDS; c++)
                assert_int_equal(simulation_apply(simulation, &commands[c], NULL), STATUS_OK);
            double end = simulation_time(simulation) + 10.0;
            Error error;
            while (simulation_time(simulation) < end) {
                if (simulation_step(simulation, &error) == STATUS_OK) continue;
                fail_msg("%s: '%s' does not help: %s", text, remedies.remedy[r].label, error.text);
            }
        }
        simulation_destroy(simulation);
    }
    print_message("%d divergences, %d remedies pressed, %d divergences without one\n", done,
                  pressed, without);
    assert_true(without * 5 <= done);
    state_destroy(saved);
    state_destroy(diverged);
}

static Simulation *diverged_with(const char *assignments)
{
    Scene scene = scene_with(assignments);
    Simulation *simulation;
    assert_int_equal(simulation_create(&scene, &simulation, NULL), STATUS_OK);
    assert_true(diverges(simulation));
    return simulation;
}

static bool offers(const Remedies *remedies, const char *name)
{
    for (int i = 0; i < remedies->count; i++) {
        if (strcmp(param_table[remedies->remedy[i].param].name, name) == 0) return true;
    }
    return false;
}

// lambda = 0.5 inverts modes: no step is stable; the card says so and offers to change the filter.
static void the_filter_is_known(void **state)
{
    (void)state;
    Simulation *simulation =
        diverged_with("rows=10 columns=10 filter=exponential lambda=0.5 step=5e-4");
    const Autopsy *autopsy = simulation_autopsy(simulation);
    assert_true(autopsy->limit.step == 0.0);
    bool said = false;
    for (int i = 0; i < autopsy->line_count; i++)
        said = said || strstr(autopsy->lines[i], "No step is stable") != NULL;
    assert_true(said);
    State *saved;
    Remedies remedies;
    assert_int_equal(state_create(&saved, NULL), STATUS_OK);
    assert_true(remedies_find(simulation, saved, &remedy_default, &remedies));
    assert_true(offers(&remedies, "lambda") && offers(&remedies, "filter_form") &&
                offers(&remedies, "filter"));
    assert_false(offers(&remedies, "step"));
    state_destroy(saved);
    simulation_destroy(simulation);
}

static double offered(const Remedies *remedies, const char *name)
{
    for (int i = 0; i < remedies->count; i++) {
        if (strcmp(param_table[remedies->remedy[i].param].name, name) == 0)
            return remedies->remedy[i].value;
    }
    return NAN;
}

// Of one spring between two equal masses, k = 2 stretch / m. Explicit Euler needs h < alpha;
// symplectic Euler needs h alpha k < 2 - h^2 k / 2. The alpha on offer is the nearest, to a
// twentieth, at which a step is stable that leaves h a tenth of room.
static void the_nearest_alpha_is_offered(void **state)
{
    (void)state;
    const double stretch = 1e5, h = 5e-4, room = h / 0.9;
    State *saved;
    assert_int_equal(state_create(&saved, NULL), STATUS_OK);
    for (int little = 0; little < 2; little++) {
        Scene scene = scene_with("rows=1 columns=2 gravity=0 air=0 alpha=0 ground=-100 step=5e-4");
        scene_assign(&scene, little ? "integrator=explicit-euler" : "integrator=symplectic-euler");
        scene.pins = 0;
        scene.start_stretch = 1.1;
        scene.params.stretch = stretch;
        Simulation *simulation;
        assert_int_equal(simulation_create(&scene, &simulation, NULL), STATUS_OK);
        double k = 2.0 * stretch / simulation_view(simulation).system->mass[0];
        double limit = little ? room : (2.0 - 0.5 * room * room * k) / (room * k);
        apply_command(simulation, command_set("alpha", (little ? 0.5 : 2.0) * limit));
        assert_true(diverges(simulation));
        Remedies remedies;
        assert_true(remedies_find(simulation, saved, &remedy_default, &remedies));
        double alpha = offered(&remedies, "alpha");
        print_message("limit %g, alpha %g\n", limit, alpha);
        assert_true(little ? alpha > limit && alpha < 1.051 * limit
                           : alpha < limit && alpha > limit / 1.051);
        simulation_destroy(simulation);
    }
    state_destroy(saved);
}

static bool stop(void *self)
{
    return --*(int *)self < 0;
}

static void a_search_can_be_given_up(void **state)
{
    (void)state;
    Simulation *simulation = diverged_with("rows=10 columns=10 safety=1.3");
    State *saved;
    Remedies remedies;
    int left = 3;
    RemedyPlan plan = {.seconds = 10.0, .is_over = stop, .self = &left};
    assert_int_equal(state_create(&saved, NULL), STATUS_OK);
    assert_false(remedies_find(simulation, saved, &plan, &remedies));
    assert_false(remedies.complete);
    assert_non_null(simulation_autopsy(simulation)); // restored
    state_destroy(saved);
    simulation_destroy(simulation);
}

int main(int argc, char **argv)
{
    if (argc > 1) cases = atoi(argv[1]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_remedy_helps),
        cmocka_unit_test(the_filter_is_known),
        cmocka_unit_test(the_nearest_alpha_is_offered),
        cmocka_unit_test(a_search_can_be_given_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
