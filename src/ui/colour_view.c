#include "ui/colour_view.h"

#include "base/colour_map.h"
#include "render/cloth_mesh.h"
#include "ui/lanes.h"
#include "ui/mode_view.h"
#include "ui/widgets.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void colour_view_finish(ColourView *view)
{
    for (int i = 0; i < SCENE_LANES_MAX; i++) {
        free(view->values[i]);
        free(view->rgb[i]);
    }
    *view = (ColourView){0};
}

static bool make_room(ColourView *view, int lane, int count)
{
    if (view->room[lane] >= count) return true;
    free(view->values[lane]);
    free(view->rgb[lane]);
    view->values[lane] = malloc((size_t)count * sizeof(float));
    view->rgb[lane] = malloc(3 * (size_t)count * sizeof(float));
    view->room[lane] = view->values[lane] && view->rgb[lane] ? count : 0;
    return view->room[lane] > 0;
}

static const char *why_not(const Ui *ui, ColourBy by)
{
    if (by == COLOUR_ERROR && ui->stage->reference < 0)
        return "Choose a lane to compare with first, under LANES.";
    if (by == COLOUR_MODE && !ui_analysis(ui)) return "The lab has no modes at the moment.";
    return NULL;
}

// What a lane can show: a mode is of the selected one; the reference has no error. After a
// divergence, the mode that grew.
static const float *shape_of(const Ui *ui, int lane)
{
    const Snapshot *now = &ui->stage->lanes[lane];
    if (now->diverged && now->autopsy.present) return now->mode;
    if (ui->colours.chosen != COLOUR_MODE || lane != ui->stage->selected) return NULL;
    return mode_view_shape(ui);
}

static ColourBy colour_of_lane(const Ui *ui, int lane)
{
    const Snapshot *now = &ui->stage->lanes[lane];
    ColourBy by = ui->colours.chosen;
    if (shape_of(ui, lane)) return COLOUR_MODE;
    if (by == COLOUR_MODE || why_not(ui, by)) return COLOUR_FABRIC;
    if (by == COLOUR_ERROR && (lane == ui->stage->reference || !isfinite(now->distance_rms)))
        return COLOUR_FABRIC;
    return by;
}

static bool is_overlay(const Ui *ui)
{
    return ui_has_lanes(ui) && ui->lane_view == LANE_VIEW_OVERLAY;
}

// All lanes share a scale, so that they can be compared.
void colour_view_update(Ui *ui)
{
    ColourView *view = &ui->colours;
    float most = 0.0f;
    ColourBy by[SCENE_LANES_MAX] = {COLOUR_FABRIC}, shown = COLOUR_FABRIC;
    for (int i = 0; i < SCENE_LANES_MAX; i++) {
        view->present[i] = false;
        if (i >= ui->stage->count || ui->lanes[i].view.width <= 0.0f || is_overlay(ui)) continue;
        const Snapshot *now = &ui->stage->lanes[i];
        by[i] = colour_of_lane(ui, i);
        if (by[i] == COLOUR_FABRIC || now->particle_count == 0) continue;
        if (!make_room(view, i, now->particle_count)) continue;
        float own = colour_values(by[i], now, shape_of(ui, i), view->values[i]);
        if (by[i] != COLOUR_MODE) most = fmaxf(most, own);
        if (shown == COLOUR_FABRIC || by[i] == view->chosen) shown = by[i];
        view->present[i] = true;
    }
    view->scale = colour_scale(shown, most, shown == view->shown ? view->scale : 0.0f);
    view->shown = shown;
    for (int i = 0; i < SCENE_LANES_MAX; i++) {
        if (!view->present[i]) continue;
        float scale = by[i] == COLOUR_MODE ? 1.0f : view->scale;
        colour_particles(by[i], &ui->stage->lanes[i], view->values[i], scale, view->rgb[i]);
    }
}

const float *colour_view_rgb(const Ui *ui, int lane)
{
    return ui->colours.present[lane] ? ui->colours.rgb[lane] : NULL;
}

void colour_view_list(Ui *ui)
{
    ColourView *view = &ui->colours;
    widget_text(ui->fonts.small, ui->palette.dim, "colour on the cloth");
    igSetNextItemWidth(-1.0f);
    if (!widget_begin_list(ui, "##colour", colour_info(view->chosen)->name,
                           ImGuiComboFlags_HeightLargest))
        return;
    for (int i = 0; i < COLOURS; i++) {
        const ColourInfo *info = colour_info((ColourBy)i);
        if (!widget_list_item(ui, info->name, i == (int)view->chosen, info->help,
                              why_not(ui, (ColourBy)i)))
            continue;
        view->chosen = (ColourBy)i;
        if (i == COLOUR_MODE && ui->shown_mode == UI_NO_MODE) ui->shown_mode = 0;
    }
    igEndCombo();
}

// ---- the bar

typedef struct Bar {
    const char *title;
    float left, width, y; // window units
    void (*colour)(const Ui *ui, float t, float rgb[3]);
} Bar;

static void colour_at(const Ui *ui, float t, float rgb[3])
{
    ColourBy by = ui->colours.shown;
    float from = colour_info(by)->is_signed ? -1.0f : 0.0f;
    colour_of_value(by, from + t * (1.0f - from), 1.0f, rgb);
}

// As the springs are drawn, in line.vert.
static void spring_colour_at(const Ui *ui, float t, float rgb[3])
{
    renderer_spring_colour(ui->light, 2.0f * t - 1.0f, rgb);
}

static void fill_bar(const Ui *ui, const Bar *bar, float height)
{
    enum { SEGMENTS = 64 };
    ImDrawList *list = igGetWindowDrawList();
    for (int i = 0; i < SEGMENTS; i++) {
        float rgb[3], x = bar->left + bar->width * (float)i / SEGMENTS;
        bar->colour(ui, ((float)i + 0.5f) / SEGMENTS, rgb);
        ImU32 colour = igColorConvertFloat4ToU32((ImVec4){rgb[0], rgb[1], rgb[2], 1.0f});
        ImDrawList_AddRectFilled(
            list, (ImVec2){x, bar->y},
            (ImVec2){bar->left + bar->width * (float)(i + 1) / SEGMENTS, bar->y + height}, colour,
            0.0f, 0);
    }
}

static void number_at(const Ui *ui, const Bar *bar, float t, const char *text)
{
    float width = widget_text_width(ui->fonts.small, text);
    float x = bar->left + t * bar->width - 0.5f * width;
    x = fminf(fmaxf(x, bar->left), bar->left + bar->width - width);
    widget_draw_text(igGetWindowDrawList(), ui->fonts.small, ui->palette.text, x,
                     bar->y + 0.8f * ui->em, text);
}

// The end of the scale, in a unit that fits: " mm".
static double end_of_scale(const ColourView *view, char *unit, size_t size)
{
    const ColourInfo *info = colour_info(view->shown);
    double scale = (double)view->scale;
    unit[0] = '\0';
    if (strcmp(info->unit, "m") == 0) {
        const char *name = scale < 1e-3 ? "µm" : scale < 1.0 ? "mm" : "m";
        scale *= scale < 1e-3 ? 1e6 : scale < 1.0 ? 1e3 : 1.0;
        snprintf(unit, size, " %s", name);
    } else if (info->unit[0]) {
        snprintf(unit, size, " %s", info->unit);
    }
    return scale;
}

static void numbers_of(const Ui *ui, const Bar *bar)
{
    const ColourView *view = &ui->colours;
    const ColourInfo *info = colour_info(view->shown);
    char text[48], unit[16];
    double scale = end_of_scale(view, unit, sizeof unit);
    if (info->is_signed) {
        snprintf(text, sizeof text, "\u2212%g%s", scale, unit);
        number_at(ui, bar, 0.0f, text);
        number_at(ui, bar, 0.5f, "0");
    } else {
        number_at(ui, bar, 0.0f, "0");
        snprintf(text, sizeof text, "%g", 0.5 * scale);
        number_at(ui, bar, 0.5f, text);
    }
    snprintf(text, sizeof text, "%g%s", scale, unit);
    number_at(ui, bar, 1.0f, text);
}

// Red, green and blue: v along x, y and z.
static void velocity_bars(const Ui *ui, const Bar *bar)
{
    static const char *const axes[3] = {"x", "y", "z"};
    enum { SEGMENTS = 32 };
    ImDrawList *list = igGetWindowDrawList();
    float height = 0.62f * ui->em;
    for (int k = 0; k < 3; k++) {
        float y = bar->y - (float)(2 - k) * 1.0f * ui->em;
        for (int i = 0; i < SEGMENTS; i++) {
            float v[3] = {0}, rgb[3], x = bar->left + bar->width * (float)i / SEGMENTS;
            v[k] = 2.0f * ((float)i + 0.5f) / SEGMENTS - 1.0f;
            colour_of_velocity(v, 1.0f, rgb);
            ImU32 colour = igColorConvertFloat4ToU32((ImVec4){rgb[0], rgb[1], rgb[2], 1.0f});
            ImDrawList_AddRectFilled(
                list, (ImVec2){x, y},
                (ImVec2){bar->left + bar->width * (float)(i + 1) / SEGMENTS, y + height}, colour,
                0.0f, 0);
        }
        widget_draw_text(list, ui->fonts.small, ui->palette.text, bar->left - 0.9f * ui->em,
                         y - 0.2f * ui->em, axes[k]);
    }
}

// Springs are always coloured by strain, on a scale that shows 0.1 % as well as 20 %.
static void spring_numbers(const Ui *ui, const Bar *bar)
{
    static const struct {
        float strain;
        const char *text;
    } marks[] = {
        {-0.1f, "\u221210"}, {-0.01f, "\u22121"}, {0.0f, "0"}, {0.01f, "1"}, {0.1f, "10 %"}};
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        float t = renderer_spring_amount(marks[i].strain);
        number_at(ui, bar, 0.5f + 0.5f * t, marks[i].text);
    }
}

int colour_view_bar_lane(const Ui *ui)
{
    int lane = -1, count = 0;
    for (int i = 0; i < SCENE_LANES_MAX; i++) {
        if (!ui->colours.present[i]) continue;
        lane = i;
        count++;
    }
    return count == 1 ? lane : -1;
}

static Rect place_of_bar(const Ui *ui)
{
    int lane = colour_view_bar_lane(ui);
    return lane >= 0 ? ui_picture(ui, lane) : ui->layout.free;
}

static void begin_bar(ImVec2 at, ImVec2 size)
{
    igSetNextWindowPos(at, ImGuiCond_Always, (ImVec2){0, 0});
    igSetNextWindowSize(size, ImGuiCond_Always);
    igPushStyleVar_Vec2(ImGuiStyleVar_WindowPadding, (ImVec2){0, 0});
    igBegin("##colours", NULL,
            ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoInputs |
                ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoFocusOnAppearing |
                ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoNav);
    igPopStyleVar(1);
}

// In a small picture: one line, "mode 0 [colours] 1", that leaves the cloth alone.
static void brief_bar(Ui *ui, const Rect *place)
{
    const ColourInfo *info = colour_info(ui->colours.shown);
    float em = ui->em, gap = 0.4f * em, line = 1.5f * em;
    char unit[16], low[24] = "0", high[48];
    Font font = ui->fonts.small;
    double scale = end_of_scale(&ui->colours, unit, sizeof unit);
    if (info->is_signed) snprintf(low, sizeof low, "\u2212%g", scale);
    snprintf(high, sizeof high, "%g%s", scale, unit);
    float name = widget_text_width(font, info->name), from = widget_text_width(font, low);
    float to = widget_text_width(font, high), colours = 4.0f * em;
    float width = name + from + to + colours + 5.0f * gap;
    if (width > place->width - em) { // without its name
        width -= name + gap;
        name = 0.0f;
    }
    if (width > place->width || place->height < 3.0f * line) return;
    ImVec2 at = {floorf(place->x + place->width - width - 0.3f * em), floorf(place->y + 0.3f * em)};
    begin_bar(at, (ImVec2){width, line});
    ImDrawList *list = igGetWindowDrawList();
    ImDrawList_AddRectFilled(list, at, (ImVec2){at.x + width, at.y + line},
                             theme_fade(ui->palette.panel, 0.86f), 0.35f * em, 0);
    float x = at.x + gap, y = floorf(at.y + 0.5f * (line - font.height));
    if (name > 0.0f) x += widget_draw_text(list, font, ui->palette.dim, x, y, info->name) + gap;
    x += widget_draw_text(list, font, ui->palette.text, x, y, low) + gap;
    Bar bar = {.left = x, .width = colours, .y = at.y + 0.4f * em, .colour = colour_at};
    fill_bar(ui, &bar, 0.7f * em);
    widget_draw_text(list, font, ui->palette.text, x + colours + gap, y, high);
    igEnd();
}

void colour_view_bar(Ui *ui)
{
    enum { SMALL_WIDTH_EMS = 30, SMALL_HEIGHT_EMS = 22 };
    Rect picture = place_of_bar(ui);
    const Rect *place = &picture;
    bool rods = ui->now->triangle_count == 0 || cloth_mesh_has_struts(ui->now);
    bool springs = !is_overlay(ui) && (ui->surface == SURFACE_SPRINGS || rods);
    bool velocity = ui->colours.shown == COLOUR_VELOCITY;
    if ((ui->colours.shown == COLOUR_FABRIC && !springs) || is_overlay(ui)) return;
    bool strain = springs && (!rods || ui->colours.shown == COLOUR_FABRIC);
    char title[96];
    snprintf(title, sizeof title, "%s",
             strain ? "strain of the springs" : colour_info(ui->colours.shown)->label);
    float em = ui->em, width = fmaxf(12.0f * em, widget_text_width(ui->fonts.small, title));
    width = fminf(width, 0.8f * place->width - 2.0f * em);
    lane_shorten(ui->fonts.small, width, title, sizeof title);
    velocity &= !strain;
    bool small = place->width < SMALL_WIDTH_EMS * em || place->height < SMALL_HEIGHT_EMS * em;
    if (small && !strain && !velocity) {
        brief_bar(ui, place);
        return;
    }
    float tall = (velocity ? 5.9f : 3.7f) * em;
    if (width < 6.0f * em || place->height < 2.0f * tall) return;
    Bar bar = {.title = title,
               .left = place->x + place->width - width - 1.2f * em,
               .width = width,
               .y = place->y + 1.9f * em + (velocity ? 2.1f * em : 0.0f),
               .colour = strain ? spring_colour_at : colour_at};
    begin_bar((ImVec2){bar.left - 1.2f * em, place->y + 0.3f * em},
              (ImVec2){width + 2.0f * em, tall});
    ImDrawList *list = igGetWindowDrawList();
    ImDrawList_AddRectFilled(list, (ImVec2){bar.left - 1.1f * em, place->y + 0.35f * em},
                             (ImVec2){bar.left + width + 0.7f * em, place->y + tall},
                             theme_fade(ui->palette.panel, 0.86f), 0.35f * em, 0);
    widget_draw_text(list, ui->fonts.small, ui->palette.text, bar.left, place->y + 0.55f * em,
                     bar.title);
    if (velocity)
        velocity_bars(ui, &bar);
    else
        fill_bar(ui, &bar, 0.7f * em);
    if (strain)
        spring_numbers(ui, &bar);
    else
        numbers_of(ui, &bar);
    igEnd();
}
