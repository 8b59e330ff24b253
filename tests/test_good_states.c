// The ring of good states: what it keeps, in which order, and what it forgets.
#include "support/solver_test.h"

#include "simulation/good_states.h"

#include <string.h>

enum { DOFS = 6 };

// A state whose numbers encode its step.
static void offer(GoodStates *good, long step, double h, bool dense)
{
    double x[DOFS], v[DOFS];
    for (int i = 0; i < DOFS; i++) {
        x[i] = (double)step + 0.1 * i;
        v[i] = -x[i];
    }
    good_states_offer(
        good, &(GoodState){.time = (double)step * h, .step_count = step, .x = x, .v = v}, dense);
}

static void assert_consistent(const GoodStates *good)
{
    int count = good_states_count(good);
    for (int i = 0; i < count; i++) {
        GoodState state = good_states_at(good, i);
        for (int k = 0; k < DOFS; k++) {
            assert_true(state.x[k] == (double)state.step_count + 0.1 * k);
            assert_true(state.v[k] == -state.x[k]);
        }
        if (i > 0) assert_true(state.step_count < good_states_at(good, i - 1).step_count);
    }
}

static void keeps_every_step_when_asked(void **state)
{
    (void)state;
    GoodStates good;
    assert_int_equal(good_states_init(&good, DOFS, NULL), STATUS_OK);
    assert_int_equal(good_states_count(&good), 0);
    for (long step = 0; step < 5000; step++) {
        offer(&good, step, 1e-3, true);
        assert_consistent(&good);
        int expected = step < GOOD_NEAR ? (int)step + 1 : GOOD_NEAR;
        for (int i = 0; i < expected; i++) {
            assert_int_equal(good_states_at(&good, i).step_count, step - i);
        }
    }
    assert_true(good_states_count(&good) >= 64);
    // the far ring reaches back over seconds
    GoodState oldest = good_states_at(&good, good_states_count(&good) - 1);
    assert_true(4.999 - oldest.time > 2.0);
    good_states_finish(&good);
    good_states_finish(&good);
}

static void a_calm_run_is_kept_sparsely(void **state)
{
    (void)state;
    GoodStates good;
    assert_int_equal(good_states_init(&good, DOFS, NULL), STATUS_OK);
    for (long step = 0; step < 20000; step++) offer(&good, step, 1e-3, false);
    assert_consistent(&good);
    assert_true(good_states_count(&good) >= 64);
    for (int i = 1; i < GOOD_NEAR; i++) {
        assert_int_equal(good_states_at(&good, i - 1).step_count -
                             good_states_at(&good, i).step_count,
                         GOOD_STRIDE);
    }
    good_states_finish(&good);
}

static void going_back_forgets_what_came_after(void **state)
{
    (void)state;
    GoodStates good;
    assert_int_equal(good_states_init(&good, DOFS, NULL), STATUS_OK);
    for (long step = 0; step < 3000; step++) offer(&good, step, 1e-3, step > 2500);
    good_states_drop_after(&good, 2975);
    assert_int_equal(good_states_at(&good, 0).step_count, 2975);
    assert_consistent(&good);
    // repeated steps replace the old ones, even without dropping them first
    for (long step = 2970; step < 2990; step++) offer(&good, step, 1e-3, true);
    assert_int_equal(good_states_at(&good, 0).step_count, 2989);
    assert_consistent(&good);
    // far back: the near ring is then empty, and the far ring answers
    good_states_drop_after(&good, 2500);
    assert_true(good_states_count(&good) > 8);
    assert_true(good_states_at(&good, 0).step_count > 2400);
    assert_consistent(&good);
    for (long step = 2501; step < 2600; step++) offer(&good, step, 1e-3, false);
    assert_consistent(&good);
    good_states_clear(&good);
    assert_int_equal(good_states_count(&good), 0);
    good_states_finish(&good);
}

// Of states of this size 70 need 64 bytes more than there are.
static void no_byte_more_than_allowed_is_taken(void **state)
{
    (void)state;
    const int dofs = 89878;
    const size_t each = 2 * (size_t)dofs * sizeof(double);
    GoodStates good;
    assert_true(70 * each == GOOD_MEMORY + 64);
    assert_int_equal(good_states_init(&good, dofs, NULL), STATUS_OK);
    assert_int_equal(good.near.capacity + good.far.capacity, 69);
    good_states_finish(&good);
}

static void memory_is_bounded(void **state)
{
    (void)state;
    const struct {
        int side, fewest;
    } sizes[] = {{128, 64}, {256, 16}, {1024, 1}};
    for (int k = 0; k < 3; k++) {
        int dofs = 3 * (sizes[k].side + 4) * (sizes[k].side + 4); // including some padding
        GoodStates good;
        assert_int_equal(good_states_init(&good, dofs, NULL), STATUS_OK);
        int capacity = good.near.capacity + good.far.capacity;
        assert_true(capacity >= sizes[k].fewest && good.near.capacity >= 1);
        size_t bytes = (size_t)capacity * 2 * (size_t)dofs * sizeof(double);
        assert_true(bytes <= GOOD_MEMORY || sizes[k].side > 512);
        good_states_finish(&good);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keeps_every_step_when_asked),
        cmocka_unit_test(a_calm_run_is_kept_sparsely),
        cmocka_unit_test(going_back_forgets_what_came_after),
        cmocka_unit_test(memory_is_bounded),
        cmocka_unit_test(no_byte_more_than_allowed_is_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
