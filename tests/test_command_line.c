// The command line that opens a scene as it is: a shell takes it apart, the program's own parser
// reads it, and the scene is the same.
#include "support/solver_test.h"

#include "apps/options.h"
#include "runtime/command_line.h"
#include "runtime/scene_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORDS = 200 };

// What a shell makes of the line: each word with a 0 behind it.
static int split(const char *line, char *words, size_t size, char **argv)
{
    static char command[COMMAND_LINE_SIZE + 64];
    snprintf(command, sizeof command, "printf '%%s\\0' %s", line);
    FILE *pipe = popen(command, "r");
    assert_non_null(pipe);
    size_t length = fread(words, 1, size - 1, pipe);
    assert_int_equal(pclose(pipe), 0);
    int count = 0;
    for (size_t i = 0; i < length; i += strlen(words + i) + 1) {
        assert_true(count < WORDS);
        argv[count++] = words + i;
    }
    return count;
}

static void check_with_reference(const Scene *scene, int reference)
{
    int compared;
    static char line[COMMAND_LINE_SIZE], words[COMMAND_LINE_SIZE];
    char *argv[WORDS];
    Error error = {0};
    if (command_line_print(scene, reference, line, &error) != STATUS_OK) fail_msg("%s", error.text);
    int argc = split(line, words, sizeof words, argv);
    Options options;
    Scene again;
    if (options_parse(argc, argv, &options, &error) != STATUS_OK)
        fail_msg("%s: %s", line, error.text);
    assert_int_equal(options.command, APP_VIEW);
    if (options_load_scene(&options, &again, &error) != STATUS_OK)
        fail_msg("%s: %s", line, error.text);
    assert_int_equal(options_reference(&options, &again, &compared, &error), STATUS_OK);
    assert_int_equal(compared, reference);
    options_finish(&options);
    assert_string_equal(again.name, scene->name);
    assert_string_equal(again.mesh, scene->mesh);
    for (int i = 0; i < param_count; i++) {
        double value = param_get(&again.params, &param_table[i]);
        if (value != param_get(&scene->params, &param_table[i]))
            fail_msg("%s: %s", line, param_table[i].name);
    }
    assert_int_equal(again.lane_count, scene->lane_count);
    assert_int_equal(again.fine, scene->fine);
    for (int i = 0; i < scene->lane_count; i++) {
        char one[1024], other[1024];
        lane_print(&scene->lanes[i], one, sizeof one);
        lane_print(&again.lanes[i], other, sizeof other);
        assert_string_equal(one, other);
    }
    assert_int_equal(again.toggled_pins.count, scene->toggled_pins.count);
    for (int i = 0; i < scene->toggled_pins.count; i++)
        assert_int_equal(again.toggled_pins.particle[i], scene->toggled_pins.particle[i]);
}

static void check_round_trip(const Scene *scene)
{
    check_with_reference(scene, -1);
}

static Scene load(const char *name)
{
    Scene scene;
    Error error = {0};
    if (scene_load(name, &scene, &error) != STATUS_OK) fail_msg("%s", error.text);
    return scene;
}

static void a_scene_as_it_comes_is_its_name(void **state)
{
    (void)state;
    char line[COMMAND_LINE_SIZE];
    Scene scene = load("race");
    assert_int_equal(command_line_print(&scene, -1, line, NULL), STATUS_OK);
    assert_string_equal(line, "selvage view race");
    scene.params.stretch = 600.0;
    scene.params.step = 0.000735;
    assert_int_equal(command_line_print(&scene, -1, line, NULL), STATUS_OK);
    assert_string_equal(line, "selvage view race --set stretch=600 --step 0.000735");
    check_round_trip(&scene);
}

// Every parameter at every end of its range, and some number in between.
static void every_parameter_comes_back(void **state)
{
    (void)state;
    uint32_t seed = 5;
    for (int trial = 0; trial < 40; trial++) {
        Scene scene = load("drape");
        for (int i = 0; i < param_count; i++) {
            const ParamInfo *info = &param_table[i];
            double share = 0.5 + 0.5 * noise(&seed);
            double value = info->min + share * (info->max - info->min);
            if (info->kind != PARAM_REAL) value = floor(value);
            if (info->word && trial % 3 == 0) value = PARAM_WORD;
            assert_int_equal(param_set(&scene.params, info, value, NULL), STATUS_OK);
        }
        check_round_trip(&scene);
    }
}

static void lanes_and_pins_come_back(void **state)
{
    (void)state;
    Scene scene = load("race");
    scene.lane_count = 0;
    scene.fine = !scene.fine;
    check_round_trip(&scene);
    scene = load("drape");
    scene.lane_count = 3;
    scene.fine = true;
    assert_int_equal(lane_parse("integrator=rk4 step=0.0001 filter=gaussian filter_place=after",
                                &scene.lanes[0], NULL),
                     STATUS_OK);
    assert_int_equal(lane_parse("", &scene.lanes[1], NULL), STATUS_OK);
    assert_int_equal(lane_parse("alpha=auto", &scene.lanes[2], NULL), STATUS_OK);
    for (int i = 0; i < PIN_TOGGLES_MAX; i++) pin_toggles_flip(&scene.toggled_pins, 7 * i, NULL);
    check_round_trip(&scene);
    scene.fine = false; // one of the lanes instead
    for (int i = 0; i < scene.lane_count; i++) check_with_reference(&scene, i);
    Error error = {0};
    assert_int_equal(pin_toggles_flip(&scene.toggled_pins, 1000, &error), STATUS_BAD_PARAMETER);
    assert_non_null(strstr(error.text, "a scene holds no more"));
}

// What no option can change must be as in the file.
static void a_scene_that_no_option_makes_is_refused(void **state)
{
    (void)state;
    for (int k = 0; k < 8; k++) {
        char line[COMMAND_LINE_SIZE];
        Error error = {0};
        Scene scene = load("drape");
        double *const numbers[] = {&scene.mass_spread,      &scene.stiffness_spread,
                                   &scene.start_stretch,    &scene.start_velocity.x,
                                   &scene.start_velocity.y, &scene.start_velocity.z};
        if (k < 6)
            *numbers[k] += 0.125;
        else if (k == 6)
            scene.pins ^= PIN_TOP_EDGE;
        else
            scene.start = scene.start == START_FLAT ? START_HANGING : START_FLAT;
        assert_int_equal(command_line_print(&scene, -1, line, &error), STATUS_FILE);
        assert_non_null(strstr(error.text, "there is no file with it"));
    }
}

static void a_path_of_any_letters_is_quoted(void **state)
{
    (void)state;
    char folder[] = "/tmp/selvage-test-XXXXXX";
    assert_non_null(mkdtemp(folder));
    static const char *const names[] = {"plain.ini",
                                        "two words.ini",
                                        "it's $HOME & `more`\".ini",
                                        "-dash.ini",
                                        "\xc3\xbc\xe2\x82\xac;*?[a]~!.ini",
                                        "a.obj"};
    for (size_t k = 0; k < sizeof names / sizeof names[0]; k++) {
        char path[256];
        snprintf(path, sizeof path, "%s/%s", folder, names[k]);
        FILE *file = fopen(path, "w");
        assert_non_null(file);
        fputs(strstr(path, ".obj") ? "v 0 0 0\n" : "[scene]\ntoggled_pins = 3 4\n", file);
        assert_int_equal(fclose(file), 0);
        Scene scene = load(path);
        assert_string_equal(scene.source, path);
        scene.params.bend = 12.5;
        check_round_trip(&scene);
        scene.toggled_pins = (PinToggles){0};
        check_round_trip(&scene);
        assert_int_equal(remove(path), 0);
        Error error = {0};
        char line[COMMAND_LINE_SIZE];
        assert_int_equal(command_line_print(&scene, -1, line, &error), STATUS_FILE);
        assert_non_null(strstr(error.text, "there is no file with it"));
    }
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scene_as_it_comes_is_its_name),
        cmocka_unit_test(every_parameter_comes_back),
        cmocka_unit_test(lanes_and_pins_come_back),
        cmocka_unit_test(a_scene_that_no_option_makes_is_refused),
        cmocka_unit_test(a_path_of_any_letters_is_quoted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
