// What the strips of lanes call them: at sixteen sizes every name is whole, inside its strip and
// other than those beside it.
#include "support/ui_harness.h"

#include "lesson/lesson_play.h"
#include "ui/lesson_panel.h"

#include <GLFW/glfw3.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SIZES = 4, SCALES = 4, SETS_MAX = 80, NAME_SIZE = 256 };
static const float sizes[SIZES][2] = {{1024, 640}, {1024, 768}, {1600, 1000}, {3840, 2160}};
static const float scales[SCALES] = {1.0f, 1.5f, 2.0f, 3.0f};

typedef struct LaneSet {
    char what[512];
    SimThread *sim;
} LaneSet;

typedef struct Fixture {
    UiHarness *h;
    int count;
    LaneSet sets[SETS_MAX];
} Fixture;

// ---- sets of lanes

static void add_set(Fixture *f, const char *what, Scene scene)
{
    Error error;
    assert_true(f->count < SETS_MAX);
    LaneSet *set = &f->sets[f->count++];
    snprintf(set->what, sizeof set->what, "%s", what);
    if (scene.params.rows > 5) scene.params.rows = 5;
    if (scene.params.columns > 5) scene.params.columns = 5;
    if (sim_thread_start(&scene, false, NULL, &set->sim, &error) != STATUS_OK)
        fail_msg("%s: %s", what, error.text);
}

// Lanes as on the command line, separated by |.
static void add_lanes(Fixture *f, const char *lanes)
{
    Scene scene;
    Error error;
    char words[512], *rest = NULL;
    if (scene_load("drape", &scene, &error) != STATUS_OK) fail_msg("%s", error.text);
    snprintf(words, sizeof words, "%s", lanes);
    for (char *word = strtok_r(words, "|", &rest); word; word = strtok_r(NULL, "|", &rest)) {
        if (lane_parse(word, &scene.lanes[scene.lane_count++], &error) != STATUS_OK)
            fail_msg("%s", error.text);
    }
    add_set(f, lanes, scene);
}

static void add_lessons(Fixture *f)
{
    LessonList list = {0};
    Error error;
    assert_int_equal(lesson_list(&list, &error), STATUS_OK);
    for (int i = 0; i < list.count; i++) {
        Lesson *lesson;
        if (lesson_load(list.items[i].name, &lesson, &error) != STATUS_OK)
            fail_msg("%s", error.text);
        for (int k = 0; k < lesson->step_count; k++) {
            const LessonStep *step = &lesson->steps[k];
            char what[80];
            if (!step->fresh || step->scene.lane_count < 2) continue;
            snprintf(what, sizeof what, "%s, step %d", lesson->name, k + 1);
            add_set(f, what, step->scene);
        }
        lesson_destroy(lesson);
    }
    lesson_list_finish(&list);
}

// ---- what a strip says

// Above the lamp's word, or left of it: the first text of a line.
static const LoggedText *find_lamp(const UiHarness *h, const char *window)
{
    static const char *const words[] = {"Stable", "Growing", "Diverged", "Measuring"};
    const LoggedText *found = NULL;
    for (int i = 0; i < 4 && !found; i++) found = ui_harness_find(h, window, words[i]);
    return found;
}

static void read_name(const UiHarness *h, int lane, const char *where, char *name)
{
    char window[24];
    snprintf(window, sizeof window, "##strip%d", lane);
    const LoggedText *lamp = find_lamp(h, window), *left = NULL;
    if (!lamp) fail_msg("%s: lane %d has no lamp", where, lane + 1);
    name[0] = '\0';
    for (int i = 0; i < h->log.count; i++) {
        const LoggedText *t = &h->log.items[i];
        if (strcmp(t->window, window) != 0 || !t->text[0]) continue;
        if (!ui_harness_is_whole(h, t) || !ui_harness_within(t->rect, h->ui.lanes[lane].strip, 1))
            fail_msg("%s: \"%s\" does not fit", where, t->text);
        if (strstr(t->text, "…")) fail_msg("%s: \"%s\" is cut", where, t->text);
        size_t length = strlen(name);
        if (t->rect.y < lamp->rect.y - 1.0f)
            snprintf(name + length, NAME_SIZE - length, "%s%s", length ? " / " : "", t->text);
        else if (!left || t->rect.x < left->rect.x)
            left = t;
    }
    if (!name[0]) snprintf(name, NAME_SIZE, "%s", left == lamp ? "" : left->text);
}

static void expect_names(const UiHarness *h, const char *what)
{
    char names[SCENE_LANES_MAX][NAME_SIZE], where[700];
    snprintf(where, sizeof where, "%.0fx%.0f at %.0f %%, %s, view %d", (double)h->width,
             (double)h->height, 100.0 * (double)h->ui.text_scale, what, (int)h->ui.lane_view);
    for (int i = 0; i < h->ui.stage->count; i++) {
        if (h->ui.lanes[i].strip.height <= 0.0f) continue;
        read_name(h, i, where, names[i]);
        if (!names[i][0]) fail_msg("%s: lane %d has no name", where, i + 1);
        if (getenv("SELVAGE_SHOW_NAMES")) printf("# %s: %s\n", where, names[i]);
        for (int k = 0; k < i; k++) {
            if (h->ui.lanes[k].strip.height > 0.0f && strcmp(names[i], names[k]) == 0)
                fail_msg("%s: lanes %d and %d are both \"%s\"", where, k + 1, i + 1, names[i]);
        }
    }
}

static void names_fit_and_differ(void **state)
{
    Fixture *f = *state;
    UiHarness *h = f->h;
    for (int scale = 0; scale < SCALES; scale++) { // fonts are kept as long as possible
        for (int i = 0; i < f->count * SIZES; i++) {
            const LaneSet *set = &f->sets[i / SIZES];
            ui_harness_watch(h, set->sim);
            ui_harness_size(h, sizes[i % SIZES][0], sizes[i % SIZES][1], scales[scale]);
            for (int view = 0; view < LANE_VIEWS; view++) {
                h->ui.lane_view = (LaneView)view;
                h->ui.wish.controls = h->ui.wish.readouts = view == LANE_VIEW_ALL;
                ui_harness_frame(h);
                expect_names(h, set->what);
            }
        }
    }
    h->ui.lane_view = LANE_VIEW_ALL;
}

static const char *name_of(UiHarness *h, int lane)
{
    static char name[NAME_SIZE];
    read_name(h, lane, "an example", name);
    return name;
}

static void watch(Fixture *f, const char *what, float width, float height, float scale)
{
    for (int i = 0; i < f->count; i++) {
        if (strcmp(f->sets[i].what, what) == 0) ui_harness_watch(f->h, f->sets[i].sim);
    }
    f->h->ui.wish.controls = f->h->ui.wish.readouts = true;
    ui_harness_size(f->h, width, height, scale);
    ui_harness_settle(f->h);
}

// In the order of add_examples.
static const char *const filters = "integrator=leu filter_place=after filter=exponential|"
                                   "integrator=leu filter_place=after";
static const char *const several =
    "integrator=symplectic-euler filter=exponential filter_place=before|"
    "integrator=symplectic-euler filter=exponential filter_place=after alpha=1e-3|"
    "integrator=symplectic-euler filter=gaussian lambda=3|integrator=rk4 step=1e-3";
static const char *const steps = "step=1e-3|step=2e-3";

static void names_say_what_differs(void **state)
{
    Fixture *f = *state;
    watch(f, filters, 1600, 1000, 1.0f);
    assert_string_equal(name_of(f->h, 0), "Linearised explicit Euler · filter exponential");
    watch(f, filters, 1024, 768, 1.5f); // what all have is left out first
    assert_string_equal(name_of(f->h, 0), "filter exponential");
    assert_string_equal(name_of(f->h, 1), "filter off");
    watch(f, steps, 1024, 768, 1.5f);
    assert_string_equal(name_of(f->h, 0), "h 1 ms");
    watch(f, several, 1024, 768, 1.5f);
    assert_string_equal(name_of(f->h, 3), "RK4");
}

// With a caption, which leaves less room.
static bool has_arrived(const UiHarness *h)
{
    const Lesson *lesson = h->ui.lesson.lesson;
    const LessonStep *step = &lesson->steps[lesson_stop(lesson, h->ui.lesson.stop).step];
    int last = step->scene.lane_count - 1;
    return h->ui.stage->scene.lane_count == last + 1 &&
           strcmp(h->ui.stage->scene.lanes[last].name, step->scene.lanes[last].name) == 0;
}

static void names_fit_above_a_caption(void **state)
{
    Fixture *f = *state;
    UiHarness *h = f->h;
    Error error;
    ui_harness_watch(h, f->sets[0].sim);
    ui_harness_frame(h);
    if (lesson_open(&h->ui, "13-cost", &error) != STATUS_OK) fail_msg("%s", error.text);
    for (int stop = 0; stop < lesson_stop_count(h->ui.lesson.lesson); stop++) {
        if (stop > 0) assert_true(ui_harness_key(h, GLFW_KEY_PAGE_DOWN, 0));
        ui_harness_wait(h, has_arrived);
        for (int i = 0; i < SIZES; i++) {
            ui_harness_size(h, sizes[i][0], sizes[i][1], 1.5f);
            ui_harness_settle(h);
            expect_names(h, "13-cost with its caption");
        }
    }
    assert_true(lesson_leave(&h->ui));
}

// ----

static int begin(void **state)
{
    Fixture *f = calloc(1, sizeof *f);
    if (!f) return -1;
    *state = f;
    add_lanes(f, filters);
    add_lanes(f, several);
    add_lanes(f, steps);
    add_lanes(f, "integrator=rk4|integrator=rk4"); // nothing differs
    add_lanes(f, "alpha=1e-4|alpha=2e-4|alpha=auto");
    add_lanes(f, "step=1e-3|step=1.0001e-3|step=auto safety=0.5|step=auto safety=0.7");
    add_lanes(f, "integrator=backward-euler-newton|integrator=backward-euler pcg_tolerance=1e-6|"
                 "integrator=symplectic-euler-implicit-air|integrator=leu leu_interval=2e-3");
    add_lanes(f,
              "damping=projected air=0|damping=projected air=2|air=1 stretch=500 bend=1|bend=12.5");
    add_lanes(f, "integrator=velocity-verlet stretch=400 shear=100 bend=5 alpha=3e-4 air=1 "
                 "gravity=5 density=0.3 "
                 "friction=0.2 ground=-2 filter=exponential lambda=1.5 size=1.5 safety=0.5|"
                 "integrator=velocity-verlet alpha=2e-4");
    add_lessons(f);
    f->h = ui_harness_open(NULL, false);
    return 0;
}

static int end(void **state)
{
    Fixture *f = *state;
    ui_harness_close(f->h);
    for (int i = 0; i < f->count; i++) sim_thread_stop(f->sets[i].sim);
    free(f);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_fit_and_differ),
        cmocka_unit_test(names_say_what_differs),
        cmocka_unit_test(names_fit_above_a_caption),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
