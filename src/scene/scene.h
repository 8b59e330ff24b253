// A scene: what to build and how to start. Read from assets/scenes/NAME.ini by runtime/scene_file.
#ifndef SCENE_SCENE_H
#define SCENE_SCENE_H

#include "cloth/collider.h"
#include "cloth/muscle.h"
#include "scene/lane.h"
#include "scene/params.h"

enum { // which particles are pinned at the start; row 0 is the top
    PIN_TOP_LEFT = 1,
    PIN_TOP_RIGHT = 2,
    PIN_BOTTOM_LEFT = 4,
    PIN_BOTTOM_RIGHT = 8,
    PIN_TOP_EDGE = 16,
    PIN_LEFT_EDGE = 32,
    PIN_BOTTOM_EDGE = 64,
    PIN_RIGHT_EDGE = 128,
    PIN_ALL_EDGES = PIN_TOP_EDGE | PIN_LEFT_EDGE | PIN_BOTTOM_EDGE | PIN_RIGHT_EDGE,
};

// Particles the user clicked: pinned though `pins` does not name them, or free though it does.
enum { PIN_TOGGLES_MAX = 24 };
typedef struct PinToggles {
    int count;
    int particle[PIN_TOGGLES_MAX];
} PinToggles;
// Refuses one more than there may be.
Status pin_toggles_flip(PinToggles *toggles, int particle, Error *error);
// Numbers of particles, "12 40". Of what is refused, the error says what there may be instead.
Status pin_toggles_parse(const char *text, PinToggles *toggles, Error *error);

typedef enum StartPose {
    START_FLAT,    // as the mesh lies at rest
    START_HANGING, // rotated so that its top is up; a rope hangs from its first particle
    START_POSES,
} StartPose;

enum { SCENE_LANES_MAX = 4 };

typedef struct Scene {
    char name[48];    // of its file, without .ini
    char source[512]; // path of its file, absolute; "" if it is found by its name, or has none
    char title[80];   // for the window
    char about[384];  // a sentence or two for the student
    unsigned pins;
    PinToggles toggled_pins;
    char mesh[512];          // path of an OBJ file; "" for a grid of rows x columns
    double mass_spread;      // masses vary by up to this share,
    double stiffness_spread; // and springs by up to this one, at random but the same on every run
    StartPose start;
    double start_stretch; // size at the start / size at rest, about the top left corner
    Vec3 start_velocity;  // m/s, of every particle that is not pinned
    int collider_count;
    Collider colliders[COLLIDERS_MAX]; // solid bodies beside the floor
    int muscle_count;
    Muscle muscles[MUSCLES_MAX];
    Params params;  // of all lanes that have no value of their own
    int lane_count; // 0: one lane, without a parameter of its own
    Lane lanes[SCENE_LANES_MAX];
    bool fine; // a hidden lane runs beside them, to compare them with: lane_fine
} Scene;

// The scene as a lane runs it: without lanes, its parameters those of the lane.
Scene lane_scene(const Lane *lane, const Scene *scene);
// Refuses a lane whose parameters, with those that it shares, do not make sense together.
Status lane_check(const Lane *lane, const Scene *scene, Error *error);

Scene scene_default(
    void); // a cloth hanging by its two top corners, all parameters at their defaults

// Refuses numbers outside their range, NaN, and settings that do not go with a mesh. The parameters
// are checked elsewhere.
Status scene_check(const Scene *scene, Error *error);

// Largest spread of masses and stiffnesses, stretch at the start, and start speed.
#define SCENE_SPREAD_MAX 0.9
#define SCENE_STRETCH_MIN 0.1
#define SCENE_STRETCH_MAX 10.0
#define SCENE_VELOCITY_MAX 100.0

const char *start_pose_name(int pose); // NULL outside the enumeration

// Names of the pin flags, for scene files: "top-left", ... ; 0 or NULL when there is none.
unsigned pin_from_name(const char *name);
const char *pin_name(unsigned flag);

#endif
