// A socket instead of a pipe: a send can be told not to block and not to raise SIGPIPE.
#include "runtime/video.h"

#include "base/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { CHANNELS = 3 };
#define POLL_SECONDS 0.01 // between two looks whether ffmpeg has ended

struct Video {
    pid_t process; // 0: it has ended, and was waited for
    int input;     // our end of its standard input; -1: closed
    int words;     // a file in memory with what it says
    size_t size;   // of a frame
    size_t sent;   // bytes of the present frame; `size`: all of it
    long count;
    unsigned char *frame;
};

static const struct Format {
    const char *ending, *muxer;
    const char *more[2]; // options of the output
} formats[] = {
    // players expect half the colour resolution, for which sides are even
    {".mp4", "mp4", {"-pix_fmt", "yuv420p"}},
    {".mkv", "matroska", {"-pix_fmt", "yuv420p"}},
    {".mov", "mov", {"-pix_fmt", "yuv420p"}},
    {".webm", "webm", {"-pix_fmt", "yuv420p"}},
    {".gif", "gif", {"-filter_complex", "split[a][b];[a]palettegen[p];[b][p]paletteuse"}},
};
enum { FORMATS = sizeof formats / sizeof formats[0] };

static const struct Format *format_of(const char *path)
{
    for (int i = 0; i < FORMATS; i++) {
        size_t length = strlen(path), tail = strlen(formats[i].ending);
        if (length > tail && strcasecmp(path + length - tail, formats[i].ending) == 0)
            return &formats[i];
    }
    return NULL;
}

Status video_check(const VideoPlan *plan, Error *error)
{
    if (!format_of(plan->path))
        return error_set(
            error, STATUS_BAD_PARAMETER,
            "a video's name ends in .mp4, .mkv, .mov, .webm or .gif, not as \"%.300s\"",
            plan->path);
    if (plan->width % 2 || plan->height % 2)
        return error_set(error, STATUS_BAD_PARAMETER,
                         "the sides of a video are even numbers, not %d x %d", plan->width,
                         plan->height);
    return STATUS_OK;
}

// Its own process group: Ctrl C in the terminal is for us, and the video is ended properly.
static int spawn(Video *video, char *const arguments[], int input)
{
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawn_file_actions_init(&files);
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&files, video->words, STDERR_FILENO);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
                                              POSIX_SPAWN_SETPGROUP);
    int code = posix_spawnp(&video->process, "ffmpeg", &files, &attributes, arguments, environ);
    if (code != 0) video->process = 0;
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return code;
}

static int start_process(Video *video, const VideoPlan *plan)
{
    const struct Format *format = format_of(plan->path);
    char size[32], rate[32], *file = malloc(strlen(plan->write) + sizeof "file:");
    int ends[2] = {-1, -1};
    if (!file) return ENOMEM;
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        int code = errno;
        free(file);
        return code;
    }
    snprintf(size, sizeof size, "%dx%d", plan->width, plan->height);
    snprintf(rate, sizeof rate, "%g", plan->fps);
    sprintf(file, "file:%s", plan->write);
    const char *const arguments[] = {"ffmpeg",
                                     "-hide_banner",
                                     "-loglevel",
                                     "error",
                                     "-nostdin",
                                     "-xerror",
                                     "-y",
                                     "-f",
                                     "rawvideo",
                                     "-pixel_format",
                                     "rgb24",
                                     "-video_size",
                                     size,
                                     "-framerate",
                                     rate,
                                     "-i",
                                     "pipe:0",
                                     format->more[0],
                                     format->more[1],
                                     "-f",
                                     format->muxer,
                                     file,
                                     NULL};
    int code = spawn(video, (char *const *)arguments, ends[1]);
    close(ends[1]);
    free(file);
    video->input = ends[0];
    return code;
}

Status video_start(const VideoPlan *plan, Video **out, Error *error)
{
    Status status = video_check(plan, error);
    if (status != STATUS_OK) return status;
    Video *video = calloc(1, sizeof *video);
    if (video) {
        video->input = -1;
        video->size = video->sent = CHANNELS * (size_t)plan->width * (size_t)plan->height;
        video->frame = malloc(video->size);
        video->words = memfd_create("ffmpeg", MFD_CLOEXEC);
    }
    if (!video || !video->frame || video->words < 0) {
        video_destroy(video);
        return error_set(error, STATUS_OUT_OF_MEMORY, "out of memory for a video");
    }
    int code = start_process(video, plan);
    if (code == 0) {
        *out = video;
        return STATUS_OK;
    }
    video_destroy(video);
    if (code == ENOENT)
        return error_set(error, STATUS_FILE,
                         "there is no ffmpeg, which makes the video; install the package ffmpeg");
    return error_set(error, STATUS_FILE, "ffmpeg, which makes the video, cannot be started: %s",
                     strerror(code));
}

unsigned char *video_frame(Video *video)
{
    return video->frame;
}

bool video_is_ready(const Video *video)
{
    return video->sent == video->size;
}

void video_send(Video *video)
{
    video->sent = 0;
    video->count++;
}

long video_count(const Video *video)
{
    return video->count;
}

// The last line that ffmpeg wrote, or how it ended.
static Status fail(const Video *video, int how, Error *error)
{
    char text[1024], *line = text;
    off_t end = lseek(video->words, 0, SEEK_END);
    off_t start = end > (off_t)sizeof text - 1 ? end - (off_t)sizeof text + 1 : 0;
    ssize_t length = pread(video->words, text, sizeof text - 1, start);
    while (length > 0 && strchr("\n\r ", text[length - 1])) length--;
    text[length > 0 ? length : 0] = '\0';
    for (char *c = text; *c; c++) {
        if (*c == '\n' || *c == '\r') line = c + 1;
    }
    if (*line) return error_set(error, STATUS_FILE, "ffmpeg made no video: %.400s", line);
    if (WIFSIGNALED(how))
        return error_set(error, STATUS_FILE, "ffmpeg made no video: it was ended by signal %d (%s)",
                         WTERMSIG(how), strsignal(WTERMSIG(how)));
    return error_set(error, STATUS_FILE, "ffmpeg made no video: it ended with exit code %d",
                     WIFEXITED(how) ? WEXITSTATUS(how) : -1);
}

static void rest(double seconds)
{
    const struct timespec time = {0, (long)(1e9 * seconds)};
    nanosleep(&time, NULL);
}

// Wait for its end, at most until a time. True if it has ended.
static bool wait_for_end(Video *video, double until, int *how)
{
    for (;;) {
        pid_t ended = waitpid(video->process, how, WNOHANG);
        if (ended == video->process || (ended < 0 && errno != EINTR)) {
            video->process = 0;
            return true;
        }
        if (clock_seconds() >= until) return false;
        rest(POLL_SECONDS);
    }
}

static void close_input(Video *video)
{
    if (video->input >= 0) close(video->input);
    video->input = -1;
}

// It takes no more: what it says about that comes with its end, for which it may need a moment.
static Status fail_early(Video *video, Error *error)
{
    int how = 0;
    close_input(video);
    if (video->process && !wait_for_end(video, clock_seconds() + 2.0, &how)) {
        kill(-video->process, SIGKILL);
        wait_for_end(video, INFINITY, &how);
    }
    return fail(video, how, error);
}

Status video_pump(Video *video, double wait, Error *error)
{
    double until = clock_seconds() + wait;
    while (video->sent < video->size) {
        ssize_t sent = send(video->input, video->frame + video->sent, video->size - video->sent,
                            MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent > 0) {
            video->sent += (size_t)sent;
        } else if (sent < 0 && (errno == EAGAIN || errno == EINTR)) {
            double left = until - clock_seconds();
            if (left <= 0.0) break;
            struct pollfd ready = {.fd = video->input, .events = POLLOUT};
            poll(&ready, 1, (int)ceil(1e3 * left));
        } else {
            return fail_early(video, error);
        }
    }
    return STATUS_OK;
}

Status video_finish(Video *video, double wait, bool *done, Error *error)
{
    double until = clock_seconds() + wait;
    *done = false;
    Status status = video_pump(video, wait, error);
    if (status != STATUS_OK || !video_is_ready(video)) return status;
    close_input(video);
    int how = 0;
    *done = wait_for_end(video, until, &how);
    return *done && how != 0 ? fail(video, how, error) : STATUS_OK;
}

void video_destroy(Video *video)
{
    if (!video) return;
    int how;
    close_input(video);
    if (video->process) {
        kill(-video->process, SIGKILL);
        wait_for_end(video, INFINITY, &how);
    }
    if (video->words >= 0) close(video->words);
    free(video->frame);
    free(video);
}
