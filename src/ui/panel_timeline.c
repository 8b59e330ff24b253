// The timeline above the bottom bar: where we are between the start and the newest moment, with
// marks where something was done. Dragging shows the past.
#include "ui/panels.h"
#include "ui/widgets.h"

#include <math.h>
#include <stdio.h>

#define LEAST_SPAN 1e-6 // s: before that there is nothing to choose from

static void draw_marks(const Ui *ui, float left, float length, float y)
{
    const Snapshot *now = ui->now;
    const Palette *p = &ui->palette;
    const ImU32 colours[] = {[SNAPSHOT_MARK_CHANGE] = p->accent,
                             [SNAPSHOT_MARK_HAND] = p->dim,
                             [SNAPSHOT_MARK_DIVERGENCE] = p->red};
    double span = fmax(now->last_time - now->first_time, LEAST_SPAN);
    float reach = 0.42f * ui->em, half = fmaxf(0.08f * ui->em, 1.0f);
    for (int i = 0; i < now->mark_count; i++) {
        const SnapshotMark *mark = &now->marks[i];
        if (mark->time < now->first_time) continue;
        float x = left + length * (float)((mark->time - now->first_time) / span);
        ImDrawList_AddRectFilled(igGetWindowDrawList(), (ImVec2){x - half, y - reach},
                                 (ImVec2){x + half, y + reach}, colours[mark->kind], half, 0);
    }
}

static void tooltip(Ui *ui, double time)
{
    char text[256];
    snprintf(text, sizeof text,
             "Drag to see the past; here %.4g s. Blue: a parameter, pin or mode was changed. Grey: "
             "the hand. Red: a divergence. The past takes %.0f of at most 256 MB.",
             time, ceil(1e-6 * ui->now->past_bytes));
    widget_tooltip(ui, text);
}

void panel_timeline(Ui *ui)
{
    panel_timeline_in(ui, ui->layout.timeline);
}

void panel_timeline_in(Ui *ui, Rect place)
{
    const Snapshot *now = ui->now;
    const Palette *p = &ui->palette;
    float height = place.height, radius = 0.4f * ui->em;
    double first = now->first_time, last = now->last_time, span = last - first;
    char here[32], end[32];
    quantity_time(ui->stage->time, now->readings.step, here, sizeof here);
    quantity_time(last, now->readings.step, end, sizeof end);
    float margin = 1.05f * ui->em, text_y = floorf(0.5f * (height - ui->em));
    char widest[32];
    quantity_time(last < 100.0 ? 10.0 : last, now->readings.step, widest, sizeof widest);
    float room = widget_text_width(ui->fonts.regular, widest) + 0.8f * ui->em;
    float all = place.width - 2.0f * margin;
    // the top bar has the time too; the end is the less important
    bool show_here = all >= 2.0f * room + 10.0f * ui->em, show_end = all >= room + 6.0f * ui->em;
    float before = show_here ? room : 0.0f, width = all - before - (show_end ? room : 0.0f);
    if (width < 3.0f * ui->em) return;

    igSetCursorScreenPos((ImVec2){floorf(place.x + margin + before), place.y});
    ImVec2 at;
    igGetCursorScreenPos(&at);
    igInvisibleButton("timeline", (ImVec2){width, height}, 0);
    bool active = igIsItemActive(), hovered = igIsItemHovered(0), usable = span > LEAST_SPAN;
    ImVec2 mouse;
    igGetMousePos(&mouse);
    float track = at.x + radius, length = width - 2.0f * radius;
    double share = fmin(fmax((double)((mouse.x - track) / length), 0.0), 1.0);
    double wanted = share >= 1.0 ? INFINITY : first + share * span;
    if (active && usable && (igIsItemActivated() || wanted != ui->sought_time)) {
        ui_seek(ui, SEEK_NEAREST, wanted);
        ui->sought_time = wanted;
    }
    if (hovered && !active && usable) tooltip(ui, first + share * span);

    ImDrawList *list = igGetWindowDrawList();
    float y = floorf(at.y + 0.5f * height), half = fmaxf(0.12f * ui->em, 1.0f);
    float done = usable ? (float)((ui->stage->time - first) / span) : 0.0f;
    float x = track + length * fminf(fmaxf(done, 0.0f), 1.0f);
    ImU32 colour = now->in_past ? p->amber : p->accent;
    ImDrawList_AddRectFilled(list, (ImVec2){at.x, y - half}, (ImVec2){at.x + width, y + half},
                             p->track, half, 0);
    ImDrawList_AddRectFilled(list, (ImVec2){at.x, y - half}, (ImVec2){x, y + half}, colour, half,
                             0);
    draw_marks(ui, track, length, y);
    if (active || hovered)
        ImDrawList_AddCircleFilled(list, (ImVec2){x, y}, 1.7f * radius, theme_fade(colour, 0.3f),
                                   0);
    ImDrawList_AddCircleFilled(list, (ImVec2){x, y}, radius, now->in_past ? p->amber : p->text, 0);
    if (show_here)
        widget_draw_text(list, ui->fonts.regular, now->in_past ? p->amber : p->text,
                         at.x - 0.8f * ui->em - widget_text_width(ui->fonts.regular, here),
                         at.y + text_y, here);
    if (show_end)
        widget_draw_text(list, ui->fonts.regular, p->dim, at.x + width + 0.8f * ui->em,
                         at.y + text_y, end);
}
