#include "render/cloth_renderer.h"

#include "render/solids.h"

#include <math.h>

// Opacity of the surface under the wireframe, and of a ghost.
static const float FAINT = 0.22f, GHOST = 0.45f;
// As shares of the cloth's side.
static const float HEM_WIDTH = 0.022f, STITCH = 0.022f;

static void set_colours(ClothMesh *mesh, const RenderOptions *options)
{
    if (options->rgb) {
        cloth_mesh_colour_each(mesh, options->rgb);
    } else {
        cloth_mesh_colour_none(mesh);
    }
}

// Threads only where nothing is shown by colour, and in their full strength.
static bool is_woven(const Frame *frame)
{
    const RenderOptions *options = frame->options;
    return options->detail >= DETAIL_WOVEN && frame->fabric->threads > 1.0f && !options->rgb;
}

static void set_weave(const ShaderProgram *shader, const Frame *frame)
{
    const Fabric *f = frame->fabric;
    float radius = frame->snapshot->radius;
    float side = radius > 0.0f ? radius * (float)M_SQRT2 : 1.0f;
    glUniform1f(shader_uniform(shader, "threads"), f->threads / side);
    glUniform3fv(shader_uniform(shader, "weft_tint"), 1, f->weft);
    glUniform3f(shader_uniform(shader, "pattern"), f->period, f->shift, f->over);
    glUniform2f(shader_uniform(shader, "relief_gap"), f->relief, f->gap);
    glUniform4f(shader_uniform(shader, "look"), f->slub, f->sheen, f->fuzz, f->translucency);
    glUniform2f(shader_uniform(shader, "hem"), HEM_WIDTH * side, STITCH * f->threads);
    glUniform3f(shader_uniform(shader, "up"), frame->view[1][0], frame->view[1][1],
                frame->view[1][2]);
}

static void draw_surface(ClothMesh *mesh, const Frame *frame, float strength, float opacity)
{
    bool woven = is_woven(frame) && strength == 1.0f;
    const ShaderProgram *shader = &frame->shaders[woven ? SHADER_FABRIC : SHADER_CLOTH];
    const Palette *palette = frame->palette;
    glUseProgram(shader->id);
    glUniformMatrix4fv(shader_uniform(shader, "view"), 1, GL_FALSE, frame->view[0]);
    glUniformMatrix4fv(shader_uniform(shader, "projection"), 1, GL_FALSE, frame->projection[0]);
    glUniform3fv(shader_uniform(shader, "front_colour"), 1, palette->front);
    glUniform3fv(shader_uniform(shader, "back_colour"), 1, palette->back);
    glUniform3fv(shader_uniform(shader, "backdrop_colour"), 1, palette->backdrop);
    glUniform1f(shader_uniform(shader, "strength"), strength);
    glUniform1f(shader_uniform(shader, "shading"), frame->shading);
    glUniform1f(shader_uniform(shader, "opacity"), opacity);
    glUniform1f(shader_uniform(shader, "away"), frame->away);
    if (woven) set_weave(shader, frame);
    set_colours(mesh, frame->options);
    glBindVertexArray(mesh->surface_array);
    glDrawElements(GL_TRIANGLES, 3 * mesh->whole_count, GL_UNSIGNED_INT, NULL);
}

// Plain lines of one pixel: smooth lines cost a software driver five times as much, and elsewhere
// multisampling smooths them.
static void begin_lines(const Frame *frame, const float *compressed, const float *relaxed,
                        const float *stretched)
{
    const ShaderProgram *shader = &frame->shaders[SHADER_LINE];
    glUseProgram(shader->id);
    glUniformMatrix4fv(shader_uniform(shader, "view"), 1, GL_FALSE, frame->view[0]);
    glUniformMatrix4fv(shader_uniform(shader, "projection"), 1, GL_FALSE, frame->projection[0]);
    glUniform1f(shader_uniform(shader, "away"), frame->away);
    glUniform3fv(shader_uniform(shader, "compressed_colour"), 1, compressed);
    glUniform3fv(shader_uniform(shader, "relaxed_colour"), 1, relaxed);
    glUniform3fv(shader_uniform(shader, "stretched_colour"), 1, stretched);
}

static void draw_wireframe(ClothMesh *mesh, const Frame *frame)
{
    const float *wire = frame->palette->wire;
    draw_surface(mesh, frame, FAINT, 1.0f);
    begin_lines(frame, wire, wire, wire);
    glBindVertexArray(mesh->edge_array);
    glVertexAttrib1f(1, 0.0f);
    glDrawElements(GL_LINES, 2 * mesh->edge_count, GL_UNSIGNED_INT, NULL);
}

static void draw_springs(ClothMesh *mesh, const Frame *frame)
{
    const Palette *palette = frame->palette;
    cloth_mesh_update_springs(mesh, frame->snapshot);
    begin_lines(frame, palette->compressed, palette->relaxed, palette->stretched);
    glBindVertexArray(mesh->spring_array);
    glDrawArrays(GL_LINES, 0, 2 * mesh->spring_count);
}

void cloth_draw(ClothMesh *mesh, const Frame *frame)
{
    if (solids_show_springs(mesh)) { // and a body's skin lets them through
        if (frame->options->surface == SURFACE_CLOTH) cloth_draw_ghost(mesh, frame);
        return;
    }
    // a long rope has no surface
    SurfaceStyle style = mesh->triangle_count > 0 ? frame->options->surface : SURFACE_SPRINGS;
    switch (style) {
    case SURFACE_CLOTH:
        draw_surface(mesh, frame, 1.0f, 1.0f);
        break;
    case SURFACE_WIREFRAME:
        draw_wireframe(mesh, frame);
        break;
    case SURFACE_SPRINGS:
        draw_springs(mesh, frame);
        break;
    }
}

void cloth_draw_ghost(ClothMesh *mesh, const Frame *frame)
{
    if (mesh->triangle_count == 0) return;
    glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE); // first its depth, then its nearest layer
    draw_surface(mesh, frame, 1.0f, GHOST);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    glEnable(GL_BLEND);
    draw_surface(mesh, frame, 1.0f, GHOST);
    glDisable(GL_BLEND);
}
