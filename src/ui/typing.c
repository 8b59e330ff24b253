// A text field in place of a number.
//
// Dear ImGui gives a field the keyboard two frames after it was asked to, and drops what is typed
// until then. So the characters of those frames are kept here and put into the field when it is
// active.
#include "ui/imgui_versions.h"
#include "ui/text_log.h"
#include "ui/tuning.h"

#include <stdio.h>
#include <string.h>

void typing_start(Ui *ui, const ParamInfo *info, const char *unit)
{
    bool word;
    double value = tuning_value(ui, info, &word);
    ui->typed_param = param_index(info);
    ui->typing_started = ui->typing_entered = false;
    snprintf(ui->typed_unit, sizeof ui->typed_unit, "%s", unit);
    if (word)
        snprintf(ui->typed, sizeof ui->typed, "%s", info->word);
    else
        quantity_print(info, value, unit, ui->typed, sizeof ui->typed);
}

void typing_end(Ui *ui)
{
    ui->typed_param = UI_NO_PARAM;
    ui->early[0] = '\0';
}

// As UTF-8, if there is room.
static void append(char *text, size_t size, unsigned c)
{
    size_t length = strlen(text);
    if (length + 4 > size || c < 0x20 || c == 0x7f) return;
    if (c < 0x80) {
        text[length++] = (char)c;
    } else if (c < 0x800) {
        text[length++] = (char)(0xc0 | c >> 6);
        text[length++] = (char)(0x80 | (c & 0x3f));
    } else {
        text[length++] = (char)(0xe0 | c >> 12);
        text[length++] = (char)(0x80 | (c >> 6 & 0x3f));
        text[length++] = (char)(0x80 | (c & 0x3f));
    }
    text[length] = '\0';
}

void typing_catch(Ui *ui)
{
    ImGuiIO *io = igGetIO_Nil();
    if (ui->typed_param == UI_NO_PARAM && igIsMouseClicked_Bool(ImGuiMouseButton_Left, false))
        ui->early[0] = '\0'; // what was typed before the click is not for the field
    if (ui->typed_param != UI_NO_PARAM && ui->typing_started) return;
    for (int i = 0; i < io->InputQueueCharacters.Size; i++)
        append(ui->early, sizeof ui->early, io->InputQueueCharacters.Data[i]);
}

// The field has just become active, with its text selected: what was typed early replaces it.
static int take_early(ImGuiInputTextCallbackData *data)
{
    Ui *ui = data->UserData;
    if (ui->early[0]) {
        ImGuiInputTextCallbackData_DeleteChars(data, 0, data->BufTextLen);
        ImGuiInputTextCallbackData_InsertChars(data, 0, ui->early, NULL);
        data->SelectionStart = data->SelectionEnd = data->CursorPos;
        ui->early[0] = '\0';
    }
    return 0;
}

static void enter(Ui *ui, const ParamInfo *info, const char *text)
{
    double value;
    Error error;
    if (quantity_parse(info, text, ui->typed_unit, &value, &error) == STATUS_OK)
        ui_set_param(ui, info, value);
    else
        ui_say(ui, error.text);
}

void typing_field(Ui *ui, const ParamInfo *info, float width)
{
    igSetNextItemWidth(width);
    if (!ui->typing_started) igSetKeyboardFocusHere(0);
    bool entered =
        igInputText("##typed", ui->typed, sizeof ui->typed,
                    ImGuiInputTextFlags_AutoSelectAll | ImGuiInputTextFlags_EnterReturnsTrue |
                        ImGuiInputTextFlags_CallbackAlways,
                    take_early, ui);
    text_log_item(ui->fonts.regular, igGetStyle()->FramePadding.x, ui->typed);
    bool active = igIsItemActive(), over = ui->typing_started && !active;
    if (imgui_misses_quick_keys())
        entered = ui->typing_entered && (entered || active || over || ui->early[0] != '\0');
    if (active) ui->typing_started = true;
    if (entered) enter(ui, info, ui->early[0] ? ui->early : ui->typed);
    if (over || entered) typing_end(ui);
    ui->typing_entered = false;
}
