// All that the window may show of a simulation at one moment: a float copy that owns its memory.
// The simulation thread writes it, the window reads it; runtime/snapshot_exchange transfers it.
#ifndef SIMULATION_SNAPSHOT_H
#define SIMULATION_SNAPSHOT_H

#include "integrators/integrator.h"
#include "scene/scene.h"
#include "simulation/autopsy.h"
#include "stability/limits.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Energy {
    double kinetic; // J, free particles
    double elastic; // J
    double gravity; // J, zero at y = 0
} Energy;

static inline double energy_total(Energy e)
{
    return e.kinetic + e.elastic + e.gravity;
}

// J, since the last reset: energy now = start + hand + contact + wind + muscle - damping - filter
// + remainder.
typedef struct EnergyBalance {
    double start;     // energy then
    double hand;      // work of the hand, of pinning and of letting go
    double contact;   // work of floor and colliders
    double wind;      // work of the wind on the cloth; what the air takes from it is damping
    double muscle;    // work of the muscles
    double damping;   // taken by air and by stiffness damping
    double filter;    // taken by the filter
    double remainder; // added by the numerics
    double error;     // of the quadratures and of rounding in these; see energy_balance.h
} EnergyBalance;

typedef struct Readings {
    double time;     // s, simulated since the start or the last reset
    long step_count; // steps since then
    double step;     // h in use, s
    double k0;       // 1/s^2, largest eigenvalue of M^-1 K, K linearised at time k0_time
    double k0_time;  // s
    StepLimit limit; // of h at that time, for the method, its damping and its filter
    double alpha;    // s, in use
    Energy energy;
    EnergyBalance balance;
    int contacts;      // particles that met floor or bodies in the last step
    double max_speed;  // m/s, free particles
    double max_strain; // largest |l - L| / L over the springs
    double cost;       // s of computing per step, smoothed
    StepReport last;   // of the last step
} Readings;

// Something worth finding again on the timeline.
typedef enum SnapshotMarkKind {
    SNAPSHOT_MARK_CHANGE, // of a parameter, a pin or a mode
    SNAPSHOT_MARK_HAND,
    SNAPSHOT_MARK_DIVERGENCE,
} SnapshotMarkKind;
typedef struct SnapshotMark {
    double time; // s, simulated
    SnapshotMarkKind kind;
} SnapshotMark;
enum { SNAPSHOT_MARKS = 96 };

// Of the last step: contacts of the cloth with itself.
typedef struct SelfCounts {
    int pairs;     // kept apart
    int held_back; // particles that were stopped before they passed through
    int crossings; // that were there before it was switched on
    bool full;     // there were more than there is room for
} SelfCounts;

typedef struct Snapshot {
    Scene scene; // params are those in use now
    Readings readings;
    PcgTrace pcg; // of the step that led here; no solves: there was none, or it needed none
    bool diverged;
    char diverged_text[256]; // one sentence; "" without a divergence
    Monitor monitor;         // stable, growing or diverged, and why
    Autopsy autopsy;         // of the last divergence since the start; check autopsy.present
    int rewinds;             // automatic ones since the start, see on_divergence

    int particle_count;
    float *position; // m, 3 per particle
    float *velocity; // m/s, 3 per particle
    // The same before the filter of the step that led here, if has_unfiltered. It is not known
    // after a step that estimated the stiffness, which needs the filter too.
    float *unfiltered;
    bool has_unfiltered;
    uint8_t *pinned; // 1 = pinned
    float *mode;     // 3 per particle, of the autopsy: the longest is 1; 0 when there is none
    int grabbed;     // particle in the hand, -1 if none
    float hand[3];   // m, target of the hand
    ColliderMotion motions[COLLIDERS_MAX]; // of the scene's colliders
    SelfCounts self;

    // Topology, copied only when its version changed.
    unsigned topology_version; // 0: none yet
    int triangle_count;
    uint32_t *triangles; // 3 per triangle, counter-clockwise seen from the front
    int spring_count;
    uint32_t *springs;    // 2 per spring
    float *rest_length;   // m, per spring
    uint8_t *spring_kind; // SpringKind
    float *weave;         // m, 2 per particle: its place in the cloth at rest, along each thread
    float spacing;        // m, of the grid at rest
    float centre[3];      // m, of the cloth at its start; of a body that roams, as if it began here
    float radius;         // m, about that centre
    // As centre and radius of a cloth that would need as much room: with bodies, and with the
    // swing of a rope. For the camera.
    float view_centre[3], view_radius; // m

    // Filled by the stage.
    Lane lane;        // which parameters are its own
    double cost_rate; // s of computing per simulated second, over the last half second or so
    float *distance;  // m, per particle, to the lane that it is compared with; 0 when there is none
    double distance_max, distance_rms; // m, over all particles; NaN when there is none
    struct Series *series;             // what was measured so far, stage/series.h; NULL: nothing
    struct Film *film;                 // how particles moved, stage/film.h; NULL: nothing

    // Filled by the simulation thread; the same for all lanes.
    bool running;
    bool in_past;                 // this is a moment before the newest one
    double first_time, last_time; // s, of the oldest moment that can be reached, and of the newest
    double past_bytes;            // memory that the past takes
    bool can_recall;              // what came after a past that was gone on from can be had again
    int mark_count;
    SnapshotMark marks[SNAPSHOT_MARKS];
    bool slowed;             // slow motion, because something grows
    double real_time_factor; // simulated per real second, over the last half second
    unsigned notice_serial;  // counts notices, so that a repeated one is noticed
    char notice[768];        // why a command was refused, how a replay ended; "": none yet
} Snapshot;

void snapshot_finish(Snapshot *snapshot); // accepts a zeroed one

#endif
