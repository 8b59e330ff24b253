// The command queue: order kept, superseded commands merged, QUIT always accepted.
#include "base/clock.h"
#include "runtime/command_queue.h"

#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { PRODUCERS = 4, PER_PRODUCER = 20000 };

static CommandQueue queue;
static Command batch[COMMAND_CAPACITY];

static int set_up(void **state)
{
    (void)state;
    return command_queue_init(&queue, NULL) == STATUS_OK ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    command_queue_finish(&queue);
    return 0;
}

static bool push_param(int index, double value)
{
    return command_queue_push(
        &queue, &(Command){.kind = COMMAND_SET_PARAM, .param = {.index = index, .value = value}});
}

static bool push_kind(CommandKind kind)
{
    return command_queue_push(&queue, &(Command){.kind = kind});
}

static bool push_hand(double x)
{
    return command_queue_push(
        &queue, &(Command){.kind = COMMAND_MOVE_HAND, .hand = {.target = {x, 0.0, 0.0}}});
}

static void merges_only_what_is_superfluous(void **state)
{
    (void)state;
    for (int i = 0; i < 1000; i++) assert_true(push_param(3, i));
    assert_true(push_param(4, 7.0));
    assert_true(push_param(3, 8.0)); // not adjacent to the first: both stay
    for (int i = 0; i < 1000; i++) assert_true(push_hand(i));
    assert_true(push_kind(COMMAND_RELEASE));
    assert_true(push_hand(5.0));
    assert_true(push_kind(COMMAND_STEP));
    assert_true(push_kind(COMMAND_STEP)); // two steps are two steps

    assert_int_equal(command_queue_drain(&queue, batch, 0.0), 8);
    assert_int_equal(batch[0].kind, COMMAND_SET_PARAM);
    assert_int_equal(batch[0].param.index, 3);
    assert_true(batch[0].param.value == 999.0); // the last value won
    assert_int_equal(batch[1].param.index, 4);
    assert_true(batch[2].param.value == 8.0);
    assert_true(batch[3].hand.target.x == 999.0);
    assert_int_equal(batch[4].kind, COMMAND_RELEASE);
    assert_true(batch[5].hand.target.x == 5.0);
    assert_int_equal(batch[6].kind, COMMAND_STEP);
    assert_int_equal(batch[7].kind, COMMAND_STEP);
    assert_int_equal(command_queue_drain(&queue, batch, 0.0), 0);
}

// What a command points to is copied; the rest is freed with the queue (AddressSanitizer looks).
static void takes_scenes_and_shapes_along(void **state)
{
    (void)state;
    Scene scene = scene_default();
    float shape[6] = {1.0f, 2.0f, 3.0f, 4.0f, 5.0f, 6.0f};
    Command load = {.kind = COMMAND_LOAD_SCENE, .scene = &scene};
    Command excite = {.kind = COMMAND_EXCITE, .excite = {shape, 2, 0.5}};
    for (int i = 0; i < 2; i++) {
        assert_true(command_queue_push(&queue, &load));
        assert_true(command_queue_push(&queue, &excite));
        scene.params.rows++, shape[5]++;
    }
    assert_int_equal(command_queue_drain(&queue, batch, 0.0), 4);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(batch[2 * i].scene->params.rows, scene_default().params.rows + i);
        assert_true(batch[2 * i + 1].excite.shape[5] == 6.0f + (float)i);
    }
    for (int i = 0; i < 4; i++) command_finish(&batch[i]);
    while (command_queue_push(&queue, &excite)) continue; // the last one is not taken
}

static void quit_is_taken_by_a_full_queue(void **state)
{
    (void)state;
    int taken = 0;
    while (push_kind(COMMAND_RESET)) taken++;
    assert_int_equal(taken, COMMAND_CAPACITY - 1);
    assert_false(push_param(1, 1.0));
    assert_true(push_kind(COMMAND_QUIT));
    assert_true(push_kind(COMMAND_QUIT)); // and again
    assert_false(push_kind(COMMAND_RESET));
    assert_int_equal(command_queue_drain(&queue, batch, 0.0), COMMAND_CAPACITY);
    assert_int_equal(batch[COMMAND_CAPACITY - 1].kind, COMMAND_QUIT);
    assert_true(push_kind(COMMAND_RESET)); // there is room again
}

static void an_empty_queue_gives_up_at_the_deadline(void **state)
{
    (void)state;
    double deadline = clock_seconds() + 0.01;
    assert_int_equal(command_queue_drain(&queue, batch, deadline), 0);
    assert_true(clock_seconds() >= deadline);                          // it did wait
    assert_int_equal(command_queue_drain(&queue, batch, deadline), 0); // past: returns at once
}

typedef struct Producer {
    pthread_t thread;
    int id;
} Producer;

static void *produce(void *argument)
{
    const Producer *self = argument;
    for (int i = 0; i < PER_PRODUCER; i++) {
        Command command = {.kind = COMMAND_TOGGLE_PIN, .particle = self->id * PER_PRODUCER + i};
        while (!command_queue_push(&queue, &command)) sched_yield();
    }
    return NULL;
}

static void producers_keep_their_order(void **state)
{
    (void)state;
    Producer producers[PRODUCERS];
    int next[PRODUCERS] = {0}, total = 0, wrong = 0;
    for (int i = 0; i < PRODUCERS; i++) {
        producers[i].id = i;
        assert_int_equal(pthread_create(&producers[i].thread, NULL, produce, &producers[i]), 0);
    }
    while (total < PRODUCERS * PER_PRODUCER) {
        int count = command_queue_drain(&queue, batch, INFINITY); // sleeps until a command arrives
        if (count < 1 || count > COMMAND_CAPACITY) wrong++;
        for (int i = 0; i < count; i++) {
            int id = batch[i].particle / PER_PRODUCER;
            if (batch[i].particle % PER_PRODUCER != next[id]++) wrong++;
        }
        total += count;
    }
    for (int i = 0; i < PRODUCERS; i++) pthread_join(producers[i].thread, NULL);
    assert_int_equal(wrong, 0);
    assert_int_equal(total, PRODUCERS * PER_PRODUCER);
    assert_int_equal(command_queue_drain(&queue, batch, 0.0), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(merges_only_what_is_superfluous, set_up, tear_down),
        cmocka_unit_test_setup_teardown(takes_scenes_and_shapes_along, set_up, tear_down),
        cmocka_unit_test_setup_teardown(quit_is_taken_by_a_full_queue, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_empty_queue_gives_up_at_the_deadline, set_up, tear_down),
        cmocka_unit_test_setup_teardown(producers_keep_their_order, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
