// Private to simulation/. The parts of a Simulation.
//   simulation.c   building, stepping, measuring     apply.c        commands and the hand
//   snapshot.c     copies for the window             state_file.c   particles as CSV
//   watch.c        judging a step, going back        state.c        all of it, saved and restored
#ifndef SIMULATION_SIMULATION_STATE_H
#define SIMULATION_SIMULATION_STATE_H

#include "cloth/collide.h"
#include "cloth/self_contact.h"
#include "scene/scene_start.h"
#include "simulation/cloth_system.h"
#include "simulation/energy_balance.h"
#include "simulation/good_states.h"
#include "simulation/simulation.h"
#include "stability/stiffness.h"

// Everything whose size depends on the cloth. Built separately, then swapped in as a whole.
typedef struct Body {
    Cloth cloth;
    double *good_x, *good_v; // flat, the state before the step being taken
    ColliderMotion good_motions[COLLIDERS_MAX];
    BalanceMeter good_balance;
    double *modes[STIFFNESS_MODES]; // flat, of the stiffness: warm starts for the next estimate
    ContactPoint *contact_points;   // one for each particle
    SelfContact self;               // empty until it is wanted
    ContactPair *self_pairs;        // of it, inside an implicit step; as many as it can have
    double *self_seen;              // flat, where it last searched; then its way ahead to there
    double *memory;                 // large enough for any integrator
    size_t memory_size;             // numbers
    double *mode;                   // flat, of the autopsy: the mode that grew
    double *sound_x, *sound_v;      // flat, the state to go back to after a divergence
    GoodStates good;                // to go back to
    Arena scratch;                  // large enough for any integrator and for the estimate of k0
} Body;

// Of the contact with itself: what it continues from, and what the last step did.
typedef struct SelfReadings {
    double reach;  // m, of the last search, at body.self_seen; 0: there was none
    int pairs;     // that were kept apart
    int held_back; // particles that were stopped
    int crossings; // that were there at the last search
    bool full;     // more pairs than there is room for
} SelfReadings;

// All that the step limit, the automatic step and the automatic alpha follow from.
typedef struct LimitQuestion {
    Scheme scheme;
    Stiffness stiffness;
    double air, alpha, safety, step; // parameters
    int alpha_rule;
} LimitQuestion;

// What a run continues from, apart from arrays (listed in state.c) and the scene's parameters:
// plain values, copied by assignment. What follows from them (system, options, limits) is not
// included.
typedef struct StateValues {
    Vec3 hand;        // m, target of the grabbed particle or body
    int grabbed_body; // the body in the hand + 1; 0: none
    int body_count;
    ColliderMotion motions[COLLIDERS_MAX]; // of the scene's colliders
    SelfReadings self;
    double muscle_offset;    // s, of the muscles' clock, see cloth/muscle.h
    int contacts;            // particles that the last step found inside floor or bodies
    PinToggles toggled_pins; // the present ones; the scene has those of the start
    double time;             // s
    long step_count;
    Stiffness stiffness;   // the limits follow from it
    double stiffness_time; // s, when it was estimated
    double across_time;    // s, when its `across` was estimated, which changes faster
    double stiffness_wait; // s, after which it may have changed too much; 0: not known
    double strain;         // the largest one when it was estimated; 0 where K does not follow it
    double strain_time;    // s, when that was last looked at
    bool stiffness_due;    // estimate it again before the present step or command ends
    StepMemory memory;     // of the method in use; simulation_forget clears it
    StepReport last;       // without its force
    BalanceMeter balance;
    Monitor monitor;
    Autopsy autopsy;
    Params autopsy_params; // the parameters it was made with
    GoodState sound;       // the state for autopsy.can_go_back; its arrays are in the body
    int rewinds;           // automatic ones, since the start
    double rewound_time;   // s, of the state that the last one restored
    bool diverged;
    char diverged_text[256];
} StateValues;

// The arrays of a state, all of doubles.
enum {
    STATE_X,
    STATE_V,
    STATE_MASS,
    STATE_MEMORY,
    STATE_MODE,
    STATE_SOUND_X,
    STATE_SOUND_V,
    STATE_SELF_SEEN,
    STATE_STIFFNESS, // the first of STIFFNESS_MODES
    STATE_ARRAYS = STATE_STIFFNESS + STIFFNESS_MODES,
};

struct Simulation {
    Scene scene; // params are those in use
    Body body;
    Crew *crew;                // helps with the cloth; NULL: nobody
    const atomic_bool *cancel; // of a step; NULL: nobody cancels
    StateValues now;
    StateValues before;        // the step being taken, while it may be cancelled
    Vec3 before_held;          // m/s, of the grabbed particle
    unsigned topology_version; // counts the cloths built
    unsigned revision;         // counts changes of parameters
    double cost;               // s of computing per step, smoothed; 0 before the first
    double last_step;          // s, of the step from body.good_x to the present; 0: no such step
    PcgTrace trace;            // of that step's solves
    ContactSet contacts;       // of that step, solved for; its points are the body's

    // follows from the parameters, the stiffness and the cloth; set by simulation_sync_params
    ClothSystem hooks;
    System system;              // the body's cloth, for the integrator
    Scheme scheme;              // the method as linear stability sees it, with its options
    LimitQuestion limits_asked; // to which the next three are the answer
    StepLimit limit;
    double automatic_step;  // s, what `step = auto` takes
    double automatic_alpha; // s, while alpha follows
    double drop;            // kg m, mass times height: times gravity, the monitor's scale of energy
};

void simulation_arrays(const Simulation *simulation, double *arrays[STATE_ARRAYS],
                       size_t sizes[STATE_ARRAYS]);
// An unused array (of a method without memory, or the mode without an autopsy) keeps its old
// contents and does not count.
bool state_array_counts(const StateValues *values, int array);

Status simulation_check_scene(const Scene *scene, Error *error); // every parameter is in its range
// Replace the body by one for `scene` and start over. `known` as for scene_build. On failure
// nothing changes.
// The first half of a rebuild: the cloth at its start, but no clock and no stiffness yet.
Status simulation_build(Simulation *simulation, const Scene *scene, const KnownMesh *known,
                        Error *error);
Status simulation_rebuild(Simulation *simulation, const Scene *scene, const KnownMesh *known,
                          Error *error);
void simulation_start_over(Simulation *simulation);       // start shape, at rest, its pins, time 0
void simulation_restart_clock(Simulation *simulation);    // time 0, not diverged, new stiffness
void simulation_sync_params(Simulation *simulation);      // material, filter: after params changed
void simulation_update_stiffness(Simulation *simulation); // and the step limit that follows
// What follows from the stiffness: the automatic alpha and step, and the limit for the alpha in
// use.
void simulation_update_step_limit(Simulation *simulation);
size_t simulation_stiffness_scratch_size(int dofs); // bytes of the body's scratch for an estimate
void simulation_refresh_estimates(Simulation *simulation); // after a step: those that are too old
// Set other parameters for the same cloth, none of which rebuilds it: model, masses, and what
// follows. On failure nothing changes.
Status simulation_change_params(Simulation *simulation, const Params *params, Error *error);
// The state or the system changed without a step: the method's memory is cleared.
void simulation_forget(Simulation *simulation);
// The opposite: the method's memory was restored, and the method rebuilds what follows from it.
void simulation_resume(Simulation *simulation);
// Cloth, arrays and scene were restored: set these values and all that follows. No older states are
// left to go back to.
void simulation_continue(Simulation *simulation, const StateValues *values);
// One step of the method with hand, filter and floor, neither judged nor counted. Returns the
// largest speed, m/s: not finite when the state is not. If now.last.cancelled is set, the state
// before is in good_x and good_v, and the rest is to be restored by the caller.
double simulation_move(Simulation *simulation, double h);
void simulation_move_hand(Simulation *simulation, double h); // velocity of the grabbed particle
// m/s, of what the hand holds at `place`, towards its target
Vec3 simulation_hand_velocity(const Simulation *simulation, Vec3 place, double h);
Surroundings simulation_surroundings(Simulation *simulation); // its motions are the simulation's

#endif
