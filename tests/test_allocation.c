// A step allocates nothing. Without memory the simulation reports an error and keeps running.
//
// The linker redirects every allocation of this program and of the solver to the functions below
// (--wrap, see meson.build).
#include "support/crumpled.h"
#include "support/solver_test.h"

#include "base/text_stream.h"
#include "cloth/spring_stars.h"
#include "integrators/integrator.h"
#include "simulation/simulation_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int allocations; // since it was last set to 0
static int fail_at;     // the allocation that fails, counted from 1; 0: none

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *memory, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *memory, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);

static bool fails(void)
{
    return ++allocations == fail_at;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *memory, size_t size)
{
    return fails() ? NULL : __real_realloc(memory, size);
}

void *__wrap_aligned_alloc(size_t alignment, size_t size)
{
    return fails() ? NULL : __real_aligned_alloc(alignment, size);
}

static void steps_allocate_nothing(void **state)
{
    (void)state;
    const char *const scenes[] = {
        "rows=12 columns=12 integrator=symplectic-euler filter=exponential",
        "rows=12 columns=12 integrator=symplectic-euler filter=exponential filter_distance=current",
        "rows=12 columns=12 integrator=backward-euler filter=exponential",
        "rows=12 columns=12 integrator=backward-euler tangent=full",
        "rows=12 columns=12 integrator=backward-euler wind=8 gust=0.5",
        "rows=12 columns=12 integrator=leu alpha=auto wind=8 gust=0.5 drag_tangent=1",
        "rows=12 columns=12 step=0.05", // diverges
    };
    for (size_t k = 0; k < sizeof scenes / sizeof scenes[0]; k++) {
        Scene scene = scene_with(scenes[k]);
        Simulation *simulation;
        Snapshot snapshot = {0};
        allocations = 0;
        assert_int_equal(simulation_create(&scene, &simulation, NULL), STATUS_OK);
        assert_true(allocations > 10); // the counter works
        assert_int_equal(simulation_fill_snapshot(simulation, &snapshot, NULL), STATUS_OK);
        Command commands[] = {{.kind = COMMAND_GRAB},
                              {.kind = COMMAND_SET_PARAM},
                              {.kind = COMMAND_SET_PARAM},
                              {.kind = COMMAND_RESET}};
        commands[0].hand.particle = 100;
        commands[1].param.index = (int)(param_find("integrator") - param_table);
        commands[1].param.value = (scene.params.integrator + 5) % integrator_count;
        commands[2].param.index = (int)(param_find("stretch") - param_table);
        commands[2].param.value = 500.0;
        allocations = 0;
        for (int c = 0; c < 4; c++) {
            // long enough to refresh k0 a few times
            for (int s = 0; s < 200; s++) simulation_step(simulation, NULL);
            assert_int_equal(simulation_apply(simulation, &commands[c], NULL), STATUS_OK);
            assert_int_equal(simulation_fill_snapshot(simulation, &snapshot, NULL), STATUS_OK);
        }
        assert_int_equal(allocations, 0);
        snapshot_finish(&snapshot);
        simulation_destroy(simulation);
    }
}

// A sheet in folds of one column, all layers on one spot: far more pairs are near each other than
// there is room for. The lists stay within what was made for them.
static void a_crumpled_cloth_allocates_nothing(void **state)
{
    (void)state;
    Scene scene = scene_with("rows=20 columns=20 self_contact=on gravity=0");
    Simulation *simulation;
    assert_int_equal(simulation_create(&scene, &simulation, NULL), STATUS_OK);
    const Mesh *mesh = &simulation->body.cloth.mesh;
    const SelfContact *self = &simulation->body.self;
    for (int p = 0; p < mesh->particle_count; p++) {
        int row = p / mesh->columns, column = p % mesh->columns;
        Vec3 at = {column % 2, 0.01 * column, row};
        mesh_set_vector(mesh, simulation->body.cloth.x, p, vec3_scale(mesh->spacing, at));
    }
    int full = 0;
    allocations = 0;
    for (int s = 0; s < 10; s++) {
        simulation_step(simulation, NULL);
        full += simulation->now.self.full;
        assert_in_range(self->count, 0, self_contact_capacity(mesh));
        assert_in_range(self->close_count, 0, SELF_CLOSE * mesh->particle_count);
        assert_in_range(self->touch_count, 0, SELF_TOUCHES * mesh->particle_count);
        assert_in_range(self->limited_count, 0, mesh->particle_count);
        assert_in_range(self->crossing_count, 0, mesh->particle_count);
    }
    assert_int_equal(allocations, 0);
    assert_true(full > 0); // or there was room
    simulation_destroy(simulation);
}

// Let the first allocation fail, then the second, and so on until none does.
static void running_out_of_memory_is_survived(void **state)
{
    (void)state;
    Scene scene = scene_with("rows=4 columns=4");
    Simulation *simulation = NULL;
    Error error;
    int failures = 0;
    for (fail_at = 1;; fail_at++) {
        allocations = 0;
        Status status = simulation_create(&scene, &simulation, &error);
        if (status == STATUS_OK) break;
        assert_int_equal(status, STATUS_OUT_OF_MEMORY);
        assert_non_null(strstr(error.text, "not enough memory"));
        assert_null(simulation);
        failures++;
    }
    assert_true(failures > 20);

    // a larger cloth that does not fit leaves the old one running
    Command rows = {.kind = COMMAND_SET_PARAM};
    rows.param.index = (int)(param_find("rows") - param_table);
    rows.param.value = 6.0;
    for (fail_at = 1;; fail_at++) {
        allocations = 0;
        Status status = simulation_apply(simulation, &rows, &error);
        if (status == STATUS_OK) break;
        assert_int_equal(status, STATUS_OUT_OF_MEMORY);
        assert_int_equal(simulation_params(simulation)->rows, 4);
        assert_int_equal(simulation_step(simulation, NULL), STATUS_OK);
    }
    assert_int_equal(simulation_params(simulation)->rows, 6);

    // a snapshot that does not fit is empty, and fits later
    Snapshot snapshot = {0};
    for (fail_at = 1;; fail_at++) {
        allocations = 0;
        Status status = simulation_fill_snapshot(simulation, &snapshot, &error);
        if (status == STATUS_OK) break;
        assert_int_equal(status, STATUS_OUT_OF_MEMORY);
        assert_int_equal(snapshot.particle_count, 0);
        assert_null(snapshot.position);
    }
    fail_at = 0;
    assert_int_equal(snapshot.particle_count, 24);
    snapshot_finish(&snapshot);
    simulation_destroy(simulation);
}

// The same of what contact of the cloth with itself needs, and of the springs of a mesh that is not
// a grid: nothing that is made lacks a part.
static void contact_without_memory_is_refused(void **state)
{
    (void)state;
    Scene scene = scene_with("rows=4 columns=4 self_contact=on");
    Simulation *simulation = NULL;
    Error error;
    int failures = 0;
    for (fail_at = 1;; fail_at++) {
        allocations = 0;
        Status status = simulation_create(&scene, &simulation, &error);
        if (status == STATUS_OK) break;
        assert_int_equal(status, STATUS_OUT_OF_MEMORY);
        assert_non_null(strstr(error.text, "not enough memory"));
        assert_null(simulation);
        failures++;
    }
    assert_true(allocations < fail_at);
    fail_at = 0;
    assert_true(failures > 40);
    run_steps(simulation, 3);
    simulation_destroy(simulation);
}

static void springs_without_memory_are_refused(void **state)
{
    (void)state;
    Mesh mesh = mesh_of_triangles(40, 40);
    SpringStars *stars = NULL;
    Error error;
    int failures = 0;
    for (fail_at = 1;; fail_at++) {
        allocations = 0;
        Status status = spring_stars_create(&mesh, &stars, &error);
        if (status == STATUS_OK) break;
        assert_int_equal(status, STATUS_OUT_OF_MEMORY);
        assert_non_null(strstr(error.text, "not enough memory"));
        assert_null(stars);
        failures++;
    }
    assert_true(allocations < fail_at);
    fail_at = 0;
    assert_true(failures > 15);
    spring_stars_destroy(stars);
    mesh_finish(&mesh);
}

// A text that is printed into memory is whole, or there is none.
static void a_text_is_whole_or_nothing(void **state)
{
    (void)state;
    int failures = 0;
    for (fail_at = 1;; fail_at++) {
        TextStream stream;
        allocations = 0;
        bool whole = text_stream_open(&stream);
        if (whole) {
            for (int i = 0; i < 2000; i++) fprintf(stream.file, "line %d\n", i);
            whole = text_stream_close(&stream);
        }
        if (whole) {
            assert_int_equal(stream.size, strlen(stream.text));
            assert_int_equal(stream.size, 10 * 7 + 90 * 8 + 900 * 9 + 1000 * 10);
            free(stream.text);
            if (allocations < fail_at) break;
        } else {
            assert_null(stream.text);
            failures++;
        }
    }
    fail_at = 0;
    assert_true(failures > 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_allocate_nothing),
        cmocka_unit_test(a_crumpled_cloth_allocates_nothing),
        cmocka_unit_test(running_out_of_memory_is_survived),
        cmocka_unit_test(contact_without_memory_is_refused),
        cmocka_unit_test(springs_without_memory_are_refused),
        cmocka_unit_test(a_text_is_whole_or_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
