// All commands to a running simulation. The window sends them; they take effect between two steps.
//
// A command points to large data (a scene, a shape), borrowed from the sender for the call. A queue
// or a recording, which keeps it longer, makes a command_copy and frees it with command_finish.
#ifndef SIMULATION_COMMAND_H
#define SIMULATION_COMMAND_H

#include "linalg/vec3.h"
#include "scene/scene.h"

typedef enum CommandKind {
    // applied by simulation_apply
    COMMAND_LOAD_SCENE, // scene
    COMMAND_SET_PARAM,  // param
    COMMAND_GRAB,       // hand: grab a particle and move it towards target
    COMMAND_GRAB_BODY,  // body: take a solid body and move its centre towards target
    COMMAND_MOVE_HAND,  // hand.target
    COMMAND_RELEASE,
    COMMAND_TOGGLE_PIN, // particle
    COMMAND_RESET,      // the scene's start, with the present parameters
    COMMAND_REWIND,     // rewind: back to an older good state, with the present parameters
    COMMAND_EXCITE,     // excite: add a shape to the velocities
    COMMAND_RESUME,     // go on from a restored state: forget the older ones to go back to
    // applied by the stage, which has the lanes
    COMMAND_SHARE_PARAM, // param.index: the lane gives up its own value
    COMMAND_RETRY,       // lanes that stopped go on from their last good state
    // handled by the simulation thread
    COMMAND_RUN,  // until: s, of the clock, then pause; 0: on and on
    COMMAND_JUMP, // until: take the steps to that time at once, then pause
    COMMAND_PAUSE,
    COMMAND_STEP,      // one step, then pause
    COMMAND_SEEK,      // seek: look at a moment of the past; pauses
    COMMAND_PLAY,      // play: the past from the moment shown up to the present, then pause
    COMMAND_RECALL,    // what came after the past that was gone on from last; pauses
    COMMAND_SELECT,    // the lab studies the lane
    COMMAND_REFERENCE, // the lane, or the fine one, is what others are compared with
    COMMAND_HOLD,      // hold: a running simulation waits there, until it is told another time
    COMMAND_QUIT,
} CommandKind;

enum { COMMAND_ALL_LANES = 0, COMMAND_FINE_LANE = -1 };

typedef struct Command {
    CommandKind kind;
    int lane; // 1, 2, ...; a parameter set for one lane is its own from then on
    // Of what was pointed at: the topology_version of the snapshot in which it was seen. The
    // simulation thread ignores the command when that cloth is gone. 0: for whatever is there.
    unsigned cloth;
    union {
        const Scene *scene;
        double until;
        struct {
            int index; // into param_table
            double value;
        } param;
        struct {
            int particle;
            Vec3 target; // m
        } hand;
        struct {
            int number;  // of the scene's colliders, from 0
            Vec3 target; // m
        } body;
        int particle;
        struct {
            double seconds; // go back at least this far; 0: before the divergence, or by one state
        } rewind;
        struct {
            double speed; // simulated per real second
        } play;
        struct {
            int kind;    // SeekKind, see stage/timeline.h
            double time; // s; the newest moment, or later: back to it
        } seek;
        struct {
            double time; // s, of its clock; INFINITY: it does not wait
        } hold;
        struct {
            const float *shape; // 3 per particle
            int particle_count;
            double amplitude; // m/s, for a coordinate of 1 in the shape
        } excite;
    };
} Command;

Command command_set(const char *name, double value); // of a parameter that exists

// A copy that owns what it points to. On failure `out` owns nothing.
Status command_copy(const Command *command, Command *out, Error *error);
void command_finish(Command *command); // only for a copy

#endif
