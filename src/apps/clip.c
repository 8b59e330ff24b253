#include "apps/clip.h"

#include "apps/interrupt.h"

#include <math.h>

enum { USUAL_WIDTH = 1280, USUAL_HEIGHT = 800, USUAL_FPS = 30 };

Status clip_start_as_asked(const Options *options, const char *write, Clip **out, Error *error)
{
    bool whole = options->steps < 0 && !options->replay;
    ClipPlan plan = {.path = options->video,
                     .write = write,
                     .width = options->width > 0 ? options->width : USUAL_WIDTH,
                     .height = options->width > 0 ? options->height : USUAL_HEIGHT,
                     .fps = isnan(options->fps) ? USUAL_FPS : options->fps,
                     .seconds = whole ? options->seconds : NAN,
                     .is_interrupted = interrupt_pending};
    return clip_start(&plan, out, error);
}

#ifdef HAVE_VIEWER

#include "base/clock.h"
#include "render/studio.h"
#include "runtime/video.h"

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

Status clip_show(Clip *clip, const Snapshot *snapshots, int count, Error *error)
{
    double until = clock_seconds() + PATIENCE;
    tell(clip, clip_due(clip));
    studio_draw(clip->studio, snapshots, count, video_frame(clip->video));
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
    return clip_show(clip, &clip->snapshot, 1, error);
}

Status clip_start(const ClipPlan *plan, Clip **out, Error *error)
{
    VideoPlan video = {plan->path, plan->write, plan->width, plan->height, plan->fps};
    Clip *clip = calloc(1, sizeof *clip);
    if (!clip) return error_set(error, STATUS_OUT_OF_MEMORY, "out of memory for a video");
    clip->plan = *plan;
    clip->shows_progress = isatty(STDERR_FILENO);
    Status status = video_start(&video, &clip->video, error);
    if (status == STATUS_OK)
        status = studio_create(plan->width, plan->height, &clip->studio, error);
    if (status == STATUS_OK)
        *out = clip;
    else
        clip_destroy(clip);
    return status;
}

double clip_due(const Clip *clip)
{
    return (double)video_count(clip->video) / clip->plan.fps;
}

Status clip_follow(Clip *clip, const Simulation *simulation, double simulated, Error *error)
{
    Status status = STATUS_OK;
    while (status == STATUS_OK && simulated >= clip_due(clip) - 1e-9) // rounding
        status = draw(clip, simulation, fmax(simulated - clip_due(clip), 0.0), error);
    return status;
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

Status clip_start(const ClipPlan *plan, Clip **out, Error *error)
{
    (void)plan, (void)out;
    return error_set(error, STATUS_BAD_PARAMETER,
                     "--video needs the renderer, and this build has none");
}

Status clip_show(Clip *clip, const Snapshot *snapshots, int count, Error *error)
{
    (void)clip, (void)snapshots, (void)count, (void)error;
    return STATUS_OK;
}

double clip_due(const Clip *clip)
{
    (void)clip;
    return 0.0;
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
