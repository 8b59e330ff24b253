// What the window remembers: settings, recent files, and what a file is that is opened.
#include "runtime/file_kind.h"
#include "runtime/recent.h"
#include "runtime/settings.h"
#include "runtime/user_files.h"

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

static char folder[] = "/tmp/selvage-test-XXXXXX";

static void in_folder(const char *name, char path[PATH_MAX])
{
    snprintf(path, PATH_MAX, "%s/%s", folder, name);
}

static void write_file(const char *name, const char *text, size_t size)
{
    char path[PATH_MAX];
    in_folder(name, path);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static int enter(void **state)
{
    (void)state;
    char path[PATH_MAX];
    strcpy(folder, "/tmp/selvage-test-XXXXXX");
    assert_non_null(mkdtemp(folder));
    in_folder("config", path);
    setenv("XDG_CONFIG_HOME", path, 1);
    in_folder("state", path);
    setenv("XDG_STATE_HOME", path, 1);
    setenv("HOME", folder, 1);
    return 0;
}

static int leave(void **state)
{
    (void)state;
    char command[PATH_MAX + 16];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command);
}

static void changes_are_remembered(void **state)
{
    (void)state;
    Settings before, now, again;
    Error error = {0};
    assert_int_equal(settings_load(&before, &error), STATUS_OK);
    assert_int_equal(before.width, 1280);
    assert_false(before.light);
    assert_int_equal(settings_save_changes(&before, &before, &error), STATUS_OK);
    char path[PATH_MAX];
    in_folder("config/selvage/settings.ini", path);
    assert_int_not_equal(access(path, F_OK), 0); // nothing changed, nothing is written
    now = before;
    now.width = 1600;
    now.height = 1000;
    now.text_size = 150;
    strcpy(now.fabric, "wool");
    assert_int_equal(settings_save_changes(&before, &now, &error), STATUS_OK);
    assert_int_equal(settings_load(&again, &error), STATUS_OK);
    assert_int_equal(again.width, 1600);
    assert_int_equal(again.height, 1000);
    assert_int_equal(again.text_size, 150);
    assert_string_equal(again.fabric, "wool");
    assert_false(again.light);

    // a run with other values from the command line, in which only the theme was changed
    before = (Settings){.width = 640, .height = 480, .text_size = 300};
    now = before;
    now.light = true;
    assert_int_equal(settings_save_changes(&before, &now, &error), STATUS_OK);
    assert_int_equal(settings_load(&again, &error), STATUS_OK);
    assert_int_equal(again.width, 1600);
    assert_int_equal(again.text_size, 150);
    assert_string_equal(again.fabric, "wool");
    assert_true(again.light);
}

static void a_corrupt_file_is_told_and_not_fatal(void **state)
{
    (void)state;
    char path[PATH_MAX];
    in_folder("config", path);
    mkdir(path, 0700);
    in_folder("config/selvage", path);
    mkdir(path, 0700);
    static const struct {
        const char *text, *sentence;
    } cases[] = {
        {"[window]\nwidth = 99\ntheme = light\n", "width takes 320 to 16384, not \"99\""},
        {"[window]\nwidth = nan\ntheme = light\n", "width takes 320 to 16384"},
        {"[window]\nwidth = 99999999999999999999\ntheme = light\n", "width takes"},
        {"[window]\ntheme = light\ntext_size = 99\n", "text_size takes 100 to 300"},
        {"[window]\ntheme = light\nfabric = ../x y\n", "fabric takes the name of a fabric"},
        {"[window]\ntheme = light\nfabric =\n", "fabric takes the name of a fabric"},
        {"[window]\ntheme = light\nnonsense\n", "line 3: this is neither"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        Settings settings;
        Error error = {0};
        write_file("config/selvage/settings.ini", cases[k].text, strlen(cases[k].text));
        assert_int_equal(settings_load(&settings, &error), STATUS_FILE);
        assert_non_null(strstr(error.text, cases[k].sentence));
        assert_int_equal(settings.width, 1280);
        assert_int_equal(settings.text_size, 100);
        assert_string_equal(settings.fabric, "linen");
        assert_true(settings.light); // what is right is taken
    }
    Settings settings;
    Error error = {0};
    char noise[4096];
    for (size_t i = 0; i < sizeof noise; i++) noise[i] = (char)(i * 2654435761u >> 13);
    write_file("config/selvage/settings.ini", noise, sizeof noise);
    assert_int_equal(settings_load(&settings, &error), STATUS_FILE);
    assert_int_equal(settings.width, 1280);
    // names of other versions do not matter
    static const char other[] = "[window]\nfuture = 7\n[more]\nwidth = 1\n";
    write_file("config/selvage/settings.ini", other, sizeof other - 1);
    assert_int_equal(settings_load(&settings, &error), STATUS_OK);
}

static void a_folder_that_cannot_be_written_is_told(void **state)
{
    (void)state;
    Settings before = settings_default(), now = before;
    Error error = {0};
    now.light = true;
    write_file("config", "", 0); // a file where the folder should be
    assert_int_equal(settings_save_changes(&before, &now, &error), STATUS_FILE);
    assert_non_null(strstr(error.text, "settings.ini cannot be written"));
    unsetenv("HOME");
    setenv("XDG_CONFIG_HOME", "relative", 1); // is to be ignored
    assert_int_equal(settings_load(&before, &error), STATUS_OK);
    assert_int_equal(settings_save_changes(&before, &now, &error), STATUS_FILE);
    assert_non_null(strstr(error.text, "neither XDG_CONFIG_HOME nor HOME is set"));
    setenv("HOME", "/home/nobody", 1);
    char path[PATH_MAX];
    assert_int_equal(user_file_path(USER_CONFIG, "x", path, sizeof path, &error), STATUS_OK);
    assert_string_equal(path, "/home/nobody/.config/selvage/x");
    unsetenv("XDG_STATE_HOME");
    assert_int_equal(user_file_path(USER_STATE, "x", path, sizeof path, &error), STATUS_OK);
    assert_string_equal(path, "/home/nobody/.local/state/selvage/x");
}

static void recent_files_are_listed_newest_first(void **state)
{
    (void)state;
    static RecentFiles recent, again;
    Error error = {0};
    recent_load(&recent);
    assert_int_equal(recent.count, 0);
    for (int i = 0; i < RECENT_MAX + 3; i++) {
        char name[32], path[PATH_MAX];
        snprintf(name, sizeof name, "scene %d.ini", i);
        write_file(name, "", 0);
        in_folder(name, path);
        assert_int_equal(recent_add(&recent, path, &error), STATUS_OK);
    }
    char path[PATH_MAX];
    in_folder("scene 9.ini", path);
    assert_int_equal(recent_add(&recent, path, &error), STATUS_OK); // again: first, not twice
    recent_load(&again);
    assert_int_equal(again.count, RECENT_MAX);
    assert_string_equal(again.path[0], path);
    assert_non_null(strstr(again.path[1], "scene 10.ini"));
    assert_non_null(strstr(again.path[2], "scene 8.ini"));
    assert_int_equal(recent_remove(&again, path, &error), STATUS_OK);
    recent_load(&recent);
    assert_int_equal(recent.count, RECENT_MAX - 1);
    // one that is not there is not taken up
    assert_int_equal(recent_add(&recent, "/nowhere/at/all", &error), STATUS_OK);
    assert_int_equal(recent.count, RECENT_MAX - 1);
    // whatever is in the file, only absolute paths count
    static const char odd[] = "\nrelative\n/one\n\x01/two\n/one\n/three";
    write_file("state/selvage/recent", odd, sizeof odd - 1);
    recent_load(&recent);
    assert_int_equal(recent.count, 2);
    assert_string_equal(recent.path[1], "/three");
}

static void a_file_is_known_by_name_and_content(void **state)
{
    (void)state;
    static const struct {
        const char *name, *text;
        int kind; // -1: none
    } cases[] = {
        {"a.ini", "; empty\n", FILE_SCENE},
        {"a.txt", "; mine\n[scene]\ntitle = x\n", FILE_SCENE},
        {"a.INI", "", FILE_SCENE},
        {"b.ini", "; mine\n[lesson]\ntitle = x\n[step]\n", FILE_LESSON},
        {"a.obj", "", FILE_MESH},
        {"b.OBJ", "v 0 0 0\n", FILE_MESH},
        {"session", "selvage-record 1\nscene x\n[scene]\n", FILE_RECORDING},
        {"session.ini", "selvage-record 1\n", FILE_RECORDING},
        {"picture.png", "\x89PNG\r\n", -1},
        {"nothing", "", -1},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        char path[PATH_MAX];
        FileKind kind;
        Error error = {0};
        in_folder(cases[k].name, path);
        write_file(cases[k].name, cases[k].text, strlen(cases[k].text));
        if (cases[k].kind < 0) {
            assert_int_equal(file_kind(path, &kind, &error), STATUS_FILE);
            assert_non_null(strstr(error.text, "neither a scene or lesson (.ini), a mesh (.obj)"));
        } else {
            assert_int_equal(file_kind(path, &kind, &error), STATUS_OK);
            assert_int_equal(kind, cases[k].kind);
        }
    }
    FileKind kind;
    Error error = {0};
    assert_int_equal(file_kind(folder, &kind, &error), STATUS_FILE);
    assert_non_null(strstr(error.text, "is a folder"));
    assert_int_equal(file_kind("/nowhere/x.ini", &kind, &error), STATUS_FILE);
    assert_non_null(strstr(error.text, "cannot be opened"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(changes_are_remembered, enter, leave),
        cmocka_unit_test_setup_teardown(a_corrupt_file_is_told_and_not_fatal, enter, leave),
        cmocka_unit_test_setup_teardown(a_folder_that_cannot_be_written_is_told, enter, leave),
        cmocka_unit_test_setup_teardown(recent_files_are_listed_newest_first, enter, leave),
        cmocka_unit_test_setup_teardown(a_file_is_known_by_name_and_content, enter, leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
