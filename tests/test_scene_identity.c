// Save then load is the identity, for every scene there can be.
//
//   test_scene_identity [SCENES [SEED]]   so many scenes at random, 1000 if not given
#include "random_scene.h"
#include "runtime/scene_file.h"
#include "runtime/scene_parse.h"
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

static int scenes = 1000;
static uint32_t first_seed = 1;

static void check_text(const Scene *scene, const char *text, size_t size, uint32_t seed)
{
    Scene again = {0};
    Error error = {0};
    strcpy(again.name, scene->name);
    if (scene_parse("again.ini", text, size, &again, &error) != STATUS_OK)
        fail_msg("seed %u: %s\n%s", seed, error.text, text);
    const char *differs = scenes_differ(scene, &again);
    if (differs) fail_msg("seed %u: %s differs\n%s", seed, differs, text);
}

static void any_scene_reads_back_to_the_bit(void **state)
{
    (void)state;
    for (int i = 0; i < scenes; i++) {
        uint32_t seed = first_seed + (uint32_t)i, random = seed * 2654435761u;
        Scene scene = random_scene(&random);
        char *text = NULL;
        size_t size = 0;
        FILE *file = open_memstream(&text, &size);
        assert_non_null(file);
        scene_print(&scene, file);
        assert_int_equal(fclose(file), 0);
        assert_true(size < 64 * 1024); // what a scene file may have
        check_text(&scene, text, size, seed);
        free(text);
    }
}

// The same through files, with the name that the file gives.
static void through_a_file(void **state)
{
    (void)state;
    char path[256];
    snprintf(path, sizeof path, "%s/random.ini", test_folder);
    for (uint32_t seed = 1; seed <= 50; seed++) {
        uint32_t random = seed * 40503u;
        Scene scene = random_scene(&random), again;
        Error error;
        assert_int_equal(scene_save(&scene, path, &error), STATUS_OK);
        if (scene_load(path, &again, &error) != STATUS_OK)
            fail_msg("seed %u: %s", seed, error.text);
        const char *differs = scenes_differ(&scene, &again);
        if (differs) fail_msg("seed %u: %s differs", seed, differs);
    }
}

// What once was refused or cut.
static void texts_that_were_lost(void **state)
{
    (void)state;
    static const char *const abouts[] = {
        "The stiffness of a spring is given along its length, in units of force by length, "
        "[N/m] as on the slider.",
        "Of-all-the-scenes-that-come-with-the-program-this-one-is-certainly-the "
        "#1-to-begin-with.",
        "Read this ; and this.",
        "; a comment?",
        "two  blanks, a\ttab, and one at the end ",
        " and at the start",
        "\"quoted\"",
        "\"",
        "\\",
        "ends with \\",
        "",
    };
    for (size_t i = 0; i < sizeof abouts / sizeof abouts[0]; i++) {
        Scene scene = scene_default(), again;
        char path[256];
        Error error;
        snprintf(path, sizeof path, "%s/drape.ini", test_folder);
        strcpy(scene.about, abouts[i]);
        snprintf(scene.title, sizeof scene.title, "%.79s", abouts[i]);
        assert_int_equal(scene_save(&scene, path, &error), STATUS_OK);
        if (scene_load(path, &again, &error) != STATUS_OK)
            fail_msg("%s: %s", abouts[i], error.text);
        assert_string_equal(again.about, scene.about);
        assert_string_equal(again.title, scene.title);
    }
}

static void write_mesh(const char *path)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", file);
    assert_int_equal(fclose(file), 0);
}

static void a_mesh_is_found_again(void **state)
{
    (void)state;
    static const char *const names[] = {
        "a ;b.obj",     "#.obj",    ";.obj",   " .obj",   "\"q\".obj",
        "back\\sl.obj", "a\tb.obj", "[x].obj", "a=b.obj", "\xff\xc3\xa9.obj",
        "it's %s.obj"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char mesh[256], path[256];
        Scene scene, again;
        Error error;
        snprintf(mesh, sizeof mesh, "%s/%s", test_folder, names[i]);
        snprintf(path, sizeof path, "%s/saved.ini", test_folder);
        write_mesh(mesh);
        if (scene_load(mesh, &scene, &error) != STATUS_OK) fail_msg("%s", error.text);
        assert_int_equal(scene_save(&scene, path, &error), STATUS_OK);
        if (scene_load(path, &again, &error) != STATUS_OK) fail_msg("%s: %s", mesh, error.text);
        assert_string_equal(again.mesh, mesh);
        assert_string_equal(again.title, scene.title);
    }
}

static void a_mesh_that_no_file_can_name_is_refused(void **state)
{
    (void)state;
    char mesh[2048];
    Scene scene;
    Error error;
    snprintf(mesh, sizeof mesh, "%s/line\nend.obj", test_folder);
    write_mesh(mesh);
    assert_int_equal(scene_load(mesh, &scene, &error), STATUS_BAD_PARAMETER);
    assert_non_null(strstr(error.text, "control character"));
    // short when it is given, long when it is whole
    char here[1024];
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(test_folder), 0);
    for (int i = 0; i < 4; i++) {
        char name[201];
        memset(name, 'd', 200);
        name[200] = '\0';
        assert_int_equal(mkdir(name, 0777), 0);
        assert_int_equal(chdir(name), 0);
    }
    write_mesh("short.obj");
    Status status = scene_load("short.obj", &scene, &error);
    assert_int_equal(chdir(here), 0);
    assert_int_equal(status, STATUS_BAD_PARAMETER);
    assert_non_null(strstr(error.text, "at most 511 are allowed"));
}

int main(int argc, char **argv)
{
    unsetenv("SELVAGE_ASSETS");
    if (argc > 1) scenes = atoi(argv[1]);
    if (argc > 2) first_seed = (uint32_t)atoi(argv[2]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_scene_reads_back_to_the_bit),
        cmocka_unit_test(through_a_file),
        cmocka_unit_test(texts_that_were_lost),
        cmocka_unit_test(a_mesh_is_found_again),
        cmocka_unit_test(a_mesh_that_no_file_can_name_is_refused),
    };
    return cmocka_run_group_tests(tests, test_folder_make, test_folder_remove);
}
