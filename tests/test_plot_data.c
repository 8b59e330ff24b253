// The numbers behind the plots: how PCG converged, and what a filter does to waves.
#include "support/solver_test.h"

#include "stability/filter_symbol.h"

#include <math.h>

// The trace ends where the solve ended: at the tolerance.
static void pcg_ends_at_the_tolerance(void **state)
{
    (void)state;
    const char *const methods[] = {"backward-euler", "imex"};
    for (int m = 0; m < 2; m++) {
        char assignments[200];
        snprintf(assignments, sizeof assignments,
                 "rows=12 columns=12 step=0.01 pcg_tolerance=1e-6 integrator=%s", methods[m]);
        Simulation *simulation = simulation_with(assignments);
        Snapshot snapshot = {0};
        assert_int_equal(simulation_fill_snapshot(simulation, &snapshot, NULL), STATUS_OK);
        assert_int_equal(snapshot.pcg.solves, 0);
        run_steps(simulation, 3);
        assert_int_equal(simulation_fill_snapshot(simulation, &snapshot, NULL), STATUS_OK);
        const PcgTrace *trace = &snapshot.pcg;
        const PcgReport *report = &snapshot.readings.last.pcg;
        assert_true(trace->solves >= 1);
        assert_int_equal(trace->first[trace->solves], trace->count);
        assert_int_equal(trace->count, report->iterations + trace->solves);
        for (int s = 0; s < trace->solves; s++) {
            assert_true(trace->residual[trace->first[s]] == 1.0f);
            double last = (double)trace->residual[trace->first[s + 1] - 1];
            double before = (double)trace->residual[trace->first[s + 1] - 2];
            assert_true(last <= 1e-6 && before > 1e-6);
        }
        assert_near((double)trace->residual[trace->count - 1], report->residual,
                    1e-6 * report->residual);
        // a restored start has no step behind it
        apply_command(simulation, (Command){.kind = COMMAND_RESET});
        assert_int_equal(simulation_fill_snapshot(simulation, &snapshot, NULL), STATUS_OK);
        assert_int_equal(snapshot.pcg.solves, 0);
        snapshot_finish(&snapshot);
        simulation_destroy(simulation);
    }
}

// Where it turns negative, by formula: on a rope without bend springs cos q = -1 / (2 b).
static void the_symbol_turns_negative_where_theory_says(void **state)
{
    (void)state;
    const double pi = acos(-1.0);
    for (double lambda = 0.1; lambda < 1.5; lambda += 0.05) {
        FilterSymbol rope = filter_symbol_of(false, lambda, false, true);
        rope.far = 0.0;
        double b = exp(-lambda), zero = filter_symbol_zero(&rope, false);
        if (lambda < log(2.0))
            assert_near(zero, acos(-0.5 / b), 1e-9);
        else
            assert_true(isnan(zero));
        assert_near(filter_symbol_at(&rope, pi, 0.0), (1.0 - 2.0 * b) / (1.0 + 2.0 * b), 1e-12);
        // half the filter never does
        FilterSymbol half = filter_symbol_of(false, lambda, true, false);
        assert_true(isnan(filter_symbol_zero(&half, true)));
        assert_true(filter_symbol_least(&half) > 0.0);
    }
    // theory.md: a wave is turned over iff lambda is below these
    const struct {
        bool diagonal, far;
        double lambda;
    } cases[] = {
        {false, false, 1.3862943611}, {true, false, 0.9802581435}, {true, true, 0.8533006772}};
    for (int i = 0; i < 3; i++) {
        for (int side = -1; side <= 1; side += 2) {
            FilterSymbol f = filter_symbol_of(false, cases[i].lambda + side * 1e-3, false, false);
            if (!cases[i].diagonal) f.diagonal = 0.0;
            if (!cases[i].far) f.far = 0.0;
            double least = filter_symbol_least(&f);
            assert_true(side < 0 ? least < 0.0 : least > 0.0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pcg_ends_at_the_tolerance),
        cmocka_unit_test(the_symbol_turns_negative_where_theory_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
