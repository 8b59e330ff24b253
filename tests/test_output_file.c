// Files are written whole or not at all, whatever lies in the way; any text file is read; a video
// gets to its program.
#include "base/file.h"
#include "base/output_file.h"
#include "runtime/scene_file.h"
#include "runtime/video.h"
#include "test_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

// Each case has an empty folder and works in it.
static int enter(void **state)
{
    (void)state;
    char command[80];
    snprintf(command, sizeof command, "rm -rf %s/case && mkdir %s/case", test_folder, test_folder);
    if (system(command) != 0) return -1;
    snprintf(command, sizeof command, "%s/case", test_folder);
    return chdir(command);
}

static int leave(void **state)
{
    (void)state;
    return chdir("/");
}

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void assert_has(const char *path, const char *text)
{
    FileText there;
    assert_int_equal(file_read(path, 10000, &there, NULL), STATUS_OK);
    assert_string_equal(there.data, text);
    file_text_finish(&there);
}

static int file_count(void)
{
    int count = 0;
    DIR *entries = opendir(".");
    assert_non_null(entries);
    for (struct dirent *entry; (entry = readdir(entries));) count += entry->d_name[0] != '.';
    closedir(entries);
    return count;
}

static Status write_text(const char *path, const char *text, Error *error)
{
    return output_file_write(path, text, strlen(text), error);
}

static unsigned mode_of(const char *path)
{
    struct stat there;
    assert_int_equal(stat(path, &there), 0);
    return (unsigned)there.st_mode & 07777;
}

static void a_replaced_file_keeps_its_permissions(void **state)
{
    (void)state;
    umask(022);
    assert_int_equal(write_text("new", "1", NULL), STATUS_OK);
    assert_int_equal(mode_of("new"), 0644);
    put("old", "before");
    chmod("old", 0640);
    assert_int_equal(write_text("old", "after", NULL), STATUS_OK);
    assert_has("old", "after");
    assert_int_equal(mode_of("old"), 0640);
    assert_int_equal(symlink("old", "link"), 0); // stays a link
    assert_int_equal(write_text("link", "through it", NULL), STATUS_OK);
    assert_has("old", "through it");
    struct stat there;
    assert_int_equal(lstat("link", &there), 0);
    assert_true(S_ISLNK(there.st_mode));
    assert_int_equal(file_count(), 3);
}

static void a_failure_changes_nothing(void **state)
{
    (void)state;
    static char much[100000];
    Error error;
    memset(much, 'x', sizeof much - 1);
    put("file", "before");
    struct rlimit limit, tight;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    tight = limit;
    tight.rlim_cur = 2000;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
    Status status = write_text("file", much, &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    assert_int_equal(status, STATUS_FILE);
    assert_non_null(strstr(error.text, "File too large"));
    assert_has("file", "before");
    OutputFile output; // begun and given up
    assert_int_equal(output_file_begin(&output, "file", NULL), STATUS_OK);
    output_file_finish(&output);
    assert_has("file", "before");
    assert_int_equal(file_count(), 1);
    assert_int_equal(write_text("no/such/folder", "", &error), STATUS_FILE);
    assert_non_null(strstr(error.text, "no/such/folder cannot be written: No such file"));
    assert_int_equal(write_text(".", "", &error), STATUS_FILE);
    assert_non_null(strstr(error.text, "it is a directory"));
}

// In a container every run may have the same process number.
static void what_a_killed_run_left_does_not_block(void **state)
{
    (void)state;
    char left[64];
    snprintf(left, sizeof left, "file.%ld.part", (long)getpid());
    put(left, "half of");
    assert_int_equal(write_text("file", "whole", NULL), STATUS_OK);
    assert_has("file", "whole");
    assert_int_equal(file_count(), 1);
}

static void two_outputs_do_not_share_a_file(void **state)
{
    (void)state;
    OutputFile first, second;
    Error error;
    assert_int_equal(output_file_begin(&first, "same", NULL), STATUS_OK);
    for (int spelling = 0; spelling < 2; spelling++) {
        const char *path = spelling ? "./same" : "same";
        assert_int_equal(output_file_begin(&second, path, &error), STATUS_FILE);
        assert_non_null(strstr(error.text, "two outputs"));
    }
    output_file_finish(&first);
    assert_int_equal(file_count(), 0);
}

// Links, pipes and other people's files under the temporary name are left as they are.
static void planted_files_are_not_followed(void **state)
{
    (void)state;
    char name[64];
    put("victim", "precious");
    snprintf(name, sizeof name, "a.%ld.part", (long)getpid());
    assert_int_equal(symlink("victim", name), 0);
    assert_int_equal(write_text("a", "mine", NULL), STATUS_OK);
    snprintf(name, sizeof name, "b.%ld.part", (long)getpid());
    assert_int_equal(link("victim", name), 0);
    assert_int_equal(write_text("b", "mine", NULL), STATUS_OK);
    snprintf(name, sizeof name, "c.%ld.part", (long)getpid());
    assert_int_equal(mkfifo(name, 0600), 0);
    assert_int_equal(write_text("c", "mine", NULL), STATUS_OK);
    snprintf(name, sizeof name, "d.%ld.part", (long)getpid());
    assert_int_equal(symlink("nowhere", name), 0);
    assert_int_equal(write_text("d", "mine", NULL), STATUS_OK);
    assert_has("victim", "precious");
    for (const char *file = "abcd"; *file; file++) assert_has((char[]){*file, '\0'}, "mine");
    assert_int_equal(access("nowhere", F_OK), -1);
}

static void a_new_file_replaces_nothing(void **state)
{
    (void)state;
    OutputFile output;
    Error error;
    assert_int_equal(output_file_begin_new(&output, "file", NULL), STATUS_OK);
    FILE *file = output_file_open(&output, NULL);
    assert_non_null(file);
    put("file", "somebody else was faster");
    assert_int_equal(output_file_close(&output, file, &error), STATUS_FILE);
    assert_non_null(strstr(error.text, "File exists"));
    output_file_finish(&output);
    assert_has("file", "somebody else was faster");
    assert_int_equal(output_file_begin_new(&output, "file", NULL), STATUS_FILE);
    assert_int_equal(file_count(), 1);
}

static void names_as_long_as_the_system_allows(void **state)
{
    (void)state;
    for (int length = 200; length <= 255; length++) {
        char name[300];
        Error error;
        memset(name, 'n', (size_t)length);
        name[length] = '\0';
        if (write_text(name, "1", &error) != STATUS_OK) fail_msg("%d: %s", length, error.text);
        assert_has(name, "1");
        assert_int_equal(unlink(name), 0);
    }
    assert_int_equal(file_count(), 0);
    char name[5000];
    memset(name, 'n', 4999);
    name[4999] = '\0';
    Error error;
    assert_int_equal(write_text(name, "", &error), STATUS_FILE);
    assert_non_null(strstr(error.text, "too long")); // the sentence is whole
    FileText text;
    assert_int_equal(file_read(name, 100, &text, &error), STATUS_FILE);
    assert_non_null(strstr(error.text, "too long"));
}

// A child with the signals blocked, as commands have them, writes to a pipe that nobody reads.
static void waiting_for_a_reader_can_be_interrupted(void **state)
{
    (void)state;
    assert_int_equal(mkfifo("pipe", 0600), 0);
    for (int reader = 0; reader < 2; reader++) {
        int read_end = reader ? open("pipe", O_RDONLY | O_NONBLOCK) : -1; // opened, never read
        pid_t child = fork();
        if (child == 0) {
            static char much[1 << 20];
            sigset_t signals;
            sigemptyset(&signals);
            sigaddset(&signals, SIGTERM);
            sigprocmask(SIG_BLOCK, &signals, NULL);
            Error error;
            Status status = output_file_write("pipe", much, sizeof much, &error);
            _exit(status == STATUS_FILE && strstr(error.text, "Interrupted") ? 7 : 1);
        }
        usleep(100000);
        kill(child, SIGTERM);
        int result = 0;
        for (int i = 0; i < 500 && waitpid(child, &result, WNOHANG) == 0; i++) usleep(10000);
        if (!WIFEXITED(result) || WEXITSTATUS(result) != 7) {
            kill(child, SIGKILL);
            fail_msg("reader %d: not interrupted", reader);
        }
        if (read_end >= 0) close(read_end);
    }
}

// Marks of UTF-8, and line ends of three kinds.
static void any_text_is_read(void **state)
{
    (void)state;
    put("mark", "\xef\xbb\xbf"
                "a\r\nb\rc\n\r\rd\r");
    assert_has("mark", "a\nb\nc\n\n\nd\n");
    put("short", "\xef\xbb");
    assert_has("short", "\xef\xbb");
    put("only", "\xef\xbb\xbf");
    assert_has("only", "");
}

static void pipes_and_devices_among_the_scenes(void **state)
{
    (void)state;
    char folder[300];
    assert_non_null(getcwd(folder, sizeof folder));
    assert_int_equal(mkdir("scenes", 0700), 0);
    assert_int_equal(mkfifo("scenes/pipe.ini", 0600), 0);
    assert_int_equal(mkfifo("scenes/drape.ini", 0600), 0);
    assert_int_equal(symlink("/dev/zero", "scenes/zero.ini"), 0);
    put("scenes/mine.ini", "\xef\xbb\xbf[scene]\rtitle = Mine\r");
    setenv("SELVAGE_ASSETS", folder, 1);
    SceneList list;
    Scene scene;
    Error error;
    assert_int_equal(scene_list(&list, &error), STATUS_OK);
    bool found = false;
    for (int i = 0; i < list.count; i++) {
        assert_string_not_equal(list.items[i].name, "pipe");
        assert_string_not_equal(list.items[i].name, "zero");
        found = found || strcmp(list.items[i].title, "Mine") == 0;
    }
    assert_true(found);
    scene_list_finish(&list);
    assert_int_equal(scene_load("drape", &scene, &error), STATUS_OK); // the next one of that name
    unsetenv("SELVAGE_ASSETS");
}

// A program named ffmpeg, before all others; `file` is what it is to write.
static Video *start_fake_ffmpeg(const char *script, int side)
{
    char text[300], path[PATH_MAX];
    snprintf(text, sizeof text, "#!/bin/sh\nfor last; do :; done\nfile=${last#file:}\n%s\n",
             script);
    put("ffmpeg", text);
    chmod("ffmpeg", 0755);
    const char *before = getenv("PATH");
    char *kept = strdup(before ? before : "/usr/bin:/bin");
    snprintf(path, sizeof path, "%s/case:%s", test_folder, kept);
    setenv("PATH", path, 1);
    const VideoPlan plan = {"film.mp4", "film.part", side, side, 25.0};
    Video *video = NULL;
    Error error = {0};
    if (video_start(&plan, &video, &error) != STATUS_OK) fail_msg("%s", error.text);
    setenv("PATH", kept, 1);
    free(kept);
    return video;
}

enum { SIDE = 600, FRAME = 3 * SIDE * SIDE, FRAMES = 3 };

static unsigned char byte_at(size_t i)
{
    return (unsigned char)((uint32_t)i * 2654435761u >> 24);
}

// Frames that are larger than what a socket holds, to a reader that comes late.
static void a_video_arrives_whole(void **state)
{
    (void)state;
    Video *video = start_fake_ffmpeg("sleep 0.05; cat >\"$file\"; sleep 0.05", SIDE);
    Error error = {0};
    for (size_t n = 0; n < FRAMES; n++) {
        assert_true(video_is_ready(video));
        for (size_t i = 0; i < FRAME; i++) video_frame(video)[i] = byte_at(n * FRAME + i);
        video_send(video);
        assert_int_equal(video_pump(video, 0.0, &error), STATUS_OK); // part of it at most
        assert_int_equal(video_pump(video, 60.0, &error), STATUS_OK);
    }
    assert_int_equal(video_count(video), FRAMES);
    bool done = false;
    assert_int_equal(video_finish(video, 60.0, &done, &error), STATUS_OK);
    assert_true(done); // it was waited for
    video_destroy(video);
    FILE *film = fopen("film.part", "rb");
    assert_non_null(film);
    size_t size = 0;
    for (int byte; (byte = fgetc(film)) != EOF; size++) assert_int_equal(byte, byte_at(size));
    assert_int_equal(size, FRAMES * FRAME);
    fclose(film);
}

// It has closed its input, but its words come later.
static void why_a_video_failed_is_waited_for(void **state)
{
    (void)state;
    Video *video = start_fake_ffmpeg("exec <&-; sleep 0.1; echo no room left >&2; exit 3", SIDE);
    Error error = {0};
    Status status = STATUS_OK;
    while (status == STATUS_OK && video_count(video) < FRAMES) {
        memset(video_frame(video), 7, FRAME);
        video_send(video);
        status = video_pump(video, 60.0, &error);
    }
    assert_int_equal(status, STATUS_FILE);
    assert_string_equal(error.text, "ffmpeg made no video: no room left");
    video_destroy(video);
}

// Who has no time finds out that it has not ended yet.
static void a_video_is_waited_for_no_longer_than_allowed(void **state)
{
    (void)state;
    Video *video = start_fake_ffmpeg("cat >/dev/null; exec sleep 600", 16);
    Error error = {0};
    bool done = true;
    assert_int_equal(video_finish(video, 0.0, &done, &error), STATUS_OK);
    assert_false(done);
    video_destroy(video); // nor is it then
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, enter, leave)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_replaced_file_keeps_its_permissions),
        CASE(a_failure_changes_nothing),
        CASE(what_a_killed_run_left_does_not_block),
        CASE(two_outputs_do_not_share_a_file),
        CASE(planted_files_are_not_followed),
        CASE(a_new_file_replaces_nothing),
        CASE(names_as_long_as_the_system_allows),
        CASE(waiting_for_a_reader_can_be_interrupted),
        CASE(a_video_arrives_whole),
        CASE(why_a_video_failed_is_waited_for),
        CASE(a_video_is_waited_for_no_longer_than_allowed),
        CASE(any_text_is_read),
        CASE(pipes_and_devices_among_the_scenes),
    };
    return cmocka_run_group_tests(tests, test_folder_make, test_folder_remove);
}
