// A walk through the window at sixteen sizes: every word can be read, the lamp, play and the time
// are always there, and after a divergence every button can be reached.
#include "support/ui_harness.h"

#include "ui/imgui_versions.h"
#include "ui/panels.h"

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

enum { SIZES = 4, SCALES = 4, METHODS_MAX = 32 };
static const float sizes[SIZES][2] = {{1024, 640}, {1024, 768}, {1600, 1000}, {3840, 2160}};
static const float scales[SCALES] = {1.0f, 1.5f, 2.0f, 3.0f};

// What the window shows: each method at rest, each after a divergence, and lanes.
typedef struct Subjects {
    SimThread *calm[METHODS_MAX], *diverged, *changed, *two, *four, *broken;
} Subjects;

typedef struct Walk {
    UiHarness *h;
    Subjects subjects;
    char where[200]; // for messages
} Walk;

// ---- the simulations

static Scene small_scene(const char *method, double step)
{
    Scene scene;
    Error error;
    if (scene_load("drape", &scene, &error) != STATUS_OK) fail_msg("%s", error.text);
    scene.params.rows = scene.params.columns = 5;
    scene.params.wind = 2.0; // its arrow and words are in the pictures
    scene.params.gust = 0.5;
    scene.params.integrator = integrator_find(method);
    if (step > 0.0) scene.params.step = step;
    return scene;
}

static SimThread *start(const Scene *scene, bool running)
{
    SimThread *sim;
    Error error;
    if (sim_thread_start(scene, running, NULL, &sim, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    return sim;
}

static void add_lane(Scene *scene, const char *method, double step)
{
    Lane *lane = &scene->lanes[scene->lane_count++];
    *lane = (Lane){.params = scene->params};
    lane_own(lane, param_find("integrator"), integrator_find(method));
    if (step > 0.0) lane_own(lane, param_find("step"), step);
}

static void start_all(Subjects *s)
{
    for (int i = 0; i < integrator_count; i++) {
        Scene calm = small_scene(integrator_table[i]->name, 0.0);
        s->calm[i] = start(&calm, false);
    }
    Scene wild = small_scene("symplectic-euler", 0.02);
    s->diverged = start(&wild, true);
    s->changed = start(&wild, true);
    Scene lanes = small_scene("symplectic-euler", 0.0);
    add_lane(&lanes, "symplectic-euler", 0.0);
    add_lane(&lanes, "backward-euler-newton", 0.0);
    s->two = start(&lanes, false);
    add_lane(&lanes, "velocity-verlet", 0.0);
    add_lane(&lanes, "leu", 0.0);
    s->four = start(&lanes, false);
    lanes.lane_count = 0;
    add_lane(&lanes, "symplectic-euler", 0.02);
    add_lane(&lanes, "backward-euler-newton", 0.01);
    add_lane(&lanes, "velocity-verlet", 0.02);
    add_lane(&lanes, "rk4", 0.0);
    s->broken = start(&lanes, true);
}

static void stop_all(Subjects *s)
{
    for (int i = 0; i < integrator_count; i++) {
        sim_thread_stop(s->calm[i]);
    }
    sim_thread_stop(s->diverged);
    sim_thread_stop(s->changed);
    sim_thread_stop(s->two);
    sim_thread_stop(s->four);
    sim_thread_stop(s->broken);
}

static bool has_analysis(const UiHarness *h)
{
    return ui_analysis(&h->ui) != NULL;
}

static bool has_remedies(const UiHarness *h)
{
    const Ui *ui = &h->ui;
    return ui->now->diverged && ui_analysis(ui) && ui->lab->remedies.complete &&
           ui->lab->remedies.autopsy == ui->now->autopsy.serial;
}

static bool has_diverged(const UiHarness *h)
{
    return h->ui.now->diverged;
}

static bool all_stopped(const UiHarness *h)
{
    return !h->ui.now->running;
}

// ---- what every picture must fulfil

static void fail_at(const Walk *walk, const LoggedText *a, const LoggedText *b, const char *what)
{
    char other[400] = "";
    if (b)
        snprintf(other, sizeof other, " and \"%s\" (%.0f, %.0f, %.0f x %.0f)", b->text,
                 (double)b->rect.x, (double)b->rect.y, (double)b->rect.width,
                 (double)b->rect.height);
    fail_msg("%s: \"%s\" in %s (%.0f, %.0f, %.0f x %.0f)%s %s; clip %.0f, %.0f, %.0f x %.0f",
             walk->where, a->text, a->window, (double)a->rect.x, (double)a->rect.y,
             (double)a->rect.width, (double)a->rect.height, other, what, (double)a->clip.x,
             (double)a->clip.y, (double)a->clip.width, (double)a->clip.height);
}

static Rect intersection(Rect a, Rect b)
{
    float left = fmaxf(a.x, b.x), right = fminf(a.x + a.width, b.x + b.width);
    float top = fmaxf(a.y, b.y), bottom = fminf(a.y + a.height, b.y + b.height);
    return (Rect){left, top, fmaxf(right - left, 0.0f), fmaxf(bottom - top, 0.0f)};
}

// What can be seen of the letters, which are lower than their line.
static Rect seen_part(const LoggedText *t)
{
    Rect letters = t->rect;
    letters.y += 0.15f * letters.height;
    letters.height *= 0.7f;
    return intersection(letters, t->clip);
}

static bool same_root(const char *a, const char *b)
{
    size_t length = strcspn(a, "/");
    return length == strcspn(b, "/") && strncmp(a, b, length) == 0;
}

static void expect_no_overlap(const Walk *walk)
{
    const TextLog *log = &walk->h->log;
    for (int i = 0; i < log->count; i++) {
        Rect a = seen_part(&log->items[i]);
        if (a.height < 1.0f) continue;
        for (int k = 0; k < i; k++) {
            Rect both = intersection(a, seen_part(&log->items[k]));
            if (both.width > 1.0f && both.height > 1.0f &&
                same_root(log->items[i].window, log->items[k].window))
                fail_at(walk, &log->items[i], &log->items[k], "overlap");
        }
    }
}

static bool scrolls(const char *window)
{
    return strncmp(window, "##controls", 10) == 0 || strncmp(window, "##readouts", 10) == 0 ||
           strstr(window, "/scrolled");
}

// Sideways nothing is cut off; up and down only in parts that scroll.
static void expect_unclipped(const Walk *walk)
{
    const UiHarness *h = walk->h;
    for (int i = 0; i < h->log.count; i++) {
        LoggedText item = h->log.items[i];
        if (scrolls(item.window)) {
            item.clip.y = item.rect.y;
            item.clip.height = item.rect.height;
            item.rect.y = item.clip.y =
                fminf(fmaxf(item.rect.y, 0.0f), h->height - item.rect.height);
        }
        if (!ui_harness_is_whole(h, &item)) fail_at(walk, &h->log.items[i], NULL, "is cut off");
    }
}

static bool is_unit(const char *text)
{
    static const char *const units[] = {"s",   "ms", "µs", "m", "cm",  "mm",    "µm",
                                        "N/m", "J",  "%",  "×", "1/s", "rad/s", "m/s"};
    size_t length = strcspn(text, " .,;:)");
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strlen(units[i]) == length && strncmp(text, units[i], length) == 0) return true;
    }
    return false;
}

static void expect_whole_numbers(const Walk *walk)
{
    const TextLog *log = &walk->h->log;
    for (int i = 1; i < log->count; i++) {
        const LoggedText *line = &log->items[i], *before = line - 1;
        size_t end = strlen(before->text);
        if (!line->continues || end == 0) continue;
        char last = before->text[end - 1];
        if (last >= '0' && last <= '9' && is_unit(line->text))
            fail_at(walk, before, line, "are one number");
    }
}

static const LoggedText *find_time(const UiHarness *h)
{
    for (int i = 0; i < h->log.count; i++) {
        const LoggedText *t = &h->log.items[i];
        size_t length = strlen(t->text);
        if (strcmp(t->window, "##top") == 0 && length > 2 && t->text[0] >= '0' &&
            t->text[0] <= '9' && strcmp(t->text + length - 2, " s") == 0)
            return t;
    }
    return NULL;
}

static void expect_there(const Walk *walk, const LoggedText *text, const char *what)
{
    if (!text) fail_msg("%s: no %s", walk->where, what);
    if (!ui_harness_is_whole(walk->h, text)) fail_at(walk, text, NULL, "is cut off");
    const char *cover = ui_harness_cover(text->window, text->rect);
    if (cover) fail_at(walk, text, ui_harness_find(walk->h, cover, NULL), "is under that");
}

static void expect_lamp_play_and_time(const Walk *walk)
{
    static const char *const words[] = {"Stable", "Growing", "Diverged", "Measuring"};
    const UiHarness *h = walk->h;
    const LoggedText *lamp = NULL;
    for (int i = 0; i < 4 && !lamp; i++) lamp = ui_harness_find(h, "##top", words[i]);
    if (ui_has_lanes(&h->ui)) {
        for (int i = 0; i < h->ui.stage->count; i++) {
            char number[16], strip[32];
            snprintf(number, sizeof number, "%d", i + 1);
            lamp = ui_harness_find(h, "##top", number);
            expect_there(walk, lamp, "lamp of a lane");
            snprintf(strip, sizeof strip, "##strip%d", i);
            // beside a dock there may be room for the selected one only, or for none
            bool other = i != h->ui.stage->selected, dock = h->ui.layout.dock.height > 0.0f;
            if ((other && (dock || h->ui.lane_view == LANE_VIEW_ONE)) ||
                (dock && h->ui.layout.view.height < 4.0f * h->ui.em))
                continue;
            const LoggedText *word = NULL;
            for (int k = 0; k < 4 && !word; k++) word = ui_harness_find(h, strip, words[k]);
            if (!word) fail_msg("%s: no word for the lamp of lane %d", walk->where, i + 1);
        }
    }
    expect_there(walk, lamp, "lamp");
    expect_there(walk, ui_harness_find(h, "##top", "[run]"), "play");
    expect_there(walk, find_time(h), "time");
}

static bool is_on_picture(const char *window)
{
    static const char *const names[] = {"##hint",         "##colours",     "##torn",
                                        "##swing",        "##message",     "##diverged",
                                        "##controls-tab", "##readouts-tab"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strncmp(window, names[i], strlen(names[i])) == 0) return true;
    }
    return false;
}

// What is written on the picture does not lie on each other.
static void expect_apart_on_picture(const Walk *walk)
{
    const TextLog *log = &walk->h->log;
    for (int i = 0; i < log->count; i++) {
        if (!is_on_picture(log->items[i].window)) continue;
        for (int k = 0; k < i; k++) {
            Rect both = intersection(seen_part(&log->items[i]), seen_part(&log->items[k]));
            if (both.width > 1.0f && both.height > 1.0f && is_on_picture(log->items[k].window))
                fail_at(walk, &log->items[i], &log->items[k], "overlap");
        }
    }
}

static void expect_readable(const Walk *walk)
{
    ImVec2 place;
    const char *window;
    int unlogged = ui_harness_unlogged(walk->h, &place, &window);
    if (unlogged > 0)
        fail_msg("%s: text in %s at %.0f, %.0f is not logged", walk->where, window, (double)place.x,
                 (double)place.y);
    expect_lamp_play_and_time(walk);
    expect_unclipped(walk);
    expect_no_overlap(walk);
    expect_apart_on_picture(walk);
    expect_whole_numbers(walk);
}

// ---- the walk

typedef void (*Visit)(Walk *walk);

static void say_where(Walk *walk, const char *what, int panels)
{
    const UiHarness *h = walk->h;
    snprintf(walk->where, sizeof walk->where, "%.0fx%.0f at %.0f %%, %s, panels %d",
             (double)h->width, (double)h->height, 100.0 * (double)h->ui.text_scale, what, panels);
}

static void close_panels(UiHarness *h)
{
    LayoutWish *wish = &h->ui.wish;
    wish->controls = wish->readouts = wish->controls_drawer = wish->readouts_drawer = false;
}

static void open_panels(UiHarness *h, bool controls, bool readouts)
{
    LayoutWish *wish = &h->ui.wish;
    wish->controls = wish->controls_drawer = controls;
    wish->readouts = wish->readouts_drawer = readouts;
}

// Each panel by itself, both, and none.
static void look_with_panels(Walk *walk, const char *what, bool thorough)
{
    for (int bits = thorough ? 0 : 3; bits < 4; bits++) {
        open_panels(walk->h, bits & 1, bits & 2);
        ui_harness_settle(walk->h);
        say_where(walk, what, bits);
        expect_readable(walk);
    }
}

static void expect_strips_uncovered(Walk *walk)
{
    close_panels(walk->h);
    ui_harness_settle(walk->h);
    say_where(walk, "strips", 0);
    for (int i = 0; i < walk->h->log.count; i++) {
        const LoggedText *t = &walk->h->log.items[i];
        if (strncmp(t->window, "##strip", 7) == 0) expect_there(walk, t, "strip");
    }
}

static void for_all_sizes(Walk *walk, Visit visit)
{
    for (int i = 0; i < SCALES; i++) { // fonts are loaded once for each
        for (int k = 0; k < SIZES; k++) {
            ui_harness_size(walk->h, sizes[k][0], sizes[k][1], scales[i]);
            visit(walk);
        }
    }
}

// One of them by itself, where both panels do not fit.
static void look_at_method(Walk *walk, int method, bool thorough)
{
    const char *name = integrator_table[method]->name;
    ui_harness_watch(walk->h, walk->subjects.calm[method]);
    look_with_panels(walk, name, thorough);
    if (thorough || !walk->h->ui.layout.readouts_are_drawer) return;
    open_panels(walk->h, false, true);
    ui_harness_settle(walk->h);
    say_where(walk, name, 2);
    expect_readable(walk);
}

static void every_method_can_be_read(void **state)
{
    Walk *walk = *state;
    for (int i = 0; i < SCALES; i++) { // fonts and regions are kept as long as possible
        for (int method = 0; method < integrator_count; method++) {
            for (int k = 0; k < SIZES; k++) {
                ui_harness_size(walk->h, sizes[k][0], sizes[k][1], scales[i]);
                look_at_method(walk, method, method == 0);
            }
        }
    }
}

static void visit_lanes(Walk *walk)
{
    for (int view = 0; view < LANE_VIEWS; view++) {
        walk->h->ui.lane_view = (LaneView)view;
        ui_harness_watch(walk->h, walk->subjects.two);
        look_with_panels(walk, "two lanes", view == LANE_VIEW_ALL);
        ui_harness_watch(walk->h, walk->subjects.four);
        look_with_panels(walk, "four lanes", view == LANE_VIEW_ALL);
        expect_strips_uncovered(walk);
    }
    walk->h->ui.lane_view = LANE_VIEW_ALL;
}

static void lanes_can_be_read(void **state)
{
    for_all_sizes(*state, visit_lanes);
}

// ---- scrolling

// Every text of the window has been whole at some place of the wheel.
static void expect_all_seen_by_scrolling(Walk *walk, const char *window)
{
    UiHarness *h = walk->h;
    const LoggedText *first = ui_harness_find(h, window, NULL);
    if (!first) fail_msg("%s: nothing in %s", walk->where, window);
    ImVec2 inside = ui_harness_middle(first->clip);
    ui_harness_wheel(h, inside, 100.0f); // to the top
    int count = h->log.count;
    bool *seen = calloc((size_t)count, sizeof *seen);
    assert_non_null(seen);
    float last = INFINITY;
    for (int turn = 0; turn < 400; turn++) {
        bool all = true;
        // tooltips come and go at the end of the log; the texts before them stay in their order
        for (int i = 0; i < count && i < h->log.count; i++) {
            const LoggedText *t = &h->log.items[i];
            if (strncmp(t->window, window, strlen(window)) != 0) continue;
            seen[i] |= ui_harness_is_whole(h, t);
            all &= seen[i];
        }
        if (all) break;
        float now = ui_harness_find(h, window, NULL)->rect.y;
        if (now == last) { // the end
            for (int i = 0; i < count; i++) {
                if (!seen[i] && strncmp(h->log.items[i].window, window, strlen(window)) == 0)
                    fail_at(walk, &h->log.items[i], NULL, "is never whole");
            }
        }
        last = now;
        ui_harness_wheel(h, inside, -0.3f);
    }
    free(seen);
    ui_harness_wheel(h, inside, 100.0f);
    ui_harness_move(h, (ImVec2){-1, -1});
}

static void visit_scrolled(Walk *walk)
{
    ui_harness_watch(walk->h, walk->subjects.calm[0]);
    open_panels(walk->h, true, false);
    ui_harness_settle(walk->h);
    say_where(walk, "controls", 1);
    expect_all_seen_by_scrolling(walk, "##controls");
    open_panels(walk->h, false, true);
    ui_harness_settle(walk->h);
    say_where(walk, "readouts", 2);
    expect_all_seen_by_scrolling(walk, "##readouts");
}

static void panels_scroll_to_their_ends(void **state)
{
    for_all_sizes(*state, visit_scrolled);
}

// ---- after a divergence

// Of the selected lane: a card in its picture, or the dock.
static const LoggedText *find_in_report(const UiHarness *h, const char *text)
{
    char card[32];
    snprintf(card, sizeof card, "##diverged%d", h->ui.stage->selected);
    for (int i = 0; i < h->log.count; i++) {
        const LoggedText *t = &h->log.items[i];
        bool report = same_root(t->window, "##diverged") || same_root(t->window, card);
        if (report && strcmp(t->text, text) == 0) return t;
    }
    return NULL;
}

// A button is whole, nothing lies over it, and it takes the mouse. It is not let go over it.
static void expect_pressable(Walk *walk, const char *label)
{
    UiHarness *h = walk->h;
    const LoggedText *button = find_in_report(h, label);
    if (!button) fail_msg("%s: no button \"%s\"", walk->where, label);
    ImVec2 inside = ui_harness_middle(button->clip);
    for (int turn = 0; turn < 40 && !ui_harness_is_whole(h, button); turn++) {
        ui_harness_wheel(h, inside, turn == 0 ? 100.0f : -0.3f);
        button = find_in_report(h, label);
        assert_non_null(button);
    }
    if (!ui_harness_is_whole(h, button)) fail_at(walk, button, NULL, "cannot be reached");
    const char *cover = ui_harness_cover(button->window, button->rect);
    if (cover) fail_at(walk, button, ui_harness_find(h, cover, NULL), "is under that");
    LoggedText place = *button;
    ui_harness_move(h, ui_harness_middle(place.rect));
    ui_harness_press(h, true);
    ui_harness_frame(h);
    if (!igIsAnyItemActive()) fail_at(walk, &place, NULL, "cannot be pressed");
    ui_harness_move(h, (ImVec2){-1, -1});
    ui_harness_press(h, false);
    ui_harness_frame(h);
    assert_true(autopsy_is_open(&h->ui, h->ui.stage->selected));
}

static void expect_reachable_report(Walk *walk)
{
    UiHarness *h = walk->h;
    const Remedies *remedies = &h->ui.lab->remedies;
    char labels[REMEDIES_MAX][64];
    int count = remedies->count;
    assert_true(count > 0);
    for (int i = 0; i < count; i++) memcpy(labels[i], remedies->remedy[i].label, sizeof labels[i]);
    for (int i = 0; i < count; i++) expect_pressable(walk, labels[i]);
    if (find_in_report(h, "back to the start")) {
        expect_pressable(walk, "back to the start");
        expect_pressable(walk, "back to a good state");
    }
}

// The leftmost 1 in the bar: the steps may be 1 too.
static const LoggedText *first_lane_lamp(const UiHarness *h)
{
    const LoggedText *lamp = NULL;
    for (int i = 0; i < h->log.count; i++) {
        const LoggedText *text = &h->log.items[i];
        bool fits = strcmp(text->window, "##top") == 0 && strcmp(text->text, "1") == 0;
        if (fits && (!lamp || text->rect.x < lamp->rect.x)) lamp = text;
    }
    return lamp;
}

// The x closes it, and it stays away until the lamp is pressed.
static void expect_closable_report(Walk *walk)
{
    UiHarness *h = walk->h;
    const LoggedText *cross = find_in_report(h, "[close]");
    expect_there(walk, cross, "x");
    ui_harness_click(h, ui_harness_middle(cross->rect));
    ui_harness_settle(h);
    assert_null(find_in_report(h, "[close]"));
    const LoggedText *lamp = ui_harness_find(h, "##top", "Diverged");
    if (ui_has_lanes(&h->ui)) lamp = first_lane_lamp(h);
    expect_there(walk, lamp, "lamp");
    ui_harness_click(h, ui_harness_middle(lamp->rect));
    ui_harness_settle(h);
    assert_non_null(find_in_report(h, "[close]"));
    ui_harness_move(h, (ImVec2){-1, -1});
}

static void visit_diverged(Walk *walk)
{
    UiHarness *h = walk->h;
    h->ui.torn[0] = h->ui.triangles[0] = 32; // as the renderer counts them
    ui_harness_watch(h, walk->subjects.diverged);
    look_with_panels(walk, "diverged", true);
    close_panels(h);
    ui_harness_settle(h);
    say_where(walk, "diverged", 0);
    expect_reachable_report(walk);
    expect_closable_report(walk);
    if (ui_harness_find(h, "##diverged/scrolled", NULL))
        expect_all_seen_by_scrolling(walk, "##diverged/scrolled");
    h->ui.torn[0] = 0;
}

static void a_divergence_can_be_read_and_cured(void **state)
{
    for_all_sizes(*state, visit_diverged);
}

static void the_report_stays_while_the_method_changes(void **state)
{
    Walk *walk = *state;
    UiHarness *h = walk->h;
    ui_harness_watch(h, walk->subjects.changed);
    for (int i = 0; i < SCALES; i++) {
        for (int method = 0; method < integrator_count; method++) {
            ui_set_param(&h->ui, param_find("integrator"), method);
            do ui_harness_frame(h);
            while (h->ui.now->scene.params.integrator != method);
            for (int k = 0; k < SIZES; k++) {
                ui_harness_size(h, sizes[k][0], sizes[k][1], scales[i]);
                look_with_panels(walk, integrator_table[method]->name, false);
                assert_non_null(find_in_report(h, "[close]"));
            }
        }
    }
}

static void visit_broken_lanes(Walk *walk)
{
    UiHarness *h = walk->h;
    ui_harness_watch(h, walk->subjects.broken);
    for (int whole = 0; whole < 2; whole++) {
        h->ui.whole_autopsy = whole;
        look_with_panels(walk, "lanes that diverged", true);
        close_panels(h);
        ui_harness_settle(h);
        say_where(walk, "lanes that diverged", 0);
        expect_reachable_report(walk);
        expect_closable_report(walk);
        expect_pressable(walk, whole ? "less" : "more");
    }
    h->ui.whole_autopsy = false;
}

static void lanes_that_diverge_can_be_read_and_cured(void **state)
{
    for_all_sizes(*state, visit_broken_lanes);
}

// ---- drawers, messages and keys

static void visit_drawers(Walk *walk)
{
    UiHarness *h = walk->h;
    ui_harness_watch(h, walk->subjects.calm[0]);
    close_panels(h);
    ui_harness_settle(h);
    say_where(walk, "tabs", 0);
    static const char *const tabs[] = {"##controls-tab", "##readouts-tab"};
    for (int i = 0; i < 2; i++) {
        const LoggedText *tab = ui_harness_find(h, tabs[i], "[tab]");
        expect_there(walk, tab, "tab");
        ui_harness_click(h, ui_harness_middle(tab->rect));
        ui_harness_move(h, (ImVec2){-1, -1});
        const Layout *l = &h->ui.layout;
        bool drawer = i == 0 ? l->controls_are_drawer : l->readouts_are_drawer;
        assert_true((i == 0 ? l->controls.width : l->readouts.width) > 0.0f);
        if (!drawer) continue;
        expect_there(walk, ui_harness_find(h, tabs[i], "[tab]"), "tab of an open drawer");
        assert_true(ui_escape(&h->ui)); // as Escape does
        ui_harness_frame(h);
        assert_true((i == 0 ? l->controls.width : l->readouts.width) == 0.0f);
    }
    close_panels(h);
    ui_harness_frame(h);
    assert_false(ui_escape(&h->ui));
}

static void tabs_open_and_escape_closes(void **state)
{
    for_all_sizes(*state, visit_drawers);
}

static void visit_messages(Walk *walk)
{
    UiHarness *h = walk->h;
    ui_harness_watch(h, walk->subjects.calm[0]);
    for (int bits = 0; bits < 4; bits++) {
        open_panels(h, bits & 1, bits & 2);
        ui_harness_move(h, (ImVec2){-1, -1});
        ui_say(&h->ui, "The step 600 is too large: it must be from 0.000001 s to 0.1 s, or auto.");
        ui_harness_settle(h);
        say_where(walk, "a message", bits);
        expect_readable(walk);
        expect_there(walk, ui_harness_find_part(h, "##message", "The step"), "message");
        const LoggedText *cross = ui_harness_find(h, "##message", "[close]");
        expect_there(walk, cross, "x");
        ui_harness_click(h, ui_harness_middle(cross->rect));
        ui_harness_frame(h);
        assert_null(ui_harness_find(h, "##message", NULL));
        ui_say(&h->ui, "Once more.");
        ui_harness_settle(h);
        assert_non_null(ui_harness_find(h, "##message", NULL));
        assert_true(ui_escape(&h->ui));
        ui_harness_frame(h);
        assert_null(ui_harness_find(h, "##message", NULL));
    }
    ui_harness_move(h, (ImVec2){-1, -1});
}

static void messages_are_whole_and_can_be_closed(void **state)
{
    for_all_sizes(*state, visit_messages);
}

static bool is_running(const UiHarness *h)
{
    return h->ui.now->running;
}

static void play_in_the_top_bar_plays(void **state)
{
    Walk *walk = *state;
    UiHarness *h = walk->h;
    ui_harness_watch(h, walk->subjects.calm[1]);
    for (int i = 0; i < SCALES; i++) {
        ui_harness_size(h, 1024, 640, scales[i]);
        ui_harness_settle(h);
        ImVec2 button = ui_harness_middle(ui_harness_find(h, "##top", "[run]")->rect);
        ui_harness_click(h, button);
        ui_harness_wait(h, is_running);
        ui_harness_click(h, button);
        ui_harness_wait(h, all_stopped);
    }
    ui_harness_move(h, (ImVec2){-1, -1});
}

// ----

static int begin(void **state)
{
    Walk *walk = calloc(1, sizeof *walk);
    if (!walk) return -1;
    *state = walk;
    start_all(&walk->subjects);
    walk->h = ui_harness_open(NULL, false);
    Subjects *s = &walk->subjects;
    for (int i = 0; i < integrator_count; i++) {
        ui_harness_watch(walk->h, s->calm[i]);
        ui_harness_wait(walk->h, has_analysis);
    }
    ui_harness_watch(walk->h, s->diverged);
    ui_harness_wait(walk->h, has_remedies);
    ui_harness_watch(walk->h, s->changed);
    ui_harness_wait(walk->h, has_diverged);
    SimThread *const lanes[] = {s->two, s->four};
    for (int i = 0; i < 2; i++) {
        ui_harness_watch(walk->h, lanes[i]);
        ui_harness_wait(walk->h, has_analysis);
    }
    ui_harness_watch(walk->h, s->broken);
    ui_harness_wait(walk->h, has_remedies);
    sim_thread_send(s->broken, &(Command){.kind = COMMAND_PAUSE});
    ui_harness_wait(walk->h, all_stopped);
    return 0;
}

static int end(void **state)
{
    Walk *walk = *state;
    ui_harness_close(walk->h);
    stop_all(&walk->subjects);
    free(walk);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_can_be_read),
        cmocka_unit_test(lanes_can_be_read),
        cmocka_unit_test(panels_scroll_to_their_ends),
        cmocka_unit_test(a_divergence_can_be_read_and_cured),
        cmocka_unit_test(the_report_stays_while_the_method_changes),
        cmocka_unit_test(lanes_that_diverge_can_be_read_and_cured),
        cmocka_unit_test(tabs_open_and_escape_closes),
        cmocka_unit_test(messages_are_whole_and_can_be_closed),
        cmocka_unit_test(play_in_the_top_bar_plays),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
