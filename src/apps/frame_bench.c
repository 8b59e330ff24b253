// Frames are planned as in the window while nobody does anything. glFinish stands for the exchange
// of buffers, at which a software driver finishes its work. A framebuffer with its rows in the
// window's order stands for the window.
#include "apps/frame_bench.h"

#include "apps/window_canvas.h"
#include "base/clock.h"
#include "render/frame_plan.h"
#include "render/offscreen.h"
#include "render/row_order.h"
#include "runtime/frame_share.h"
#include "runtime/sim_thread.h"
#include "ui/imgui_versions.h"

#include <glad/gl.h>

#include <cimgui_impl.h>
#include <math.h>
#include <time.h>

#define IMGUI_SECONDS (1 / 60.0f) // ImGui's time of a frame
#define WARM_UP_SECONDS 1.5       // shaders are compiled, the detail settles
#define WOVEN_SHARE 0.99          // of the frames are drawn with threads, or a goal does not count
#define PACE_SHARE 0.995          // of the pace that is asked for: 1.00 as the window shows it

typedef struct FrameCase {
    const char *name;
    int width, height, rows, lanes;
    double goal;      // frames per second
    double pace_goal; // simulated per real second; 0: none
    double stiffness; // of the springs, as a factor
} FrameCase;

// 128 x 128 particles of the default scene have k0 = 1.622e8 1/s^2, in proportion to stiffness.
#define STIFFNESS_OF_1E7 (1e7 / 1.622e8)

static const FrameCase cases[FRAME_BENCH_CASES] = {
    {"128 x 128, linen", 1280, 800, 128, 1, 25.0, 0.0, 1.0},
    {"32 x 32, linen", 1280, 800, 32, 1, 40.0, 0.0, 1.0},
    {"four lanes of 64 x 64, linen", 1280, 800, 64, 4, 20.0, 0.0, 1.0},
    {"four lanes of 64 x 64, linen", 1600, 1000, 64, 4, 20.0, 0.0, 1.0},
    {"128 x 128, linen, k0 = 1e7", 1280, 800, 128, 1, 20.0, 1.0, STIFFNESS_OF_1E7},
};

typedef struct FrameLoop {
    const FrameCase *plan;
    SimThread *sim;
    Renderer *renderer;
    Ui ui;
    Camera camera;
    Quality quality;
    FramePlan frame_plan;
    FrameShare share;
    WindowCanvas canvas;
    bool framed, target_is_window_like;
    // sums
    int frames, whole_frames, woven_frames;
    double pictures, panels, shown_pace; // s, s, and of the factors shown
} FrameLoop;

static Scene scene_of(const FrameCase *plan)
{
    static const char *const methods[SCENE_LANES_MAX] = {"symplectic-euler", "rk4",
                                                         "backward-euler", "imex"};
    Scene scene = scene_default();
    scene.params.rows = scene.params.columns = plan->rows;
    scene.params.step = PARAM_WORD;
    scene.params.stretch *= plan->stiffness;
    scene.params.shear *= plan->stiffness;
    scene.params.bend *= plan->stiffness;
    if (plan->lanes < 2) return scene;
    scene.lane_count = plan->lanes;
    for (int i = 0; i < plan->lanes; i++) {
        scene.lanes[i] = (Lane){.params = scene.params};
        lane_own(&scene.lanes[i], param_find("integrator"), integrator_find(methods[i]));
    }
    return scene;
}

static void style(Ui *ui)
{
    ui->em = LANE_TEXT_PIXELS;
    ui->palette = theme_palette(false);
    theme_apply(&ui->palette, ui->em);
    ui->fonts = theme_load_fonts(ui->em, 1.0f);
}

static void draw_panels(FrameLoop *loop, const LanePictures *pictures)
{
    ImGui_ImplOpenGL3_NewFrame();
    igNewFrame();
    ui_draw(&loop->ui);
    igRender();
    glViewport(0, 0, loop->plan->width, loop->plan->height);
    window_canvas_draw_panels(&loop->canvas, &loop->ui, pictures);
}

// Where the framebuffer cannot have the window's order of rows, the picture is turned over, as it
// would be there.
static void show(FrameLoop *loop)
{
    int width = loop->plan->width, height = loop->plan->height;
    unsigned target = (unsigned)loop->canvas.canvas.target;
    if (loop->target_is_window_like) {
        window_canvas_show(&loop->canvas);
    } else {
        glDisable(GL_SCISSOR_TEST);
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, target);
        glBlitFramebuffer(0, 0, width, height, 0, height, width, 0, GL_COLOR_BUFFER_BIT,
                          GL_NEAREST);
        glBindFramebuffer(GL_FRAMEBUFFER, target);
    }
    glFinish();
}

static void draw_frame(FrameLoop *loop, FrameKind kind)
{
    const FrameCase *plan = loop->plan;
    Ui *ui = &loop->ui;
    double start = clock_seconds();
    ui->stage = sim_thread_stage(loop->sim);
    ui->now = &ui->stage->lanes[ui->stage->selected];
    ui->lab = sim_thread_lab(loop->sim);
    ui_place(ui, (float)plan->width, (float)plan->height);
    if (!loop->framed && ui->now->topology_version != 0) {
        Viewport first = lane_viewport(ui->lanes[0].view, 1.0f, plan->height);
        camera_frame(&loop->camera, ui->now->view_centre, ui->now->view_radius, first);
        loop->framed = true;
    }
    LanePictures pictures = {.renderer = loop->renderer,
                             .camera = &loop->camera,
                             .framebuffer_height = plan->height,
                             .ratio = 1.0f,
                             .hovered = -1,
                             .detail =
                                 quality_detail(&loop->quality, frame_share_spares(&loop->share))};
    window_canvas_begin(&loop->canvas, plan->width, plan->height);
    bool whole = kind != FRAME_PICTURES || !window_canvas_fits(&loop->canvas, ui);
    if (whole) window_canvas_clear(ui);
    lane_pictures_draw(ui, &pictures);
    glFinish();
    double drawn = clock_seconds();
    if (whole)
        draw_panels(loop, &pictures);
    else
        window_canvas_draw_kept(&loop->canvas);
    show(loop);
    double end = clock_seconds();
    loop->frames++;
    loop->whole_frames += whole;
    loop->woven_frames += pictures.detail >= DETAIL_WOVEN;
    loop->pictures += drawn - start;
    loop->panels += end - drawn;
    loop->shown_pace += ui->now->real_time_factor;
    quality_frame(&loop->quality, pictures.detail, end - start);
    frame_share_drawn(&loop->share, end - start);
    ui->detail = loop->quality.detail;
}

static void run_for(FrameLoop *loop, double seconds)
{
    double now = clock_seconds(), end = now + seconds, until;
    for (; now < end; now = clock_seconds()) {
        frame_plan_want(&loop->frame_plan, 2);
        loop->frame_plan.interval = frame_share_interval(
            &loop->share, now, sim_thread_is_late(loop->sim), sim_thread_is_far_behind(loop->sim));
        FrameKind kind = frame_plan_next(&loop->frame_plan, now, &until);
        if (kind != FRAME_NONE)
            draw_frame(loop, kind);
        else
            nanosleep(&(struct timespec){.tv_nsec = (long)(1e9 * (until - now))}, NULL);
    }
}

static double rate_of(FrameLoop *loop, double seconds)
{
    loop->frames = loop->whole_frames = loop->woven_frames = 0;
    loop->pictures = loop->panels = loop->shown_pace = 0.0;
    double start = clock_seconds();
    run_for(loop, seconds);
    return loop->frames / (clock_seconds() - start);
}

// Then again with panels in every frame, to compare.
static FrameBenchLine measure(FrameLoop *loop, double seconds)
{
    static const char *const details[DETAILS] = {"plain", "threads", "threads, smooth edges"};
    loop->frame_plan.keeps_panels = true;
    run_for(loop, WARM_UP_SECONDS);
    double before = clock_seconds(), simulated = loop->ui.now->readings.time;
    double frames = rate_of(loop, seconds);
    double taken = clock_seconds() - before, now = loop->ui.now->readings.time;
    FrameBenchLine line = {.name = loop->plan->name,
                           .width = loop->plan->width,
                           .height = loop->plan->height,
                           .frames = frames,
                           .goal = loop->plan->goal,
                           .pace_goal = loop->plan->pace_goal,
                           .woven = loop->woven_frames / (double)loop->frames,
                           .pictures = loop->pictures / taken,
                           .panels = loop->panels / taken,
                           .panel_frames = loop->whole_frames / taken,
                           .pace = (now - simulated) / taken,
                           .shown_pace = loop->shown_pace / loop->frames,
                           .detail = details[loop->quality.detail]};
    line.reached = line.frames >= line.goal && line.woven >= WOVEN_SHARE &&
                   line.pace >= PACE_SHARE * line.pace_goal;
    loop->frame_plan.keeps_panels = false;
    line.all_panels = rate_of(loop, 0.5 * seconds);
    return line;
}

static Status run_case(const FrameCase *plan, double seconds, FrameBenchLine *line, Error *error)
{
    FrameLoop loop = {.plan = plan, .quality = quality_start()};
    Offscreen *offscreen = NULL;
    Scene scene = scene_of(plan);
    Status status = offscreen_create(plan->width, plan->height, &offscreen, error);
    if (status == STATUS_OK) status = renderer_create(NULL, &loop.renderer, error);
    if (status == STATUS_OK) status = sim_thread_start(&scene, true, NULL, &loop.sim, error);
    if (status == STATUS_OK) {
        renderer_keep_memory();
        loop.target_is_window_like = row_order_set_window();
        igCreateContext(NULL);
        ImGuiIO *io = igGetIO_Nil();
        io->IniFilename = NULL;
        io->DeltaTime = IMGUI_SECONDS;
        io->DisplaySize = (ImVec2){(float)plan->width, (float)plan->height};
        ImGui_ImplOpenGL3_Init("#version 330 core");
        ui_init(&loop.ui, loop.sim);
        style(&loop.ui);
        *line = measure(&loop, seconds);
        ui_finish(&loop.ui);
        window_canvas_finish(&loop.canvas);
        ImGui_ImplOpenGL3_Shutdown();
        igDestroyContext(NULL);
    }
    sim_thread_stop(loop.sim);
    renderer_destroy(loop.renderer);
    offscreen_destroy(offscreen);
    return status;
}

Status frame_bench_run(bool quick, FrameBenchLine lines[FRAME_BENCH_CASES], Error *error)
{
    Status status = STATUS_OK;
    for (int i = 0; i < FRAME_BENCH_CASES && status == STATUS_OK; i++)
        status = run_case(&cases[i], quick ? 1.0 : 8.0, &lines[i], error);
    return status;
}
