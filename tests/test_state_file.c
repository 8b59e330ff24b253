// States written to a file are read back bit by bit; files that do not match change nothing.
#include "support/solver_test.h"

#include "simulation/simulation_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char path[] = "/tmp/selvage_test_XXXXXX";

static int make_file(void **state)
{
    (void)state;
    int file = mkstemp(path);
    if (file >= 0) close(file);
    return file < 0;
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

static Simulation *create(const char *assignments)
{
    Scene scene = scene_with(assignments);
    Simulation *simulation;
    assert_int_equal(simulation_create(&scene, &simulation, NULL), STATUS_OK);
    return simulation;
}

static void states_come_back_to_the_last_bit(void **state)
{
    (void)state;
    // a fixed step, because the automatic one depends on how k0 was estimated
    const char *const scenes[] = {"rows=7 columns=5 step=1e-4",
                                  "rows=7 columns=5 step=1e-3 integrator=backward-euler"};
    for (int k = 0; k < 2; k++) {
        Simulation *first = create(scenes[k]), *second = create(scenes[k]);
        Command pin = {.kind = COMMAND_TOGGLE_PIN};
        pin.particle = 17;
        for (int s = 0; s < 100; s++) simulation_step(first, NULL);
        assert_int_equal(simulation_apply(first, &pin, NULL), STATUS_OK);
        cloth_set_mass(&first->body.cloth, 20, 0.0123456789);
        assert_int_equal(simulation_write_state(first, path, NULL), STATUS_OK);
        Error error;
        if (simulation_read_state(second, path, &error) != STATUS_OK) fail_msg("%s", error.text);
        assert_true(second->now.time == 0.0);
        assert_true(second->body.cloth.pinned[17]);
        assert_true(cloth_mass(&second->body.cloth, 20) == 0.0123456789);
        size_t bytes = (size_t)first->body.cloth.mesh.dofs * sizeof(double);
        assert_memory_equal(first->body.cloth.x, second->body.cloth.x, bytes);
        assert_memory_equal(first->body.cloth.v, second->body.cloth.v, bytes);
        for (int s = 0; s < 100; s++) {
            simulation_step(first, NULL);
            simulation_step(second, NULL);
        }
        assert_memory_equal(first->body.cloth.x, second->body.cloth.x, bytes);
        simulation_destroy(first);
        simulation_destroy(second);
    }
}

static void write_text(const char *text, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    fclose(file);
}

#define HEADER "p,mass,pinned,x,y,z,vx,vy,vz\n"
#define ROW(p) p ",0.1,0,0,0,0,0,0,0\n"

static void bad_files_change_nothing(void **state)
{
    (void)state;
    static const struct {
        const char *text, *why;
    } bad[] = {
        {"", "line 1: the first line must be p,mass"},
        {"p,mass\n", "line 1: the first line must be p,mass"},
        {HEADER, "has 0 rows, this cloth has 4 particles"},
        {HEADER ROW("0") ROW("1") ROW("2"), "has 3 rows"},
        {HEADER ROW("0") ROW("1") ROW("2") ROW("3") ROW("4"), "line 6: more rows"},
        {HEADER ROW("0") ROW("2") ROW("1") ROW("3"), "line 3: particle 2 where 1 is expected"},
        {HEADER ROW("0") "1,0.1,0,0,0,0,0,0\n" ROW("2") ROW("3"), "line 3: column 8"},
        {HEADER ROW("0") "1,0.1,0,0,0,0,0,0,0,0\n" ROW("2") ROW("3"), "line 3: column 9"},
        {HEADER ROW("0") "1,0.1,0,zero,0,0,0,0,0\n" ROW("2") ROW("3"), "line 3: column 4"},
        {HEADER ROW("0") "1,0,0,0,0,0,0,0,0\n" ROW("2") ROW("3"), "line 3: mass is 0"},
        {HEADER ROW("0") "1,-1,0,0,0,0,0,0,0\n" ROW("2") ROW("3"), "line 3: mass is -1"},
        {HEADER ROW("0") "1,nan,0,0,0,0,0,0,0\n" ROW("2") ROW("3"), "line 3: mass is nan"},
        {HEADER ROW("0") "1,1e-200,0,0,0,0,0,0,0\n" ROW("2") ROW("3"), "line 3: mass is 1e-200"},
        {HEADER ROW("0") "1,0.1,2,0,0,0,0,0,0\n" ROW("2") ROW("3"), "line 3: pinned is 2"},
        {HEADER ROW("0") "1,0.1,0,inf,0,0,0,0,0\n" ROW("2") ROW("3"), "line 3: inf in column 4"},
        {HEADER ROW("0") "1,0.1,0,0,0,0,0,0,1e99\n" ROW("2") ROW("3"), "in column 9"},
        {HEADER ROW("0") "\n" ROW("1") ROW("2") ROW("3"), "line 3: column 1"},
    };
    Simulation *simulation = create("rows=2 columns=2");
    for (int s = 0; s < 10; s++) simulation_step(simulation, NULL);
    double before[12];
    memcpy(before, simulation->body.cloth.x, sizeof before);
    for (size_t k = 0; k < sizeof bad / sizeof bad[0]; k++) {
        Error error = {0};
        write_text(bad[k].text, strlen(bad[k].text));
        assert_int_equal(simulation_read_state(simulation, path, &error), STATUS_FILE);
        if (!strstr(error.text, bad[k].why)) fail_msg("%zu: %s", k, error.text);
        assert_non_null(strstr(error.text, path));
        assert_memory_equal(before, simulation->body.cloth.x, sizeof before);
        assert_int_equal(simulation->now.step_count, 10);
    }
    Error error;
    write_text(HEADER "0,0.1\0,0", sizeof HEADER + 8);
    assert_int_equal(simulation_read_state(simulation, path, &error), STATUS_FILE);
    assert_non_null(strstr(error.text, "not a text file"));
    assert_int_equal(simulation_read_state(simulation, "/nowhere/at/all", &error), STATUS_FILE);
    assert_int_equal(simulation_write_state(simulation, "/nowhere/at/all", &error), STATUS_FILE);
    assert_non_null(strstr(error.text, "/nowhere/at/all cannot be written"));
    simulation_destroy(simulation);
}

static void other_line_ends_are_fine(void **state)
{
    (void)state;
    Simulation *simulation = create("rows=2 columns=2");
    const char text[] = "p,mass,pinned,x,y,z,vx,vy,vz\r\n0,0.1,1,0,0,0,9,9,9\r\n"
                        "1,0.1,0,1,0,0,0,0,0\r\n2,0.1,0,0,0,1,0,0,0\r\n3,0.1,0,1,0,1,1,2,3";
    write_text(text, strlen(text));
    Error error;
    if (simulation_read_state(simulation, path, &error) != STATUS_OK) fail_msg("%s", error.text);
    const Cloth *cloth = &simulation->body.cloth;
    assert_true(mesh_vector(&cloth->mesh, cloth->v, 3).z == 3.0);
    assert_true(mesh_vector(&cloth->mesh, cloth->v, 0).z == 0.0); // a pin does not move
    simulation_destroy(simulation);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(states_come_back_to_the_last_bit),
        cmocka_unit_test(bad_files_change_nothing),
        cmocka_unit_test(other_line_ends_are_fine),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
