// Threads that help the solver: every part is done once, and the cloth does not notice.
#include "support/solver_test.h"

#include "runtime/worker_crew.h"
#include "simulation/simulation.h"
#include "simulation/state.h"

#include <stdatomic.h>
#include <stdio.h>
#include <time.h>

static WorkerCrew *crew_of(int size)
{
    WorkerCrew *workers;
    Error error;
    if (worker_crew_start(size, &workers, &error) != STATUS_OK) fail_msg("%s", error.text);
    return workers;
}

enum { PARTS = CREW_PARTS };

typedef struct Count {
    atomic_int times[PARTS];
} Count;

static void count_part(void *job, int part)
{
    Count *count = job;
    atomic_fetch_add(&count->times[part], 1);
}

static void every_part_is_done_once(void **state)
{
    (void)state;
    for (int size = 2; size <= CREW_MAX; size *= 2) {
        WorkerCrew *workers = crew_of(size);
        for (int job = 0; job < 2000; job++) {
            Count count = {0};
            int parts = 1 + job % PARTS;
            crew_run(worker_crew(workers), parts, count_part, &count);
            for (int part = 0; part < PARTS; part++)
                assert_int_equal(atomic_load(&count.times[part]), part < parts);
            // long enough for some of them to fall asleep
            if (job % 500 == 0) nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
        }
        worker_crew_stop(workers);
    }
}

static void a_crew_of_one_is_nobody(void **state)
{
    (void)state;
    WorkerCrew *workers = crew_of(1);
    assert_null(worker_crew(workers));
    worker_crew_stop(workers);
    worker_crew_stop(NULL);
    assert_null(worker_crew(NULL));
}

static uint64_t hash_after(const char *assignments, Crew *crew)
{
    Scene scene = scene_with(assignments);
    Simulation *simulation;
    Error error;
    if (simulation_create(&scene, &simulation, &error) != STATUS_OK) fail_msg("%s", error.text);
    simulation_set_crew(simulation, crew);
    for (int i = 0; i < 20; i++) assert_int_equal(simulation_step(simulation, &error), STATUS_OK);
    uint64_t hash = simulation_hash(simulation);
    simulation_destroy(simulation);
    return hash;
}

static void a_cloth_moves_to_the_same_bits(void **state)
{
    (void)state;
    static const char *const runs[] = {
        "integrator=symplectic-euler",
        "integrator=rk4",
        "integrator=backward-euler",
        "integrator=symplectic-euler filter=exponential",
        "integrator=symplectic-euler filter=gaussian filter_form=conserving",
        "integrator=velocity-verlet filter=exponential filter_form=half",
        "integrator=symplectic-euler filter=exponential filter_form=conserving filter_on=force",
    };
    static const int sizes[] = {2, 3, 4, 8, 16};
    for (size_t m = 0; m < sizeof runs / sizeof runs[0]; m++) {
        char assignments[128];
        snprintf(assignments, sizeof assignments, "rows=65 columns=33 %s", runs[m]);
        uint64_t alone = hash_after(assignments, NULL);
        for (int i = 0; i < 5; i++) {
            WorkerCrew *workers = crew_of(sizes[i]);
            assert_true(hash_after(assignments, worker_crew(workers)) == alone);
            worker_crew_stop(workers);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_part_is_done_once),
        cmocka_unit_test(a_crew_of_one_is_nobody),
        cmocka_unit_test(a_cloth_moves_to_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
