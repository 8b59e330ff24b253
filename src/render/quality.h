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
    double mean;       // s, computing time of a frame, smoothed; of this detail
    int counted;       // frames in the mean
    bool is_late;      // the mean was too long, and is taken again to be sure
    double finer_mean; // s, of the detail that was just left out; 0: none was
    int frames;        // since the detail changed
    int kept_until;    // frames in which it is not left out again: that was in vain
    double patience;   // frames to wait before trying more; doubles when that was too much
} Quality;

Quality quality_start(void);

// What a frame is drawn with: without smooth edges where it has to spare time for others.
RenderDetail quality_detail(const Quality *quality, bool spares);

// After a frame with this detail that took `seconds` of computing. Returns whether the detail
// changed.
bool quality_frame(Quality *quality, RenderDetail drawn, double seconds);

#endif
