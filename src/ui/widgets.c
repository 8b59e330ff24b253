#include "ui/widgets.h"

#include "scene/combination.h"
#include "ui/imgui_versions.h"
#include "ui/text_log.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

float widget_draw_text(ImDrawList *list, Font font, ImU32 colour, float x, float y,
                       const char *text)
{
    ImDrawList_AddText_FontPtr(list, font.face, font.height, (ImVec2){floorf(x), floorf(y)}, colour,
                               text, NULL, 0.0f, NULL);
    text_log_add(list, font, floorf(x), floorf(y), text, NULL, false);
    return widget_text_width(font, text);
}

float widget_text_width(Font font, const char *text)
{
    ImVec2 size;
    ImFont_CalcTextSizeA(&size, font.face, font.height, 1e9f, 0.0f, text, NULL, NULL);
    return size.x;
}

void widget_text(Font font, ImU32 colour, const char *text)
{
    ImVec2 at;
    igGetCursorScreenPos(&at);
    float width = widget_draw_text(igGetWindowDrawList(), font, colour, at.x, at.y, text);
    igDummy((ImVec2){width, font.height});
}

static float range_width(Font font, const char *text, const char *end)
{
    ImVec2 size;
    ImFont_CalcTextSizeA(&size, font.face, font.height, 1e9f, 0.0f, text, end, NULL);
    return size.x;
}

// Whether a word that follows a number is its unit.
static bool is_unit(const char *word, size_t length)
{
    static const char *const units[] = {"s",   "ms",  "µs", "ns", "m",  "cm",    "mm",
                                        "µm",  "N/m", "J",  "%",  "×",  "rad/s", "m/s",
                                        "1/s", "s⁻²", "Hz", "kg", "MB", "m/s²",  "s/s"};
    while (length > 0 && strchr(".,;:)", word[length - 1])) length--;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strlen(units[i]) == length && memcmp(word, units[i], length) == 0) return true;
    }
    return false;
}

// The end of a word; a number and its unit are one.
static const char *word_end(const char *word)
{
    const char *end = word + strcspn(word, " \n");
    const char *unit_end = *end == ' ' ? end + 1 + strcspn(end + 1, " \n") : end;
    bool number = false;
    for (const char *c = word; c < end; c++) number |= *c >= '0' && *c <= '9';
    return number && *end == ' ' && is_unit(end + 1, (size_t)(unit_end - end - 1)) ? unit_end : end;
}

// Where the first line of a text ends: before the first space that leaves too little room for the
// word after it. A word wider than the room has its own line.
static const char *line_end(Font font, const char *text, float room)
{
    const char *end = word_end(text);
    while (*end == ' ') {
        const char *next = word_end(end + 1);
        if (range_width(font, text, next) > room) break;
        end = next;
    }
    return end;
}

float widget_wrapped_height(Font font, const char *text, float room)
{
    float height = 0.0f;
    while (*text) {
        const char *end = line_end(font, text, room);
        height += font.height;
        text = *end ? end + 1 : end;
    }
    return height;
}

// Wrapped at `room`, at the cursor.
static void text_in_lines(Font font, ImU32 colour, const char *text, float room)
{
    ImVec2 at;
    igGetCursorScreenPos(&at);
    ImDrawList *list = igGetWindowDrawList();
    float height = 0.0f, width = 0.0f;
    bool continues = false;
    while (*text) {
        const char *end = line_end(font, text, room);
        ImVec2 place = {floorf(at.x), floorf(at.y + height)};
        ImDrawList_AddText_FontPtr(list, font.face, font.height, place, colour, text, end, 0.0f,
                                   NULL);
        text_log_add(list, font, place.x, place.y, text, end, continues);
        width = fmaxf(width, range_width(font, text, end));
        height += font.height;
        continues = *end == ' ';
        text = *end ? end + 1 : end;
    }
    igDummy((ImVec2){width, height});
}

void widget_text_wrapped(Font font, ImU32 colour, const char *text)
{
    ImVec2 room;
    igGetContentRegionAvail(&room);
    text_in_lines(font, colour, text, room.x);
}

// No wider than the window allows.
static float tooltip_width(const Ui *ui)
{
    float window = igGetIO_Nil()->DisplaySize.x - 2.0f * ui->em;
    return fmaxf(fminf(20.0f * ui->em, window), 1.0f);
}

void widget_tooltip(Ui *ui, const char *text)
{
    if (!text || !igIsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled)) return;
    igPushStyleVar_Vec2(ImGuiStyleVar_WindowPadding, (ImVec2){ui_ems(ui, 0.7f), ui_ems(ui, 0.5f)});
    igBeginTooltip();
    text_in_lines(ui->fonts.regular, ui->palette.text, text, tooltip_width(ui));
    igEndTooltip();
    igPopStyleVar(1);
}

void widget_section(Ui *ui, const char *title)
{
    igDummy((ImVec2){0, ui_ems(ui, 0.35f)});
    widget_text(ui->fonts.bold, ui->palette.dim, title);
}

// ---- which lanes a value belongs to

static bool can_own(const Ui *ui, const ParamInfo *info)
{
    return ui_has_lanes(ui) && !lane_shares_because(info);
}

static float own_width(const Ui *ui, const char *text, bool owns)
{
    return widget_text_width(ui->fonts.small, text) + (owns ? 0.75f * ui->em : 0.0f);
}

// "● own" in the lane's colour, or what is shared, faint.
static void draw_own(Ui *ui, float x, float y, const char *text, bool owns, bool hovered)
{
    ImDrawList *list = igGetWindowDrawList();
    Font font = ui->fonts.small;
    ImU32 colour = hovered ? ui->palette.text : theme_fade(ui->palette.dim, 0.75f);
    if (owns) {
        colour = theme_lane_colour(&ui->palette, ui->stage->selected);
        ImVec2 centre = {x + 0.3f * ui->em, y + 0.55f * font.height};
        ImDrawList_AddCircleFilled(list, centre, 0.24f * ui->em, colour, 0);
        if (hovered) colour = ui->palette.text;
        x += 0.75f * ui->em;
    }
    float width = widget_draw_text(list, font, colour, x, y, text);
    float line = floorf(y + font.height) + 0.5f;
    if (hovered)
        ImDrawList_AddLine(list, (ImVec2){x, line}, (ImVec2){x + width, line}, colour, 1.0f);
}

static const char *own_tooltip(const Ui *ui, bool owns, char *text, size_t size)
{
    if (owns)
        snprintf(text, size, "Lane %d has its own value. Click to share that of all lanes.",
                 ui->stage->selected + 1);
    else
        snprintf(text, size, "All lanes share this value. Click to give lane %d its own.",
                 ui->stage->selected + 1);
    return text;
}

void widget_own(Ui *ui, const ParamInfo *info, const char *own, const char *shared)
{
    if (!can_own(ui, info)) return;
    bool owns = lane_owns(&ui->now->lane, info);
    const char *text = owns ? own : shared;
    ImVec2 at;
    char tip[96];
    igGetCursorScreenPos(&at);
    igPushID_Str(info->name);
    bool pressed =
        igInvisibleButton("own", (ImVec2){own_width(ui, text, owns), ui->fonts.small.height}, 0);
    draw_own(ui, at.x, at.y, text, owns, igIsItemHovered(0));
    widget_tooltip(ui, own_tooltip(ui, owns, tip, sizeof tip));
    igPopID();
    if (pressed) ui_own_param(ui, info, !owns);
}

// Name at the left, value in text colour and unit dimmed at the right, on one line. Returns where
// the value begins.
static float name_and_value(Ui *ui, const char *name, QuantityText text, float width, bool greyed)
{
    const Palette *p = &ui->palette;
    Font font = ui->fonts.regular;
    ImDrawList *list = igGetWindowDrawList();
    ImVec2 at;
    igGetCursorScreenPos(&at);
    float strength = greyed ? 0.45f : 1.0f, right = at.x + width;
    if (text.unit[0]) {
        right -= widget_text_width(font, text.unit);
        widget_draw_text(list, font, theme_fade(p->dim, strength), right, at.y, text.unit);
        right -= 0.3f * ui->em;
    }
    right -= widget_text_width(font, text.value);
    widget_draw_text(list, font, theme_fade(p->text, strength), right, at.y, text.value);
    // a long name is cut off before the value
    ImDrawList_PushClipRect(list, at, (ImVec2){right - 0.4f * ui->em, at.y + 2.0f * ui->em}, true);
    widget_draw_text(list, font, theme_fade(p->text, strength), at.x, at.y, name);
    ImDrawList_PopClipRect(list);
    return right;
}

void widget_readout(Ui *ui, const char *name, QuantityText value, const char *help)
{
    ImVec2 at, room;
    igGetCursorScreenPos(&at);
    igGetContentRegionAvail(&room);
    float height = ui_ems(ui, 1.55f), text_y = 0.22f * ui->em;
    ImDrawList *list = igGetWindowDrawList();
    Font font = ui->fonts.regular;
    float right = at.x + room.x;
    if (value.unit[0]) {
        right -= widget_text_width(font, value.unit);
        widget_draw_text(list, font, ui->palette.dim, right, at.y + text_y, value.unit);
        right -= 0.3f * ui->em;
    }
    right -= widget_text_width(font, value.value);
    widget_draw_text(list, font, ui->palette.text, right, at.y + text_y, value.value);
    widget_draw_text(list, font, ui->palette.dim, at.x, at.y + text_y, name);
    float line = floorf(at.y + height) + 0.5f;
    ImDrawList_AddLine(list, (ImVec2){at.x, line}, (ImVec2){at.x + room.x, line}, ui->palette.line,
                       1.0f);
    igPushStyleVar_Vec2(ImGuiStyleVar_ItemSpacing, (ImVec2){0, 0});
    igDummy((ImVec2){room.x, height + 1.0f});
    igPopStyleVar(1);
    widget_tooltip(ui, help);
}

static int index_of(const ParamInfo *info)
{
    return (int)(info - param_table);
}

// The value to show: the one the user is dragging or typing, else the simulation's.
static double shown_value(const Ui *ui, const ParamInfo *info)
{
    if (ui->held_param == index_of(info)) return ui->held_value;
    return param_get(&ui->now->scene.params, info);
}

// The slider position of a parameter set to its word: the value in use if it is a single number;
// otherwise a typical value, and the word is shown instead of a number.
static double value_behind_word(const Ui *ui, const ParamInfo *info, bool *in_use)
{
    *in_use = true;
    if (strcmp(info->name, "step") == 0) return ui->now->readings.step;
    if (strcmp(info->name, "alpha") == 0) return ui->now->readings.alpha;
    *in_use = false;
    return strcmp(info->name, "leu_interval") == 0 ? UI_LEU_INTERVAL : info->max;
}

static const char *param_tooltip(const ParamInfo *info, char *text, size_t size)
{
    char allowed[PARAM_ALLOWED_SIZE], unit[24] = "";
    param_allowed(info, allowed, sizeof allowed);
    if (info->unit[0]) snprintf(unit, sizeof unit, " [%s]", info->unit);
    snprintf(text, size, "%s\n%s%s: %s\nClick the number to type one; right-click for the default.",
             info->help, info->name, unit, allowed);
    return text;
}

// Where theory calls a parameter stable, the others as they are.
static StableRange stable_range(const Ui *ui, const ParamInfo *info)
{
    StableRange range = {-INFINITY, INFINITY};
    StepLimit limit = ui->now->readings.limit;
    if (strcmp(info->name, "step") == 0) {
        if (!limit.is_bound) range.high = limit.step;
        return range;
    }
    if (!ui_analysis(ui)) return range;
    const UnstableRanges *unstable = &ui->lab->unstable;
    const struct {
        const char *name;
        StableRange range;
    } known[] = {
        {"stretch", unstable->stretch}, {"shear", unstable->shear},   {"bend", unstable->bend},
        {"alpha", unstable->alpha},     {"lambda", unstable->lambda},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(info->name, known[i].name) == 0) return known[i].range;
    }
    return range;
}

void widget_slider_line(Ui *ui, const ParamInfo *info, float width)
{
    const Palette *p = &ui->palette;
    float height = ui_ems(ui, 1.1f), radius = 0.36f * ui->em;
    ImVec2 at;
    igGetCursorScreenPos(&at);
    igPushID_Str(info->name);
    igInvisibleButton("line", (ImVec2){width, height}, 0);
    bool active = igIsItemActive(), hovered = igIsItemHovered(0);
    if (hovered && igIsMouseClicked_Bool(ImGuiMouseButton_Right, false))
        ui_set_param(ui, info, info->initial);
    char tip[512];
    if (hovered && !active) widget_tooltip(ui, param_tooltip(info, tip, sizeof tip));
    igPopID();

    double value = shown_value(ui, info);
    bool in_use;
    if (value == PARAM_WORD && info->word) value = value_behind_word(ui, info, &in_use);
    float left = at.x + radius, length = width - 2.0f * radius;
    if (active) {
        ImVec2 mouse;
        igGetMousePos(&mouse);
        value = quantity_from_slider(info, (mouse.x - left) / length);
        if (ui->held_param != index_of(info) || ui->held_value != value)
            ui_set_param(ui, info, value);
        ui->held_param = index_of(info);
        ui->held_value = value;
    } else if (ui->held_param == index_of(info)) {
        ui->held_param = UI_NO_PARAM;
    }

    ImDrawList *list = igGetWindowDrawList();
    float y = floorf(at.y + height / 2.0f), half = fmaxf(0.1f * ui->em, 1.0f);
    float x = left + length * (float)quantity_to_slider(info, value);
    ImDrawList_AddRectFilled(list, (ImVec2){at.x, y - half}, (ImVec2){at.x + width, y + half},
                             p->track, half, 0);
    StableRange stable = stable_range(ui, info);
    float high = left + length * (float)quantity_to_slider(info, fmax(stable.high, info->min));
    float low = left + length * (float)quantity_to_slider(info, fmin(stable.low, info->max));
    if (stable.high < info->max)
        ImDrawList_AddRectFilled(list, (ImVec2){high, y - half}, (ImVec2){at.x + width, y + half},
                                 p->red, half, 0);
    ImDrawList_AddRectFilled(list, (ImVec2){at.x, y - half}, (ImVec2){x, y + half}, p->accent, half,
                             0);
    if (stable.low > info->min) // over the filled part, which starts at the same end
        ImDrawList_AddRectFilled(list, (ImVec2){at.x, y - half}, (ImVec2){low, y + half}, p->red,
                                 half, 0);
    if (active || hovered)
        ImDrawList_AddCircleFilled(list, (ImVec2){x, y}, 1.7f * radius, theme_fade(p->accent, 0.3f),
                                   0);
    ImDrawList_AddCircleFilled(list, (ImVec2){x, y}, radius, p->text, 0);
}

// A text field in place of the value: Enter accepts, Escape or a click elsewhere cancels.
static void typed_value(Ui *ui, const ParamInfo *info, float width)
{
    igSetNextItemWidth(width);
    if (!ui->typing_started) igSetKeyboardFocusHere(0);
    bool entered = igInputText(
        "##typed", ui->typed, sizeof ui->typed,
        ImGuiInputTextFlags_AutoSelectAll | ImGuiInputTextFlags_EnterReturnsTrue, NULL, NULL);
    text_log_item(ui->fonts.regular, igGetStyle()->FramePadding.x, ui->typed);
    if (imgui_misses_quick_keys()) entered = ui->typing_entered;
    bool over = ui->typing_started && !igIsItemActive();
    if (igIsItemActive()) ui->typing_started = true;
    if (entered) {
        Params params = ui->now->scene.params;
        Error error;
        if (param_parse(&params, info, ui->typed, &error) == STATUS_OK)
            ui_set_param(ui, info, param_get(&params, info));
        else
            ui_say(ui, error.text);
    }
    if (over || entered) ui->typed_param = UI_NO_PARAM;
    ui->typing_entered = false;
}

static void start_typing(Ui *ui, const ParamInfo *info)
{
    ui->typed_param = index_of(info);
    ui->typing_started = ui->typing_entered = false;
    param_print(&ui->now->scene.params, info, ui->typed, sizeof ui->typed);
}

static void param_slider(Ui *ui, const ParamInfo *info, bool greyed)
{
    ImVec2 at, room;
    igGetContentRegionAvail(&room);
    igPushStyleVar_Vec2(ImGuiStyleVar_ItemSpacing, (ImVec2){0, 0});
    double value = shown_value(ui, info);
    if (ui->typed_param == index_of(info)) {
        ImVec2 before;
        igGetCursorPos(&before);
        widget_text(ui->fonts.regular, ui->palette.text, info->label);
        float field = floorf(0.55f * room.x);
        igSetCursorPos((ImVec2){before.x + room.x - field, before.y - ui_ems(ui, 0.2f)});
        igPushStyleVar_Vec2(ImGuiStyleVar_FramePadding,
                            (ImVec2){ui_ems(ui, 0.3f), ui_ems(ui, 0.15f)});
        typed_value(ui, info, field);
        igPopStyleVar(1);
        igSetCursorPos((ImVec2){before.x, before.y + ui_ems(ui, 1.25f)});
    } else {
        bool in_use = true;
        if (value == PARAM_WORD && info->word) value = value_behind_word(ui, info, &in_use);
        QuantityText text = quantity_text(value, info->unit);
        if (!in_use) {
            text = (QuantityText){0};
            snprintf(text.value, sizeof text.value, "%s", info->word);
        }
        if (info->kind == PARAM_COUNT) snprintf(text.value, sizeof text.value, "%.0f", value);
        igGetCursorScreenPos(&at);
        float right = name_and_value(ui, info->label, text, room.x, greyed);
        bool pressed = igInvisibleButton("value", (ImVec2){room.x, ui_ems(ui, 1.25f)}, 0);
        // the mark of the lanes is a part of the line, not a button of its own
        bool owns = lane_owns(&ui->now->lane, info);
        const char *mark = owns ? "own" : "all";
        float left = at.x + widget_text_width(ui->fonts.regular, info->label) + 0.5f * ui->em;
        float end = left + own_width(ui, mark, owns);
        bool marked = can_own(ui, info) && !greyed && end + 0.4f * ui->em <= right;
        ImVec2 mouse;
        igGetMousePos(&mouse);
        float margin = 0.2f * ui->em;
        bool over_mark =
            marked && igIsItemHovered(0) && mouse.x >= left - margin && mouse.x < end + margin;
        if (marked)
            draw_own(ui, left, at.y + ui->fonts.regular.height - ui->fonts.small.height, mark, owns,
                     over_mark);
        if (pressed && over_mark)
            ui_own_param(ui, info, !owns);
        else if (pressed && !greyed)
            start_typing(ui, info);
        char tip[512];
        if (over_mark)
            widget_tooltip(ui, own_tooltip(ui, owns, tip, sizeof tip));
        else if (!greyed)
            widget_tooltip(ui, param_tooltip(info, tip, sizeof tip));
    }
    igPopStyleVar(1);
    igPushStyleVar_Vec2(ImGuiStyleVar_ItemSpacing, (ImVec2){ui_ems(ui, 0.5f), ui_ems(ui, 0.15f)});
    if (greyed) igPushStyleVar_Float(ImGuiStyleVar_Alpha, 0.45f);
    widget_slider_line(ui, info, room.x);
    if (greyed) igPopStyleVar(1);
    igPopStyleVar(1);
}

bool widget_checkbox(Ui *ui, const char *label, bool *value)
{
    igPushStyleVar_Vec2(ImGuiStyleVar_FramePadding, (ImVec2){ui_ems(ui, 0.1f), ui_ems(ui, 0.06f)});
    bool changed = igCheckbox(label, value);
    text_log_item(ui->fonts.regular, igGetFrameHeight() + igGetStyle()->ItemInnerSpacing.x, label);
    igPopStyleVar(1);
    return changed;
}

bool widget_button(Ui *ui, const char *label, bool chosen)
{
    const Palette *p = &ui->palette;
    ImVec4 background, text;
    igColorConvertU32ToFloat4(&background, chosen ? theme_fade(p->accent, 0.22f) : p->field);
    igColorConvertU32ToFloat4(&text, chosen ? p->text : p->dim);
    igPushStyleColor_Vec4(ImGuiCol_Button, background);
    igPushStyleColor_Vec4(ImGuiCol_Text, text);
    bool pressed = igButton(label, (ImVec2){0, 0});
    text_log_item(ui->fonts.regular, -1.0f, label);
    igPopStyleColor(2);
    if (chosen) {
        ImVec2 min, max;
        igGetItemRectMin(&min);
        igGetItemRectMax(&max);
        imgui_add_outline(igGetWindowDrawList(), min, max, p->accent, 0.35f * ui->em, 1.0f);
    }
    return pressed;
}

void widget_beside(Ui *ui, const char *label)
{
    const ImGuiStyle *style = igGetStyle();
    ImVec2 last, cursor, room;
    igGetItemRectMax(&last);
    igGetCursorScreenPos(&cursor);
    igGetContentRegionAvail(&room);
    float width = widget_text_width(ui->fonts.regular, label) + 2.0f * style->FramePadding.x;
    if (last.x + style->ItemSpacing.x + width <= cursor.x + room.x) igSameLine(0.0f, -1.0f);
}

// A long text takes of the margins.
bool widget_begin_list(Ui *ui, const char *id, const char *preview, int flags)
{
    const ImGuiStyle *style = igGetStyle();
    float text = widget_text_width(ui->fonts.regular, preview);
    float margin = floorf(0.5f * (igCalcItemWidth() - igGetFrameHeight() - text));
    margin = fmaxf(fminf(margin, style->FramePadding.x), ui_ems(ui, 0.2f));
    igPushStyleVar_Vec2(ImGuiStyleVar_FramePadding, (ImVec2){margin, style->FramePadding.y});
    text_log_preview(ui->fonts.regular, preview);
    bool open = igBeginCombo(id, preview, flags);
    igPopStyleVar(1);
    return open;
}

const char *widget_refusal(const Ui *ui, const ParamInfo *info, double value)
{
    Params params = ui->now->scene.params;
    return param_set(&params, info, value, NULL) == STATUS_OK ? params_refusal(&params) : NULL;
}

bool widget_list_item(Ui *ui, const char *label, bool chosen, const char *help, const char *why_not)
{
    imgui_begin_disabled(why_not != NULL);
    bool pressed = igSelectable_Bool(label, chosen, 0, (ImVec2){0, 0});
    text_log_item(ui->fonts.regular, floorf(0.5f * igGetStyle()->ItemSpacing.x), label);
    imgui_end_disabled(why_not != NULL);
    widget_tooltip(ui, why_not ? why_not : help);
    return pressed;
}

int widget_choice(Ui *ui, const char *id, const char *const *labels, const char *const *why_not,
                  int count, int chosen)
{
    int pressed = -1;
    igPushID_Str(id);
    igPushStyleVar_Vec2(ImGuiStyleVar_ItemSpacing, (ImVec2){ui_ems(ui, 0.25f), ui_ems(ui, 0.25f)});
    igPushStyleVar_Vec2(ImGuiStyleVar_FramePadding, (ImVec2){ui_ems(ui, 0.5f), ui_ems(ui, 0.2f)});
    for (int i = 0; i < count; i++) {
        if (i > 0) widget_beside(ui, labels[i]);
        const char *reason = why_not && i != chosen ? why_not[i] : NULL;
        imgui_begin_disabled(reason != NULL);
        if (widget_button(ui, labels[i], i == chosen)) pressed = i;
        imgui_end_disabled(reason != NULL);
        widget_tooltip(ui, reason);
    }
    igPopStyleVar(2);
    igPopID();
    return pressed;
}

static void param_choice(Ui *ui, const ParamInfo *info)
{
    enum { MOST_BUTTONS = 3 };
    int chosen = (int)shown_value(ui, info), count = 0, wanted = -1;
    while (info->choice(count)) count++;
    if (strcmp(info->label, info->group) != 0) { // otherwise the section's title already says it
        widget_text(ui->fonts.small, ui->palette.dim, info->label);
        widget_tooltip(ui, info->help);
        if (can_own(ui, info)) igSameLine(0.0f, 0.5f * ui->em);
        widget_own(ui, info, "own", "all");
    } else {
        widget_own(ui, info, "own to this lane", "all lanes");
    }
    if (count <= MOST_BUTTONS) {
        const char *labels[MOST_BUTTONS], *why_not[MOST_BUTTONS];
        for (int i = 0; i < count; i++) {
            labels[i] = info->choice(i);
            why_not[i] = widget_refusal(ui, info, i);
        }
        wanted = widget_choice(ui, info->name, labels, why_not, count, chosen);
    } else {
        igSetNextItemWidth(-1.0f);
        if (widget_begin_list(ui, "##choice", info->choice(chosen), 0)) {
            for (int i = 0; i < count; i++) {
                if (widget_list_item(ui, info->choice(i), i == chosen, NULL,
                                     widget_refusal(ui, info, i)))
                    wanted = i;
            }
            igEndCombo();
        }
        widget_tooltip(ui, info->help);
    }
    if (wanted >= 0 && wanted != chosen) ui_set_param(ui, info, wanted);
}

void widget_param(Ui *ui, const char *name, const char *why_not)
{
    const ParamInfo *info = param_find(name);
    igPushID_Str(name);
    imgui_begin_disabled(why_not != NULL);
    igBeginGroup();
    if (info->kind == PARAM_CHOICE)
        param_choice(ui, info);
    else
        param_slider(ui, info, why_not != NULL);
    igEndGroup();
    imgui_end_disabled(why_not != NULL);
    if (why_not) widget_tooltip(ui, why_not);
    igPopID();
}

static void draw_icon(ImDrawList *list, Icon icon, ImVec2 c, float r, ImU32 colour)
{
    float bar = 0.28f * r;
    switch (icon) {
    case ICON_PLAY:
        ImDrawList_AddTriangleFilled(list, (ImVec2){c.x - 0.7f * r, c.y - r},
                                     (ImVec2){c.x - 0.7f * r, c.y + r}, (ImVec2){c.x + r, c.y},
                                     colour);
        break;
    case ICON_PAUSE:
        for (int side = -1; side <= 1; side += 2) {
            float x = c.x + 0.5f * r * (float)side;
            ImDrawList_AddRectFilled(list, (ImVec2){x - bar, c.y - r}, (ImVec2){x + bar, c.y + r},
                                     colour, 0.0f, 0);
        }
        break;
    case ICON_STEP:
    case ICON_STEP_BACK: {
        float way = icon == ICON_STEP ? r : -r, side = c.x - 0.9f * way;
        float inner = icon == ICON_STEP ? side + bar : side - bar;
        ImDrawList_AddRectFilled(list, (ImVec2){fminf(side, inner), c.y - r},
                                 (ImVec2){fmaxf(side, inner), c.y + r}, colour, 0.0f, 0);
        ImDrawList_AddTriangleFilled(list, (ImVec2){c.x - 0.3f * way, c.y - r},
                                     (ImVec2){c.x - 0.3f * way, c.y + r}, (ImVec2){c.x + way, c.y},
                                     colour);
        break;
    }
    case ICON_RESET:
        ImDrawList_AddRectFilled(list, (ImVec2){c.x - r, c.y - r}, (ImVec2){c.x - r + bar, c.y + r},
                                 colour, 0.0f, 0);
        for (int k = 0; k < 2; k++) {
            float x = c.x + 0.1f * r + 0.8f * r * (float)k;
            ImDrawList_AddTriangleFilled(list, (ImVec2){x, c.y - r}, (ImVec2){x, c.y + r},
                                         (ImVec2){x - 0.8f * r, c.y}, colour);
        }
        break;
    }
}

bool widget_icon_button(Ui *ui, const char *id, Icon icon, bool strong, const char *help)
{
    return widget_icon_button_high(ui, id, icon, strong, ui_ems(ui, 2.1f), help);
}

bool widget_icon_button_high(Ui *ui, const char *id, Icon icon, bool strong, float height,
                             const char *help)
{
    const Palette *p = &ui->palette;
    ImVec2 size = {ui_ems(ui, 2.6f), height}, min, max;
    bool pressed = igInvisibleButton(id, size, 0);
    text_log_icon(id);
    igGetItemRectMin(&min);
    igGetItemRectMax(&max);
    bool hovered = igIsItemHovered(0);
    ImU32 fill = strong ? p->accent : hovered ? p->line : p->field;
    ImDrawList *list = igGetWindowDrawList();
    ImDrawList_AddRectFilled(list, min, max, fill, 0.35f * ui->em, 0);
    imgui_add_outline(list, min, max, strong ? p->accent : p->line, 0.35f * ui->em, 1.0f);
    ImVec2 centre = {floorf((min.x + max.x) / 2.0f), floorf((min.y + max.y) / 2.0f)};
    draw_icon(list, icon, centre, 0.45f * ui->em, strong ? p->on_accent : p->text);
    widget_tooltip(ui, help);
    return pressed;
}
