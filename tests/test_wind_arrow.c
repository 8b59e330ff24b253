// The wind's arrow: it points where the wind blows in the picture, and whoever drags its tip
// changes the wind, in one change that can be undone.
#include "support/ui_harness.h"

#include "ui/pointer.h"
#include "ui/wind_arrow.h"

#include <GLFW/glfw3.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define DEGREE (3.14159265358979 / 180.0)

typedef struct Hands { // the window, and a mouse in it
    UiHarness *h;
    Camera camera;
    Pointer pointer;
} Hands;

static Hands open_hands(double speed, double direction, bool lanes)
{
    Scene scene;
    Error error;
    if (scene_load("drape", &scene, &error) != STATUS_OK) fail_msg("%s", error.text);
    scene.params.rows = scene.params.columns = 6;
    scene.params.drag_normal = 1.0; // no arrow by itself
    scene.params.wind = speed;
    scene.params.wind_direction = direction;
    static const char *const own[] = {"integrator=rk4", "integrator=rk4 wind=3 wind_direction=200"};
    scene.lane_count = lanes ? 2 : 0;
    for (int i = 0; i < scene.lane_count; i++)
        assert_int_equal(lane_parse(own[i], &scene.lanes[i], NULL), STATUS_OK);
    Hands hands = {.h = ui_harness_open(&scene, false),
                   .camera = {.yaw = 0.3f, .pitch = 0.2f, .distance = 4.0f},
                   .pointer = {.hovered = -1}};
    ui_harness_settle(hands.h);
    return hands;
}

static PointerView view_of(Hands *hands, int lane)
{
    const Ui *ui = &hands->h->ui;
    Rect place = ui->lanes[lane].view;
    Viewport viewport = {0, 0, (int)place.width, (int)place.height};
    return (PointerView){.camera = &hands->camera,
                         .lane = lane,
                         .place = place,
                         .viewport = viewport,
                         .scale = 1.0f,
                         .free = true};
}

static void frame(Hands *hands, int lane)
{
    PointerView view = view_of(hands, lane);
    pointer_update(&hands->pointer, &hands->h->ui, &view);
    ui_harness_frame(hands->h);
}

static void move(Hands *hands, int lane, float x, float y)
{
    PointerView view = view_of(hands, lane);
    pointer_move(&hands->pointer, &hands->h->ui, &view, x, y);
    frame(hands, lane);
}

static void press(Hands *hands, int lane, int button, bool down)
{
    PointerView view = view_of(hands, lane);
    pointer_button(&hands->pointer, &hands->h->ui, &view, button, down, false);
    frame(hands, lane);
}

static ImVec2 tip(Hands *hands, int lane)
{
    ImVec2 at;
    frame(hands, lane); // so that the arrow knows the camera
    assert_true(wind_arrow_is_shown(&hands->h->ui, lane));
    wind_arrow_tip(&hands->h->ui, lane, &at.x, &at.y);
    return at;
}

static double of_lane(const Hands *hands, int lane, const char *name)
{
    return param_get(&hands->h->ui.stage->lanes[lane].scene.params, param_find(name));
}

static void await(Hands *hands, int lane, const char *name, double value)
{
    for (int i = 0; i < 2000 && of_lane(hands, lane, name) != value; i++) {
        usleep(2000);
        frame(hands, lane);
    }
    if (of_lane(hands, lane, name) != value)
        fail_msg("%s is %g, not %g", name, of_lane(hands, lane, name), value);
}

// Drag the tip so that it would show this wind; the arrow is asked where that is.
static ImVec2 tip_at(Hands *hands, int lane, double speed, double direction)
{
    WindArrow *arrow = &hands->h->ui.wind, before = *arrow;
    ImVec2 at;
    arrow->held = true;
    arrow->lane = lane;
    arrow->speed = speed;
    arrow->direction = direction;
    wind_arrow_tip(&hands->h->ui, lane, &at.x, &at.y);
    *arrow = before;
    return at;
}

static void there_is_an_arrow_if_the_wind_blows(void **state)
{
    (void)state;
    Hands hands = open_hands(0.0, 0.0, false);
    frame(&hands, 0);
    assert_false(wind_arrow_is_shown(&hands.h->ui, 0));
    assert_null(ui_harness_find_part(hands.h, "##wind", "wind"));
    ui_set_param(&hands.h->ui, param_find("wind"), 4.2);
    await(&hands, 0, "wind", 4.2);
    assert_true(wind_arrow_is_shown(&hands.h->ui, 0));
    assert_non_null(ui_harness_find(hands.h, "##wind", "wind 4.2 m/s"));
    ui_harness_close(hands.h);
}

// To the same side of the picture as the wind that blows through the middle of the view, and as
// long as its speed says.
static void it_points_where_the_wind_blows(void **state)
{
    (void)state;
    Hands hands = open_hands(5.0, 0.0, false);
    for (int i = 0; i < 24; i++) {
        double direction = 15.0 * i + 7.0;
        hands.camera.yaw = 0.7f * (float)(i % 9) - 2.8f;
        hands.camera.pitch = i % 2 ? 0.9f : -0.8f;
        frame(&hands, 0);
        ImVec2 middle = tip_at(&hands, 0, 0.0, direction);
        ImVec2 at = tip_at(&hands, 0, 5.0, direction), far = tip_at(&hands, 0, 20.0, direction);
        assert_true(fabsf(far.x - middle.x - 2.0f * (at.x - middle.x)) < 0.1f);
        float ahead[3] = {(float)(1e-3 * cos(direction * DEGREE)), 0.0f,
                          (float)(-1e-3 * sin(direction * DEGREE))};
        float x[2], y[2], origin[3] = {0};
        PointerView view = view_of(&hands, 0);
        assert_true(camera_project(&hands.camera, view.viewport, origin, &x[0], &y[0]));
        assert_true(camera_project(&hands.camera, view.viewport, ahead, &x[1], &y[1]));
        float seen = atan2f(y[1] - y[0], x[1] - x[0]);
        float shown = atan2f(at.y - middle.y, at.x - middle.x);
        if (fabs(remainder((double)(seen - shown), 360.0 * DEGREE)) > 0.02)
            fail_msg("%g degrees are seen as %g and shown as %g", direction, (double)seen / DEGREE,
                     (double)shown / DEGREE);
    }
    ui_harness_close(hands.h);
}

static void dragging_the_tip_is_one_change(void **state)
{
    (void)state;
    Hands hands = open_hands(4.0, 30.0, false);
    Ui *ui = &hands.h->ui;
    ImVec2 at = tip(&hands, 0), to;
    move(&hands, 0, at.x - 2.0f, at.y + 1.0f);
    assert_true(ui->wind.hovered && hands.pointer.hovered < 0);
    frame(&hands, 0);
    assert_non_null(ui_harness_find(hands.h, "##wind", "4 m/s from the left, 30\u00b0"));
    press(&hands, 0, GLFW_MOUSE_BUTTON_LEFT, true);
    assert_int_equal(hands.pointer.gesture, GESTURE_WIND);
    static const double stops[][2] = {{6.0, 90.0}, {15.0, 181.0}, {9.5, 273.0}};
    for (int i = 0; i < 3; i++) { // the mouse stays as far from the tip as it was
        to = tip_at(&hands, 0, stops[i][0], stops[i][1]);
        move(&hands, 0, to.x - 2.0f, to.y + 1.0f);
        await(&hands, 0, "wind", stops[i][0]);
        await(&hands, 0, "wind_direction", stops[i][1]);
    }
    to = tip_at(&hands, 0, 100.0, 273.0); // far out: the strongest that there is
    move(&hands, 0, to.x - 2.0f, to.y + 1.0f);
    await(&hands, 0, "wind", param_find("wind")->max);
    press(&hands, 0, GLFW_MOUSE_BUTTON_LEFT, false);
    assert_true(hands.pointer.gesture == GESTURE_NONE && !ui->wind.held);
    ui_undo(ui);
    await(&hands, 0, "wind", 4.0);
    await(&hands, 0, "wind_direction", 30.0);
    ui_redo(ui);
    await(&hands, 0, "wind", param_find("wind")->max);
    await(&hands, 0, "wind_direction", 273.0);
    ui_undo(ui);
    await(&hands, 0, "wind", 4.0);
    ui_undo(ui); // nothing is left
    assert_string_equal(ui->message, "There is no change of a parameter to undo.");
    ui_harness_close(hands.h);
}

// In the middle there is no wind, and no direction; the arrow stays, to be drawn out again.
static void a_calm_can_be_dragged_away(void **state)
{
    (void)state;
    Hands hands = open_hands(4.0, 30.0, false);
    for (int round = 0; round < 2; round++) {
        double speed = round ? 3.0 : 0.0;
        ImVec2 at = tip(&hands, 0), to = tip_at(&hands, 0, speed, 30.0);
        move(&hands, 0, at.x, at.y);
        press(&hands, 0, GLFW_MOUSE_BUTTON_LEFT, true);
        assert_int_equal(hands.pointer.gesture, GESTURE_WIND);
        move(&hands, 0, to.x, to.y);
        press(&hands, 0, GLFW_MOUSE_BUTTON_LEFT, false);
        await(&hands, 0, "wind", speed);
        await(&hands, 0, "wind_direction", 30.0);
    }
    ui_harness_close(hands.h);
}

// Only the head is the arrow's: beside it the mouse orbits and takes particles; so do the other
// buttons on it.
static void the_rest_is_the_cloths_and_the_cameras(void **state)
{
    (void)state;
    Hands hands = open_hands(4.0, 30.0, false);
    ImVec2 at = tip(&hands, 0), middle = tip_at(&hands, 0, 0.0, 0.0);
    float em = hands.h->ui.em;
    struct {
        float x, y;
        int button;
        Gesture gesture;
    } presses[] = {
        {at.x, at.y, GLFW_MOUSE_BUTTON_LEFT, GESTURE_WIND},
        {at.x, at.y, GLFW_MOUSE_BUTTON_RIGHT, GESTURE_ORBIT},
        {at.x, at.y, GLFW_MOUSE_BUTTON_MIDDLE, GESTURE_PAN},
        {at.x + 1.5f * em, at.y, GLFW_MOUSE_BUTTON_LEFT, GESTURE_ORBIT},
        {2.0f * middle.x - at.x, 2.0f * middle.y - at.y, GLFW_MOUSE_BUTTON_LEFT, GESTURE_ORBIT}};
    for (size_t i = 0; i < sizeof presses / sizeof presses[0]; i++) {
        move(&hands, 0, presses[i].x, presses[i].y);
        press(&hands, 0, presses[i].button, true);
        assert_int_equal(hands.pointer.gesture, presses[i].gesture);
        press(&hands, 0, presses[i].button, false);
    }
    const Snapshot *now = hands.h->ui.now;
    PointerView view = view_of(&hands, 0);
    float x, y;
    memcpy(hands.camera.target, now->centre, sizeof hands.camera.target);
    assert_true(camera_project(&hands.camera, view.viewport, now->position + 3 * 14, &x, &y));
    move(&hands, 0, view.place.x + x, view.place.y + y);
    assert_int_equal(hands.pointer.hovered, 14);
    assert_false(hands.h->ui.wind.hovered);
    await(&hands, 0, "wind", 4.0);
    ui_harness_close(hands.h);
}

// Lane 2 has a wind of its own, so both have an arrow.
static void a_lanes_own_wind_is_its_own(void **state)
{
    (void)state;
    Hands hands = open_hands(4.0, 30.0, true);
    Ui *ui = &hands.h->ui;
    ImVec2 at = tip(&hands, 1), to = tip_at(&hands, 1, 8.0, 100.0);
    assert_true(wind_arrow_is_shown(ui, 0));
    move(&hands, 1, at.x, at.y);
    press(&hands, 1, GLFW_MOUSE_BUTTON_LEFT, true);
    move(&hands, 1, to.x, to.y);
    press(&hands, 1, GLFW_MOUSE_BUTTON_LEFT, false);
    await(&hands, 1, "wind", 8.0);
    await(&hands, 1, "wind_direction", 100.0);
    await(&hands, 0, "wind", 4.0);
    ui_undo(ui);
    await(&hands, 1, "wind", 3.0);
    await(&hands, 1, "wind_direction", 200.0);
    ui_own_param(ui, param_find("wind"), false);
    ui_own_param(ui, param_find("wind_direction"), false);
    await(&hands, 1, "wind", 4.0);
    await(&hands, 1, "wind_direction", 30.0);
    assert_true(wind_arrow_is_shown(ui, 0) && !wind_arrow_is_shown(ui, 1)); // one for both
    at = tip(&hands, 0), to = tip_at(&hands, 0, 2.0, 30.0);
    move(&hands, 0, at.x, at.y);
    press(&hands, 0, GLFW_MOUSE_BUTTON_LEFT, true);
    move(&hands, 0, to.x, to.y);
    press(&hands, 0, GLFW_MOUSE_BUTTON_LEFT, false);
    await(&hands, 0, "wind", 2.0);
    await(&hands, 1, "wind", 2.0);
    ui_harness_close(hands.h);
}

static void words_say_where_it_comes_from(void **state)
{
    (void)state;
    static const struct {
        double speed, direction, yaw;
        const char *words;
    } cases[] = {{4.2, 0.0, 0.0, "4.2 m/s from the left, 0\u00b0"},
                 {12.0, 90.0, 0.0, "12 m/s from the front, 90\u00b0"},
                 {1.0, 180.0, 0.0, "1 m/s from the right, 180\u00b0"},
                 {1.0, 270.0, 0.0, "1 m/s from the back, 270\u00b0"},
                 {1.0, 359.0, 0.0, "1 m/s from the left, 359\u00b0"},
                 {1.0, 0.0, 90.0, "1 m/s from the back, 0\u00b0"},
                 {1.0, 10.0, -130.0, "1 m/s from the front right, 10\u00b0"},
                 {0.0, 10.0, 0.0, "calm"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[80];
        wind_arrow_words(cases[i].speed, cases[i].direction, (float)(cases[i].yaw * DEGREE), text,
                         sizeof text);
        assert_string_equal(text, cases[i].words);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_is_an_arrow_if_the_wind_blows),
        cmocka_unit_test(it_points_where_the_wind_blows),
        cmocka_unit_test(dragging_the_tip_is_one_change),
        cmocka_unit_test(a_calm_can_be_dragged_away),
        cmocka_unit_test(the_rest_is_the_cloths_and_the_cameras),
        cmocka_unit_test(a_lanes_own_wind_is_its_own),
        cmocka_unit_test(words_say_where_it_comes_from),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
