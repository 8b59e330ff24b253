#include "apps/lane_pictures.h"

#include "base/clock.h"
#include "ui/lanes.h"
#include "ui/trail.h"

#include <glad/gl.h>

#include <math.h>
#include <string.h>

Viewport lane_viewport(Rect r, float ratio, int framebuffer_height)
{
    int height = (int)(r.height * ratio);
    return (Viewport){(int)(r.x * ratio), framebuffer_height - (int)(r.y * ratio) - height,
                      (int)(r.width * ratio), height};
}

static void draw_overlay(const Ui *ui, const LanePictures *pictures, Viewport view,
                         const RenderOptions *options)
{
    const StageSnapshot *stage = ui->stage;
    const Snapshot *lanes[SCENE_LANES_MAX];
    float colours[SCENE_LANES_MAX][3];
    for (int i = 0; i < stage->count && i < SCENE_LANES_MAX; i++) {
        ImVec4 colour;
        igColorConvertU32ToFloat4(&colour, theme_lane_colour(&ui->palette, i));
        // one that stopped is at another time than the others
        lanes[i] = i != stage->selected && stage->lanes[i].diverged ? NULL : &stage->lanes[i];
        memcpy(colours[i], &colour, sizeof colours[i]);
    }
    renderer_draw_overlay(pictures->renderer, lanes, stage->count, stage->reference,
                          pictures->camera, view, options, (const float(*)[3])colours);
}

// With a mode that swings, if one does.
static void draw_one(Ui *ui, const LanePictures *pictures, Viewport view,
                     const RenderOptions *options)
{
    const Snapshot *now = &ui->stage->lanes[options->lane];
    float *moved = ui->swing.on && options->lane == ui->stage->selected
                       ? (float *)mode_view_positions(ui, clock_seconds())
                       : NULL;
    Snapshot swinging = *now; // shares its arrays
    if (moved) swinging.position = moved;
    renderer_draw(pictures->renderer, moved ? &swinging : now, pictures->camera, view, options);
}

// After a divergence with the springs that grew.
void lane_picture_draw(Ui *ui, const LanePictures *pictures, int lane)
{
    const StageSnapshot *stage = ui->stage;
    const Snapshot *now = &stage->lanes[lane];
    Viewport view = pictures->tile ? pictures->tile_viewport
                                   : lane_viewport(ui->lanes[lane].view, pictures->ratio,
                                                   pictures->framebuffer_height);
    float magnified = pictures->tile ? pictures->magnification : 1.0f;
    const Autopsy *autopsy = now->diverged && now->autopsy.present ? &now->autopsy : NULL;
    int springs[AUTOPSY_SPRINGS];
    for (int i = 0; autopsy && i < autopsy->spring_count; i++)
        springs[i] = autopsy->springs[i].spring;
    float trail[3 * TRAIL_POINTS];
    RenderOptions options = {.lane = lane,
                             .surface = ui->surface,
                             .fabric = ui->fabric,
                             .detail = pictures->detail,
                             .light = ui->light,
                             .tile = pictures->tile,
                             .depth_is_clear = pictures->depth_is_clear,
                             .pixel_scale = magnified * ui->em * pictures->ratio / LANE_TEXT_PIXELS,
                             .hovered = lane == pictures->hovered_lane ? pictures->hovered : -1,
                             .lit_body = lane == pictures->hovered_lane ? pictures->lit_body : 0,
                             .rgb = colour_view_rgb(ui, lane),
                             .trail = trail,
                             .trail_count = ui->hides_trails ? 0 : trail_points(now, trail),
                             .marked_springs = springs,
                             .marked_spring_count = autopsy ? autopsy->spring_count : 0};
    if (ui_has_lanes(ui) && ui->lane_view == LANE_VIEW_OVERLAY)
        draw_overlay(ui, pictures, view, &options);
    else
        draw_one(ui, pictures, view, &options);
    renderer_torn(pictures->renderer, lane, &ui->triangles[lane], &ui->torn[lane]);
}

void lane_pictures_clear(const Ui *ui, const LanePictures *pictures)
{
    ImVec4 ground;
    Viewport view = lane_viewport(ui->layout.view, pictures->ratio, pictures->framebuffer_height);
    glEnable(GL_SCISSOR_TEST);
    glScissor(view.x, view.y, view.width, view.height);
    igColorConvertU32ToFloat4(&ground, ui->palette.ground);
    glClearColor(ground.x, ground.y, ground.z, 1.0f);
    glClear(GL_COLOR_BUFFER_BIT);
    glDisable(GL_SCISSOR_TEST);
}

void lane_pictures_draw(Ui *ui, const LanePictures *pictures)
{
    LanePictures of_frame = *pictures;
    of_frame.depth_is_clear = true;
    colour_view_update(ui);
    renderer_clear_depth();
    for (int i = 0; i < ui->stage->count; i++) {
        if (ui->lanes[i].view.width > 0.0f) lane_picture_draw(ui, &of_frame, i);
    }
}
