// A video of the view while it is made. The panels show it and wish; the window's part does it.
#ifndef UI_VIDEO_VIEW_H
#define UI_VIDEO_VIEW_H

#include <stdbool.h>

typedef enum VideoWish { VIDEO_NO_WISH, VIDEO_START, VIDEO_STOP, VIDEO_DISCARD } VideoWish;

typedef struct VideoView {
    VideoWish wish;
    bool on;        // frames are taken
    bool finishing; // ffmpeg computes the rest
    double seconds; // of video so far
    char name[80];  // of its file
} VideoView;

#endif
