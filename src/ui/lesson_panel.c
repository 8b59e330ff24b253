#include "ui/lesson_panel.h"

#include "lesson/lesson_play.h"
#include "lesson/live_value.h"
#include "ui/formula.h"
#include "ui/plots.h"
#include "ui/quantity.h"
#include "ui/text_log.h"
#include "ui/widgets.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FORMULA_HEIGHT 1.25f // of the text's
#define LINE_HEIGHT 1.2f     // of the text's
#define BESIDE_SHARE 0.55f   // of the width: a wider equation stands below the text

bool lesson_is_open(const Ui *ui)
{
    return ui->lesson.lesson != NULL;
}

// ---- going through it

static bool send_to_simulation(void *user, const Command *command)
{
    return ui_send(user, *command);
}

static void show_view(Ui *ui, const LessonView *view)
{
    ui->wish.controls = view->controls;
    ui->wish.readouts = view->readouts;
    ui->lane_view = (LaneView)view->lanes;
    ui->surface = (SurfaceStyle)view->surface;
    ui->colours.chosen = (ColourBy)view->colour;
    ui->shown_mode = view->colour == LESSON_COLOUR_MODE ? 0 : UI_NO_MODE;
    ui->whole_autopsy = false;
    plots_show(ui, view->plot);
    ui->want_frame_cloth = true;
    ui->want_camera = (CameraWish){.wanted = view->has_camera,
                                   .yaw = view->yaw * (float)(M_PI / 180.0),
                                   .pitch = view->pitch * (float)(M_PI / 180.0),
                                   .zoom = view->zoom,
                                   .has_target = view->has_target};
    memcpy(ui->want_camera.target, view->target, sizeof view->target);
    ui->plot_seconds = INFINITY;
}

static void go_to(Ui *ui, int stop)
{
    LessonState *state = &ui->lesson;
    state->stop = stop;
    const LessonStep *step = &state->lesson->steps[lesson_stop(state->lesson, stop).step];
    if (!lesson_send(state->lesson, stop, send_to_simulation, ui)) return;
    ui_send(ui, (Command){.kind = COMMAND_SELECT, .lane = step->view.selected});
    ui->typed_param = UI_NO_PARAM;
    show_view(ui, &step->view);
}

static void start(Ui *ui, Lesson *lesson)
{
    LessonState *state = &ui->lesson;
    if (!state->lesson) {
        state->before.controls = ui->wish.controls;
        state->before.readouts = ui->wish.readouts;
        state->before.surface = ui->surface;
        state->before.lane_view = ui->lane_view;
    }
    lesson_destroy(state->lesson);
    state->lesson = lesson;
    go_to(ui, 0);
}

// Only the window knows which plots there are.
static Status check_plots(const Lesson *lesson, Error *error)
{
    char names[240] = "none";
    for (int i = 0; i < plot_count; i++) {
        size_t length = strlen(names);
        snprintf(names + length, sizeof names - length, ", %s", plot_table[i].name);
    }
    for (int i = 0; i < lesson->step_count; i++) {
        const LessonStep *step = &lesson->steps[i];
        if (step->view.plot[0] == '\0' || plots_find(step->view.plot)) continue;
        return error_set(error, STATUS_BAD_PARAMETER,
                         "%s.ini, the step in line %d: there is no plot \"%s\"; there are %s",
                         lesson->name, step->line, step->view.plot, names);
    }
    return STATUS_OK;
}

Status lesson_open(Ui *ui, const char *name, Error *error)
{
    Lesson *lesson;
    Status status = lesson_load(name, &lesson, error);
    if (status == STATUS_OK) status = check_plots(lesson, error);
    if (status == STATUS_OK)
        start(ui, lesson);
    else
        lesson_destroy(lesson);
    return status;
}

void lesson_page(Ui *ui, int by)
{
    LessonState *state = &ui->lesson;
    if (!state->lesson) {
        ui_say(ui, "No lesson is open; the list beside the scenes has them.");
        return;
    }
    int stop = state->stop + by;
    if (stop < 0)
        ui_say(ui, "This is the first step.");
    else if (stop >= lesson_stop_count(state->lesson))
        ui_say(ui, "This is the end of the lesson; Esc leaves it and keeps the cloth.");
    else
        go_to(ui, stop);
}

bool lesson_leave(Ui *ui)
{
    LessonState *state = &ui->lesson;
    if (!state->lesson) return false;
    lesson_destroy(state->lesson);
    state->lesson = NULL;
    ui->wish.controls = state->before.controls;
    ui->wish.readouts = state->before.readouts;
    ui->surface = state->before.surface;
    ui->lane_view = state->before.lane_view;
    ui->want_camera.wanted = false;
    plots_close(ui);
    return true;
}

// ---- text with numbers of the cloth, and bold words

static void print_number(const Ui *ui, const LiveValue *live, const char *space, char *out,
                         size_t size)
{
    if (live->value == LIVE_VALUE_VERDICT) {
        bool known = live->lane < ui->stage->count;
        snprintf(out, size, "%s", known ? verdict_of(ui->stage, live->lane) : "–");
        return;
    }
    const ValueInfo *info = &value_table[live->value];
    double value = value_get(ui->stage, live->lane, live->value);
    bool length = strcmp(info->unit, "m") == 0;
    QuantityText text = length ? quantity_text_length(value) : quantity_text(value, info->unit);
    bool whole = !*info->unit && fabs(value) < 1e6 && fabs(value - round(value)) < 1e-9;
    if (whole || strcmp(info->name, "work") == 0)
        snprintf(out, size, "%.0f", value);
    else if (strcmp(info->name, "rho") == 0 && value < 10.0)
        snprintf(out, size, "%.4f", value); // what matters is its distance to 1
    else
        snprintf(out, size, "%s%s%s", text.value, text.unit[0] ? space : "", text.unit);
}

static void print_value(void *user, const LiveValue *live, char *out, size_t size)
{
    print_number(user, live, "\xc2\xa0", out, size); // number and unit stay on one line
}

static void print_value_in_equation(void *user, const LiveValue *live, char *out, size_t size)
{
    char value[64];
    print_number(user, live, " ", value, sizeof value);
    snprintf(out, size, "\\text{%s}", value);
}

// One word, parts of which may be bold: *so*. With a list it is drawn. Returns its width.
static float set_word(Ui *ui, ImDrawList *list, const char *word, size_t length, bool *is_bold,
                      float x, float y)
{
    float scale = ui->lesson.scale;
    float width = 0.0f;
    size_t start = 0;
    for (size_t i = 0; i <= length; i++) {
        if (i < length && word[i] != '*') continue;
        char part[96];
        size_t size = i - start < sizeof part ? i - start : sizeof part - 1;
        memcpy(part, word + start, size);
        part[size] = '\0';
        Font font = *is_bold ? ui->fonts.caption_bold : ui->fonts.caption;
        font.height *= scale;
        if (list && size > 0)
            widget_draw_text(list, font, *is_bold ? ui->palette.accent : ui->palette.text,
                             x + width, y, part);
        width += widget_text_width(font, part);
        if (i < length) *is_bold = !*is_bold;
        start = i + 1;
    }
    return width;
}

static bool is_unit(const char *word)
{
    static const char *const units[] = {"s",  "ms", "\u00b5s", "us", "m",     "cm",
                                        "mm", "J",  "mJ",      "N",  "rad/s", "%"};
    size_t length = strcspn(word, " .,;:?!)*");
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strlen(units[i]) == length && strncmp(word, units[i], length) == 0) return true;
    }
    return false;
}

// How long the next piece is that stands on one line: a word, a number with its unit, "h = 20 ms".
static size_t piece_length(const char *text)
{
    size_t start = 0, end = strcspn(text, " ");
    while (text[end] == ' ') {
        const char *next = text + end + 1;
        size_t last = end > start && text[end - 1] == '*' ? end - 1 : end;
        bool number = last > start && text[last - 1] >= '0' && text[last - 1] <= '9';
        bool sign = end == start + 1 && strchr("=<>", text[start]) != NULL;
        if (!(number && is_unit(next)) && !sign && strncmp(next, "= ", 2) != 0) break;
        start = end + 1;
        end = start + strcspn(next, " ");
    }
    return end;
}

// Words in lines of a width. With a list they are drawn, from `x`, `y`. Returns the height.
static float set_words(Ui *ui, ImDrawList *list, const char *text, float x, float y, float width)
{
    Font font = {ui->fonts.caption.face, ui->fonts.caption.height * ui->lesson.scale};
    float line = LINE_HEIGHT * font.height, at = 0.0f, height = line;
    float space = widget_text_width(font, " ");
    bool is_bold = false;
    while (*text) {
        size_t length = piece_length(text);
        bool before = is_bold;
        float wide = set_word(ui, NULL, text, length, &before, 0.0f, 0.0f);
        if (at > 0.0f && at + wide > width) {
            at = 0.0f;
            height += line;
        }
        set_word(ui, list, text, length, &is_bold, x + at, y + height - line);
        at += wide + space;
        text += length;
        while (*text == ' ') text++;
    }
    return height;
}

// ---- the caption

typedef struct Caption {
    char text[800], equation[480], where[200];
    bool has_equation, beside; // the equation stands right of the text
    Formula formula;
    FormulaSize size;
    float formula_height, text_width, text_height, height;
} Caption;

static Font where_font(const Ui *ui)
{
    return ui->lesson.scale < 0.75f ? ui->fonts.small : ui->fonts.regular;
}

static void say_where(const Ui *ui, LessonStop at, char *out, size_t size)
{
    const Lesson *lesson = ui->lesson.lesson;
    const char *next = at.asks   ? "Page Down: the answer"
                       : at.last ? "the end · Esc leaves"
                                 : "Page Down";
    snprintf(out, size, "%s · step %d of %d · %s", lesson->title, at.step + 1, lesson->step_count,
             next);
}

static void fit_equation(Ui *ui, Caption *caption, const LessonStep *step, float width)
{
    live_values_fill(step->equation, LIVE_VALUE_IN_EQUATION, print_value_in_equation, ui,
                     caption->equation, sizeof caption->equation);
    caption->has_equation = formula_parse(caption->equation, &caption->formula, NULL) == STATUS_OK;
    if (!caption->has_equation) return;
    caption->formula_height = FORMULA_HEIGHT * ui->fonts.caption.height * ui->lesson.scale;
    caption->size = formula_size(&ui->fonts, caption->formula_height, &caption->formula);
    if (caption->size.width > width) { // as large as fits
        caption->formula_height *= width / caption->size.width;
        caption->size = formula_size(&ui->fonts, caption->formula_height, &caption->formula);
    }
}

// Beside the text or below it, whichever is lower.
static void place_equation(Ui *ui, Caption *caption, float width)
{
    float equation = caption->size.ascent + caption->size.descent;
    float beside_width = width - caption->size.width - 2.0f * ui->em;
    caption->text_width = width;
    caption->text_height = set_words(ui, NULL, caption->text, 0.0f, 0.0f, width);
    caption->height = caption->text_height;
    if (!caption->has_equation) return;
    caption->height += equation + 0.5f * ui->em;
    if (caption->size.width > BESIDE_SHARE * width) return;
    float text = set_words(ui, NULL, caption->text, 0.0f, 0.0f, beside_width);
    if (fmaxf(text, equation) > caption->height) return;
    caption->beside = true;
    caption->text_width = beside_width;
    caption->text_height = text;
    caption->height = fmaxf(text, equation);
}

static Caption make_caption(Ui *ui, float width)
{
    const Lesson *lesson = ui->lesson.lesson;
    LessonStop at = lesson_stop(lesson, ui->lesson.stop);
    const LessonStep *step = &lesson->steps[at.step];
    Caption caption = {0};
    float inner = fmaxf(width - 2.4f * ui->em, ui->em);
    live_values_fill(at.asks ? step->ask : step->caption, LIVE_VALUE_IN_TEXT, print_value, ui,
                     caption.text, sizeof caption.text);
    say_where(ui, at, caption.where, sizeof caption.where);
    if (!at.asks && step->equation[0]) fit_equation(ui, &caption, step, inner);
    place_equation(ui, &caption, inner);
    caption.height += where_font(ui).height + 2.0f * ui->em;
    return caption;
}

// Text as large as leaves two thirds of the view, or half of it in a small window.
float lesson_caption_height(Ui *ui, float width)
{
    static const struct {
        float scale, share; // the latter of the view's height
    } tries[] = {{1.0f, 0.33f}, {0.9f, 0.33f}, {0.8f, 0.33f},  {0.7f, 0.33f},
                 {0.6f, 0.33f}, {0.6f, 0.45f}, {0.52f, 0.45f}, {0.45f, 0.5f}};
    float height = 0.0f;
    if (!lesson_is_open(ui)) return 0.0f;
    for (size_t i = 0; i < sizeof tries / sizeof tries[0]; i++) {
        ui->lesson.scale = tries[i].scale;
        height = ceilf(make_caption(ui, width).height);
        if (height <= tries[i].share * ui->layout.view.height) break;
    }
    return height;
}

static void draw_caption(Ui *ui, const Caption *caption, Rect place)
{
    ImDrawList *list = igGetWindowDrawList();
    float left = place.x + 1.2f * ui->em, right = place.x + place.width - 1.2f * ui->em;
    float top = place.y + 0.6f * ui->em;
    Font font = where_font(ui);
    widget_draw_text(list, font, ui->palette.dim, left, top, caption->where);
    top += font.height + 0.5f * ui->em;
    float bottom = place.y + place.height - 0.7f * ui->em;
    float spare = bottom - top - caption->text_height;
    float equation = caption->size.ascent + caption->size.descent;
    if (!caption->has_equation) {
        set_words(ui, list, caption->text, left, top, caption->text_width);
    } else if (caption->beside) {
        set_words(ui, list, caption->text, left, top + fmaxf(0.5f * spare, 0.0f),
                  caption->text_width);
        formula_draw(list, &ui->fonts, caption->formula_height, ui->palette.text,
                     right - caption->size.width,
                     0.5f * (top + bottom - equation) + caption->size.ascent, &caption->formula);
    } else {
        set_words(ui, list, caption->text, left, top, caption->text_width);
        formula_draw(list, &ui->fonts, caption->formula_height, ui->palette.text,
                     0.5f * (left + right - caption->size.width),
                     top + caption->text_height + 0.4f * ui->em + caption->size.ascent,
                     &caption->formula);
    }
}

void panel_lesson(Ui *ui)
{
    Rect place = ui->lesson.place;
    if (!lesson_is_open(ui) || place.height < 1.0f) return;
    Caption caption = make_caption(ui, place.width);
    igSetNextWindowPos((ImVec2){place.x, place.y}, ImGuiCond_Always, (ImVec2){0, 0});
    igSetNextWindowSize((ImVec2){place.width, place.height}, ImGuiCond_Always);
    ImGuiWindowFlags flags = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize |
                             ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoCollapse |
                             ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoNav;
    if (caption.height <= place.height) flags |= ImGuiWindowFlags_NoScrollbar;
    if (igBegin("##lesson", NULL, flags)) {
        draw_caption(ui, &caption, place);
        ImDrawList_AddLine(igGetWindowDrawList(), (ImVec2){place.x, place.y},
                           (ImVec2){place.x + place.width, place.y}, ui->palette.line, 1.0f);
        igSetCursorPos((ImVec2){0, 0});
        igDummy((ImVec2){1.0f, caption.height}); // so that it scrolls where there is no room
    }
    ui_cover_view(ui);
    igEnd();
}

// ---- the list

void lesson_list_box(Ui *ui)
{
    LessonState *state = &ui->lesson;
    const char *current = state->lesson ? state->lesson->title : "lessons";
    igSetNextItemWidth(widget_text_width(ui->fonts.regular, "lessons") + 3.4f * ui->em);
    if (widget_begin_list(ui, "##lessons", state->lesson ? "lesson" : current, 0)) {
        if (state->lesson && widget_list_item(ui, "leave the lesson", false, "Esc", NULL))
            lesson_leave(ui);
        Status status = STATUS_OK;
        Error error;
        for (int i = 0; i < state->list.count; i++) {
            const LessonEntry *entry = &state->list.items[i];
            bool chosen = state->lesson && strcmp(entry->name, state->lesson->name) == 0;
            if (widget_list_item(ui, entry->title, chosen, entry->about, NULL))
                status = lesson_open(ui, entry->name, &error);
        }
        if (status != STATUS_OK) ui_say(ui, error.text);
        igEndCombo();
    }
    widget_tooltip(ui, state->lesson ? current
                                     : "Prepared stories: Page Down and Page Up go on and back.");
}
