// A step that is cancelled changes nothing, and no step takes more than its iterations.
#include "support/solver_test.h"

#include "simulation/simulation_state.h"
#include "simulation/state.h"

#include <stdio.h>
#include <string.h>

// Lends no threads: it counts the loops that are given to it, and cancels in one of them.
typedef struct Counter {
    Crew crew;
    int calls, cancel_at; // 0: never
    atomic_bool cancel;
} Counter;

static void run_and_count(Crew *crew, int parts, CrewWork *work, void *job)
{
    Counter *counter = (Counter *)crew;
    for (int part = 0; part < parts; part++) work(job, part);
    if (++counter->calls == counter->cancel_at) atomic_store(&counter->cancel, true);
}

static Simulation *hanging(const char *integrator, Counter *counter)
{
    char all[200];
    snprintf(all, sizeof all,
             "rows=24 columns=24 step=0.005 stretch=2000 pcg_tolerance=1e-6 ground=-0.1 "
             "integrator=%s",
             integrator);
    Simulation *simulation = simulation_with(all);
    *counter = (Counter){.crew = {.size = 2, .run = run_and_count}};
    simulation_set_crew(simulation, &counter->crew);
    simulation_set_cancel(simulation, &counter->cancel);
    apply_command(simulation, (Command){.kind = COMMAND_GRAB,
                                        .hand = {.particle = 300, .target = {0.52, 0.02, 0.5}}});
    run_steps(simulation, 5);
    return simulation;
}

static void a_cancelled_step_changes_nothing(void **state)
{
    (void)state;
    for (int i = 0; i < integrator_count; i++) {
        const Integrator *method = integrator_table[i];
        if (!(method->traits & INTEGRATOR_IMPLICIT)) continue;
        Counter counter, other;
        Simulation *simulation = hanging(method->name, &counter);
        Simulation *straight = hanging(method->name, &other);
        uint64_t before = simulation_hash(simulation);
        assert_int_equal(before, simulation_hash(straight));
        run_steps(straight, 1);
        int calls = other.calls - counter.calls;
        assert_in_range(calls, 20, 100000);
        // the second half may be the meters and estimates that follow
        for (int at = 2; at < calls / 2; at += 1 + calls / 20) {
            counter.cancel_at = counter.calls + at;
            Error error;
            assert_int_equal(simulation_step(simulation, &error), STATUS_INTERRUPTED);
            assert_non_null(strstr(error.text, "step 6 at t = 0.025 s"));
            assert_int_equal(simulation_hash(simulation), before);
            assert_in_range(counter.calls, counter.cancel_at, counter.cancel_at + 16);
            atomic_store(&counter.cancel, false);
        }
        run_steps(simulation, 1);
        assert_int_equal(simulation_hash(simulation), simulation_hash(straight));
        simulation_destroy(simulation);
        simulation_destroy(straight);
    }
}

// An explicit step is short, and looks only before it.
static void no_method_begins_a_cancelled_step(void **state)
{
    (void)state;
    for (int i = 0; i < integrator_count; i++) {
        atomic_bool cancel = true;
        char with[64];
        snprintf(with, sizeof with, "rows=4 columns=4 integrator=%s", integrator_table[i]->name);
        Simulation *simulation = simulation_with(with);
        uint64_t before = simulation_hash(simulation);
        simulation_set_cancel(simulation, &cancel);
        assert_int_equal(simulation_step(simulation, NULL), STATUS_INTERRUPTED);
        assert_int_equal(simulation_hash(simulation), before);
        cancel = false;
        run_steps(simulation, 1);
        simulation_destroy(simulation);
    }
}

// Springs a hundred million times as stiff as such a step can follow: Newton's method does not
// converge in any of its parts.
static void a_step_ends_when_its_iterations_are_spent(void **state)
{
    (void)state;
    Simulation *simulation = simulation_with("rows=32 columns=32 step=0.1 stretch=1e6 density=0.01 "
                                             "integrator=backward-euler-newton");
    run_steps(simulation, 1);
    StepReport last = simulation_readings(simulation).last;
    assert_true(last.spent && last.unconverged);
    assert_in_range(last.pcg.iterations, 20000, 20000 + 16 * 1000);
    simulation_destroy(simulation);
    simulation = simulation_with("rows=16 columns=16 step=0.01 integrator=backward-euler-newton");
    run_steps(simulation, 3);
    assert_false(simulation_readings(simulation).last.spent);
    simulation_destroy(simulation);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cancelled_step_changes_nothing),
        cmocka_unit_test(no_method_begins_a_cancelled_step),
        cmocka_unit_test(a_step_ends_when_its_iterations_are_spent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
