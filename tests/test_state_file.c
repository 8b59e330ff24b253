// States written to a file are read back bit by bit; a file that does not match changes nothing.
#include "support/solver_test.h"

#include "base/output_file.h"
#include "simulation/simulation_state.h"
#include "simulation/state.h"
#include "simulation/state_fields.h"

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

static void write_text(const char *text, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    fclose(file);
}

static Status write_state(const Simulation *simulation, const char *to, Error *error)
{
    OutputFile output;
    Status status = output_file_begin(&output, to, error);
    if (status != STATUS_OK) return status;
    FILE *file = output_file_open(&output, error);
    assert_non_null(file);
    assert_int_equal(simulation_print_state(simulation, file, error), STATUS_OK);
    return output_file_close(&output, file, error);
}

// A run continues from a file as if it had not stopped, including automatic steps and memories.
static void states_come_back_to_the_last_bit(void **state)
{
    (void)state;
    const char *const scenes[] = {"rows=7 columns=5",
                                  "rows=7 columns=5 step=1e-4",
                                  "rows=7 columns=5 step=1e-3 integrator=backward-euler",
                                  "rows=7 columns=5 integrator=leu",
                                  "rows=7 columns=5 integrator=leu step=1e-4 model=baraff-witkin",
                                  "rows=7 columns=5 integrator=imex-axial",
                                  "rows=7 columns=5 filter=exponential lambda=1",
                                  "rows=7 columns=5 on_divergence=rewind safety=1.4"};
    for (size_t k = 0; k < sizeof scenes / sizeof scenes[0]; k++) {
        Simulation *first = simulation_with(scenes[k]), *second = simulation_with(scenes[k]);
        for (int s = 0; s < 150; s++) simulation_step(first, NULL);
        Params params = *simulation_params(first); // a rewind may have changed them
        second->scene.params = params;
        simulation_sync_params(second);
        Command pin = {.kind = COMMAND_TOGGLE_PIN, .particle = 17};
        assert_int_equal(simulation_apply(first, &pin, NULL), STATUS_OK);
        assert_int_equal(write_state(first, path, NULL), STATUS_OK);
        Error error;
        if (simulation_read_state(second, path, &error) != STATUS_OK) fail_msg("%s", error.text);
        if (simulation_hash(first) != simulation_hash(second)) fail_msg("%s: hash", scenes[k]);
        for (int s = 0; s < 150; s++) {
            simulation_step(first, NULL);
            simulation_step(second, NULL);
        }
        if (simulation_hash(first) != simulation_hash(second)) fail_msg("%s: later", scenes[k]);
        simulation_destroy(first);
        simulation_destroy(second);
    }
}

// A run that has gone on for weeks: its clock is beyond 2^31 steps, and still advances. The cloth
// does not depend on it, and the state still goes through a file.
// The last of as many bodies as there can be is in the hand, on both sides of a file.
static void the_last_body_stays_in_the_hand(void **state)
{
    (void)state;
    Scene scene = scene_with("rows=2 columns=2");
    for (scene.collider_count = 0; scene.collider_count < COLLIDERS_MAX; scene.collider_count++) {
        Collider *body = &scene.colliders[scene.collider_count];
        *body = collider_default();
        body->centre = (Vec3){3.0 * scene.collider_count, -5.0, 0.0};
        body->mass = 1.0;
    }
    Simulation *simulation, *again;
    assert_int_equal(simulation_create(&scene, &simulation, NULL), STATUS_OK);
    assert_int_equal(simulation_create(&scene, &again, NULL), STATUS_OK);
    apply_command(simulation, (Command){.kind = COMMAND_GRAB_BODY,
                                        .body = {COLLIDERS_MAX - 1, {1.0, 2.0, 3.0}}});
    run_steps(simulation, 10);
    assert_int_equal(write_state(simulation, path, NULL), STATUS_OK);
    assert_int_equal(simulation_read_state(again, path, NULL), STATUS_OK);
    assert_int_equal(again->now.grabbed_body, COLLIDERS_MAX);
    assert_true(simulation_hash(simulation) == simulation_hash(again));
    simulation_destroy(simulation);
    simulation_destroy(again);
}

static void clocks_go_beyond_32_bits(void **state)
{
    (void)state;
    const char *const scenes[] = {"rows=7 columns=5 step=4e-4", "rows=7 columns=5",
                                  "rows=7 columns=5 step=4e-3 integrator=backward-euler"};
    enum { STEPS = 2000 };
    const long before = (1L << 31) - 100;
    const double week = 7 * 24 * 3600.0;
    for (size_t k = 0; k < sizeof scenes / sizeof scenes[0]; k++) {
        Simulation *young = simulation_with(scenes[k]), *old = simulation_with(scenes[k]);
        old->now.step_count = before;
        old->now.time = week;
        for (int s = 0; s < STEPS; s++) {
            assert_int_equal(simulation_step(young, NULL), STATUS_OK);
            assert_int_equal(simulation_step(old, NULL), STATUS_OK);
        }
        assert_true(old->now.step_count == before + STEPS);
        // An automatic step follows the stiffness, which is looked at at other moments.
        double slack = simulation_params(old)->step == PARAM_WORD ? 1e-2 : 1e-6;
        assert_near(old->now.time - week, young->now.time, slack);
        const Mesh *mesh = &young->body.cloth.mesh;
        Vec3 a = mesh_vector(mesh, young->body.cloth.x, 20);
        Vec3 b = mesh_vector(mesh, old->body.cloth.x, 20);
        assert_near(vec3_length(vec3_sub(a, b)), 0.0, slack);

        Simulation *again = simulation_with(scenes[k]);
        assert_int_equal(write_state(old, path, NULL), STATUS_OK);
        assert_int_equal(simulation_read_state(again, path, NULL), STATUS_OK);
        assert_true(again->now.step_count == before + STEPS);
        assert_true(simulation_hash(old) == simulation_hash(again));
        simulation_destroy(young);
        simulation_destroy(old);
        simulation_destroy(again);
    }
}

static char *read_text(void)
{
    FILE *file = fopen(path, "rb");
    char *text = calloc(1, 1 << 20);
    assert_true(file && text);
    assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
    fclose(file);
    return text;
}

// The file as earlier versions wrote it.
static void without_more_columns(void)
{
    char *text = read_text(), *out = text;
    int commas = 0;
    for (const char *in = text; *in != '\0'; in++) {
        commas = *in == '\n' ? 0 : commas + (*in == ',');
        if (commas < 9) *out++ = *in;
    }
    write_text(text, (size_t)(out - text));
    free(text);
}

// With other parameters, or from a file of an earlier version, it starts from the particles.
static void particles_alone_are_a_start(void **state)
{
    (void)state;
    Simulation *first = simulation_with("rows=7 columns=5"),
               *other = simulation_with("rows=7 columns=5 air=1.5");
    for (int s = 0; s < 50; s++) simulation_step(first, NULL);
    assert_int_equal(write_state(first, path, NULL), STATUS_OK);
    size_t bytes = (size_t)first->body.cloth.mesh.dofs * sizeof(double);
    for (int old = 0; old < 2; old++) {
        for (int s = 0; s < 5; s++) simulation_step(other, NULL);
        assert_int_equal(simulation_read_state(other, path, NULL), STATUS_OK);
        assert_memory_equal(first->body.cloth.x, other->body.cloth.x, bytes);
        assert_memory_equal(first->body.cloth.v, other->body.cloth.v, bytes);
        assert_true(other->now.time == 0.0 && other->now.step_count == 0);
        assert_true(other->limit.step > 0.0);
        without_more_columns();
    }
    simulation_destroy(first);
    simulation_destroy(other);
}

// A changed number in the s columns turns the file into a plain start.
static void a_damaged_rest_does_no_harm(void **state)
{
    (void)state;
    Simulation *first = simulation_with("rows=3 columns=3"),
               *second = simulation_with("rows=3 columns=3");
    for (int s = 0; s < 50; s++) simulation_step(first, NULL);
    assert_int_equal(write_state(first, path, NULL), STATUS_OK);
    char *text = read_text();
    uint32_t seed = 3;
    int started = 0;
    for (int n = 0; n < 400; n++) {
        char *changed = strdup(text), *line = strchr(changed, '\n') + 1;
        for (int row = n % 9; row > 0; row--) line = strchr(line, '\n') + 1;
        char *at = line;
        for (int c = 0; c < 9 + n / 9 % 10; c++) at = strchr(at, ',') + 1;
        const char *const nonsense[] = {"1e308", "-1", "nan", "7", "99999999", "inf"};
        size_t room = strcspn(at, ",\n");
        const char *word = nonsense[(int)(3.0 + 2.99 * noise(&seed))];
        if (room >= strlen(word)) {
            memset(at, ' ', room);
            memcpy(at + room - strlen(word), word, strlen(word));
        }
        write_text(changed, strlen(changed));
        Error error;
        if (simulation_read_state(second, path, &error) != STATUS_OK) fail_msg("%s", error.text);
        started += second->now.time == 0.0;
        for (int s = 0; s < 3; s++) assert_int_equal(simulation_step(second, NULL), STATUS_OK);
        free(changed);
    }
    assert_true(started > 50);
    free(text);
    simulation_destroy(first);
    simulation_destroy(second);
}

typedef struct Wrong {
    double count;
    int corners; // that were read
} Wrong;

static void give_wrong_count(void *self, const char *name, double *value)
{
    Wrong *wrong = self;
    if (strcmp(name, "corners") == 0) *value = wrong->count;
    if (strcmp(name, "corner_k") == 0) wrong->corners++;
}

// A count from outside that its array has no room for counts nothing.
static void a_count_that_does_not_fit_is_none(void **state)
{
    (void)state;
    const double counts[] = {-1.0, 0.0, 1.0, CORNERS_MAX, CORNERS_MAX + 1.0, 1e6};
    Simulation *simulation = simulation_with("rows=3 columns=3");
    for (int i = 0; i < 6; i++) {
        bool fits = counts[i] >= 0.0 && counts[i] <= CORNERS_MAX;
        Wrong wrong = {.count = counts[i]};
        StateValues values = simulation->now;
        int grabbed = -1;
        state_fields_visit(&values, &grabbed, (FieldVisitor){give_wrong_count, &wrong});
        assert_int_equal(wrong.corners, fits ? (int)counts[i] : 0);
    }
    simulation_destroy(simulation);
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
    Simulation *simulation = simulation_with("rows=2 columns=2");
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
    assert_int_equal(write_state(simulation, "/nowhere/at/all", &error), STATUS_FILE);
    assert_non_null(strstr(error.text, "/nowhere/at/all cannot be written"));
    simulation_destroy(simulation);
}

static void other_line_ends_are_fine(void **state)
{
    (void)state;
    Simulation *simulation = simulation_with("rows=2 columns=2");
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
        cmocka_unit_test(the_last_body_stays_in_the_hand),
        cmocka_unit_test(clocks_go_beyond_32_bits),
        cmocka_unit_test(particles_alone_are_a_start),
        cmocka_unit_test(a_damaged_rest_does_no_harm),
        cmocka_unit_test(a_count_that_does_not_fit_is_none),
        cmocka_unit_test(bad_files_change_nothing),
        cmocka_unit_test(other_line_ends_are_fine),
    };
    return cmocka_run_group_tests(tests, make_file, remove_file);
}
