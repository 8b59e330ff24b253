// The README's first experiment, done as it is written: its keys are pressed, its number is typed,
// and what it quotes must be there to be read, or to be pressed.
#include "support/ui_harness.h"

#include "base/file.h"

#include <GLFW/glfw3.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { QUOTES = 8 };

// What stands *between asterisks* in the experiment, in its order.
typedef struct Experiment {
    char text[4096];
    int count;
    char quotes[QUOTES][64];
} Experiment;

static Experiment read_experiment(void)
{
    Experiment e = {.count = 0};
    FileText readme;
    Error error;
    if (file_read(SOURCE_DIRECTORY "/README.md", 1 << 20, &readme, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    const char *begin = strstr(readme.data, "## A first experiment\n");
    assert_non_null(begin);
    const char *end = strstr(begin + 3, "\n## ");
    assert_non_null(end);
    assert_true(end - begin < (long)sizeof e.text);
    int length = 0; // lines become one
    for (const char *at = begin; at < end; at++) {
        bool blank = *at == '\n' || *at == ' ';
        if (!blank || length == 0 || e.text[length - 1] != ' ')
            e.text[length++] = blank ? ' ' : *at;
    }
    free(readme.data);
    for (const char *at = strchr(e.text, '*'); at; at = strchr(at + 1, '*')) {
        const char *last = strchr(++at, '*');
        assert_non_null(last);
        assert_true(e.count < QUOTES && last - at < 64);
        memcpy(e.quotes[e.count++], at, (size_t)(last - at));
        at = last;
    }
    return e;
}

static bool says(const Experiment *e, const char *words)
{
    return strstr(e->text, words) != NULL;
}

static bool has_come_to_rest(const UiHarness *h)
{
    return h->ui.now->readings.time >= 10.0;
}

static bool is_paused(const UiHarness *h)
{
    return !h->ui.now->running;
}

static bool has_fixed_step(const UiHarness *h)
{
    return h->ui.now->scene.params.step != PARAM_WORD;
}

static const char *expected; // to be read

static bool is_read(const UiHarness *h)
{
    return ui_harness_find_part(h, NULL, expected) != NULL;
}

static void wait_to_read(UiHarness *h, const char *text)
{
    print_message("waiting to read \"%s\"\n", text);
    expected = text;
    ui_harness_wait(h, is_read);
}

static bool has_diverged(const UiHarness *h)
{
    return h->ui.now->diverged;
}

static bool is_slow(const UiHarness *h)
{
    return h->ui.now->running && !h->ui.now->diverged;
}

static bool goes_on(const UiHarness *h)
{
    return !h->ui.now->diverged && h->ui.now->scene.params.step < 0.0004;
}

static void set(UiHarness *h, const char *name, double value)
{
    const ParamInfo *info = param_find(name);
    ui_set_param(&h->ui, info, value);
}

static void it_goes_as_it_is_written(void **state)
{
    (void)state;
    Experiment e = read_experiment();
    assert_int_equal(e.count, 3);
    Scene scene;
    Error error;
    if (scene_load("drape", &scene, &error) != STATUS_OK) fail_msg("%s", error.text);
    UiHarness *h = ui_harness_open(&scene, true);
    ui_harness_size(h, 1280, 800, 1.0f);
    ui_harness_settle(h);
    set(h, "speed", 10.0); // the reader waits

    // 1
    ui_harness_wait(h, has_come_to_rest);
    set(h, "speed", 1.0);
    assert_true(says(&e, "Press Space, then A"));
    ui_harness_key(h, GLFW_KEY_SPACE, 0);
    ui_harness_wait(h, is_paused);
    ui_harness_key(h, GLFW_KEY_A, 0);
    ui_harness_wait(h, has_fixed_step);
    char words[80];
    snprintf(words, sizeof words, "the step stays at %.2f ms", 1e3 * h->ui.now->scene.params.step);
    if (!says(&e, words)) fail_msg("the README does not say \"%s\"", words);

    // 2
    assert_true(says(&e, "Click the number of *stretch*, type 600 and press Enter"));
    const LoggedText *name = ui_harness_find(h, "##controls", e.quotes[0]);
    assert_non_null(name);
    ui_harness_click(h, ui_harness_middle(name->rect));
    ui_harness_type(h, "600");
    ui_harness_enter(h);
    wait_to_read(h, e.quotes[1]); // once the lab has seen the new stiffness
    assert_true(h->ui.now->scene.params.stretch == 600.0);

    // 3
    ui_harness_key(h, GLFW_KEY_SPACE, 0);
    ui_harness_wait(h, has_diverged);
    assert_true(says(&e, "Press B"));
    ui_harness_key(h, GLFW_KEY_B, 0);
    ui_harness_wait(h, is_slow);
    ui_harness_wait(h, has_diverged);

    // 4
    wait_to_read(h, e.quotes[2]); // the lab tries what would help
    ui_harness_settle(h);
    const LoggedText *button = ui_harness_find(h, NULL, e.quotes[2]);
    assert_non_null(button);
    ui_harness_click(h, ui_harness_middle(button->rect));
    ui_harness_wait(h, goes_on);
    snprintf(words, sizeof words, "the step at %.1f of the limit",
             h->ui.now->scene.params.step / h->ui.now->readings.limit.step);
    if (!says(&e, words)) fail_msg("the README does not say \"%s\"", words);
    ui_harness_close(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(it_goes_as_it_is_written)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
