// The window: GLFW, OpenGL 3.3 core, Dear ImGui. One frame is one call of `frame`.
//
// Threads: everything here runs on the main thread, the simulation on its own. They share only the
// command queue and the snapshot exchange inside SimThread, so neither waits for the other. While
// the simulation rests and there is no input, no frame is drawn.
#include "apps/viewer.h"

#include "apps/camera_director.h"
#include "apps/display.h"
#include "apps/lane_pictures.h"
#include "apps/main_window.h"
#include "apps/open_file.h"
#include "apps/panel_memory.h"
#include "apps/screenshot.h"
#include "apps/window_canvas.h"
#include "apps/window_video.h"
#include "base/clock.h"
#include "base/cpu.h"
#include "render/frame_plan.h"
#include "runtime/frame_share.h"
#include "runtime/sim_thread.h"
#include "ui/imgui_versions.h"
#include "ui/lanes.h"
#include "ui/lesson_panel.h"
#include "ui/plots.h"
#include "ui/pointer.h"
#include "ui/ui.h"

#include <glad/gl.h>

#include <GLFW/glfw3.h>
#include <cimgui_impl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHADER_POLL_SECONDS 0.5
#define MEMORY_SECONDS 10.0       // between two looks at what is free
#define LARGEST_TEXT_PIXELS 48.0f // of fonts for a picture: about as for text at 300 %
enum { SETTLE_FRAMES = 3 };       // ImGui needs a few frames after an event until hovering is right
enum { CLICK_FRAMES = 2, LATE_KEYS = 32 }; // ImGui shows a press, then a release

typedef struct LateKey {
    int key, modifiers; // UI_CONTROL, UI_SHIFT
} LateKey;

typedef struct Viewer {
    GLFWwindow *window;
    SimThread *sim;
    WindowVideo video;
    PlayedFile *played; // by `sim`; NULL: none
    bool records;       // what is done is written to a file
    Renderer *renderer;
    PanelMemory panel_memory;
    Ui ui;
    Camera camera;
    Pointer pointer;
    bool shaders_from_files, is_software;
    Quality quality;

    float fonts_em; // framebuffer pixels for which the fonts were loaded
    bool styled_light;
    CameraDirector director;
    FramePlan plan;
    FrameShare share;     // with a software driver
    WindowCanvas canvas;  // with a software driver
    double memory_due;    // s, of the next look at what is free
    double message_shown; // until then, when the last frame was wanted; 0: none was shown
    double last_frame, next_shader_poll;
    int click_frames; // until ImGui has seen the last click
    LateKey late[LATE_KEYS];
    int late_count;
    int windowed[4]; // position and size before full screen
} Viewer;

// Framebuffer pixels per window unit: 1 on X11, 2 on high-density screens of some other systems.
static float pixel_ratio(const Viewer *viewer)
{
    int window_width, window_height, width, height;
    glfwGetWindowSize(viewer->window, &window_width, &window_height);
    glfwGetFramebufferSize(viewer->window, &width, &height);
    return window_width > 0 ? (float)width / (float)window_width : 1.0f;
}

// The lane over whose picture the cursor is; -1 over a panel, a list or a card. ImGui's answer is
// for the cursor of the last frame; if that was over a panel, the answer no longer applies.
static int lane_under_cursor(const Viewer *viewer)
{
    const Ui *ui = &viewer->ui;
    const ImGuiIO *io = igGetIO_Nil();
    int lane = ui_lane_at(ui, viewer->pointer.x, viewer->pointer.y);
    if (lane < 0 || ui_covers(ui, viewer->pointer.x, viewer->pointer.y)) return -1;
    bool taken = io->WantCaptureMouse && ui_lane_at(ui, io->MousePos.x, io->MousePos.y) >= 0;
    return taken ? -1 : lane;
}

// A gesture stays in the picture in which it started.
static PointerView pointer_view(Viewer *viewer)
{
    int width, height, under = lane_under_cursor(viewer);
    const Ui *ui = &viewer->ui;
    glfwGetFramebufferSize(viewer->window, &width, &height);
    float ratio = pixel_ratio(viewer);
    int lane = under < 0 ? ui->stage->selected : under;
    if (viewer->pointer.gesture != GESTURE_NONE && viewer->pointer.lane < ui->stage->count)
        lane = viewer->pointer.lane;
    Rect place = ui->lanes[lane].view;
    if (place.width <= 0.0f) place = ui->lanes[ui->stage->selected].view; // it was hidden since
    return (PointerView){.camera = &viewer->camera,
                         .lane = lane,
                         .place = place,
                         .viewport = lane_viewport(place, ratio, height),
                         .scale = ratio,
                         .free = under >= 0};
}

// ---- input: glfwPollEvents calls ImGui's callbacks, and those call these

// Something happened that the panels have to follow at once.
static void happened(Viewer *viewer)
{
    frame_plan_want(&viewer->plan, SETTLE_FRAMES);
    frame_plan_touch(&viewer->plan, clock_seconds());
}

static Viewer *viewer_of(GLFWwindow *window)
{
    Viewer *viewer = glfwGetWindowUserPointer(window);
    happened(viewer);
    return viewer;
}

static void toggle_full_screen(Viewer *viewer)
{
    int *w = viewer->windowed;
    if (glfwGetWindowMonitor(viewer->window)) {
        glfwSetWindowMonitor(viewer->window, NULL, w[0], w[1], w[2], w[3], GLFW_DONT_CARE);
        return;
    }
    GLFWmonitor *monitor = glfwGetPrimaryMonitor();
    const GLFWvidmode *mode = monitor ? glfwGetVideoMode(monitor) : NULL;
    if (!mode) return;
    glfwGetWindowPos(viewer->window, &w[0], &w[1]);
    glfwGetWindowSize(viewer->window, &w[2], &w[3]);
    glfwSetWindowMonitor(viewer->window, monitor, 0, 0, mode->width, mode->height,
                         mode->refreshRate);
}

static void take_key(Viewer *viewer, int key, int modifiers)
{
    Ui *ui = &viewer->ui;
    bool typing = ui_is_typing(ui);
    if (typing && (key == GLFW_KEY_ENTER || key == GLFW_KEY_KP_ENTER)) ui->typing_entered = true;
    if (typing && key != GLFW_KEY_ESCAPE) return;
    ui_key(ui, key, modifiers);
    if (ui->want_quit) glfwSetWindowShouldClose(viewer->window, GLFW_TRUE);
    if (ui->want_full_screen) toggle_full_screen(viewer);
    ui->want_quit = ui->want_full_screen = false;
}

// ImGui learns of a click in the next frames. What is typed after it may be for the field that it
// opens, so it waits for them.
static void on_key(GLFWwindow *window, int key, int scancode, int action, int modifiers)
{
    (void)scancode;
    Viewer *viewer = viewer_of(window);
    if (action == GLFW_RELEASE) return;
    int held = (modifiers & GLFW_MOD_CONTROL ? UI_CONTROL : 0) |
               (modifiers & GLFW_MOD_SHIFT ? UI_SHIFT : 0);
    if (viewer->click_frames > 0 && viewer->late_count < LATE_KEYS)
        viewer->late[viewer->late_count++] = (LateKey){key, held};
    else
        take_key(viewer, key, held);
}

static void take_late_keys(Viewer *viewer)
{
    if (viewer->click_frames > 0 && --viewer->click_frames > 0) return;
    for (int i = 0; i < viewer->late_count; i++)
        take_key(viewer, viewer->late[i].key, viewer->late[i].modifiers);
    viewer->late_count = 0;
}

static void on_button(GLFWwindow *window, int button, int action, int modifiers)
{
    Viewer *viewer = viewer_of(window);
    viewer->click_frames = CLICK_FRAMES;
    PointerView view = pointer_view(viewer);
    pointer_button(&viewer->pointer, &viewer->ui, &view, button, action == GLFW_PRESS,
                   (modifiers & GLFW_MOD_SHIFT) != 0);
}

static void on_move(GLFWwindow *window, double x, double y)
{
    Viewer *viewer = viewer_of(window);
    PointerView view = pointer_view(viewer);
    pointer_move(&viewer->pointer, &viewer->ui, &view, (float)x, (float)y);
}

static void on_wheel(GLFWwindow *window, double dx, double dy)
{
    (void)dx;
    Viewer *viewer = viewer_of(window);
    if (lane_under_cursor(viewer) >= 0) camera_zoom(&viewer->camera, (float)dy);
}

static void on_resize(GLFWwindow *window, int width, int height)
{
    (void)width, (void)height;
    viewer_of(window);
}

static void on_refresh(GLFWwindow *window)
{
    viewer_of(window);
}

static void on_character(GLFWwindow *window, unsigned character)
{
    (void)character;
    viewer_of(window);
}

static void on_drop(GLFWwindow *window, int count, const char **paths)
{
    Viewer *viewer = viewer_of(window);
    if (count == 1)
        ui_open_file(&viewer->ui, paths[0]);
    else
        ui_say(&viewer->ui, "Drop one file at a time: a scene, mesh, recording or lesson.");
}

// ---- one frame

// Crisp text in the chosen size: the fonts are reloaded when the size changes.
static void update_style(Viewer *viewer, float ratio)
{
    Ui *ui = &viewer->ui;
    float content_x, content_y;
    glfwGetWindowContentScale(viewer->window, &content_x, &content_y);
    float pixels = roundf(LANE_TEXT_PIXELS * content_x * ui->text_scale);
    bool resized = pixels != viewer->fonts_em;
    if (!resized && viewer->styled_light == ui->light) return;
    ui->em = pixels / ratio;
    ui->palette = theme_palette(ui->light);
    theme_apply(&ui->palette, ui->em);
    viewer->styled_light = ui->light;
    if (!resized) return;
    ui->fonts = theme_load_fonts(ui->em, ratio);
    viewer->fonts_em = pixels;
}

static void poll_shaders(Viewer *viewer, double now)
{
    if (!viewer->shaders_from_files || now < viewer->next_shader_poll) return;
    viewer->next_shader_poll = now + SHADER_POLL_SECONDS;
    Error error;
    bool reloaded = false;
    Status status = renderer_reload(viewer->renderer, &reloaded, &error);
    char *message = viewer->ui.shader_message;
    if (status != STATUS_OK) {
        if (strcmp(message, error.text) != 0) happened(viewer);
        snprintf(message, sizeof viewer->ui.shader_message, "%s", error.text);
    } else if (reloaded) {
        message[0] = '\0';
        happened(viewer);
        ui_say(&viewer->ui, "Shaders reloaded.");
    }
}

// The panels once more, to be seen in no frame: words for a picture with so many pixels per window
// unit. The next frame loads the usual fonts again.
static void draw_finely(Viewer *viewer, float ratio)
{
    Ui *ui = &viewer->ui;
    ratio = fminf(ratio, LARGEST_TEXT_PIXELS / ui->em);
    if (ratio <= pixel_ratio(viewer)) return;
    ui->fonts = theme_load_fonts(ui->em, ratio);
    viewer->fonts_em = 0.0f;
    viewer->canvas.kept = false;
    ImGui_ImplOpenGL3_NewFrame();
    ImGui_ImplGlfw_NewFrame();
    ImGuiIO *io = igGetIO_Nil();
    io->DeltaTime = fmaxf(io->DeltaTime, 1e-5f);
    io->DisplayFramebufferScale = (ImVec2){ratio, ratio}; // from it 1.92 takes the size of glyphs
    igNewFrame();
    ui_draw(ui);
    igRender();
}

// The picture of the window is the frame that was just drawn, without the message about it.
static void take_picture(Viewer *viewer, const LanePictures *pictures, int width, int height)
{
    Ui *ui = &viewer->ui;
    PictureWish wish = ui->want_picture;
    ui->want_picture = PICTURE_NONE;
    if (wish == PICTURE_OF_WINDOW) screenshot_window(ui, width, height);
    if (wish == PICTURE_OF_VIEW) {
        draw_finely(viewer, pictures->ratio * (float)ui->picture_scale);
        screenshot_view(ui, pictures, ui->picture_scale);
    }
}

static void draw_panels(Viewer *viewer, const LanePictures *pictures, int width, int height)
{
    ImGui_ImplOpenGL3_NewFrame();
    ImGui_ImplGlfw_NewFrame();
    ImGuiIO *io = igGetIO_Nil();
    if (!(io->DeltaTime > 0.0f)) io->DeltaTime = 1e-5f; // ImGui asserts that time advances
    igNewFrame();
    ui_draw(&viewer->ui);
    take_late_keys(viewer);
    igRender();
    glViewport(0, 0, width, height);
    window_canvas_draw_panels(&viewer->canvas, &viewer->ui, pictures);
    take_picture(viewer, pictures, width, height);
}

static void count_frame(Viewer *viewer, double start)
{
    Ui *ui = &viewer->ui;
    double elapsed = start - viewer->last_frame;
    viewer->last_frame = start;
    if (elapsed <= 0.0) return;
    float rate = (float)(1.0 / elapsed); // smoothed over about half a second
    ui->frame_rate += (rate - ui->frame_rate) * (ui->frame_rate > 0.0f ? 0.05f : 1.0f);
}

static void frame(Viewer *viewer, FrameKind kind)
{
    Ui *ui = &viewer->ui;
    bool careful = kind == FRAME_CAREFUL;
    double start = clock_seconds();
    count_frame(viewer, start);
    frame_plan_drawn(&viewer->plan, DETAIL_SMOOTH); // unless a cloth is drawn with less
    // Only here: both stay valid until the next frame, also for the input callbacks.
    ui->stage = sim_thread_stage(viewer->sim);
    ui->now = &ui->stage->lanes[ui->stage->selected];
    ui->lab = sim_thread_lab(viewer->sim);

    int width, height;
    glfwGetFramebufferSize(viewer->window, &width, &height);
    if (width <= 0 || height <= 0) return; // minimised
    float ratio = pixel_ratio(viewer);
    update_style(viewer, ratio);
    ui_place(ui, (float)width / ratio, (float)height / ratio);
    camera_director_follow(&viewer->director, ui->now, start, &viewer->camera);
    camera_director_frame(&viewer->director, ui,
                          lane_viewport(ui->lanes[ui->stage->selected].view, ratio, height),
                          &viewer->camera);
    PointerView pointed = pointer_view(viewer);
    pointer_update(&viewer->pointer, ui, &pointed);
    LanePictures pictures = {
        .renderer = viewer->renderer,
        .camera = &viewer->camera,
        .framebuffer_height = height,
        .ratio = ratio,
        .hovered_lane = viewer->pointer.lane,
        .hovered = viewer->pointer.hovered,
        .lit_body = viewer->pointer.lit_body,
        .detail = careful ? DETAIL_SMOOTH
                          : quality_detail(&viewer->quality, frame_share_spares(&viewer->share))};
    if (viewer->is_software) window_canvas_begin(&viewer->canvas, width, height);
    bool whole = kind != FRAME_PICTURES || !window_canvas_fits(&viewer->canvas, ui);
    if (whole && kind == FRAME_PICTURES) frame_plan_touch(&viewer->plan, start);
    if (whole) window_canvas_clear(ui);
    if (plots_hide_view(ui)) {
        if (whole) lane_pictures_clear(ui, &pictures);
    } else {
        lane_pictures_draw(ui, &pictures);
        frame_plan_drawn(&viewer->plan, pictures.detail);
    }
    if (whole) {
        draw_panels(viewer, &pictures, width, height);
        window_video_update(&viewer->video, ui, &pictures);
    } else {
        window_canvas_draw_kept(&viewer->canvas);
    }
    window_canvas_show(&viewer->canvas);
    glfwSwapBuffers(viewer->window);
    // Only a software driver has done its work by now, and only there it is needed.
    if (viewer->is_software && !careful) {
        double spent = clock_seconds() - start;
        quality_frame(&viewer->quality, pictures.detail, spent);
        frame_share_drawn(&viewer->share, spent);
    }
    ui->detail = viewer->quality.detail;
}

// A message is drawn when it comes and when it is over.
static bool message_changed(Viewer *viewer, double now)
{
    double until = now < viewer->ui.message_until ? viewer->ui.message_until : 0.0;
    bool changed = until != viewer->message_shown;
    viewer->message_shown = until;
    return changed;
}

// The mouse or the keyboard is in the middle of something.
static bool is_held(const Viewer *viewer)
{
    return viewer->pointer.gesture != GESTURE_NONE || viewer->click_frames > 0 ||
           igIsAnyItemActive() || ui_is_typing(&viewer->ui) || ui_wants_frame(&viewer->ui);
}

// Wait for the next frame: until it is due while something moves, otherwise until something
// happens. Frames are paced here, not by the display: without vertical sync the renderer would
// starve the simulation. FRAME_NONE: the window is to be closed.
static FrameKind wait_for_next_frame(Viewer *viewer)
{
    FramePlan *plan = &viewer->plan;
    glfwPollEvents();
    for (;;) {
        if (glfwWindowShouldClose(viewer->window)) return FRAME_NONE;
        double now = clock_seconds(), until;
        poll_shaders(viewer, now);
        if (viewer->is_software && now >= viewer->memory_due) {
            viewer->memory_due = now + MEMORY_SECONDS;
            renderer_return_memory();
        }
        if (message_changed(viewer, now)) happened(viewer);
        if (sim_thread_has_snapshot(viewer->sim)) frame_plan_want(plan, SETTLE_FRAMES);
        if (sim_thread_has_result(viewer->sim)) frame_plan_want_panels(plan, SETTLE_FRAMES);
        if (ui_wants_frame(&viewer->ui) || window_video_is_busy(&viewer->video))
            frame_plan_want(plan, 1);
        if (is_held(viewer)) frame_plan_touch(plan, now);
        if (viewer->is_software)
            plan->interval =
                frame_share_interval(&viewer->share, now, sim_thread_is_late(viewer->sim),
                                     sim_thread_is_far_behind(viewer->sim));
        FrameKind kind = frame_plan_next(plan, now, &until);
        if (kind != FRAME_NONE) return kind;
        if (viewer->message_shown > 0.0) until = fmin(until, viewer->message_shown);
        glfwWaitEventsTimeout(fmin(until - now, SHADER_POLL_SECONDS));
    }
}

// ---- set-up

static void start_imgui(Viewer *viewer)
{
    glfwSetWindowUserPointer(viewer->window, viewer);
    glfwSetKeyCallback(viewer->window, on_key);
    glfwSetMouseButtonCallback(viewer->window, on_button);
    glfwSetCursorPosCallback(viewer->window, on_move);
    glfwSetScrollCallback(viewer->window, on_wheel);
    glfwSetFramebufferSizeCallback(viewer->window, on_resize);
    glfwSetWindowRefreshCallback(viewer->window, on_refresh);
    glfwSetCharCallback(viewer->window, on_character);
    glfwSetDropCallback(viewer->window, on_drop);
    panel_memory_start(&viewer->panel_memory);
    igCreateContext(NULL);
    igGetIO_Nil()->IniFilename = NULL; // panels are docked, so there is nothing to save
    ImGui_ImplGlfw_InitForOpenGL(viewer->window, true); // its callbacks call ours
    ImGui_ImplOpenGL3_Init("#version 330 core");
}

static void open_files(Viewer *viewer)
{
    if (!open_wanted_file(&viewer->ui, viewer->records, &viewer->sim, &viewer->played)) return;
    ui_attach(&viewer->ui, viewer->sim);
    lesson_leave(&viewer->ui); // a recording plays now
    viewer->pointer = (Pointer){.hovered = -1};
    camera_director_forget(&viewer->director);
    happened(viewer);
}

static void choose_fabric(Ui *ui, const char *name)
{
    FabricName fabric = fabric_find(name);
    if (fabric < FABRICS) {
        ui->fabric = fabric;
    } else {
        char text[120];
        snprintf(text, sizeof text, "settings.ini: there is no fabric \"%s\"; %s is used.", name,
                 fabric_of(ui->fabric)->name);
        ui_say(ui, text);
    }
}

// The size that glfwCreateWindow would have to be given, see GLFW_SCALE_TO_MONITOR. That of a
// window that fills the screen is not kept.
static void remember(const Viewer *viewer, Settings *settings)
{
    int width, height;
    float scale_x, scale_y, ratio = pixel_ratio(viewer);
    glfwGetWindowSize(viewer->window, &width, &height);
    glfwGetWindowContentScale(viewer->window, &scale_x, &scale_y);
    bool fills = glfwGetWindowMonitor(viewer->window) != NULL ||
                 glfwGetWindowAttrib(viewer->window, GLFW_MAXIMIZED) ||
                 glfwGetWindowAttrib(viewer->window, GLFW_ICONIFIED);
    width = (int)lroundf((float)width * ratio / scale_x);
    height = (int)lroundf((float)height * ratio / scale_y);
    if (!fills && width >= SETTINGS_SMALLEST && height >= SETTINGS_SMALLEST &&
        width <= SETTINGS_LARGEST && height <= SETTINGS_LARGEST) {
        settings->width = width;
        settings->height = height;
    }
    settings->light = viewer->ui.light;
    settings->text_size = (int)lroundf(100.0f * viewer->ui.text_scale);
    snprintf(settings->fabric, sizeof settings->fabric, "%s", fabric_of(viewer->ui.fabric)->name);
}

// What the window's own thread leaves. A software driver draws with all of them: half are left.
static int free_processors(void)
{
    int count = cpu_count();
    return renderer_is_software() ? count / 2 : count - 1;
}

Status viewer_run(const ViewerOptions *options, Error *error)
{
    Viewer *viewer = calloc(1, sizeof *viewer);
    if (!viewer) return error_set(error, STATUS_OUT_OF_MEMORY, "no memory for the window");
    bool imgui_started = false;
    Status status = display_connect()
                        ? STATUS_OK
                        : error_set(error, STATUS_GPU, "there is no display to open a window on");
    if (status == STATUS_OK) status = imgui_check(error);
    if (status == STATUS_OK) {
        viewer->window = main_window_open(options->scene.name, options->settings, error);
        if (!viewer->window) status = STATUS_GPU;
    }
    if (status == STATUS_OK)
        status = renderer_create(options->shader_directory, &viewer->renderer, error);
    SimThreadPlan plan = {.scene = &options->scene,
                          .running = !options->paused,
                          .wake = glfwPostEmptyEvent,
                          .record = options->record,
                          .replay = options->replay,
                          .threads = options->threads ? options->threads : free_processors()};
    if (status == STATUS_OK) status = sim_thread_open(&plan, &viewer->sim, error);
    if (status == STATUS_OK && options->reference >= 0) {
        Command compare = {.kind = COMMAND_REFERENCE, .lane = options->reference + 1};
        sim_thread_send(viewer->sim, &compare);
    }
    if (status == STATUS_OK) {
        ui_init(&viewer->ui, viewer->sim);
        viewer->ui.text_scale = 0.01f * (float)options->settings->text_size;
        viewer->ui.light = options->settings->light;
        viewer->ui.recent = options->recent;
        choose_fabric(&viewer->ui, options->settings->fabric);
        if (*options->notice) ui_say(&viewer->ui, options->notice);
        ui_attach(&viewer->ui, viewer->sim);
        viewer->records = options->record != NULL;
        viewer->shaders_from_files = options->shader_directory != NULL;
        viewer->is_software = renderer_is_software();
        viewer->plan.keeps_panels = viewer->is_software;
        viewer->quality = quality_start();
        if (viewer->is_software) renderer_keep_memory();
        viewer->pointer.hovered = -1;
        if (options->lesson && lesson_open(&viewer->ui, options->lesson, error) != STATUS_OK)
            ui_say(&viewer->ui, error->text);
        start_imgui(viewer);
        imgui_started = true;
        happened(viewer);
        for (FrameKind kind = FRAME_WHOLE; kind != FRAME_NONE;) {
            frame(viewer, kind);
            if (viewer->panel_memory.ran_out) break;
            kind = wait_for_next_frame(viewer);
            open_files(viewer);
        }
        remember(viewer, options->settings);
        window_video_close(&viewer->video, &viewer->ui);
        status = sim_thread_join(viewer->sim, error);
        if (status == STATUS_OK && viewer->panel_memory.ran_out)
            status = error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory for the panels");
    }
    sim_thread_stop(viewer->sim); // first, because it posts events to GLFW
    played_file_destroy(viewer->played);
    ui_finish(&viewer->ui);
    if (viewer->window) window_canvas_finish(&viewer->canvas);
    renderer_destroy(viewer->renderer);
    if (imgui_started) {
        ImGui_ImplOpenGL3_Shutdown();
        ImGui_ImplGlfw_Shutdown();
        igDestroyContext(NULL);
        panel_memory_finish(&viewer->panel_memory);
    }
    if (viewer->window) glfwDestroyWindow(viewer->window);
    glfwTerminate();
    free(viewer);
    return status;
}
