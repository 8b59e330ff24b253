// The snapshot exchange: only whole snapshots, never an older one than before, for any size.
#include "runtime/snapshot_exchange.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

enum { PUBLISHED = 200000, LARGEST = 300 };

// Every number in the snapshot encodes its serial, so a torn snapshot is detected.
static void fill(Snapshot *snapshot, long serial)
{
    int count = 1 + (int)((unsigned long)serial * 2654435761u % LARGEST);
    if (count > snapshot->particle_count) { // grows, as simulation_fill_snapshot does
        free(snapshot->position);
        snapshot->position = malloc(3 * (size_t)count * sizeof(float));
        if (!snapshot->position) abort();
    }
    snapshot->readings.step_count = serial;
    snapshot->particle_count = count;
    for (int i = 0; i < 3 * count; i++) snapshot->position[i] = (float)(serial % 65536);
    snapshot->notice_serial = (unsigned)serial;
}

static Snapshot *back(SnapshotExchange *exchange)
{
    return &snapshot_exchange_back(exchange)->lanes[0];
}

static const Snapshot *latest(SnapshotExchange *exchange)
{
    return &snapshot_exchange_latest(exchange)->lanes[0];
}

static bool is_whole(const Snapshot *snapshot)
{
    long serial = snapshot->readings.step_count;
    if (snapshot->notice_serial != (unsigned)serial) return false;
    for (int i = 0; i < 3 * snapshot->particle_count; i++) {
        if (snapshot->position[i] != (float)(serial % 65536)) return false;
    }
    return true;
}

static void *write_all(void *argument)
{
    SnapshotExchange *exchange = argument;
    for (long serial = 1; serial <= PUBLISHED; serial++) {
        fill(back(exchange), serial);
        snapshot_exchange_publish(exchange);
    }
    return NULL;
}

static void starts_with_an_empty_snapshot(void **state)
{
    (void)state;
    SnapshotExchange exchange;
    snapshot_exchange_init(&exchange);
    const Snapshot *snapshot = latest(&exchange);
    assert_non_null(snapshot);
    assert_int_equal(snapshot->particle_count, 0);
    assert_int_equal(snapshot->topology_version, 0);
    snapshot_exchange_finish(&exchange);
}

static void reader_sees_the_newest_and_keeps_it(void **state)
{
    (void)state;
    SnapshotExchange exchange;
    snapshot_exchange_init(&exchange);
    for (long serial = 1; serial <= 5; serial++) {
        fill(back(&exchange), serial);
        snapshot_exchange_publish(&exchange);
    }
    const Snapshot *seen = latest(&exchange);
    assert_int_equal(seen->readings.step_count, 5);
    assert_ptr_equal(latest(&exchange), seen); // nothing new: the same one

    // the writer never touches the slot being read, however many it publishes
    for (long serial = 6; serial <= 20; serial++) {
        assert_ptr_not_equal(back(&exchange), seen);
        fill(back(&exchange), serial);
        snapshot_exchange_publish(&exchange);
    }
    assert_true(snapshot_exchange_has_news(&exchange)); // asking does not take it
    assert_int_equal(seen->readings.step_count, 5);
    assert_int_equal(latest(&exchange)->readings.step_count, 20);
    assert_false(snapshot_exchange_has_news(&exchange));
    snapshot_exchange_finish(&exchange);
}

static void two_threads_never_tear(void **state)
{
    (void)state;
    SnapshotExchange exchange;
    snapshot_exchange_init(&exchange);
    pthread_t writer;
    assert_int_equal(pthread_create(&writer, NULL, write_all, &exchange), 0);
    long last = 0, torn = 0, backwards = 0;
    while (last < PUBLISHED && torn == 0) {
        const Snapshot *snapshot = latest(&exchange);
        if (!is_whole(snapshot)) torn++;
        snapshot_exchange_has_news(&exchange);
        if (!is_whole(snapshot)) torn++;
        if (snapshot->readings.step_count < last) backwards++;
        last = snapshot->readings.step_count;
    }
    pthread_join(writer, NULL);
    assert_int_equal(torn, 0);
    assert_int_equal(backwards, 0);
    snapshot_exchange_finish(&exchange);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(starts_with_an_empty_snapshot),
        cmocka_unit_test(reader_sees_the_newest_and_keeps_it),
        cmocka_unit_test(two_threads_never_tear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
