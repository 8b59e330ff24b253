// Scene files: what is valid, where they are found, and an error message for everything else.
#include "runtime/scene_file.h"
#include "runtime/scene_parse.h"
#include "simulation/simulation.h"
#include "test_folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const char *in_folder(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", test_folder, name);
    return path;
}

static const char *write_file(const char *name, const void *bytes, size_t size)
{
    const char *path = in_folder(name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    return path;
}

static Status parse(const char *text, Scene *scene, Error *error)
{
    *scene = (Scene){.name = "test"};
    return scene_parse("test.ini", text, strlen(text), scene, error);
}

static void reads_everything(void **state)
{
    (void)state;
    Scene scene;
    Error error;
    const char *text = "\xef\xbb\xbf; a comment\r\n"
                       "[scene]\r\n"
                       "title = My scene ; not this\r\n"
                       "about = One sentence.\r\n"
                       "  Another one.\r\n"
                       "# more\r\n"
                       "\tAnd a third.\r\n"
                       "pins = top-edge   bottom-left\r\n"
                       "[cloth]\n"
                       "rows = 12\n"
                       "stretch=1e3\n"
                       "[time]\n"
                       "integrator = backward-euler\n"
                       "step = auto\n"
                       "[filter]\n"
                       "filter = exponential";
    assert_int_equal(parse(text, &scene, &error), STATUS_OK);
    assert_string_equal(scene.name, "test");
    assert_string_equal(scene.title, "My scene");
    assert_string_equal(scene.about, "One sentence. Another one. And a third.");
    assert_int_equal(scene.pins, PIN_TOP_EDGE | PIN_BOTTOM_LEFT);
    assert_int_equal(scene.params.rows, 12);
    assert_true(scene.params.stretch == 1000.0);
    assert_true(scene.params.step == PARAM_WORD);
    Params defaults = params_default();
    assert_int_equal(scene.params.columns, defaults.columns); // not set in the file
    assert_int_not_equal(scene.params.integrator, defaults.integrator);
    assert_int_not_equal(scene.params.filter, defaults.filter);
}

static void little_is_enough(void **state)
{
    (void)state;
    Scene scene;
    Error error;
    assert_int_equal(parse("", &scene, &error), STATUS_OK);
    assert_string_equal(scene.title, "test"); // its name
    assert_int_equal(scene.pins, PIN_TOP_LEFT | PIN_TOP_RIGHT);
    assert_int_equal(parse("[scene]\npins = none\n[cloth]\n  rows = 3", &scene, &error), STATUS_OK);
    assert_int_equal(scene.pins, 0);
    assert_int_equal(scene.params.rows, 3);
}

static void assert_lane(const Scene *scene, int lane, const char *own)
{
    char text[1024];
    lane_print(&scene->lanes[lane], text, sizeof text);
    assert_string_equal(text, own);
}

static void every_lane_section_is_a_lane(void **state)
{
    (void)state;
    Scene scene;
    Error error;
    const char *text = "\xef\xbb\xbf[lane]\r\n" // before all others, with the mark of an editor
                       "safety = 0.5 ; not this\r\n"
                       "[scene]\n"
                       "fine = on\n"
                       "about = Words\n"
                       "  [lane]\n" // goes on with about
                       "[lane]\n"
                       "[ lane ]\n";
    assert_int_equal(parse(text, &scene, &error), STATUS_BAD_PARAMETER);
    assert_non_null(strstr(error.text, "line 8: there is no section [ lane ]"));
    text = "\xef\xbb\xbf[lane]\r\n"
           "safety = 0.5 ; not this\r\n"
           "[scene]\n"
           "fine = on\n"
           "about = Words\n"
           "  [lane]\n"
           " \t[lane]\n" // so does this
           "[lane]\n"
           "[lane] ; the third\n"
           "step = 0.01\n"
           "; a comment\n"
           "\n"
           "integrator = backward-euler\n"
           "[time]\n"
           "safety = 0.6\n"
           "[cloth]\n"
           " [lane]\r"
           "stretch = 100\n"
           "air = 0";
    if (parse(text, &scene, &error) != STATUS_OK) fail_msg("%s", error.text);
    assert_string_equal(scene.about, "Words [lane] [lane]");
    assert_true(scene.fine);
    assert_int_equal(scene.lane_count, 4);
    assert_lane(&scene, 0, "safety=0.5");
    assert_lane(&scene, 1, "");
    assert_lane(&scene, 2, "integrator=backward-euler step=0.01");
    assert_lane(&scene, 3, "stretch=100 air=0");
    assert_string_equal(scene.lanes[1].name, "the scene");
    assert_string_equal(scene.lanes[2].name, "backward-euler step=0.01");
    assert_true(scene.params.safety == 0.6); // not the lane's
    assert_true(scene.params.stretch == params_default().stretch);
    assert_int_equal(parse("[scene]\nfine = off\n", &scene, &error), STATUS_OK);
    assert_false(scene.fine);
    assert_int_equal(scene.lane_count, 0);
}

static void each_mistake_has_its_sentence(void **state)
{
    (void)state;
    static char long_line[6000] = "[scene]\ntitle = ", many_pins[1000] = "[scene]\ntoggled_pins =";
    char long_about[800] = "[scene]\nabout = a";
    memset(long_line + strlen(long_line), 'x', 4096);
    for (int i = 0; i < 25; i++) sprintf(many_pins + strlen(many_pins), " %d", i);
    for (int i = 0; i < 5; i++) {
        strcat(long_about, "\n b");
        memset(long_about + strlen(long_about), 'x', 90);
    }
    const struct {
        const char *text;
        const char *says[4];
    } mistakes[] = {
        {"[cloths]\n", {"line 1", "[cloths]", "cloth", "world"}},
        {"[scene]\n\n[cloth]\nrow = 3\n", {"line 4", "\"row\"", "rows, columns", "bend"}},
        {"[time]\nstretch = 3\n", {"line 2", "stretch belongs in [cloth]"}},
        {"[scene]\nrows = 3\n", {"line 2", "rows belongs in [cloth]"}},
        {"[cloth]\ntitle = x\n", {"line 2", "\"title\""}},
        {"[scene]\nname = x\n", {"line 2", "\"name\"", "title, about, pins, mesh"}},
        {"[cloth]\nrows = 3\nrows = 4\n", {"line 3", "rows is given twice"}},
        {"[scene]\ntitle = 3\n[scene]\ntitle = 4\n", {"line 4", "title is given twice"}},
        {"[cloth]\nrows = 0\n", {"line 2", "rows", "1 to"}},
        {"[cloth]\ncolumns = 1\n", {"line 2", "columns", "2 to"}},
        {"[scene]\nmesh =\n", {"line 2", "mesh is empty"}},
        {"[scene]\nmesh = a.obj\n[cloth]\ngather = 0.8\n",
         {"test.ini", "gather = 0.8 is for grids"}},
        {"[scene]\nstart = up\n", {"line 2", "start = up", "flat or hanging"}},
        {"[scene]\nstart_stretch = 0\n", {"line 2", "start_stretch = 0", "0.1 to 10"}},
        {"[scene]\nstart_stretch = nan\n", {"line 2", "start_stretch = nan"}},
        {"[scene]\ntoggled_pins = 5 x\n", {"line 2", "numbers of particles", "\"x\""}},
        {"[scene]\ntoggled_pins = -1\n", {"line 2", "from 0"}},
        {many_pins, {"line 2", "at most 24"}},
        {"[scene]\nstart_stretch = 1 2\n", {"line 2", "start_stretch takes a number"}},
        {"[scene]\nstart_velocity = 1 2\n", {"line 2", "start_velocity takes three numbers"}},
        {"[scene]\nstart_velocity = 1 2 1e9\n", {"line 2", "start_velocity", "100"}},
        {"[scene]\nmass_spread = 1\n", {"line 2", "mass_spread", "0 to 0.9"}},
        {"[scene]\nstiffness_spread = -1\n", {"line 2", "stiffness_spread", "0 to 0.9"}},
        {"[cloth]\nrows = 3.5\n", {"line 2", "rows", "3.5"}},
        {"[cloth]\nstretch = nan\n", {"line 2", "stretch"}},
        {"[cloth]\nstretch = inf\n", {"line 2", "stretch"}},
        {"[cloth]\nstretch = -3\n", {"line 2", "stretch"}},
        {"[cloth]\nstretch =\n", {"line 2", "stretch"}},
        {"[cloth]\nstretch = 3 N/m\n", {"line 2", "stretch"}},
        {"[time]\nintegrator = euler\n", {"line 2", "integrator", "symplectic-euler"}},
        {"[scene]\npins = top\n", {"line 2", "\"top\"", "top-left", "none"}},
        {"[scene]\npins = none top-left\n", {"line 2", "\"none\""}},
        {"[scene]\npins =\n", {"line 2", "pins", "top-left"}},
        {"rows = 3\n", {"line 1", "before the first"}},
        {"[cloth]\nrows\n", {"line 2", "name = value"}},
        {"[cloth\nrows = 3\n", {"line 1", "[section]"}},
        {"[cloth]\nrows\nrows = 0\n", {"line 2"}}, // the first error, not the last
        {"[cloth]\nrows = 3\n columns = 3\n", {"line 3", "blank", "\"rows\""}},
        {"\xef\xbb\xbf[cloths]\n", {"line 1", "[cloths]"}},
        {"[cloths]\n", {"world, collider, muscle, lane"}},
        {"[scene]\nfine = maybe\n", {"line 2", "fine = maybe", "on or off"}},
        {"[lane]\n\nrow = 3\n", {"line 3", "[lane] has no \"row\"", "size, density", "step"}},
        {"[lane]\ntitle = x\n", {"line 2", "[lane] has no \"title\""}},
        {"[lane]\nrows = 3\n", {"line 2", "rows of its own", "particle by particle"}},
        {"[lane]\nspeed = max\n", {"line 2", "speed of its own", "one clock"}},
        {"[lane]\nstep = 1\n", {"line 2", "step = 1", "1e-06 to 0.1, or auto"}},
        {"[lane]\nstep = 0.01\n[lane]\nstep = 0.01\nstep = 0.02\n", {"line 5", "step twice"}},
        {"[lane]\n[lane]\n[lane]\n[lane]\n[scene]\n[lane]\n", {"line 6", "at most 4 lanes"}},
        {"[lane]\nair = 1\n gravity = 3\n", {"line 3", "blank", "\"air\""}},
        {"[lane]\n[lane]\nintegrator = rk4\n[filter]\nfilter = exponential\n",
         {"line 2", "lane 2, \"rk4\"", "filter_place = after"}},
        {"[scene]\nmesh = a.obj\n[lane]\ngather = 0.8\n",
         {"line 3", "lane 1, \"gather=0.8\"", "is for grids"}},
        {long_line, {"line 2", "longer than 4095 bytes"}},
        {"[scene]\ntitle = \"x\n", {"line 2", "begins with \" ends with one"}},
        {"[scene]\ntitle = \"x\" y\n", {"line 2", "begins with \" ends with one"}},
        {"[scene]\ntitle = \"\\n\"\n", {"line 2", "begins with \" ends with one"}},
        {"[scene] title = x\n", {"line 1", "nothing stands behind [section]"}},
        {"[scene]\rtitle = x\r\r[cloth]\rrows = 0\r", {"line 5", "rows = 0"}},
        {"\xef\xbb\xbf[scene]\r\ntitle = x\r\nrows = 0\r\n", {"line 3", "rows belongs"}},
        {long_about, {"line 7", "about", "383"}},
    };
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        Scene scene;
        Error error = {0};
        if (parse(mistakes[i].text, &scene, &error) != STATUS_BAD_PARAMETER) {
            fail_msg("accepted: %s", mistakes[i].text);
        }
        assert_non_null(strstr(error.text, "test.ini"));
        assert_null(strchr(error.text, '\n'));
        for (int k = 0; k < 4 && mistakes[i].says[k]; k++) {
            if (!strstr(error.text, mistakes[i].says[k])) {
                fail_msg("\"%s\" does not say \"%s\"", error.text, mistakes[i].says[k]);
            }
        }
        assert_string_equal(scene.title, ""); // unchanged
        assert_int_equal(parse(mistakes[i].text, &scene, NULL), STATUS_BAD_PARAMETER);
    }
}

static void long_comments_are_fine(void **state)
{
    (void)state;
    char text[1000] = "[cloth]\n; ";
    memset(text + strlen(text), 'x', 600);
    strcat(text, "\nrows = 0"); // lines are still counted
    Scene scene;
    Error error;
    assert_int_equal(parse(text, &scene, &error), STATUS_BAD_PARAMETER);
    assert_non_null(strstr(error.text, "line 3"));
}

static void files_that_are_none(void **state)
{
    (void)state;
    Scene scene;
    Error error;
    assert_int_equal(scene_load(in_folder("missing.ini"), &scene, &error), STATUS_FILE);
    assert_non_null(strstr(error.text, "missing.ini"));
    assert_non_null(strstr(error.text, "No such file"));

    mkdir(in_folder("directory.ini"), 0777);
    assert_int_equal(scene_load(in_folder("directory.ini"), &scene, &error), STATUS_FILE);
    assert_non_null(strstr(error.text, "directory"));

    const char *path = write_file("binary.ini", "[scene]\0title = x\n", 18);
    assert_int_equal(scene_load(path, &scene, &error), STATUS_BAD_PARAMETER);
    assert_non_null(strstr(error.text, "not text"));

    char *huge = malloc(65537);
    memset(huge, '\n', 65537);
    assert_int_equal(scene_load(write_file("full.ini", huge, 65536), &scene, &error), STATUS_OK);
    path = write_file("huge.ini", huge, 65537);
    assert_int_equal(scene_load(path, &scene, &error), STATUS_FILE);
    assert_non_null(strstr(error.text, "65536"));
    free(huge);

    if (geteuid() != 0) { // root can read everything
        path = write_file("secret.ini", "", 0);
        chmod(path, 0);
        assert_int_equal(scene_load(path, &scene, &error), STATUS_FILE);
    }

    char name[120];
    memset(name, 'n', 100);
    strcpy(name + 100, ".ini");
    path = write_file(name, "", 0);
    assert_int_equal(scene_load(path, &scene, &error), STATUS_BAD_PARAMETER);
    assert_non_null(strstr(error.text, "47"));
}

static void names_are_looked_up(void **state)
{
    (void)state;
    Scene scene;
    Error error;
    assert_int_equal(scene_load("drape", &scene, &error), STATUS_OK);
    assert_string_equal(scene.name, "drape");
    assert_int_equal(scene_load("nothing", &scene, &error), STATUS_BAD_PARAMETER);
    assert_non_null(strstr(error.text, "nothing"));
    assert_non_null(strstr(error.text, "banner, curtain, drape, fish, flag, hammock"));
    assert_int_equal(scene_load("", &scene, &error), STATUS_BAD_PARAMETER);

    // the directory that the user sets comes first
    mkdir(in_folder("scenes"), 0777);
    write_file("scenes/drape.ini", "[scene]\ntitle = Mine\n", 21);
    write_file("scenes/aaa.ini", "[cloth]\nrows = 3\n", 17);
    write_file("scenes/broken.ini", "[cloth]\nrows = 0\n", 17);
    write_file("scenes/notes.txt", "x", 1);
    setenv("SELVAGE_ASSETS", test_folder, 1);
    assert_int_equal(scene_load("drape", &scene, &error), STATUS_OK);
    assert_string_equal(scene.title, "Mine");
    SceneList list;
    assert_int_equal(scene_list(&list, &error), STATUS_OK);
    assert_int_equal(list.count, 18);
    assert_string_equal(list.items[0].name, "aaa");
    assert_string_equal(list.items[3].title, "Mine"); // once, not twice
    for (int i = 1; i < list.count; i++) {
        assert_true(strcmp(list.items[i - 1].name, list.items[i].name) < 0);
    }
    scene_list_finish(&list);
    assert_int_equal(scene_load("broken", &scene, &error), STATUS_BAD_PARAMETER);
    assert_non_null(strstr(error.text, "line 2"));
    unsetenv("SELVAGE_ASSETS");
}

// Pins set with the mouse are saved, loaded and used at the start; a second click undoes the first.
static void toggled_pins_survive_saving(void **state)
{
    (void)state;
    Scene scene = scene_default(), again;
    scene.params.rows = scene.params.columns = 8;
    Simulation *simulation;
    Error error;
    assert_int_equal(simulation_create(&scene, &simulation, &error), STATUS_OK);
    const int clicked[] = {0, 20, 63, 20, 9}; // 0 is a corner: no longer pinned
    for (int i = 0; i < 5; i++) {
        Command toggle = {.kind = COMMAND_TOGGLE_PIN, .particle = clicked[i]};
        assert_int_equal(simulation_apply(simulation, &toggle, &error), STATUS_OK);
    }
    Snapshot snapshot = {0};
    assert_int_equal(simulation_fill_snapshot(simulation, &snapshot, &error), STATUS_OK);
    assert_int_equal(snapshot.scene.toggled_pins.count, 3);
    const char *path = in_folder("toggled.ini");
    assert_int_equal(scene_save(&snapshot.scene, path, &error), STATUS_OK);
    if (scene_load(path, &again, &error) != STATUS_OK) fail_msg("%s", error.text);
    Simulation *other;
    Snapshot shown = {0};
    assert_int_equal(simulation_create(&again, &other, &error), STATUS_OK);
    assert_int_equal(simulation_fill_snapshot(other, &shown, &error), STATUS_OK);
    for (int p = 0; p < 64; p++) {
        bool pinned = p == 7 || p == 9 || p == 63;
        assert_int_equal(snapshot.pinned[p], pinned);
        assert_int_equal(shown.pinned[p], pinned);
    }
    // a reset restores the scene's own pins
    Command reset = {.kind = COMMAND_RESET};
    assert_int_equal(simulation_apply(simulation, &reset, &error), STATUS_OK);
    assert_int_equal(simulation_fill_snapshot(simulation, &snapshot, &error), STATUS_OK);
    assert_true(snapshot.pinned[0] && !snapshot.pinned[63]);
    assert_int_equal(snapshot.scene.toggled_pins.count, 0);
    // on another cloth the numbers have no meaning
    again.params.rows = again.params.columns = 4;
    Simulation *none;
    assert_int_equal(simulation_create(&again, &none, &error), STATUS_BAD_PARAMETER);
    assert_non_null(strstr(error.text, "this cloth has 0 to 15"));
    Command fewer = {.kind = COMMAND_SET_PARAM,
                     .param = {(int)(param_find("rows") - param_table), 4.0}};
    assert_int_equal(simulation_apply(other, &fewer, &error), STATUS_OK);
    snapshot_finish(&snapshot);
    snapshot_finish(&shown);
    simulation_destroy(simulation);
    simulation_destroy(other);
}

static void assert_same_lanes(const Scene *a, const Scene *b)
{
    assert_int_equal(a->fine, b->fine);
    assert_int_equal(a->lane_count, b->lane_count);
    for (int i = 0; i < a->lane_count; i++) {
        assert_string_equal(a->lanes[i].name, b->lanes[i].name);
        assert_true(a->lanes[i].own == b->lanes[i].own);
        Scene mine = lane_scene(&a->lanes[i], a), other = lane_scene(&b->lanes[i], b);
        for (int k = 0; k < param_count; k++) {
            const ParamInfo *info = &param_table[k];
            assert_true(param_get(&mine.params, info) == param_get(&other.params, info));
        }
    }
}

// Whatever a lane has for its own, and nothing else.
static void lanes_survive_saving(void **state)
{
    (void)state;
    Scene scene = scene_default(), again;
    Error error;
    scene.fine = true;
    scene.params.alpha = 0.002;
    scene.lane_count = SCENE_LANES_MAX; // the first has nothing
    for (int i = 0; i < scene.lane_count; i++)
        assert_int_equal(lane_parse("", &scene.lanes[i], &error), STATUS_OK);
    assert_int_equal(lane_parse("step=auto integrator=leu", &scene.lanes[1], &error), STATUS_OK);
    lane_own(&scene.lanes[2], param_find("alpha"), 0.01 / 3.0);
    for (int k = 0; k < param_count; k++) {
        const ParamInfo *info = &param_table[k];
        if (lane_shares_because(info)) continue;
        double middle = info->kind == PARAM_REAL ? (info->min + info->max) / 3.0 : info->initial;
        lane_own(&scene.lanes[3], info, middle);
    }
    const char *path = in_folder("lanes.ini");
    assert_int_equal(scene_save(&scene, path, &error), STATUS_OK);
    if (scene_load(path, &again, &error) != STATUS_OK) fail_msg("%s", error.text);
    assert_same_lanes(&scene, &again);
    assert_true(again.lanes[2].own == (uint64_t)1 << (param_find("alpha") - param_table));
}

static void our_scenes_survive_saving(void **state)
{
    (void)state;
    SceneList list;
    Error error;
    assert_int_equal(scene_list(&list, &error), STATUS_OK);
    assert_int_equal(list.count, 17);
    int with_lanes = 0;
    for (int i = 0; i < list.count; i++) {
        const Scene *scene = &list.items[i];
        Scene again;
        assert_true(strlen(scene->about) > 50 &&
                    (scene->pins != 0 || scene->collider_count > 0 || scene->muscle_count > 0 ||
                     scene->params.self_contact || strcmp(scene->name, "pair") == 0));
        const char *path = in_folder("saved.ini");
        assert_int_equal(scene_save(scene, path, &error), STATUS_OK);
        if (scene_load(path, &again, &error) != STATUS_OK) fail_msg("%s", error.text);
        assert_string_equal(again.title, scene->title);
        assert_string_equal(again.about, scene->about);
        assert_int_equal(again.pins, scene->pins);
        assert_string_equal(again.mesh, scene->mesh);
        assert_int_equal(again.start, scene->start);
        assert_true(again.mass_spread == scene->mass_spread);
        assert_true(again.stiffness_spread == scene->stiffness_spread);
        assert_true(again.start_stretch == scene->start_stretch);
        assert_true(vec3_length(vec3_sub(again.start_velocity, scene->start_velocity)) == 0.0);
        for (int k = 0; k < param_count; k++) {
            const ParamInfo *info = &param_table[k];
            assert_true(param_get(&again.params, info) == param_get(&scene->params, info));
        }
        assert_same_lanes(&again, scene);
        with_lanes += scene->lane_count > 0;
    }
    assert_int_equal(with_lanes, 1);
    assert_int_equal(scene_save(&list.items[0], "/dev/null/x.ini", &error), STATUS_FILE);
    scene_list_finish(&list);
}

static void our_scenes_run(void **state)
{
    (void)state;
    SceneList list;
    Error error = {0};
    assert_int_equal(scene_list(&list, &error), STATUS_OK);
    for (int i = 0; i < list.count; i++) {
        Simulation *simulation;
        if (simulation_create(&list.items[i], &simulation, &error) != STATUS_OK) {
            fail_msg("%s: %s", list.items[i].name, error.text);
        }
        for (int step = 0; step < 50; step++) {
            if (simulation_step(simulation, &error) != STATUS_OK) {
                fail_msg("%s: %s", list.items[i].name, error.text);
            }
        }
        simulation_destroy(simulation);
    }
    scene_list_finish(&list);
}

static uint32_t next_random(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

// A copy of the exact size, so that AddressSanitizer detects reads beyond the end.
static void parse_copy(const char *text, size_t size)
{
    char *copy = malloc(size ? size : 1);
    memcpy(copy, text, size);
    Scene scene = {.name = "fuzz"};
    Error error = {0};
    Status status = scene_parse("fuzz.ini", copy, size, &scene, &error);
    assert_true(status == STATUS_OK || (status == STATUS_BAD_PARAMETER && error.text[0]));
    free(copy);
}

static void nonsense_is_survived(void **state)
{
    (void)state;
    Scene scene;
    assert_int_equal(scene_load("race", &scene, NULL), STATUS_OK);
    const char *path = in_folder("fuzz.ini");
    assert_int_equal(scene_save(&scene, path, NULL), STATUS_OK);
    static char good[16384], text[16384];
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    size_t size = fread(good, 1, sizeof good, file);
    fclose(file);
    assert_true(size > 1000 && size < sizeof good);

    for (size_t cut = 0; cut <= size; cut += 3) parse_copy(good, cut);
    uint32_t seed = 1;
    for (int round = 0; round < 3000; round++) { // a few bytes changed
        memcpy(text, good, size);
        static const char bytes[] = "[]=;#\n \t0-.ne\xff\r\0x";
        for (int k = 0; k < 1 + round % 8; k++) {
            text[next_random(&seed) % size] = bytes[next_random(&seed) % sizeof bytes];
        }
        parse_copy(text, size);
    }
    for (int round = 0; round < 3000; round++) { // random bytes, printable in every other round
        size_t length = next_random(&seed) % 600;
        for (size_t k = 0; k < length; k++) {
            static const char printable[] = " \n[]=;cloth.rows3-";
            uint32_t byte = next_random(&seed);
            text[k] = round % 2 ? printable[byte % (sizeof printable - 1)] : (char)byte;
        }
        parse_copy(text, length);
    }
    for (int round = 0; round < 3000; round++) { // lines of lanes, in any order
        static const char *const pieces[] = {"[lane]",  "\n",  "\n",  "\r",    " ",   "step = 0.01",
                                             "[scene]", "[la", "\n[", "lane]", "; x", "air = 1"};
        size_t length = 0;
        for (int k = 0; k < 40; k++) {
            const char *piece =
                pieces[next_random(&seed) % (uint32_t)(sizeof pieces / sizeof pieces[0])];
            memcpy(text + length, piece, strlen(piece));
            length += strlen(piece);
        }
        parse_copy(text, length);
    }
}

int main(void)
{
    unsetenv("SELVAGE_ASSETS");
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_everything),
        cmocka_unit_test(little_is_enough),
        cmocka_unit_test(every_lane_section_is_a_lane),
        cmocka_unit_test(each_mistake_has_its_sentence),
        cmocka_unit_test(long_comments_are_fine),
        cmocka_unit_test(files_that_are_none),
        cmocka_unit_test(names_are_looked_up),
        cmocka_unit_test(toggled_pins_survive_saving),
        cmocka_unit_test(lanes_survive_saving),
        cmocka_unit_test(our_scenes_survive_saving),
        cmocka_unit_test(our_scenes_run),
        cmocka_unit_test(nonsense_is_survived),
    };
    return cmocka_run_group_tests(tests, test_folder_make, test_folder_remove);
}
