// Several runs of one scene on one clock. Each lane takes whole steps of its own length, as it
// would by itself, until it has reached the clock. Between two steps its particles are
// interpolated, so that all lanes are seen at the same moment. A lane that diverges stops; the
// others go on.
//
// Not thread-safe: one thread at a time.
#ifndef STAGE_STAGE_H
#define STAGE_STAGE_H

#include "stage/sampler.h"
#include "stage/timeline.h"

enum { STAGE_LANES_MAX = 16 };

typedef struct StageLane {
    Simulation *simulation;
    Timeline *timeline; // its past; NULL: none is kept
    Sampler *sampler;   // for the plots; NULL: there are none
    bool stopped;       // it diverged, at its own simulation_time
    bool changed;       // since then: it may go further now
    double seconds;     // s, of computing
    Error failure;      // why it stopped
} StageLane;

typedef struct Stage {
    double time; // s, the clock
    int count;
    StageLane lanes[STAGE_LANES_MAX];
    // Room for the positions of two lanes, 3 numbers per particle. NULL: there was no memory for
    // it.
    double *positions[2];
} Stage;

// A lane for each scene; they have the same particles. On failure nothing is allocated.
Status stage_init(Stage *stage, const Scene *scenes, int count, Error *error);
void stage_finish(Stage *stage); // accepts a zeroed one
// After lanes have got other particles. Without memory nothing is compared.
void stage_make_room(Stage *stage);

// Move the clock on to `time`, s. False when a step was cancelled, or when `is_interrupted` (NULL:
// never), asked now and then, returned true, or at `deadline` (clock_seconds): the clock then
// stands where it was, and some lanes are ahead of it.
bool stage_advance(Stage *stage, double time, double deadline, bool (*is_interrupted)(void));
// One step of a lane, which its past and its plots get to know.
Status stage_step(StageLane *lane, Error *error);

// Positions at the clock, m, 3 per particle. Of a lane that stopped: where it stopped.
void stage_positions(const Stage *stage, int lane, double *positions);

// How far the particles of a lane are from those of another at the clock. NaN when one has stopped,
// or they cannot be compared.
typedef struct StageDistance {
    double max, rms; // m
} StageDistance;
StageDistance stage_distance(Stage *stage, int lane, int reference);
// The same of two sets of positions, 3 per particle. `each` (may be NULL): of every particle, m.
StageDistance stage_distance_between(const double *a, const double *b, int particle_count,
                                     float *each);

#endif
