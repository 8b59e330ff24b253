#include "apps/window_video.h"

#include "apps/view_labels.h"

#include <glad/gl.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define FPS 30.0
#define PUMP_SECONDS                                                                               \
    0.015 // of a frame of the window: a socket takes a small part of a frame at once
#define CLOSING_SECONDS 20.0
enum { SMALLEST = 64, MOST_NAMES = 10000, CHANNELS = 3 };

static void hold(WindowVideo *self, Ui *ui, double time)
{
    if (self->held == ui->sim && self->held_at == time) return;
    if (!sim_thread_send(ui->sim, &(Command){.kind = COMMAND_HOLD, .hold = {time}})) return;
    self->held = ui->sim;
    self->held_at = time;
}

// Forget the video. Its file is removed unless it has got its name.
static void drop(WindowVideo *self, Ui *ui)
{
    if (self->held == ui->sim && isfinite(self->held_at)) hold(self, ui, INFINITY);
    video_destroy(self->video);
    output_file_finish(&self->output);
    if (self->framebuffer) {
        glDeleteFramebuffers(1, &self->framebuffer);
        glDeleteRenderbuffers(1, &self->colour);
        glDeleteRenderbuffers(1, &self->depth);
    }
    free(self->rows);
    // the thread may not have taken the command; then it is sent again
    *self = (WindowVideo){.held = self->held, .held_at = self->held_at};
    ui->video = (VideoView){0};
}

static void fail(WindowVideo *self, Ui *ui, const Error *error)
{
    drop(self, ui);
    ui_say(ui, error->text);
}

// NAME.mp4, NAME-2.mp4, ...: the first that does not exist.
static void choose_name(const Ui *ui, char *path, size_t size)
{
    for (int i = 1; i < MOST_NAMES; i++) {
        char number[16] = "";
        if (i > 1) snprintf(number, sizeof number, "-%d", i);
        snprintf(path, size, "%s%s.mp4", ui->stage->scene.name, number);
        if (access(path, F_OK) != 0) return;
    }
}

static Status make_framebuffer(WindowVideo *self, Error *error)
{
    GLint bound = 0;
    glGetIntegerv(GL_FRAMEBUFFER_BINDING, &bound);
    glGenFramebuffers(1, &self->framebuffer);
    glGenRenderbuffers(1, &self->colour);
    glGenRenderbuffers(1, &self->depth);
    glBindFramebuffer(GL_FRAMEBUFFER, self->framebuffer);
    glBindRenderbuffer(GL_RENDERBUFFER, self->colour);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, self->width, self->height);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, self->colour);
    glBindRenderbuffer(GL_RENDERBUFFER, self->depth);
    glRenderbufferStorage(GL_RENDERBUFFER, GL_DEPTH_COMPONENT24, self->width, self->height);
    glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_DEPTH_ATTACHMENT, GL_RENDERBUFFER, self->depth);
    bool complete = glCheckFramebufferStatus(GL_FRAMEBUFFER) == GL_FRAMEBUFFER_COMPLETE;
    glBindFramebuffer(GL_FRAMEBUFFER, (GLuint)bound);
    if (complete) return STATUS_OK;
    return error_set(error, STATUS_GPU, "The driver has no framebuffer of %d x %d pixels",
                     self->width, self->height);
}

static void start(WindowVideo *self, Ui *ui, const LanePictures *pictures)
{
    Error error;
    const Rect *view = &ui->layout.view;
    self->width = (int)(view->width * pictures->ratio) / 2 * 2;
    self->height = (int)(view->height * pictures->ratio) / 2 * 2;
    if (self->width < SMALLEST || self->height < SMALLEST) {
        ui_say(ui, "The view is too small for a video.");
        return;
    }
    choose_name(ui, self->path, sizeof self->path);
    VideoPlan plan = {self->path, self->output.write, self->width, self->height, FPS};
    Status status = output_file_begin_new(&self->output, self->path, &error);
    if (status == STATUS_OK) status = video_start(&plan, &self->video, &error);
    if (status == STATUS_OK) status = make_framebuffer(self, &error);
    if (status == STATUS_OK) {
        self->rows = malloc(CHANNELS * (size_t)self->width * (size_t)self->height);
        if (!self->rows)
            status = error_set(&error, STATUS_OUT_OF_MEMORY, "Out of memory for a video");
    }
    if (status != STATUS_OK) {
        fail(self, ui, &error);
        return;
    }
    self->start = self->seen = ui->stage->time;
    ui->video = (VideoView){.on = true};
    snprintf(ui->video.name, sizeof ui->video.name, "%.79s", self->path);
}

// A strip is moved from its place in the window to its place in the video, and so is the bar of
// colours, which is at the upper right. Both have lanes of another shape when the window has a
// caption or a report, or is no longer as large as it was.
static void draw_labels(const WindowVideo *self, const Ui *ui, const LaneLayout *in_window,
                        float ratio)
{
    LabelTarget target = {.scale = ratio, .width = self->width, .height = self->height};
    for (int i = 0; i < SCENE_LANES_MAX; i++) {
        const Rect *from = &in_window[i].strip, *to = &ui->lanes[i].strip;
        if (from->height <= 0.0f || to->height <= 0.0f) continue;
        target.x = from->x - to->x;
        target.y = from->y - to->y;
        view_labels_draw_strip(&target, i);
    }
    int lane = colour_view_bar_lane(ui);
    Rect from = ui->layout.free, to = {0, 0, (float)self->width / ratio, 0};
    float right = from.x + from.width;
    if (lane >= 0) {
        from = in_window[lane].view;
        right = fminf(right, from.x + from.width);
        to = ui->lanes[lane].view;
    }
    target.x = right - (to.x + to.width);
    target.y = from.y - to.y;
    view_labels_draw_bar(&target);
}

static void draw_frame(WindowVideo *self, Ui *ui, const LanePictures *pictures)
{
    LaneLayout in_window[SCENE_LANES_MAX];
    memcpy(in_window, ui->lanes, sizeof in_window);
    Rect all = {0, 0, (float)self->width / pictures->ratio, (float)self->height / pictures->ratio};
    ui_place_lanes(ui, all, ui->lanes);
    LanePictures filmed = *pictures;
    filmed.framebuffer_height = self->height;
    filmed.hovered = -1;
    filmed.lit_body = 0;
    ImVec4 back;
    GLint bound = 0;
    igColorConvertU32ToFloat4(&back, ui->palette.panel);
    glGetIntegerv(GL_FRAMEBUFFER_BINDING, &bound);
    glBindFramebuffer(GL_FRAMEBUFFER, self->framebuffer);
    glClearColor(back.x, back.y, back.z, 1.0f);
    glClear(GL_COLOR_BUFFER_BIT);
    lane_pictures_draw(ui, &filmed);
    draw_labels(self, ui, in_window, pictures->ratio);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, self->width, self->height, GL_RGB, GL_UNSIGNED_BYTE, self->rows);
    glPixelStorei(GL_PACK_ALIGNMENT, 4);
    glBindFramebuffer(GL_FRAMEBUFFER, (GLuint)bound);
    memcpy(ui->lanes, in_window, sizeof in_window);
    size_t stride = CHANNELS * (size_t)self->width;
    for (int y = 0; y < self->height; y++)
        memcpy(video_frame(self->video) + (size_t)y * stride,
               self->rows + (size_t)(self->height - 1 - y) * stride, stride);
}

// Time that went back (a new start, another scene) or jumped (the past was looked at) is not
// filmed: the next frame is due a thirtieth after it.
static void take_frame(WindowVideo *self, Ui *ui, const LanePictures *pictures)
{
    double now = ui->stage->time, frames = (double)video_count(self->video);
    bool first = frames == 0.0;
    double farthest = self->seen + 2.0 / FPS + 2.0 * ui->now->readings.step; // without a jump
    if (now < self->seen || now > farthest) {
        self->start = now - (frames - 1.0) / FPS;
        self->seen = now;
    }
    if (video_is_ready(self->video) && (first || now >= self->start + frames / FPS - 1e-9)) {
        draw_frame(self, ui, pictures);
        video_send(self->video);
        self->seen = now;
    }
    hold(self, ui, self->start + (double)video_count(self->video) / FPS);
    ui->video.seconds = (double)video_count(self->video) / FPS;
}

// It gets its name, unless there is a file of that name by now; then another one.
static void keep(WindowVideo *self, Ui *ui)
{
    char text[sizeof self->path + 80];
    Error error;
    if (access(self->path, F_OK) == 0) {
        choose_name(ui, self->path, sizeof self->path);
        strcpy(self->output.path, self->path);
    }
    if (output_file_commit(&self->output, &error) != STATUS_OK) {
        fail(self, ui, &error);
        return;
    }
    double seconds = (double)video_count(self->video) / FPS;
    snprintf(text, sizeof text, "Saved as %s: %.*f s.", self->path, seconds < 1.0 ? 2 : 1, seconds);
    drop(self, ui);
    ui_say(ui, text);
}

static void finish(WindowVideo *self, Ui *ui, double wait)
{
    Error error;
    bool done;
    if (video_finish(self->video, wait, &done, &error) != STATUS_OK)
        fail(self, ui, &error);
    else if (done)
        keep(self, ui);
}

static void obey(WindowVideo *self, Ui *ui, const LanePictures *pictures)
{
    VideoWish wish = ui->video.wish;
    ui->video.wish = VIDEO_NO_WISH;
    if (wish == VIDEO_START && !self->video) {
        start(self, ui, pictures);
    } else if (wish == VIDEO_STOP && self->video && !self->finishing) {
        self->finishing = ui->video.finishing = true;
        hold(self, ui, INFINITY);
    } else if (wish == VIDEO_DISCARD && self->video) {
        drop(self, ui);
        ui_say(ui, "The video was discarded.");
    }
}

void window_video_update(WindowVideo *self, Ui *ui, const LanePictures *pictures)
{
    if (ui->video.wish != VIDEO_NO_WISH) obey(self, ui, pictures);
    if (!self->video) {
        if (self->held == ui->sim && isfinite(self->held_at)) hold(self, ui, INFINITY);
        return;
    }
    if (self->finishing) {
        finish(self, ui, 0.0);
        return;
    }
    take_frame(self, ui, pictures);
    Error error;
    if (video_pump(self->video, PUMP_SECONDS, &error) != STATUS_OK) fail(self, ui, &error);
}

bool window_video_is_busy(const WindowVideo *self)
{
    return self->video && (self->finishing || !video_is_ready(self->video));
}

void window_video_close(WindowVideo *self, Ui *ui)
{
    if (self->video) finish(self, ui, CLOSING_SECONDS);
    drop(self, ui);
}
