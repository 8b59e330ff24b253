// All that may be asked of a running simulation. Sent by the window, applied between two steps.
//
// A command points to what is large: a scene, a shape. Whoever makes one lends it for the call;
// whoever keeps one longer (a queue, a recording) keeps a command_copy and ends it with
// command_finish.
#ifndef SIMULATION_COMMAND_H
#define SIMULATION_COMMAND_H

#include "linalg/vec3.h"
#include "scene/scene.h"

typedef enum CommandKind {
    // applied by simulation_apply
    COMMAND_LOAD_SCENE, // scene
    COMMAND_SET_PARAM,  // param
    COMMAND_GRAB,       // hand: take hold of a particle, and move it towards target
    COMMAND_MOVE_HAND,  // hand.target
    COMMAND_RELEASE,
    COMMAND_TOGGLE_PIN, // particle
    COMMAND_RESET,      // the scene's start, with the parameters as they are now
    COMMAND_REWIND,     // rewind: back to an older good state, with the parameters as they are
    COMMAND_EXCITE,     // excite: a shape is added to the velocities
    // obeyed by the simulation thread
    COMMAND_RUN,
    COMMAND_PAUSE,
    COMMAND_STEP, // one step, then pause
    COMMAND_QUIT,
} CommandKind;

typedef struct Command {
    CommandKind kind;
    union {
        const Scene *scene;
        struct {
            int index; // into param_table
            double value;
        } param;
        struct {
            int particle;
            Vec3 target; // m
        } hand;
        int particle;
        struct {
            double seconds; // at least; 0: before the divergence, or by one state
        } rewind;
        struct {
            const float *shape; // 3 per particle
            int particle_count;
            double amplitude; // m/s, of what is 1 in the shape
        } excite;
    };
} Command;

// A copy that owns what it points to. On failure `out` owns nothing.
Status command_copy(const Command *command, Command *out, Error *error);
void command_finish(Command *command); // of a copy

#endif
