// How particles moved: every step of a small cloth, now and then of a long run, and it goes back
// with the run.
#include "support/solver_test.h"

#include "stage/sampler.h"

#include <math.h>
#include <stdlib.h>

typedef struct Run {
    Simulation *simulation;
    Sampler *sampler;
} Run;

static Run begin(const char *assignments)
{
    Run run = {0};
    Scene scene = scene_with(assignments);
    scene.pins = 0;
    assert_int_equal(simulation_create(&scene, &run.simulation, NULL), STATUS_OK);
    assert_int_equal(sampler_create(&run.sampler, NULL), STATUS_OK);
    sampler_jump(run.sampler, run.simulation);
    assert_non_null(run.sampler->film);
    return run;
}

static void end(Run *run)
{
    sampler_destroy(run->sampler);
    simulation_destroy(run->simulation);
}

static void steps(Run *run, int count)
{
    for (int i = 0; i < count; i++) {
        assert_int_equal(simulation_step(run->simulation, NULL), STATUS_OK);
        sampler_step(run->sampler, run->simulation, 1e-5);
    }
}

#define PAIR                                                                                       \
    "rows=1 columns=2 size=0.5 density=8 stretch=400 air=0 alpha=0 gravity=0 "                     \
    "on_divergence=continue step=0.002 "

// Where the orbit of a particle comes closest to its start after half a period, as a share of its
// size.
static double gap(const Film *film, double period)
{
    double from[2] = {0}, size[2] = {0}, closest = INFINITY;
    for (int i = 0; i < film_count(film, 0); i++) {
        double x = (double)film_position(film, 0, i, 1)[0];
        double v = (double)film_velocity(film, 0, i, 1)[0];
        if (i == 0) from[0] = x, from[1] = v;
        size[0] = fmax(size[0], fabs(x - from[0]));
        size[1] = fmax(size[1], fabs(v - from[1]));
    }
    for (int i = 0; i + 1 < film_count(film, 0); i++) {
        if (film_time(film, 0, i) < 0.5 * period) continue;
        double ends[2][2];
        for (int e = 0; e < 2; e++) {
            ends[e][0] = ((double)film_position(film, 0, i + e, 1)[0] - from[0]) / size[0];
            ends[e][1] = ((double)film_velocity(film, 0, i + e, 1)[0] - from[1]) / size[1];
        }
        double along[2] = {ends[1][0] - ends[0][0], ends[1][1] - ends[0][1]};
        double length = hypot(along[0], along[1]);
        double t = -(ends[0][0] * along[0] + ends[0][1] * along[1]) / (length * length);
        t = fmin(fmax(t, 0.0), 1.0);
        closest = fmin(closest, hypot(ends[0][0] + t * along[0], ends[0][1] + t * along[1]));
    }
    return closest;
}

// A symplectic method closes the orbit; explicit Euler spirals outwards.
static void the_orbit_of_a_pair_closes(void **state)
{
    (void)state;
    const double period = 2.0 * acos(-1.0) / sqrt(800.0);
    const char *const methods[] = {"velocity-verlet", "symplectic-euler", "explicit-euler"};
    for (int m = 0; m < 3; m++) {
        char assignments[200];
        snprintf(assignments, sizeof assignments, PAIR "integrator=%s", methods[m]);
        Run run = begin(assignments);
        // half a metre per second apart
        float shape[6] = {-1, 0, 0, 1, 0, 0};
        apply_command(run.simulation, (Command){.kind = COMMAND_EXCITE, .excite = {shape, 2, 0.5}});
        sampler_jump(run.sampler, run.simulation);
        steps(&run, (int)(1.2 * period / 0.002));
        double open = gap(run.sampler->film, period);
        if (m < 2)
            assert_true(open < 0.01);
        else
            assert_true(open > 0.05);
        end(&run);
    }
}

// Level k has every 4^k-th moment, the newest ones, in order; of a small cloth, every step.
static void check_levels(const Film *film)
{
    for (int k = 0; k < FILM_LEVELS; k++) {
        for (int i = 1; i < film_count(film, k); i++)
            assert_true(film_time(film, k, i) > film_time(film, k, i - 1));
        for (int i = 0; k > 0 && i < film_count(film, k); i += 7) {
            int finer = film_find(film, k - 1, film_time(film, k, i));
            if (finer < 0) continue; // it is older than the finer level
            assert_true(film_time(film, k - 1, finer) == film_time(film, k, i));
            assert_true(film_velocity(film, k - 1, finer, 1)[0] == film_velocity(film, k, i, 1)[0]);
        }
    }
}

static void long_runs_stay_within_their_room(void **state)
{
    (void)state;
    Run run = begin(PAIR);
    steps(&run, 30000);
    const Film *film = run.sampler->film;
    assert_int_equal(film_count(film, 0), FILM_COLUMNS_MAX);
    assert_near(film_time(film, 0, FILM_COLUMNS_MAX - 1), 60.0, 1e-6);
    int level = film_level(film, 0.0);
    assert_int_equal(level, 2); // 4096 columns of 16 steps
    assert_true(film_time(film, level, 0) == 0.0);
    check_levels(film);

    // a copy for a reader, brought up to date in parts, is the same
    Film *copy = NULL, *whole = NULL;
    assert_int_equal(film_show(film, &copy, NULL), STATUS_OK);
    steps(&run, 777);
    assert_int_equal(film_show(film, &copy, NULL), STATUS_OK);
    assert_int_equal(film_show(film, &whole, NULL), STATUS_OK);
    for (int k = 0; k < FILM_LEVELS; k++) {
        assert_int_equal(film_count(copy, k), film_count(whole, k));
        for (int i = 0; i < film_count(copy, k); i++) {
            assert_true(film_time(copy, k, i) == film_time(film, k, i));
            assert_true(film_position(copy, k, i, 1)[0] == film_position(film, k, i, 1)[0]);
        }
    }
    free(copy);
    free(whole);
    end(&run);
}

static void it_goes_back_with_the_run(void **state)
{
    (void)state;
    Run run = begin(PAIR);
    steps(&run, 5000);
    Film *film = run.sampler->film;
    sampler_forget(run.sampler);
    film_cut(film, 9.0);
    check_levels(film);
    for (int k = 0; k < FILM_LEVELS; k++) {
        int count = film_count(film, k);
        if (count > 0) assert_true(film_time(film, k, count - 1) <= 9.0);
    }
    sampler_recall(run.sampler);
    assert_near(film->last, 10.0, 1e-6);
    assert_near(film_time(film, 0, film_count(film, 0) - 1), 10.0, 1e-6);
    // another cloth has another film
    apply_command(run.simulation, command_set("columns", 3));
    sampler_jump(run.sampler, run.simulation);
    assert_int_equal(run.sampler->film->rows, 3);
    assert_int_equal(film_count(run.sampler->film, 0), 1);
    end(&run);
}

// Of a large cloth: whole rows of the grid, every hundredth of a second.
static void large_cloths_are_sampled(void **state)
{
    (void)state;
    Run run = begin("rows=40 columns=30 step=0.0002");
    steps(&run, 500);
    const Film *film = run.sampler->film;
    assert_false(film->small);
    assert_int_equal(film->rows, 240);
    assert_int_equal(film_count(film, 0), 11);
    for (int i = 1; i < 11; i++) assert_near(film_time(film, 0, i), 0.01 * i, 1e-9);
    for (int r = 0; r < film->rows; r++) {
        int particle = film_particle(film, r);
        assert_true(particle >= 0 && particle < 1200);
        if (r % 30 > 0) assert_int_equal(particle, film_particle(film, r - 1) + 1);
        float v[3];
        simulation_motion(run.simulation, particle, v, NULL);
        assert_true(v[1] == film_velocity(film, 0, 10, r)[1]);
    }
    end(&run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_orbit_of_a_pair_closes),
        cmocka_unit_test(long_runs_stay_within_their_room),
        cmocka_unit_test(it_goes_back_with_the_run),
        cmocka_unit_test(large_cloths_are_sampled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
