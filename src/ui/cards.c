#include "ui/cards.h"

#include "ui/imgui_versions.h"
#include "ui/text_log.h"
#include "ui/widgets.h"

#include <math.h>

enum { MESSAGE_EMS = 34 }; // the widest a message gets

void card_begin(Ui *ui, const char *id, Rect place, ImU32 edge, bool rounded)
{
    ImVec4 colour;
    igColorConvertU32ToFloat4(&colour, edge);
    igSetNextWindowPos((ImVec2){place.x, place.y}, ImGuiCond_Always, (ImVec2){0, 0});
    igSetNextWindowSize((ImVec2){place.width, place.height}, ImGuiCond_Always);
    igPushStyleColor_Vec4(ImGuiCol_Border, colour);
    igPushStyleVar_Float(ImGuiStyleVar_WindowRounding, rounded ? 0.5f * ui->em : 0.0f);
    igPushStyleVar_Float(ImGuiStyleVar_WindowBorderSize, fmaxf(1.0f, floorf(0.1f * ui->em)));
    igBegin(id, NULL,
            ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoFocusOnAppearing |
                ImGuiWindowFlags_NoNav | (rounded ? 0 : ImGuiWindowFlags_NoBringToFrontOnFocus));
    igColorConvertU32ToFloat4(&colour, ui->palette.line);
    igPushStyleColor_Vec4(ImGuiCol_Border, colour); // the border of the card, not of its buttons
}

void card_end(Ui *ui)
{
    ui_cover_view(ui);
    igPopStyleColor(1);
    igEnd();
    igPopStyleVar(2);
    igPopStyleColor(1);
}

static float close_size(const Ui *ui)
{
    return ui_ems(ui, 1.5f);
}

float card_close_width(const Ui *ui)
{
    return close_size(ui) + ui_ems(ui, 0.4f);
}

bool card_close_button(Ui *ui)
{
    ImVec2 at, size, before;
    igGetWindowPos(&at);
    igGetWindowSize(&size);
    igGetCursorScreenPos(&before);
    float side = close_size(ui), margin = ui_ems(ui, 0.5f), reach = floorf(0.32f * side);
    igSetCursorScreenPos((ImVec2){at.x + size.x - margin - side, at.y + margin});
    bool pressed = igInvisibleButton("close", (ImVec2){side, side}, 0);
    text_log_icon("close");
    ImVec2 min, max;
    igGetItemRectMin(&min);
    igGetItemRectMax(&max);
    ImDrawList *list = igGetWindowDrawList();
    bool hovered = igIsItemHovered(0);
    if (hovered) ImDrawList_AddRectFilled(list, min, max, ui->palette.line, 0.35f * ui->em, 0);
    ImVec2 c = {floorf(0.5f * (min.x + max.x)), floorf(0.5f * (min.y + max.y))};
    ImU32 colour = hovered ? ui->palette.text : ui->palette.dim;
    float thick = fmaxf(1.5f, 0.12f * ui->em);
    ImDrawList_AddLine(list, (ImVec2){c.x - reach, c.y - reach}, (ImVec2){c.x + reach, c.y + reach},
                       colour, thick);
    ImDrawList_AddLine(list, (ImVec2){c.x - reach, c.y + reach}, (ImVec2){c.x + reach, c.y - reach},
                       colour, thick);
    widget_tooltip(ui, "Close (Esc)");
    igSetCursorScreenPos(before);
    return pressed;
}

void card_scroll_begin(Ui *ui, float width, float height)
{
    (void)ui;
    igBeginChild_Str("scrolled", (ImVec2){width, fmaxf(height, 1.0f)}, 0, ImGuiWindowFlags_NoNav);
}

void card_scroll_end(void)
{
    igEndChild();
}

bool card_message(Ui *ui, const char *id, const char *text, Rect place, float *height)
{
    const ImGuiStyle *style = igGetStyle();
    float width = floorf(fminf(MESSAGE_EMS * ui->em, place.width - 0.6f * ui->em));
    float room = width - 2.0f * style->WindowPadding.x - card_close_width(ui) + 0.5f * ui->em;
    float lines = widget_wrapped_height(ui->fonts.regular, text, room);
    *height = ceilf(lines + 2.0f * style->WindowPadding.y);
    if (room < 4.0f * ui->em) return false;
    float tall = fminf(*height, fmaxf(place.height, 3.0f * ui->em));
    Rect card = {floorf(place.x + 0.5f * (place.width - width)), place.y + place.height - tall,
                 width, tall};
    card_begin(ui, id, card, ui->palette.amber, true);
    bool closed = card_close_button(ui);
    card_scroll_begin(ui, room, tall - 2.0f * style->WindowPadding.y);
    widget_text_wrapped(ui->fonts.regular, ui->palette.text, text);
    card_scroll_end();
    card_end(ui);
    return closed;
}
