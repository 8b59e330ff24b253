// Many pieces of work on several threads: each is done once, the caller hears of each, and stopping
// stops. Also run under ThreadSanitizer.
#include "runtime/parallel.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

enum { ITEMS = 500 };

typedef struct Job {
    atomic_int times[ITEMS]; // done
    long square[ITEMS];      // written by a thread, read by the caller
    long told, sum;
    long stop_after;
    bool failing; // the items themselves say that they stopped
} Job;

static bool work(void *context, long item, int thread, const atomic_bool *stop)
{
    Job *job = context;
    (void)thread;
    if (job->failing || atomic_load(stop)) return false;
    atomic_fetch_add(&job->times[item], 1);
    job->square[item] = item * item;
    return true;
}

static bool done(void *context, long item)
{
    Job *job = context;
    job->told++;
    job->sum += job->square[item];
    return job->told != job->stop_after;
}

static bool run(Job *job, long count, int threads)
{
    ParallelJob parallel = {
        .count = count, .threads = threads, .context = job, .work = work, .done = done};
    bool complete = false;
    assert_int_equal(parallel_run(&parallel, &complete, NULL), STATUS_OK);
    return complete;
}

static void every_item_is_done_once_and_told_of(void **state)
{
    (void)state;
    for (int threads = 0; threads <= 5; threads++) {
        Job job = {0};
        assert_true(run(&job, ITEMS, threads));
        assert_int_equal(job.told, ITEMS);
        assert_int_equal(job.sum, (long)(ITEMS - 1) * ITEMS * (2 * ITEMS - 1) / 6);
        for (int i = 0; i < ITEMS; i++) assert_int_equal(atomic_load(&job.times[i]), 1);
    }
}

static void nothing_to_do_is_complete(void **state)
{
    (void)state;
    Job job = {0};
    assert_true(run(&job, 0, 2));
    assert_int_equal(job.told, 0);
}

static void the_caller_can_stop_it(void **state)
{
    (void)state;
    Job job = {.stop_after = 20};
    assert_false(run(&job, ITEMS, 3));
    assert_int_equal(job.told, 20);
}

static void an_item_that_stops_leaves_it_incomplete(void **state)
{
    (void)state;
    Job job = {.failing = true};
    assert_false(run(&job, ITEMS, 2));
    assert_int_equal(job.told, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_item_is_done_once_and_told_of),
        cmocka_unit_test(nothing_to_do_is_complete),
        cmocka_unit_test(the_caller_can_stop_it),
        cmocka_unit_test(an_item_that_stops_leaves_it_incomplete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
