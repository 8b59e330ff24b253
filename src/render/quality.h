// How much a frame may show: what costs most is left out first when frames take too long, and
// comes back when there is time. Arithmetic only; times are given.
#ifndef RENDER_QUALITY_H
#define RENDER_QUALITY_H

#include <stdbool.h>

typedef enum RenderDetail {
    DETAIL_PLAIN,  // smooth cloth in the fabric's colours
    DETAIL_WOVEN,  // with threads and a hem
    DETAIL_SMOOTH, // and smooth edges
    DETAILS,
} RenderDetail;

typedef struct Quality {
    RenderDetail detail;
    double mean;     // s, computing time of a frame, smoothed; of this detail
    int frames;      // since the detail changed
    double patience; // frames to wait before trying more; doubles when that was too much
} Quality;

Quality quality_start(void);

// After a frame that took `seconds` of computing. Returns whether the detail changed.
bool quality_frame(Quality *quality, double seconds);

#endif
