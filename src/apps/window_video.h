// A video of the window's view, a frame every 1/30 simulated second. While it is made, the
// simulation waits for each frame to be drawn, so none is missing, however slow the machine.
#ifndef APPS_WINDOW_VIDEO_H
#define APPS_WINDOW_VIDEO_H

#include "apps/lane_pictures.h"
#include "base/output_file.h"
#include "runtime/video.h"

typedef struct WindowVideo {
    Video *video; // NULL: none
    bool finishing;
    int width, height;                   // pixels
    unsigned framebuffer, colour, depth; // OpenGL's names
    unsigned char *rows;                 // RGB, from the bottom
    char path[256];                      // the file,
    OutputFile output;                   // and how it is written
    double start;                        // s, simulated: of the first frame, if time never jumped
    double seen;                         // s, likewise: when the last frame was drawn
    SimThread *held;                     // that waits for frames
    double held_at;                      // s
} WindowVideo;

// Once a frame of the window, with its context current: does what is wished for in ui->video, takes
// a frame of the view if one is due, and goes on sending.
void window_video_update(WindowVideo *self, Ui *ui, const LanePictures *pictures);
// Whether it goes on without an event.
bool window_video_is_busy(const WindowVideo *self);
// When the window closes: keeps the video, unless ffmpeg takes too long for the rest.
void window_video_close(WindowVideo *self, Ui *ui);

#endif
