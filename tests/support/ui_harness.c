#include "support/ui_harness.h"

#include "ui/imgui_versions.h"

#include "base/clock.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#define TEXT_PIXELS 15.0f // at 100 %, as in the window
#define PATIENCE 120.0    // s, of a slow machine
enum { SETTLE_FRAMES = 4, SLOP = 2 };

UiHarness *ui_harness_open(const Scene *scene, bool running)
{
    UiHarness *h = calloc(1, sizeof *h);
    assert_non_null(h);
    Error error;
    if (scene && sim_thread_start(scene, running, NULL, &h->own, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    igCreateContext(NULL);
    ImGuiIO *io = igGetIO_Nil();
    io->IniFilename = NULL;
    io->DeltaTime = 1 / 60.0f;
    // lines drawn with a texture would look like glyphs to ui_harness_unlogged
    igGetStyle()->AntiAliasedLinesUseTex = false;
#if CIMGUI_IMGUI_VERSION_NUM >= 19200
    io->BackendFlags |= ImGuiBackendFlags_RendererHasTextures;
#endif
    text_log_set(&h->log);
    ui_init(&h->ui, h->own);
    if (h->own) ui_harness_watch(h, h->own);
    ui_harness_size(h, 1280, 800, 1.0f);
    return h;
}

void ui_harness_close(UiHarness *h)
{
    igDestroyContext(NULL);
    sim_thread_stop(h->own);
    ui_finish(&h->ui);
    text_log_finish(&h->log);
    free(h);
}

void ui_harness_watch(UiHarness *h, SimThread *sim)
{
    h->sim = h->ui.sim = sim;
    h->ui.notice_seen = 0;
}

void ui_harness_size(UiHarness *h, float width, float height, float text_scale)
{
    h->width = width;
    h->height = height;
    h->ui.text_scale = text_scale;
}

static void update_style(UiHarness *h)
{
    Ui *ui = &h->ui;
    float em = roundf(TEXT_PIXELS * ui->text_scale);
    bool resized = em != h->fonts_em;
    if (!resized && h->styled_light == ui->light) return;
    ui->em = em;
    ui->palette = theme_palette(ui->light);
    theme_apply(&ui->palette, em);
    h->styled_light = ui->light;
    if (!resized) return;
    ui->fonts = theme_load_fonts(em, 1.0f);
    h->fonts_em = em;
}

// What a back end with OpenGL does with the textures that ImGui 1.92 asks for.
static void take_textures(void)
{
#if CIMGUI_IMGUI_VERSION_NUM >= 19200
    if (igGetIO_Nil()->BackendRendererName) return; // there is one
    ImVector_ImTextureDataPtr *textures = igGetDrawData()->Textures;
    for (int i = 0; textures && i < textures->Size; i++) {
        ImTextureData *texture = textures->Data[i];
        bool over = texture->Status == ImTextureStatus_WantDestroy;
        if (texture->Status == ImTextureStatus_OK) continue;
        ImTextureData_SetTexID(texture, over ? 0 : 1);
        ImTextureData_SetStatus(texture, over ? ImTextureStatus_Destroyed : ImTextureStatus_OK);
    }
#endif
}

void ui_harness_frame(UiHarness *h)
{
    Ui *ui = &h->ui;
    assert_non_null(h->sim);
    ui->stage = sim_thread_stage(h->sim);
    ui->now = &ui->stage->lanes[ui->stage->selected];
    ui->lab = sim_thread_lab(h->sim);
    ui->frame_rate = 60.0f;
    igGetIO_Nil()->DisplaySize = (ImVec2){h->width, h->height};
    update_style(h);
    ui_place(ui, h->width, h->height);
    text_log_clear(&h->log);
    igNewFrame();
    ui_draw(ui);
    igRender();
    take_textures();
    assert_int_equal(h->log.lost, 0);
}

void ui_harness_settle(UiHarness *h)
{
    for (int i = 0; i < SETTLE_FRAMES; i++) ui_harness_frame(h);
}

void ui_harness_wait(UiHarness *h, bool (*condition)(const UiHarness *h))
{
    double start = clock_seconds();
    for (;;) {
        ui_harness_frame(h);
        if (condition(h)) return;
        if (clock_seconds() - start > PATIENCE) fail_msg("waited in vain");
        nanosleep(&(struct timespec){0, 2000000}, NULL);
    }
}

// ---- input

void ui_harness_move(UiHarness *h, ImVec2 to)
{
#if CIMGUI_IMGUI_VERSION_NUM >= 18700
    ImGuiIO_AddMousePosEvent(igGetIO_Nil(), to.x, to.y);
#else
    igGetIO_Nil()->MousePos = to;
#endif
    ui_harness_frame(h);
    ui_harness_frame(h);
}

void ui_harness_press(UiHarness *h, bool down)
{
#if CIMGUI_IMGUI_VERSION_NUM >= 18700
    ImGuiIO_AddMouseButtonEvent(igGetIO_Nil(), 0, down);
#else
    igGetIO_Nil()->MouseDown[0] = down;
#endif
    ui_harness_frame(h);
}

void ui_harness_click(UiHarness *h, ImVec2 at)
{
    ui_harness_move(h, at);
    ui_harness_press(h, true);
    ui_harness_press(h, false);
    ui_harness_frame(h);
}

void ui_harness_wheel(UiHarness *h, ImVec2 at, float notches)
{
    ui_harness_move(h, at);
#if CIMGUI_IMGUI_VERSION_NUM >= 18700
    ImGuiIO_AddMouseWheelEvent(igGetIO_Nil(), 0.0f, notches);
#else
    igGetIO_Nil()->MouseWheel = notches;
#endif
    ui_harness_frame(h);
    ui_harness_frame(h);
}

bool ui_harness_key(UiHarness *h, int glfw_key, int modifiers)
{
    bool taken = ui_key(&h->ui, glfw_key, modifiers);
    ui_harness_frame(h);
    return taken;
}

void ui_harness_shift(UiHarness *h, bool down)
{
#if CIMGUI_IMGUI_VERSION_NUM >= 18900
    ImGuiIO_AddKeyEvent(igGetIO_Nil(), ImGuiMod_Shift, down);
#elif CIMGUI_IMGUI_VERSION_NUM >= 18700
    ImGuiIO_AddKeyEvent(igGetIO_Nil(), ImGuiKey_ModShift, down);
#else
    igGetIO_Nil()->KeyShift = down;
#endif
    ui_harness_frame(h);
}

void ui_harness_enter(UiHarness *h)
{
#if CIMGUI_IMGUI_VERSION_NUM >= 18700
    ImGuiIO_AddKeyEvent(igGetIO_Nil(), ImGuiKey_Enter, true);
    ui_harness_frame(h);
    ImGuiIO_AddKeyEvent(igGetIO_Nil(), ImGuiKey_Enter, false);
#else
    h->ui.typing_entered = true; // as the window's key callback does
#endif
    ui_harness_frame(h);
    ui_harness_frame(h);
}

void ui_harness_type(UiHarness *h, const char *text)
{
    ImGuiIO_AddInputCharactersUTF8(igGetIO_Nil(), text);
    ui_harness_frame(h);
    ui_harness_frame(h);
}

// ---- what was drawn

static bool starts_with(const char *text, const char *start)
{
    return !start || strncmp(text, start, strlen(start)) == 0;
}

const LoggedText *ui_harness_find(const UiHarness *h, const char *window, const char *text)
{
    for (int i = 0; i < h->log.count; i++) {
        const LoggedText *item = &h->log.items[i];
        if (starts_with(item->window, window) && (!text || strcmp(item->text, text) == 0))
            return item;
    }
    return NULL;
}

const LoggedText *ui_harness_find_part(const UiHarness *h, const char *window, const char *part)
{
    for (int i = 0; i < h->log.count; i++) {
        const LoggedText *item = &h->log.items[i];
        if (starts_with(item->window, window) && (!part || strstr(item->text, part))) return item;
    }
    return NULL;
}

ImVec2 ui_harness_middle(Rect r)
{
    return (ImVec2){r.x + 0.5f * r.width, r.y + 0.5f * r.height};
}

bool ui_harness_within(Rect inner, Rect outer, float tolerance)
{
    return inner.x >= outer.x - tolerance && inner.y >= outer.y - tolerance &&
           inner.x + inner.width <= outer.x + outer.width + tolerance &&
           inner.y + inner.height <= outer.y + outer.height + tolerance;
}

bool ui_harness_is_whole(const UiHarness *h, const LoggedText *text)
{
    // the height of a line has some air above and below its letters
    float air = 0.12f * text->rect.height;
    Rect letters = {text->rect.x, text->rect.y + air, text->rect.width,
                    text->rect.height - 2.0f * air};
    return ui_harness_within(letters, text->clip, 1.0f) &&
           ui_harness_within(letters, (Rect){0, 0, h->width, h->height}, 1.0f);
}

typedef bool (*TriangleSeen)(const ImDrawVert *const corner[3], const ImDrawCmd *command,
                             const ImDrawList *list, void *seen);

// Calls `seen` for every triangle, in the order of drawing, until it returns false.
static void for_triangles(TriangleSeen seen, void *context)
{
    const ImDrawData *data = igGetDrawData();
    for (int l = 0; l < imgui_draw_list_count(data); l++) {
        const ImDrawList *list = imgui_draw_list(data, l);
        for (int c = 0; c < list->CmdBuffer.Size; c++) {
            const ImDrawCmd *command = &list->CmdBuffer.Data[c];
            for (unsigned i = 0; i + 2 < command->ElemCount; i += 3) {
                const ImDrawIdx *index = list->IdxBuffer.Data + command->IdxOffset + i;
                const ImDrawVert *corner[3];
                for (int k = 0; k < 3; k++)
                    corner[k] = &list->VtxBuffer.Data[command->VtxOffset + index[k]];
                if (!seen(corner, command, list, context)) return;
            }
        }
    }
}

typedef struct Cover {
    const char *window;
    Rect rect;
    bool after; // the window's own list has been seen
    const char *by;
} Cover;

static bool look_for_cover(const ImDrawVert *const corner[3], const ImDrawCmd *command,
                           const ImDrawList *list, void *context)
{
    Cover *cover = context;
    if (list->_OwnerName && strcmp(list->_OwnerName, cover->window) == 0) {
        cover->after = true;
        return true;
    }
    if (!cover->after || corner[0]->col >> 24 == 0) return true;
    ImVec2 min = corner[0]->pos, max = corner[0]->pos;
    for (int k = 1; k < 3; k++) {
        min = (ImVec2){fminf(min.x, corner[k]->pos.x), fminf(min.y, corner[k]->pos.y)};
        max = (ImVec2){fmaxf(max.x, corner[k]->pos.x), fmaxf(max.y, corner[k]->pos.y)};
    }
    const Rect *r = &cover->rect;
    float left = fmaxf(fmaxf(min.x, command->ClipRect.x), r->x);
    float right = fminf(fminf(max.x, command->ClipRect.z), r->x + r->width);
    float top = fmaxf(fmaxf(min.y, command->ClipRect.y), r->y);
    float bottom = fminf(fminf(max.y, command->ClipRect.w), r->y + r->height);
    if (right - left > 1.0f && bottom - top > 1.0f)
        cover->by = list->_OwnerName ? list->_OwnerName : "";
    return !cover->by;
}

const char *ui_harness_cover(const char *window, Rect r)
{
    Cover cover = {.window = window, .rect = r};
    for_triangles(look_for_cover, &cover);
    return cover.by;
}

bool ui_harness_is_covered(const char *window, Rect r)
{
    return ui_harness_cover(window, r) != NULL;
}

typedef struct Unlogged {
    const UiHarness *h;
    ImVec2 white;
    int count;
    ImVec2 place;
    const char *window;
} Unlogged;

static bool is_logged(const UiHarness *h, const char *window, ImVec2 at)
{
    for (int i = 0; i < h->log.count; i++) {
        const LoggedText *item = &h->log.items[i];
        const Rect *r = &item->rect;
        float slop = SLOP + 0.3f * r->height; // accents and italics reach out of the line
        if (at.x >= r->x - slop && at.x <= r->x + r->width + slop && at.y >= r->y - slop &&
            at.y <= r->y + r->height + slop && strcmp(item->window, window) == 0)
            return true;
    }
    return false;
}

static bool look_for_unlogged(const ImDrawVert *const corner[3], const ImDrawCmd *command,
                              const ImDrawList *list, void *context)
{
    (void)command;
    Unlogged *unlogged = context;
    bool glyph = false;
    for (int k = 0; k < 3; k++)
        glyph |= fabsf(corner[k]->uv.x - unlogged->white.x) > 1e-7f ||
                 fabsf(corner[k]->uv.y - unlogged->white.y) > 1e-7f;
    if (!glyph) return true;
    const char *window = list->_OwnerName ? list->_OwnerName : "";
    char name[TEXT_LOG_WINDOW];
    snprintf(name, sizeof name, "%s", window);
    if (is_logged(unlogged->h, name, corner[0]->pos)) return true;
    if (unlogged->count++ == 0) {
        unlogged->place = corner[0]->pos;
        unlogged->window = window;
    }
    return true;
}

int ui_harness_unlogged(const UiHarness *h, ImVec2 *place, const char **window)
{
    Unlogged unlogged = {.h = h};
    igGetFontTexUvWhitePixel(&unlogged.white);
    for_triangles(look_for_unlogged, &unlogged);
    *place = unlogged.place;
    *window = unlogged.window;
    return unlogged.count;
}
