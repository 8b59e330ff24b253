// A video made by ffmpeg: a child process that is fed frames through a socket. ffmpeg is looked for
// when a video starts; the program does without it otherwise.
//
// Nothing here blocks for longer than the caller allows, so a window can go on drawing while ffmpeg
// computes. The caller gives ffmpeg a temporary name and renames the file when all went well.
#ifndef RUNTIME_VIDEO_H
#define RUNTIME_VIDEO_H

#include "base/status.h"

#include <stdbool.h>

enum { VIDEO_FPS_MAX = 240 };

typedef struct Video Video;

typedef struct VideoPlan {
    const char *path;  // the final name: its ending chooses the format
    const char *write; // the file that ffmpeg writes
    int width, height; // pixels, even
    double fps;        // frames per second
} VideoPlan;

// Refuses an ending that is not .mp4, .mkv, .mov, .webm or .gif, and odd sides.
Status video_check(const VideoPlan *plan, Error *error);
// Starts ffmpeg. Without one: a sentence.
Status video_start(const VideoPlan *plan, Video **out, Error *error);

// The next frame, RGB, rows from the top: fill it while video_is_ready, then video_send.
unsigned char *video_frame(Video *video);
bool video_is_ready(const Video *video); // the last frame has gone
void video_send(Video *video);
long video_count(const Video *video); // frames sent so far

// Go on sending, for at most `wait` s. Fails if ffmpeg takes no more, with its own words.
Status video_pump(Video *video, double wait, Error *error);

// After the last frame: waits for ffmpeg for at most `wait` s; *done when it has ended. Fails if it
// ended with an error.
Status video_finish(Video *video, double wait, bool *done, Error *error);

// Ends ffmpeg if it still runs. The file is the caller's. Accepts NULL.
void video_destroy(Video *video);

#endif
