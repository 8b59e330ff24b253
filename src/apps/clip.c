#include "apps/clip.h"

#ifdef HAVE_VIEWER

#include "base/clock.h"
#include "render/studio.h"
#include "runtime/video.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// ffmpeg that takes nothing for so long will not take anything any more.
#define PATIENCE 60.0 // s
#define LOOK 0.2      // s, between two looks for a signal, and two lines of progress

struct Clip {
    ClipPlan plan;
    Video *video;
    Studio *studio;
    Snapshot snapshot;
    double *positions; // m, 3 per particle
    int room;          // particles
    bool shows_progress;
    double told; // when the progress was shown last
};

static void tell(Clip *clip, double simulated)
{
    double now = clock_seconds();
    if (!clip->shows_progress || now - clip->told < LOOK) return;
    clip->told = now;
    if (isnan(clip->plan.seconds))
        fprintf(stderr, "\rvideo: %.2f s ", simulated);
    else
        fprintf(stderr, "\rvideo: %.2f of %g s ", simulated, clip->plan.seconds);
    fflush(stderr);
}

static void end_line(Clip *clip)
{
    if (clip->told > 0.0) fprintf(stderr, "\r\033[K");
    clip->told = 0.0;
}

static Status send_frame(Clip *clip, Error *error)
{
    double until = clock_seconds() + PATIENCE;
    video_send(clip->video);
    Status status = STATUS_OK;
    while (status == STATUS_OK && !video_is_ready(clip->video)) {
        status = video_pump(clip->video, LOOK, error);
        if (status == STATUS_OK && !video_is_ready(clip->video) && clock_seconds() > until)
            status = error_set(error, STATUS_FILE,
                               "ffmpeg made no video: it took no frame for %g s", PATIENCE);
    }
    return status;
}

// As it was `before` s before the end of the last step.
static Status draw(Clip *clip, const Simulation *simulation, double before, Error *error)
{
    int count = simulation_particle_count(simulation);
    Status status = simulation_fill_snapshot(simulation, &clip->snapshot, error);
    if (status != STATUS_OK) return status;
    if (count > clip->room) {
        double *more = realloc(clip->positions, 3 * (size_t)count * sizeof *more);
        if (!more) return error_set(error, STATUS_OUT_OF_MEMORY, "out of memory for a video");
        clip->positions = more;
        clip->room = count;
    }
    simulation_positions_at(simulation, simulation_time(simulation) - before, clip->positions);
    for (int i = 0; i < 3 * count; i++) clip->snapshot.position[i] = (float)clip->positions[i];
    studio_draw(clip->studio, &clip->snapshot, 1, video_frame(clip->video));
    return send_frame(clip, error);
}

Status clip_start(const ClipPlan *plan, const Simulation *simulation, Clip **out, Error *error)
{
    VideoPlan video = {plan->path, plan->write, plan->width, plan->height, plan->fps};
    Clip *clip = calloc(1, sizeof *clip);
    if (!clip) return error_set(error, STATUS_OUT_OF_MEMORY, "out of memory for a video");
    clip->plan = *plan;
    clip->shows_progress = isatty(STDERR_FILENO);
    Status status = video_start(&video, &clip->video, error);
    if (status == STATUS_OK)
        status = studio_create(plan->width, plan->height, &clip->studio, error);
    if (status == STATUS_OK) status = draw(clip, simulation, 0.0, error);
    if (status == STATUS_OK)
        *out = clip;
    else
        clip_destroy(clip);
    return status;
}

Status clip_follow(Clip *clip, const Simulation *simulation, double simulated, Error *error)
{
    Status status = STATUS_OK;
    for (;;) {
        double due = (double)video_count(clip->video) / clip->plan.fps;
        if (status != STATUS_OK || simulated < due - 1e-9) return status; // rounding
        status = draw(clip, simulation, fmax(simulated - due, 0.0), error);
        tell(clip, simulated);
    }
}

Status clip_finish(Clip *clip, Error *error)
{
    bool done = false;
    Status status = STATUS_OK;
    end_line(clip);
    while (status == STATUS_OK && !done) {
        status = video_finish(clip->video, LOOK, &done, error);
        if (status == STATUS_OK && !done && clip->plan.is_interrupted &&
            clip->plan.is_interrupted())
            status = error_set(error, STATUS_INTERRUPTED, "interrupted before %.300s was complete",
                               clip->plan.path);
    }
    return status;
}

void clip_destroy(Clip *clip)
{
    if (!clip) return;
    end_line(clip);
    video_destroy(clip->video);
    studio_destroy(clip->studio);
    snapshot_finish(&clip->snapshot);
    free(clip->positions);
    free(clip);
}

#else

Status clip_start(const ClipPlan *plan, const Simulation *simulation, Clip **out, Error *error)
{
    (void)plan, (void)simulation, (void)out;
    return error_set(error, STATUS_BAD_PARAMETER,
                     "--video needs the renderer, and this build has none");
}

Status clip_follow(Clip *clip, const Simulation *simulation, double simulated, Error *error)
{
    (void)clip, (void)simulation, (void)simulated, (void)error;
    return STATUS_OK;
}

Status clip_finish(Clip *clip, Error *error)
{
    (void)clip, (void)error;
    return STATUS_OK;
}

void clip_destroy(Clip *clip)
{
    (void)clip;
}

#endif
