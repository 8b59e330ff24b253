#include "ui/wind_arrow.h"

#include "cloth/wind.h"
#include "ui/plots.h"
#include "ui/ui.h"
#include "ui/widgets.h"

#include <math.h>
#include <stdio.h>

#define DEGREE ((float)M_PI / 180.0f)
#define LEAST_TILT 0.55f     // sine of the angle at which the disc is seen: never from its edge
#define THICK 0.13f          // of the arrow, in radii of the disc
#define REACH_EMS 0.7f       // around the arrow's head
#define SPEED_STEP 0.1       // m/s
#define MOST_RADIUS_EMS 4.0f // of the disc
#define LEAST_RADIUS_EMS 1.1f
#define WORDS_EMS 14.0f // smaller pictures have words only while the mouse is over the arrow

// The disc in a lane's picture. Coordinates on it: right and away from the viewer, in radii.
typedef struct Disc {
    float x, y, radius;   // window units
    float sine, cosine;   // of its tilt
    float angle, length;  // of the arrow: rad from right towards away; radii from the middle
    double speed, degree; // m/s and degrees, the parameters
} Disc;

static Wind wind_of(const Ui *ui, int lane)
{
    const Params *p = &ui->stage->lanes[lane].scene.params;
    Wind wind = {
        .speed = p->wind, .direction = p->wind_direction, .gust = p->gust, .seed = p->gust_seed};
    if (ui->wind.held && ui->wind.lane == lane) {
        wind.speed = ui->wind.speed;
        wind.direction = ui->wind.direction;
    }
    return wind;
}

static bool same_wind(Wind a, Wind b)
{
    return a.speed == b.speed && a.direction == b.direction && a.gust == b.gust && a.seed == b.seed;
}

// m/s, at the outer ring
static double fastest(void)
{
    return param_find("wind")->max;
}

static float length_of(double speed)
{
    return (float)sqrt(speed / fastest());
}

static float radius_in(const Ui *ui, const Rect *picture)
{
    float radius = fminf(MOST_RADIUS_EMS * ui->em, 0.12f * fminf(picture->width, picture->height));
    return radius < LEAST_RADIUS_EMS * ui->em ? 0.0f : radius;
}

bool wind_arrow_is_shown(const Ui *ui, int lane)
{
    if (lane < 0 || lane >= ui->stage->count || ui->lanes[lane].view.width <= 0.0f) return false;
    if (radius_in(ui, &ui->lanes[lane].view) <= 0.0f || ui->swing.on || plots_hide_view(ui))
        return false;
    bool held = ui->wind.held && ui->wind.lane == lane;
    bool calmed = ui->wind.calmed == ui->stage->lanes[lane].topology_version;
    Wind wind = wind_of(ui, lane);
    if (!(wind.speed > 0.0 || calmed || held)) return false;
    for (int i = 0; i < lane && !held; i++) {
        if (wind_arrow_is_shown(ui, i) && same_wind(wind, wind_of(ui, i))) return false;
    }
    return true;
}

static Disc disc_of(const Ui *ui, int lane)
{
    Rect picture = ui_picture(ui, lane);
    Wind wind = wind_of(ui, lane);
    float sine = sinf(ui->wind.pitch), least = sine < 0.0f ? -LEAST_TILT : LEAST_TILT;
    if (fabsf(sine) < LEAST_TILT) sine = least;
    float radius = radius_in(ui, &ui->lanes[lane].view), em = ui->em;
    float above = ui->video.on ? 3.6f * em : 0.9f * em; // a video's card
    return (Disc){.x = picture.x + 1.1f * radius + em,
                  .y = picture.y + above + radius * (fabsf(sine) + 0.2f),
                  .radius = radius,
                  .sine = sine,
                  .cosine = sqrtf(1.0f - sine * sine),
                  .angle = (float)wind.direction * DEGREE - ui->wind.yaw,
                  .length = length_of(wind.speed),
                  .speed = wind.speed,
                  .degree = wind.direction};
}

// A point on the disc, or `height` above it.
static ImVec2 on_screen(const Disc *disc, float right, float away, float height)
{
    return (ImVec2){disc->x + disc->radius * right,
                    disc->y - disc->radius * (disc->sine * away + disc->cosine * height)};
}

// The same along the arrow and to its left.
static ImVec2 on_arrow(const Disc *disc, float along, float left, float height)
{
    float c = cosf(disc->angle), s = sinf(disc->angle);
    return on_screen(disc, along * c - left * s, along * s + left * c, height);
}

static float head_of(float length)
{
    return fminf(0.5f, 0.2f + 0.5f * length);
}

static ImVec2 tip_of(const Disc *disc)
{
    return on_arrow(disc, disc->length, 0.0f, 0.5f * THICK);
}

static ImVec2 neck_of(const Disc *disc)
{
    return on_arrow(disc, disc->length - head_of(disc->length), 0.0f, 0.5f * THICK);
}

void wind_arrow_tip(const Ui *ui, int lane, float *x, float *y)
{
    Disc disc = disc_of(ui, lane);
    ImVec2 tip = tip_of(&disc);
    *x = tip.x;
    *y = tip.y;
}

bool wind_arrow_is_at(const Ui *ui, int lane, float x, float y)
{
    if (!wind_arrow_is_shown(ui, lane)) return false;
    Disc disc = disc_of(ui, lane);
    ImVec2 tip = tip_of(&disc), neck = neck_of(&disc);
    float dx = neck.x - tip.x, dy = neck.y - tip.y, square = fmaxf(dx * dx + dy * dy, 1.0f);
    float t = fminf(fmaxf(((x - tip.x) * dx + (y - tip.y) * dy) / square, 0.0f), 1.0f);
    return hypotf(x - tip.x - t * dx, y - tip.y - t * dy) < REACH_EMS * ui->em;
}

// ---- dragging

void wind_arrow_hold(Ui *ui, int lane, float x, float y)
{
    Disc disc = disc_of(ui, lane);
    ImVec2 tip = tip_of(&disc);
    WindArrow *arrow = &ui->wind;
    arrow->held = true;
    arrow->lane = lane;
    arrow->offset_x = tip.x - x;
    arrow->offset_y = tip.y - y;
    arrow->speed = disc.speed;
    arrow->direction = disc.degree;
    ui->gesture++;
}

static void set(Ui *ui, const char *name, double value)
{
    const ParamInfo *info = param_find(name);
    bool own = ui_has_lanes(ui) && lane_owns(&ui->stage->lanes[ui->wind.lane].lane, info);
    ui->in_gesture = true;
    ui_send(ui, (Command){.kind = COMMAND_SET_PARAM,
                          .lane = own ? ui->wind.lane + 1 : COMMAND_ALL_LANES,
                          .param = {(int)(info - param_table), value}});
    ui->in_gesture = false;
}

void wind_arrow_drag(Ui *ui, float x, float y)
{
    WindArrow *arrow = &ui->wind;
    if (!arrow->held || !wind_arrow_is_shown(ui, arrow->lane)) return;
    Disc disc = disc_of(ui, arrow->lane);
    float right = (x + arrow->offset_x - disc.x) / disc.radius;
    float up = (disc.y - y - arrow->offset_y) / disc.radius;
    float away = (up - 0.5f * THICK * disc.cosine) / disc.sine;
    double length = hypot((double)right, (double)away), speed = length * length * fastest();
    double degrees = (double)((atan2f(away, right) + arrow->yaw) / DEGREE);
    speed = fmin(SPEED_STEP * round(speed / SPEED_STEP), fastest());
    degrees = round(degrees - 360.0 * floor(degrees / 360.0));
    if (degrees >= 360.0) degrees -= 360.0;
    if (speed == 0.0) degrees = arrow->direction; // the middle has none
    bool faster = speed != arrow->speed, turned = degrees != arrow->direction;
    arrow->speed = speed;
    arrow->direction = degrees;
    arrow->calmed = ui->stage->lanes[arrow->lane].topology_version;
    if (faster) set(ui, "wind", speed);
    if (turned) set(ui, "wind_direction", degrees);
}

void wind_arrow_let_go(Ui *ui)
{
    ui->wind.held = false;
}

// ---- words

void wind_arrow_words(double speed, double direction, float yaw, char *out, size_t size)
{
    static const char *const sides[8] = {"the left",        "the front left", "the front",
                                         "the front right", "the right",      "the back right",
                                         "the back",        "the back left"};
    double seen = direction - (double)(yaw / DEGREE); // 0: to the right, 90: away
    int side = (int)lround(seen / 45.0) % 8;
    if (speed > 0.0)
        snprintf(out, size, "%.3g m/s from %s, %.3g\u00b0", speed,
                 sides[side < 0 ? side + 8 : side], direction);
    else
        snprintf(out, size, "calm");
}

// ---- drawing

// `colour` with `share` of `other` in it.
static ImU32 mixed(ImU32 colour, ImU32 other, float share)
{
    ImVec4 a, b;
    igColorConvertU32ToFloat4(&a, colour);
    igColorConvertU32ToFloat4(&b, other);
    return igColorConvertFloat4ToU32((ImVec4){a.x + share * (b.x - a.x), a.y + share * (b.y - a.y),
                                              a.z + share * (b.z - a.z), a.w});
}

enum { RING = 64 };

static void draw_ring(ImDrawList *list, const Disc *disc, float radius, ImU32 colour, float width)
{
    ImVec2 last = on_screen(disc, radius, 0.0f, 0.0f);
    for (int i = 1; i <= RING; i++) {
        float angle = 2.0f * (float)M_PI * (float)i / RING;
        ImVec2 next = on_screen(disc, radius * cosf(angle), radius * sinf(angle), 0.0f);
        ImDrawList_AddLine(list, last, next, colour, width);
        last = next;
    }
}

// Marks stand at the ends of x and z, longer where the direction is 0.
static void draw_disc(const Ui *ui, ImDrawList *list, const Disc *disc)
{
    ImVec2 rim[RING];
    for (int i = 0; i < RING; i++) { // clockwise on the screen, as ImGui wants it
        float angle = 2.0f * (float)M_PI * (float)i / RING, way = disc->sine > 0.0f ? -1.0f : 1.0f;
        rim[i] = on_screen(disc, 1.06f * cosf(angle), 1.06f * way * sinf(angle), 0.0f);
    }
    float width = fmaxf(1.0f, 0.08f * ui->em);
    ImDrawList_AddConvexPolyFilled(list, rim, RING, theme_fade(ui->palette.panel, 0.62f));
    draw_ring(list, disc, 1.0f, theme_fade(ui->palette.dim, 0.85f), width);
    draw_ring(list, disc, 0.5f, theme_fade(ui->palette.dim, 0.4f), 1.0f);
    for (int i = 0; i < 4; i++) {
        float angle = (float)(90 * i) * DEGREE - ui->wind.yaw, from = i == 0 ? 0.8f : 0.9f;
        ImVec2 a = on_screen(disc, from * cosf(angle), from * sinf(angle), 0.0f);
        ImVec2 b = on_screen(disc, cosf(angle), sinf(angle), 0.0f);
        ImDrawList_AddLine(list, a, b, theme_fade(ui->palette.dim, 0.85f), width);
    }
}

// The end of a needle that shows the air now.
static ImVec2 needle_end(const Ui *ui, const Disc *disc, Air air)
{
    Disc now = *disc;
    now.angle = (float)atan2(-air.velocity.z, air.velocity.x) - ui->wind.yaw;
    return on_arrow(&now, length_of(hypot(air.velocity.x, air.velocity.z)), 0.0f, 0.5f * THICK);
}

// ImGui smooths the edges of what is clockwise on the screen.
static void fill(ImDrawList *list, const ImVec2 *points, int count, ImU32 colour)
{
    ImVec2 a = points[0], b = points[1], c = points[2], turned[4];
    bool clockwise = (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x) > 0.0f;
    for (int i = 0; i < count; i++) turned[i] = points[clockwise ? i : count - 1 - i];
    ImDrawList_AddConvexPolyFilled(list, turned, count, colour);
}

enum { CORNERS = 7 };

// A flat solid: its edges, those farthest away first, then the face that is seen.
static void draw_arrow(const Ui *ui, ImDrawList *list, const Disc *disc, bool bright)
{
    const float length = disc->length, head = head_of(length), half = 0.58f * head, shaft = 0.1f;
    const float neck = length - head, tail = fminf(-length, neck);
    const float shape[CORNERS][2] = {{tail, -shaft}, {neck, -shaft}, {neck, -half}, {length, 0.0f},
                                     {neck, half},   {neck, shaft},  {tail, shaft}};
    float c = cosf(disc->angle), s = sinf(disc->angle), top = disc->sine > 0.0f ? THICK : 0.0f;
    float way = disc->sine > 0.0f ? 1.0f : -1.0f;
    ImU32 face = bright ? mixed(ui->palette.accent, ui->palette.text, 0.4f) : ui->palette.accent;
    ImVec2 low[CORNERS], high[CORNERS];
    for (int i = 0; i < CORNERS; i++) {
        low[i] = on_arrow(disc, shape[i][0], shape[i][1], THICK - top);
        high[i] = on_arrow(disc, shape[i][0], shape[i][1], top);
    }
    bool drawn[CORNERS] = {false};
    for (int n = 0; n < CORNERS; n++) {
        int next = -1;
        float farthest = -INFINITY;
        for (int i = 0; i < CORNERS; i++) {
            const float *a = shape[i], *b = shape[(i + 1) % CORNERS];
            float away = way * (0.5f * (a[0] + b[0]) * s + 0.5f * (a[1] + b[1]) * c);
            if (drawn[i] || away <= farthest) continue;
            farthest = away;
            next = i;
        }
        drawn[next] = true;
        const float *a = shape[next], *b = shape[(next + 1) % CORNERS];
        float along = b[1] - a[1], left = a[0] - b[0], size = hypotf(along, left); // outwards
        float away = (along * s + left * c) / fmaxf(size, 1e-6f);
        if (way * away >= 0.0f) continue; // its back is to the viewer
        int other = (next + 1) % CORNERS;
        float shade = 0.38f + 0.22f * (along * c - left * s) / fmaxf(size, 1e-6f);
        ImU32 side = mixed(face, 0xff000000u, shade);
        fill(list, (ImVec2[]){high[next], high[other], low[other], low[next]}, 4, side);
    }
    fill(list, (ImVec2[]){high[0], high[1], high[5], high[6]}, 4, face);
    fill(list, (ImVec2[]){high[2], high[3], high[4]}, 3, face);
}

// Below the disc.
static void draw_line(const Ui *ui, ImDrawList *list, const Rect *picture, const Disc *disc,
                      int number, ImU32 colour, const char *text)
{
    Font font = ui->fonts.small;
    float width = widget_text_width(font, text), gap = 0.35f * ui->em, line = 1.3f * ui->em;
    float left = picture->x + 0.6f * ui->em + gap, right = picture->x + picture->width - gap;
    float x = floorf(fmaxf(disc->x - 0.5f * width, left));
    float y = floorf(disc->y + disc->radius * (fabsf(disc->sine) + 0.1f) + line * (float)number);
    if (x + width > right) return;
    ImDrawList_AddRectFilled(list, (ImVec2){x - gap, y}, (ImVec2){x + width + gap, y + line},
                             theme_fade(ui->palette.panel, 0.8f), 0.0f, 0);
    widget_draw_text(list, font, colour, x, floorf(y + 0.5f * (line - font.height)), text);
}

static void draw_words(const Ui *ui, ImDrawList *list, const Rect *picture, const Disc *disc,
                       const Wind *wind, Air air, bool busy)
{
    char text[96];
    if (busy) {
        wind_arrow_words(disc->speed, disc->degree, ui->wind.yaw, text, sizeof text);
        draw_line(ui, list, picture, disc, 0, ui->palette.text, text);
        draw_line(ui, list, picture, disc, 1, ui->palette.dim, "drag the tip: direction, speed");
        return;
    }
    if (fminf(picture->height, 0.8f * picture->width) < WORDS_EMS * ui->em) return;
    int used = snprintf(text, sizeof text, "wind %.3g m/s", disc->speed);
    if (wind->gust > 0.0 && wind->speed > 0.0)
        snprintf(text + used, sizeof text - (size_t)used, ", now %.1f",
                 hypot(air.velocity.x, air.velocity.z));
    draw_line(ui, list, picture, disc, 0, ui->palette.text, text);
}

static void draw_wind(Ui *ui, int lane)
{
    Rect picture = ui_picture(ui, lane);
    Disc disc = disc_of(ui, lane);
    Wind wind = wind_of(ui, lane);
    Air air = wind_at(&wind, ui->stage->lanes[lane].readings.time);
    bool busy = (ui->wind.held || ui->wind.hovered) && ui->wind.lane == lane;
    char id[24];
    snprintf(id, sizeof id, "##wind%d", lane);
    igSetNextWindowPos((ImVec2){picture.x, picture.y}, ImGuiCond_Always, (ImVec2){0, 0});
    igSetNextWindowSize((ImVec2){picture.width, picture.height}, ImGuiCond_Always);
    igPushStyleVar_Vec2(ImGuiStyleVar_WindowPadding, (ImVec2){0, 0});
    igBegin(id, NULL,
            ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoInputs |
                ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoFocusOnAppearing |
                ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoNav);
    igPopStyleVar(1);
    ImDrawList *list = igGetWindowDrawList();
    draw_disc(ui, list, &disc);
    bool gusty = wind.gust > 0.0 && wind.speed > 0.0;
    ImVec2 now = needle_end(ui, &disc, air), middle = on_screen(&disc, 0.0f, 0.0f, 0.5f * THICK);
    if (gusty)
        ImDrawList_AddLine(list, middle, now, ui->palette.amber, fmaxf(1.0f, 0.11f * ui->em));
    if (busy) {
        ImVec2 tip = tip_of(&disc), neck = neck_of(&disc);
        ImVec2 glow = {0.5f * (tip.x + neck.x), 0.5f * (tip.y + neck.y)};
        ImDrawList_AddCircleFilled(list, glow, 1.3f * REACH_EMS * ui->em,
                                   theme_fade(ui->palette.accent, 0.3f), 32);
        igSetMouseCursor(ImGuiMouseCursor_Hand);
    }
    draw_arrow(ui, list, &disc, busy);
    if (gusty) ImDrawList_AddCircleFilled(list, now, 0.22f * ui->em, ui->palette.amber, 16);
    draw_words(ui, list, &picture, &disc, &wind, air, busy);
    igEnd();
}

void panel_wind(Ui *ui)
{
    for (int i = 0; i < ui->stage->count; i++) {
        if (wind_arrow_is_shown(ui, i)) draw_wind(ui, i);
    }
}
