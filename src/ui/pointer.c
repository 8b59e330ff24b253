#include "ui/pointer.h"

#include "base/clock.h"
#include "render/pick.h"
#include "ui/wind_arrow.h"

#include <GLFW/glfw3.h>
#include <math.h>
#include <string.h>

#define CLICK_REACH 5.0f      // window units: a longer movement is a drag, not a click
#define CLICK_SECONDS 0.25    // a longer press is a grab, not a click
#define PICK_REACH 1.0f       // ems: how far from the cloth a particle can be caught
#define ORBIT_PER_UNIT 0.008f // rad

// The cursor in pixels from the view's top left corner.
static void in_view(const Pointer *pointer, const PointerView *view, float *x, float *y)
{
    *x = (pointer->x - view->place.x) * view->scale;
    *y = (pointer->y - view->place.y) * view->scale;
}

// Of the particle, or of the centre of the body.
static Vec3 hand_target(const Pointer *pointer, const PointerView *view)
{
    float x, y, out[3];
    in_view(pointer, view, &x, &y);
    camera_drag_point(view->camera, view->viewport, x, y, pointer->grabbed_at, out);
    glm_vec3_add(out, (float *)pointer->to_centre, out);
    return (Vec3){out[0], out[1], out[2]};
}

static Pick under(const Pointer *pointer, const Ui *ui, const PointerView *view)
{
    float x, y;
    in_view(pointer, view, &x, &y);
    return pick_at(&ui->stage->lanes[view->lane], view->camera, view->viewport, x, y,
                   PICK_REACH * ui->em * view->scale);
}

static void release(Pointer *pointer, Ui *ui)
{
    if (pointer->gesture == GESTURE_PRESSED && pointer->body < 0)
        ui_send(ui, (Command){.kind = COMMAND_TOGGLE_PIN,
                              .cloth = pointer->topology,
                              .particle = pointer->particle});
    if (pointer->gesture == GESTURE_GRAB) ui_send(ui, (Command){.kind = COMMAND_RELEASE});
    if (pointer->gesture == GESTURE_WIND) {
        wind_arrow_drag(ui, pointer->x, pointer->y);
        wind_arrow_let_go(ui);
    }
    pointer->gesture = GESTURE_NONE;
}

static void take_hold(Pointer *pointer, const Snapshot *seen, const Pick *pick)
{
    const float *at = pick->body < 0 ? seen->position + 3 * pick->particle : pick->point;
    memcpy(pointer->grabbed_at, at, sizeof pointer->grabbed_at);
    memset(pointer->to_centre, 0, sizeof pointer->to_centre);
    if (pick->body < 0) return;
    Vec3 centre = seen->motions[pick->body].centre;
    pointer->to_centre[0] = (float)centre.x - at[0];
    pointer->to_centre[1] = (float)centre.y - at[1];
    pointer->to_centre[2] = (float)centre.z - at[2];
}

void pointer_button(Pointer *pointer, Ui *ui, const PointerView *view, int button, bool pressed,
                    bool shift)
{
    if (!pressed) {
        if (button == pointer->button) release(pointer, ui);
        return;
    }
    if (!view->free || pointer->gesture != GESTURE_NONE) return;
    ui_select_lane(ui, view->lane);
    pointer->button = button;
    pointer->lane = view->lane;
    pointer->start_x = pointer->x;
    pointer->start_y = pointer->y;
    pointer->start_time = clock_seconds();
    if (button == GLFW_MOUSE_BUTTON_MIDDLE || (button == GLFW_MOUSE_BUTTON_RIGHT && shift)) {
        pointer->gesture = GESTURE_PAN;
        return;
    }
    if (button == GLFW_MOUSE_BUTTON_LEFT &&
        wind_arrow_is_at(ui, view->lane, pointer->x, pointer->y)) { // it is drawn over the cloth
        pointer->gesture = GESTURE_WIND;
        pointer->topology = ui->stage->lanes[view->lane].topology_version;
        wind_arrow_hold(ui, view->lane, pointer->x, pointer->y);
        return;
    }
    // search now: the particle found in the last frame may be out of date when frames are slow
    Pick pick = {.particle = -1, .body = -1};
    if (button == GLFW_MOUSE_BUTTON_LEFT) pick = under(pointer, ui, view);
    pointer->particle = pick.particle;
    pointer->body = pick.body;
    if (pick.particle < 0 && pick.body < 0) {
        pointer->gesture = GESTURE_ORBIT;
        return;
    }
    const Snapshot *seen = &ui->stage->lanes[view->lane];
    pointer->gesture = GESTURE_PRESSED;
    pointer->topology = seen->topology_version;
    take_hold(pointer, seen, &pick);
}

static void begin_grab(Pointer *pointer, Ui *ui, const PointerView *view)
{
    pointer->gesture = GESTURE_GRAB;
    pointer->hand = hand_target(pointer, view);
    Command command = {.kind = COMMAND_GRAB,
                       .cloth = pointer->topology,
                       .hand = {pointer->particle, pointer->hand}};
    if (pointer->body >= 0)
        command = (Command){.kind = COMMAND_GRAB_BODY,
                            .cloth = pointer->topology,
                            .body = {pointer->body, pointer->hand}};
    ui_send(ui, command);
}

// A hand that rests says nothing: each word would be computed with, shown and recorded.
static void move_hand(Pointer *pointer, Ui *ui, const PointerView *view)
{
    Vec3 target = hand_target(pointer, view), told = pointer->hand;
    if (target.x == told.x && target.y == told.y && target.z == told.z) return;
    Command command = {.kind = COMMAND_MOVE_HAND, .hand = {pointer->particle, target}};
    if (ui_send(ui, command)) pointer->hand = target;
}

void pointer_move(Pointer *pointer, Ui *ui, const PointerView *view, float x, float y)
{
    float dx = x - pointer->x, dy = y - pointer->y;
    pointer->x = x;
    pointer->y = y;
    switch (pointer->gesture) {
    case GESTURE_NONE:
    case GESTURE_GRAB:
    case GESTURE_WIND: // pointer_update follows them once per frame
        break;
    case GESTURE_PRESSED:
        if (hypotf(x - pointer->start_x, y - pointer->start_y) > CLICK_REACH)
            begin_grab(pointer, ui, view);
        break;
    case GESTURE_ORBIT:
        camera_orbit(view->camera, -dx * ORBIT_PER_UNIT, dy * ORBIT_PER_UNIT);
        break;
    case GESTURE_PAN:
        camera_pan(view->camera, dx * view->scale, dy * view->scale, view->viewport.height);
        break;
    }
}

void pointer_update(Pointer *pointer, Ui *ui, const PointerView *view)
{
    bool holding = pointer->gesture == GESTURE_PRESSED || pointer->gesture == GESTURE_GRAB ||
                   pointer->gesture == GESTURE_WIND;
    if (holding && pointer->topology != ui->stage->lanes[view->lane].topology_version)
        pointer->gesture = GESTURE_NONE; // the cloth it held no longer exists
    if (pointer->gesture != GESTURE_WIND) wind_arrow_let_go(ui);
    ui->wind.yaw = view->camera->yaw;
    ui->wind.pitch = view->camera->pitch;
    if (pointer->gesture == GESTURE_PRESSED &&
        clock_seconds() - pointer->start_time > CLICK_SECONDS)
        begin_grab(pointer, ui, view);
    if (pointer->gesture == GESTURE_GRAB) move_hand(pointer, ui, view);
    if (pointer->gesture == GESTURE_WIND) wind_arrow_drag(ui, pointer->x, pointer->y);
    bool looking = view->free && pointer->gesture == GESTURE_NONE;
    pointer->lane = view->lane;
    ui->wind.hovered = looking && wind_arrow_is_at(ui, view->lane, pointer->x, pointer->y);
    if (ui->wind.hovered) ui->wind.lane = view->lane;
    Pick pick = {.particle = -1, .body = -1};
    if (looking && !ui->wind.hovered) pick = under(pointer, ui, view);
    pointer->hovered = pick.particle;
    pointer->lit_body = holding ? pointer->body + 1 : pick.body + 1;
}
