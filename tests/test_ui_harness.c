// The window without a window: what is written is logged, and input has its effect.
#include "support/ui_harness.h"

#include <GLFW/glfw3.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static Scene scene_named(const char *name)
{
    Scene scene;
    Error error;
    if (scene_load(name, &scene, &error) != STATUS_OK) fail_msg("%s", error.text);
    return scene;
}

static bool lab_has_spoken(const UiHarness *h)
{
    return ui_analysis(&h->ui) != NULL;
}

static void everything_written_is_logged(void **state)
{
    (void)state;
    Scene scene = scene_named("pair");
    UiHarness *h = ui_harness_open(&scene, false);
    ui_harness_wait(h, lab_has_spoken);
    for (int scale = 1; scale <= 3; scale++) {
        ui_harness_size(h, 1600, 1000, (float)scale);
        ui_harness_settle(h);
        ImVec2 place;
        const char *window;
        int unlogged = ui_harness_unlogged(h, &place, &window);
        if (unlogged > 0)
            fail_msg("%d vertices of text are not logged, the first in %s at %.0f, %.0f", unlogged,
                     window, (double)place.x, (double)place.y);
        assert_true(h->log.count > 8);
    }
    ui_harness_size(h, 1600, 1000, 1.0f);
    ui_harness_settle(h);
    assert_non_null(ui_harness_find(h, "##top", "Selvage"));
    const LoggedText *stretch = ui_harness_find(h, "##controls", "stretch");
    assert_non_null(stretch);
    assert_true(stretch->rect.width > 2.0f * stretch->rect.height);
    ui_harness_close(h);
}

static bool is_running(const UiHarness *h)
{
    return h->ui.now->running;
}

static void keys_reach_the_simulation(void **state)
{
    (void)state;
    Scene scene = scene_named("pair");
    UiHarness *h = ui_harness_open(&scene, false);
    ui_harness_settle(h);
    assert_false(is_running(h));
    assert_true(ui_harness_key(h, GLFW_KEY_SPACE, false));
    ui_harness_wait(h, is_running);
    ui_harness_close(h);
}

static bool is_typing(const UiHarness *h)
{
    return h->ui.typed_param != UI_NO_PARAM;
}

static void a_click_on_a_number_starts_typing(void **state)
{
    (void)state;
    Scene scene = scene_named("pair");
    UiHarness *h = ui_harness_open(&scene, false);
    ui_harness_settle(h);
    const LoggedText *name = ui_harness_find(h, "##controls", "stretch");
    assert_non_null(name);
    assert_true(ui_harness_is_whole(h, name));
    assert_false(ui_harness_is_covered("##controls", name->rect));
    ui_harness_click(h, ui_harness_middle(name->rect));
    ui_harness_wait(h, is_typing);
    ui_harness_close(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_written_is_logged),
        cmocka_unit_test(keys_reach_the_simulation),
        cmocka_unit_test(a_click_on_a_number_starts_typing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
