// Arena and files.
#include "support/solver_test.h"

#include "base/arena.h"
#include "base/certain.h"
#include "base/clock.h"
#include "base/duration.h"
#include "base/file.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// A message may quote anything; it stays one line that a terminal only shows, and says if it is
// cut.
static void messages_are_one_harmless_line(void **state)
{
    (void)state;
    Error error;
    char quoted[1000];
    assert_int_equal(error_set(&error, STATUS_FILE, "no \"%s\"", "a\x1b[2J\nb\x7f\t\xc3\xa9"),
                     STATUS_FILE);
    assert_string_equal(error.text, "no \"a?[2J?b??\xc3\xa9\"");
    for (size_t start = 0; start < 3; start++) { // so that the cut meets every byte of a character
        memset(quoted, 'x', start);
        for (size_t i = start; i + 3 < sizeof quoted; i += 3) memcpy(quoted + i, "\xe2\x82\xac", 4);
        error_set(&error, STATUS_FILE, "%s", quoted);
        size_t length = strlen(error.text), whole = (length - 3 - start) % 3;
        assert_true(length < sizeof error.text && length > sizeof error.text - 5);
        assert_string_equal(error.text + length - 3, "...");
        assert_int_equal(whole, 0);
    }
}

// What is no character, or one that a terminal obeys, is a question mark: a format may have cut one
// in two.
static void messages_are_text(void **state)
{
    (void)state;
    static const struct {
        const char *quoted, *shown;
    } cases[] = {
        {"a\u00e9\u20ac\U0001f642", "a\u00e9\u20ac\U0001f642"},
        {"a\xe2\x82", "a?"},               // the first two bytes of three
        {"\x82\xac z", "? z"},             // the last two
        {"\xe9t\xe9", "?t?"},              // Latin-1
        {"\xf0\x9f\x99\u00e9", "?\u00e9"}, // three bytes of four, then a whole one
        {"\xc2\x9b[2J", "?[2J"},           // as ESC [ for a terminal
        {"\u00a0", "\u00a0"},
        {"\xc0\xaf \xe0\x82\x9b", "? ?"},                // longer than they need to be
        {"\xed\xa0\x80 \xed\x9f\xbf", "? \xed\x9f\xbf"}, // half of a pair of UTF-16
        {"\xf4\x90\x80\x80 \xf8\x88\x80\x80\x80 \xff", "? ? ?"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Error error;
        error_set(&error, STATUS_FILE, "%s", cases[i].quoted);
        assert_string_equal(error.text, cases[i].shown);
    }
    Error error;
    error_set(&error, STATUS_FILE, "no \"%.4s\"", "\u20ac\u20ac");
    assert_string_equal(error.text, "no \"\u20ac?\"");
}

// Of a long path the end is shown, from where a character begins.
static void a_long_path_is_shown_from_a_character_on(void **state)
{
    (void)state;
    char path[400];
    for (size_t start = 0; start < 3; start++) {
        memset(path, 'x', sizeof path);
        for (size_t i = start; i + 3 < sizeof path; i += 3) memcpy(path + i, "\xe2\x82\xac", 4);
        const char *shown[] = {file_shown(path), file_shown_briefly(path)};
        for (size_t i = 0; i < 2; i++) {
            size_t length = strlen(shown[i]), most = i == 0 ? 240 : 120;
            assert_true(length <= most && length > most - 3);
            assert_memory_equal(shown[i], "\xe2\x82\xac", 3);
        }
    }
    assert_string_equal(file_shown_briefly("a/b.obj"), "a/b.obj");
    assert_string_equal(file_shown(""), "");
}

static void arena_gives_aligned_disjoint_memory(void **state)
{
    (void)state;
    Arena arena;
    size_t size = 2 * arena_footprint(100) + arena_footprint(64);
    assert_int_equal(arena_init(&arena, size, NULL), STATUS_OK);
    char *a = arena_alloc(&arena, 100), *b = arena_alloc(&arena, 100), *c = arena_alloc(&arena, 64);
    assert_int_equal((uintptr_t)a % ARENA_ALIGNMENT, 0);
    assert_int_equal((uintptr_t)b % ARENA_ALIGNMENT, 0);
    memset(a, 1, 100);
    memset(b, 2, 100);
    memset(c, 3, 64);
    assert_int_equal(a[99], 1);
    assert_int_equal(b[99], 2);
    assert_int_equal(arena.used, arena.size);
    arena_reset(&arena);
    assert_ptr_equal(arena_alloc(&arena, 1), a);
    arena_finish(&arena);
    arena_finish(&arena); // a second call is harmless
}

static bool aborts(size_t size, size_t bytes)
{
    pid_t child = fork();
    if (child == 0) {
        Arena arena;
        arena_init(&arena, size, NULL);
        arena_alloc(&arena, bytes);
        _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static void arena_stops_when_it_runs_out(void **state)
{
    (void)state;
    assert_false(aborts(128, 128));
    assert_true(aborts(128, 129));
    assert_true(aborts(128, SIZE_MAX)); // rounding up must not wrap around
    assert_true(aborts(128, SIZE_MAX - 32));
}

static void files_are_read_whole(void **state)
{
    (void)state;
    char path[] = "/tmp/selvage_test_XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    size_t size = 100000;
    char *data = malloc(size);
    for (size_t i = 0; i < size; i++) data[i] = (char)(i % 13); // no \r, which becomes \n
    assert_int_equal(write(file, data, size), size);
    close(file);

    FileText text;
    Error error;
    assert_int_equal(file_read(path, size, &text, &error), STATUS_OK);
    assert_int_equal(text.size, size);
    assert_memory_equal(text.data, data, size);
    assert_int_equal(text.data[size], 0);
    file_text_finish(&text);

    assert_int_equal(file_read(path, size - 1, &text, &error), STATUS_FILE);
    assert_non_null(strstr(error.text, "larger than 99999 bytes"));
    assert_null(text.data);
    unlink(path);
    free(data);
    assert_int_equal(file_read(path, size, &text, &error), STATUS_FILE);
    assert_non_null(strstr(error.text, "No such file"));
    assert_int_equal(file_read("/", size, &text, &error), STATUS_FILE);
}

static void clock_does_not_run_backwards(void **state)
{
    (void)state;
    double before = clock_seconds();
    for (int i = 0; i < 1000; i++) {
        double now = clock_seconds();
        assert_true(now >= before);
        before = now;
    }
}

static void check_certain(double value, double error, double shown, int digits, bool is_bound,
                          bool is_rough)
{
    Certain got = certain(value, error, 4);
    assert_true(fabs(got.value - shown) <= 1e-12 * fabs(shown));
    assert_int_equal(got.digits, digits);
    assert_int_equal(got.is_bound, is_bound);
    assert_int_equal(got.is_rough, is_rough);
}

static void an_error_leaves_the_digits_before_it(void **state)
{
    (void)state;
    check_certain(0.0, 1.0, 0.0, 4, false, false);
    check_certain(1.23456, 0.0, 1.235, 4, false, false);
    check_certain(1.23456, 1e-9, 1.235, 4, false, false);
    check_certain(-1.23456, 5e-3, -1.2, 2, false, false);
    check_certain(1.23456, 0.5, 1.0, 1, false, true);
    check_certain(-1e-6, 1e-6, 2e-6, 1, true, false);
    check_certain(1e-9, 3.14e-4, 4e-4, 1, true, false);
}

static void times_have_a_unit_that_fits(void **state)
{
    (void)state;
    const struct {
        double seconds;
        const char *text;
    } cases[] = {{0.0, "0 s"},
                 {1.62, "1.62 s"},
                 {0.1, "0.1 s"},
                 {0.00222, "2.22 ms"},
                 {3.75e-4, "0.375 ms"},
                 {1e-4, "0.1 ms"},
                 {6.21e-5, "62.1 \u00b5s"},
                 {-0.002, "-2 ms"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_string_equal(duration_text(cases[i].seconds).text, cases[i].text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(messages_are_one_harmless_line),
        cmocka_unit_test(messages_are_text),
        cmocka_unit_test(a_long_path_is_shown_from_a_character_on),
        cmocka_unit_test(arena_gives_aligned_disjoint_memory),
        cmocka_unit_test(arena_stops_when_it_runs_out),
        cmocka_unit_test(files_are_read_whole),
        cmocka_unit_test(an_error_leaves_the_digits_before_it),
        cmocka_unit_test(times_have_a_unit_that_fits),
        cmocka_unit_test(clock_does_not_run_backwards),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
