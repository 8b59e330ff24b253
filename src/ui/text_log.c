#include "ui/text_log.h"

#include "ui/imgui_versions.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void text_log_set(TextLog *log)
{
    igGetIO_Nil()->UserData = log;
}

void text_log_clear(TextLog *log)
{
    log->count = log->lost = 0;
}

void text_log_finish(TextLog *log)
{
    free(log->items);
    *log = (TextLog){0};
}

static LoggedText *next_item(TextLog *log)
{
    if (log->count == log->capacity) {
        int capacity = log->capacity ? 2 * log->capacity : 256;
        LoggedText *items = realloc(log->items, (size_t)capacity * sizeof *items);
        if (!items) {
            log->lost++;
            return NULL;
        }
        log->items = items;
        log->capacity = capacity;
    }
    return &log->items[log->count++];
}

static void copy(char *to, size_t size, const char *from, size_t length)
{
    length = length < size ? length : size - 1;
    memcpy(to, from, length);
    to[length] = '\0';
}

static void place_item(LoggedText *item, ImDrawList *list, Rect rect)
{
    ImVec2 min, max;
    ImDrawList_GetClipRectMin(&min, list);
    ImDrawList_GetClipRectMax(&max, list);
    item->rect = rect;
    item->clip = (Rect){min.x, min.y, fmaxf(max.x - min.x, 0.0f), fmaxf(max.y - min.y, 0.0f)};
    item->continues = false;
    const char *owner = list->_OwnerName ? list->_OwnerName : "";
    copy(item->window, sizeof item->window, owner, strlen(owner));
}

void text_log_add(ImDrawList *list, Font font, float x, float y, const char *text, const char *end,
                  bool continues)
{
    TextLog *log = igGetIO_Nil()->UserData;
    if (!log) return;
    size_t length = end ? (size_t)(end - text) : strlen(text);
    LoggedText *item = length > 0 ? next_item(log) : NULL;
    if (!item) return;
    ImVec2 size;
    ImFont_CalcTextSizeA(&size, font.face, font.height, 1e9f, 0.0f, text, text + length, NULL);
    place_item(item, list, (Rect){x, y, size.x, font.height});
    item->continues = continues;
    copy(item->text, sizeof item->text, text, length);
}

void text_log_item(Font font, float left, const char *label)
{
    if (!igGetIO_Nil()->UserData) return;
    ImVec2 min, max, size;
    const char *hidden = strstr(label, "##"), *end = hidden ? hidden : label + strlen(label);
    igGetItemRectMin(&min);
    igGetItemRectMax(&max);
    ImFont_CalcTextSizeA(&size, font.face, font.height, 1e9f, 0.0f, label, end, NULL);
    float x = left < 0.0f ? 0.5f * (min.x + max.x - size.x) : min.x + left;
    text_log_add(igGetWindowDrawList(), font, x, 0.5f * (min.y + max.y - font.height), label, end,
                 false);
}

void text_log_icon(const char *name)
{
    TextLog *log = igGetIO_Nil()->UserData;
    LoggedText *item = log ? next_item(log) : NULL;
    if (!item) return;
    ImVec2 min, max;
    igGetItemRectMin(&min);
    igGetItemRectMax(&max);
    ImDrawList *list = igGetWindowDrawList();
    place_item(item, list, (Rect){min.x, min.y, max.x - min.x, max.y - min.y});
    snprintf(item->text, sizeof item->text, "[%s]", name);
}
