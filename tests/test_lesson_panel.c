// Lessons in the window without a window: page keys, and captions that can be read at any size.
#include "support/ui_harness.h"

#include "lesson/lesson_play.h"
#include "simulation/simulation.h"
#include "stage/film.h"
#include "ui/lesson_panel.h"
#include "ui/trail.h"

#include <GLFW/glfw3.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static UiHarness *open_lesson(const char *name)
{
    Scene scene;
    Error error;
    assert_int_equal(scene_load("pair", &scene, &error), STATUS_OK);
    UiHarness *h = ui_harness_open(&scene, false);
    ui_harness_size(h, 1280, 800, 1.0f);
    ui_harness_settle(h);
    if (name && lesson_open(&h->ui, name, &error) != STATUS_OK) fail_msg("%s", error.text);
    ui_harness_settle(h);
    return h;
}

// The scene of the stop that is shown has arrived.
static bool has_arrived(const UiHarness *h)
{
    const Lesson *lesson = h->ui.lesson.lesson;
    const LessonStep *step = &lesson->steps[lesson_stop(lesson, h->ui.lesson.stop).step];
    int lanes = step->scene.lane_count > 0 ? step->scene.lane_count : 1;
    return h->ui.stage->count == lanes && strcmp(h->ui.now->scene.name, step->scene.name) == 0;
}

// All words of the caption and its equation are to be seen, and nothing lies over them.
static void expect_readable(UiHarness *h, const char *lesson)
{
    int words = 0;
    for (int i = 0; i < h->log.count; i++) {
        const LoggedText *text = &h->log.items[i];
        if (strcmp(text->window, "##lesson") != 0) continue;
        words++;
        if (!ui_harness_within(text->rect, h->ui.lesson.place, 0.35f * h->ui.em))
            fail_msg("%s, stop %d at %g x %g: \"%s\" is outside the caption", lesson,
                     h->ui.lesson.stop + 1, (double)h->width, (double)h->height, text->text);
        if (ui_harness_is_covered("##lesson", text->rect))
            fail_msg("%s, stop %d: \"%s\" is covered by %s", lesson, h->ui.lesson.stop + 1,
                     text->text, ui_harness_cover("##lesson", text->rect));
    }
    if (words < 4) fail_msg("%s, stop %d: no caption", lesson, h->ui.lesson.stop + 1);
    char where[40];
    const Lesson *open = h->ui.lesson.lesson;
    int step = lesson_stop(open, h->ui.lesson.stop).step + 1;
    snprintf(where, sizeof where, "step %d of %d", step, open->step_count);
    assert_non_null(ui_harness_find_part(h, "##lesson", where));
}

static void every_caption_can_be_read(void **state)
{
    (void)state;
    static const float sizes[][3] = {{1280, 800, 1.0f}, {1024, 640, 2.0f}, {1024, 768, 1.5f}};
    UiHarness *h = open_lesson(NULL);
    const LessonList *list = &h->ui.lesson.list;
    assert_true(list->count >= 12);
    for (int i = 0; i < list->count; i++) {
        Error error;
        if (lesson_open(&h->ui, list->items[i].name, &error) != STATUS_OK)
            fail_msg("%s", error.text);
        int stops = lesson_stop_count(h->ui.lesson.lesson);
        for (int stop = 0; stop < stops; stop++) {
            const float *size = sizes[(i + stop) % 3];
            if (stop > 0) assert_true(ui_harness_key(h, GLFW_KEY_PAGE_DOWN, 0));
            assert_int_equal(h->ui.lesson.stop, stop);
            ui_harness_wait(h, has_arrived);
            ui_harness_size(h, size[0], size[1], size[2]);
            ui_harness_settle(h);
            expect_readable(h, list->items[i].name);
        }
    }
    ui_harness_close(h);
}

static bool has_run(const UiHarness *h)
{
    return has_arrived(h) && h->ui.now->readings.time > 0.2;
}

// One sees whether the orbit closes; a cloth leaves no trail.
static void a_small_scene_has_a_trail(void **state)
{
    (void)state;
    UiHarness *h = open_lesson("01-one-spring");
    float points[3 * TRAIL_POINTS];
    ui_harness_wait(h, has_run);
    int count = trail_points(h->ui.now, points);
    assert_in_range(count, 10, TRAIL_POINTS);
    assert_true(isnan(points[3 * (count - 1)])); // the end of the one line
    const float *last = points + 3 * (count - 2), *first = points;
    int free_one = h->ui.now->pinned[0] ? 1 : 0;
    assert_memory_equal(last, h->ui.now->position + 3 * free_one, 3 * sizeof(float));
    float begun = hypotf(first[0], first[1]), ended = hypotf(last[0], last[1]);
    assert_true(fabsf(begun - ended) < 0.01f &&
                hypotf(last[0] - first[0], last[1] - first[1]) > 0.1f);
    assert_true(trail_exists(h->ui.now));
    Error error;
    assert_int_equal(lesson_open(&h->ui, "04-triangle", &error), STATUS_OK);
    ui_harness_wait(h, has_run);
    assert_int_equal(trail_points(h->ui.now, points), 0);
    assert_false(trail_exists(h->ui.now));
    ui_harness_close(h);
}

// The last seconds of four of its particles, the free end among them and the pinned one not.
static void a_rope_has_a_short_trail(void **state)
{
    (void)state;
    Scene scene = scene_default();
    scene.pins = PIN_TOP_LEFT;
    scene.params.rows = 1;
    scene.params.columns = 40;
    Simulation *simulation;
    assert_int_equal(simulation_create(&scene, &simulation, NULL), STATUS_OK);
    Film *film = film_create(simulation);
    assert_non_null(film);
    while (simulation_time(simulation) < 4.0) {
        assert_int_equal(simulation_step(simulation, NULL), STATUS_OK);
        film_step(film, simulation);
    }
    Snapshot now = {0};
    assert_int_equal(simulation_fill_snapshot(simulation, &now, NULL), STATUS_OK);
    now.film = film;
    float points[3 * TRAIL_POINTS];
    int count = trail_points(&now, points), lines = 0;
    assert_in_range(count, 100, TRAIL_POINTS);
    for (int i = 0; i < count; i++) lines += isnan(points[3 * i]);
    assert_int_equal(lines, 3);
    assert_memory_equal(points + 3 * (count - 2), now.position + 3 * 39, 3 * sizeof(float));
    int level = film_level(film, 4.0 - TRAIL_SECONDS - 0.1), begin = 0;
    for (int i = 0; i + 1 < count; i++) begin = isnan(points[3 * i]) ? i + 1 : begin;
    double began = -1.0; // when the end of the rope was where its line begins
    for (int i = 0; i < film_count(film, level) && began < 0.0; i++) {
        if (memcmp(film_position(film, level, i, 39), points + 3 * begin, 3 * sizeof(float)) == 0)
            began = film_time(film, level, i);
    }
    assert_true(fabs(began - (4.0 - TRAIL_SECONDS)) < 0.05);
    now.film = NULL;
    snapshot_finish(&now);
    free(film);
    simulation_destroy(simulation);
}

static bool is_at_rest(const UiHarness *h)
{
    return has_arrived(h) && !h->ui.now->running && h->ui.stage->time == 0.0;
}
static bool has_diverged(const UiHarness *h)
{
    return has_arrived(h) && h->ui.stage->count == 2 && h->ui.stage->lanes[1].diverged;
}

static void page_keys_go_forward_and_back(void **state)
{
    (void)state;
    UiHarness *h = open_lesson("05-damping");
    Ui *ui = &h->ui;
    ui_harness_key(h, GLFW_KEY_PAGE_UP, 0); // there is nothing before
    assert_int_equal(ui->lesson.stop, 0);
    assert_true(ui->layout.controls.width == 0.0f);
    ui_harness_key(h, GLFW_KEY_PAGE_DOWN, 0);
    ui_harness_wait(h, is_at_rest); // the question
    assert_non_null(ui_harness_find_part(h, "##lesson", "the answer"));
    ui_harness_key(h, GLFW_KEY_PAGE_DOWN, 0);
    ui_harness_wait(h, has_diverged);
    ui_harness_key(h, GLFW_KEY_R, 0); // whatever one does to the cloth
    ui_harness_key(h, GLFW_KEY_PAGE_DOWN, 0);
    ui_harness_key(h, GLFW_KEY_PAGE_UP, 0);
    ui_harness_wait(h, has_diverged);
    ui_harness_key(h, GLFW_KEY_PAGE_UP, 0);
    ui_harness_wait(h, is_at_rest);
    assert_false(ui->stage->lanes[1].diverged);
    for (int i = 0; i < 9; i++) ui_harness_key(h, GLFW_KEY_PAGE_DOWN, 0); // not past the end
    assert_true(lesson_stop(ui->lesson.lesson, ui->lesson.stop).last);
    ui_harness_settle(h);
    assert_non_null(ui_harness_find_part(h, "##lesson", "the end"));
    ui_harness_wait(h, has_arrived);

    ui->message_until = 0.0; // Esc closes that first
    assert_true(ui_harness_key(h, GLFW_KEY_ESCAPE, 0));
    ui_harness_settle(h);
    assert_null(ui->lesson.lesson);
    assert_true(ui->layout.controls.width > 0.0f && ui->layout.readouts.width > 0.0f);
    assert_null(ui_harness_find(h, "##lesson", NULL));
    assert_true(strcmp(ui->now->scene.name, "spring") == 0); // the cloth stays
    ui_harness_close(h);
}

static void a_plot_that_there_is_not_is_refused(void **state)
{
    (void)state;
    char path[] = "/tmp/lesson-XXXXXX.ini";
    int file = mkstemps(path, 4);
    assert_true(file >= 0);
    const char text[] = "[lesson]\n[step]\nscene = pair\ncaption = c\n[step]\ncaption = c\n"
                        "plot = enregy\n";
    assert_true(write(file, text, strlen(text)) == (ssize_t)strlen(text));
    close(file);
    UiHarness *h = open_lesson(NULL);
    Error error = {0};
    assert_int_equal(lesson_open(&h->ui, path, &error), STATUS_BAD_PARAMETER);
    if (!strstr(error.text,
                "the step in line 5: there is no plot \"enregy\"; there are none, region"))
        fail_msg("%s", error.text);
    assert_null(h->ui.lesson.lesson);
    unlink(path);
    ui_harness_close(h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_caption_can_be_read),
        cmocka_unit_test(a_small_scene_has_a_trail),
        cmocka_unit_test(a_rope_has_a_short_trail),
        cmocka_unit_test(page_keys_go_forward_and_back),
        cmocka_unit_test(a_plot_that_there_is_not_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
