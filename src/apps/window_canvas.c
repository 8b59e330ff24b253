#include "apps/window_canvas.h"

#include <glad/gl.h>

#include <cimgui_impl.h>
#include <string.h>

void window_canvas_begin(WindowCanvas *self, int width, int height)
{
    if (!canvas_begin(&self->canvas, width, height)) self->kept = false;
}

void window_canvas_clear(const Ui *ui)
{
    ImVec4 colour;
    igColorConvertU32ToFloat4(&colour, ui->palette.panel);
    glDisable(GL_SCISSOR_TEST);
    glClearColor(colour.x, colour.y, colour.z, 1.0f);
    glClear(GL_COLOR_BUFFER_BIT);
}

static PanelsKey key_of(const Ui *ui)
{
    PanelsKey key;
    memset(&key, 0, sizeof key); // also the padding: it is compared
    key.lanes = ui->stage->count;
    key.selected = ui->stage->selected;
    key.reference = ui->stage->reference;
    key.running = ui->now->running;
    key.in_past = ui->now->in_past;
    for (int i = 0; i < ui->stage->count; i++) {
        const Snapshot *lane = &ui->stage->lanes[i];
        key.lane[i].view = ui->lanes[i].view;
        key.lane[i].strip = ui->lanes[i].strip;
        key.lane[i].topology = lane->topology_version;
        key.lane[i].notice = lane->notice_serial;
        key.lane[i].diverged = lane->diverged;
        key.lane[i].torn = ui->torn[i];
    }
    key.caption = ui->layout.caption;
    key.dock = ui->layout.dock;
    key.cards = ui->layout.cards;
    key.message_until = ui->message_until;
    key.em = ui->em;
    key.light = ui->light;
    return key;
}

bool window_canvas_fits(const WindowCanvas *self, const Ui *ui)
{
    PanelsKey key = key_of(ui);
    return self->kept && ui->now->running && ui->plots.shown == PLOT_NONE && !ui->video.on &&
           memcmp(&key, &self->key, sizeof key) == 0;
}

void window_canvas_draw_panels(WindowCanvas *self, const Ui *ui, const LanePictures *pictures)
{
    Viewport places[SCENE_LANES_MAX];
    int count = 0;
    ImGui_ImplOpenGL3_RenderDrawData(igGetDrawData());
    for (int i = 0; i < ui->stage->count; i++) {
        if (ui->lanes[i].view.width <= 0.0f) continue;
        places[count++] =
            lane_viewport(ui->lanes[i].view, pictures->ratio, pictures->framebuffer_height);
    }
    self->kept =
        self->canvas.bound && kept_panels_keep(&self->panels, igGetDrawData(), places, count);
    self->key = key_of(ui);
}

void window_canvas_draw_kept(WindowCanvas *self)
{
    ImGui_ImplOpenGL3_RenderDrawData(&self->panels.data);
}

void window_canvas_show(WindowCanvas *self)
{
    canvas_show(&self->canvas);
}

void window_canvas_finish(WindowCanvas *self)
{
    canvas_finish(&self->canvas);
    kept_panels_finish(&self->panels);
    *self = (WindowCanvas){0};
}
