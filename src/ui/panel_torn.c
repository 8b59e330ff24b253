// A cloth that has flown apart is drawn without the triangles that would fill the view; the picture
// says so.
#include "ui/panels.h"
#include "ui/widgets.h"

#include "render/surface_shape.h"

#include <stdio.h>

static void note(Ui *ui, int lane)
{
    Rect picture = ui_picture(ui, lane);
    const Rect *view = &picture;
    char id[24], text[2][120];
    snprintf(id, sizeof id, "##torn%d", lane);
    snprintf(text[0], sizeof text[0],
             "%d of %d triangles are stretched more than %.0f \u00d7 and not drawn", ui->torn[lane],
             ui->triangles[lane], (double)TORN_STRETCH);
    snprintf(text[1], sizeof text[1], "%d of %d triangles not drawn", ui->torn[lane],
             ui->triangles[lane]);
    for (int i = 0; i < 2; i++) { // the longest that fits
        float width = widget_text_width(ui->fonts.small, text[i]);
        if (width > view->width - 2.0f * ui->em || view->height < 4.0f * ui->em) continue;
        float top = view->y + view->height - 3.6f * ui->em; // above the hint
        igSetNextWindowPos((ImVec2){view->x, top}, ImGuiCond_Always, (ImVec2){0, 0});
        igSetNextWindowSize((ImVec2){view->width, 1.6f * ui->em}, ImGuiCond_Always);
        igPushStyleVar_Vec2(ImGuiStyleVar_WindowPadding, (ImVec2){0, 0}); // it would clip the text
        igBegin(id, NULL,
                ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoInputs |
                    ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoFocusOnAppearing |
                    ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoNav);
        igPopStyleVar(1);
        widget_draw_text(igGetWindowDrawList(), ui->fonts.small, ui->palette.amber,
                         view->x + ui->em, top + 0.2f * ui->em, text[i]);
        igEnd();
        return;
    }
}

void panel_torn(Ui *ui)
{
    bool overlay = ui_has_lanes(ui) && ui->lane_view == LANE_VIEW_OVERLAY;
    for (int i = 0; i < ui->stage->count; i++) {
        if (overlay && i != ui->stage->selected) continue;
        if (ui->torn[i] > 0 && ui->lanes[i].view.width > 0.0f) note(ui, i);
    }
}
