#include "scene/scene.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

Scene scene_default(void)
{
    return (Scene){
        .name = "drape",
        .title = "Drape",
        .about = "A square cloth, pinned by its two top corners, swings down and comes to rest.",
        .pins = PIN_TOP_LEFT | PIN_TOP_RIGHT,
        .start_stretch = 1.0,
        .params = params_default(),
    };
}

static const struct PinName {
    const char *name;
    unsigned flag;
} pin_names[] = {
    {"top-left", PIN_TOP_LEFT},       {"top-right", PIN_TOP_RIGHT},
    {"bottom-left", PIN_BOTTOM_LEFT}, {"bottom-right", PIN_BOTTOM_RIGHT},
    {"top-edge", PIN_TOP_EDGE},       {"left-edge", PIN_LEFT_EDGE},
    {"bottom-edge", PIN_BOTTOM_EDGE}, {"right-edge", PIN_RIGHT_EDGE},
};
enum { PIN_NAME_COUNT = sizeof pin_names / sizeof pin_names[0] };

unsigned pin_from_name(const char *name)
{
    for (int i = 0; i < PIN_NAME_COUNT; i++) {
        if (strcmp(pin_names[i].name, name) == 0) return pin_names[i].flag;
    }
    return 0;
}

const char *pin_name(unsigned flag)
{
    for (int i = 0; i < PIN_NAME_COUNT; i++) {
        if (pin_names[i].flag == flag) return pin_names[i].name;
    }
    return NULL;
}

const char *start_pose_name(int pose)
{
    static const char *const names[START_POSES] = {"flat", "hanging"};
    return pose >= 0 && pose < START_POSES ? names[pose] : NULL;
}

static bool within(double value, double low, double high)
{
    return value >= low && value <= high; // false for NaN
}

Status scene_check(const Scene *scene, Error *error)
{
    Vec3 v = scene->start_velocity;
    double fastest = SCENE_VELOCITY_MAX;
    if (!within(scene->mass_spread, 0.0, SCENE_SPREAD_MAX) ||
        !within(scene->stiffness_spread, 0.0, SCENE_SPREAD_MAX)) {
        return error_set(error, STATUS_BAD_PARAMETER,
                         "mass_spread and stiffness_spread are shares from 0 to %g",
                         SCENE_SPREAD_MAX);
    }
    if (!within(scene->start_stretch, SCENE_STRETCH_MIN, SCENE_STRETCH_MAX)) {
        return error_set(error, STATUS_BAD_PARAMETER,
                         "start_stretch = %g is not allowed: it takes %g to %g",
                         scene->start_stretch, SCENE_STRETCH_MIN, SCENE_STRETCH_MAX);
    }
    if (!within(v.x, -fastest, fastest) || !within(v.y, -fastest, fastest) ||
        !within(v.z, -fastest, fastest)) {
        return error_set(error, STATUS_BAD_PARAMETER,
                         "start_velocity takes three numbers from %g to %g (m/s)", -fastest,
                         fastest);
    }
    if (!start_pose_name((int)scene->start)) {
        return error_set(error, STATUS_BAD_PARAMETER, "start takes flat or hanging");
    }
    for (int i = 0; i < scene->collider_count; i++) {
        Error reason;
        if (collider_check(&scene->colliders[i], &reason) != STATUS_OK)
            return error_set(error, STATUS_BAD_PARAMETER, "collider %d: %.200s", i + 1,
                             reason.text);
    }
    for (int i = 0; i < scene->muscle_count; i++) {
        Error reason;
        if (muscle_check(&scene->muscles[i], &reason) != STATUS_OK)
            return error_set(error, STATUS_BAD_PARAMETER, "muscle %d: %.200s", i + 1, reason.text);
    }
    if (scene->mesh[0] != '\0' && scene->params.gather < 1.0) {
        return error_set(error, STATUS_BAD_PARAMETER,
                         "gather = %g is for grids: a mesh from a file starts in the file's shape",
                         scene->params.gather);
    }
    if (scene->mesh[0] == '\0' && scene->params.rows * scene->params.columns < 2) {
        return error_set(error, STATUS_BAD_PARAMETER,
                         "rows = 1 and columns = 1 make no cloth; it takes at least two particles");
    }
    return STATUS_OK;
}

Status pin_toggles_parse(const char *text, PinToggles *toggles, Error *error)
{
    text += strspn(text, " \t");
    while (*text) {
        char *end;
        long particle = strtol(text, &end, 10);
        bool whole = end != text && (*end == '\0' || *end == ' ' || *end == '\t');
        if (!whole || particle < 0 || particle > INT_MAX)
            return error_set(error, STATUS_BAD_PARAMETER,
                             "the numbers of particles, from 0, not \"%.40s\"", text);
        if (pin_toggles_flip(toggles, (int)particle, NULL) != STATUS_OK)
            return error_set(error, STATUS_BAD_PARAMETER, "at most %d particles",
                             (int)PIN_TOGGLES_MAX);
        text = end + strspn(end, " \t");
    }
    return STATUS_OK;
}

Status pin_toggles_flip(PinToggles *toggles, int particle, Error *error)
{
    for (int i = 0; i < toggles->count; i++) {
        if (toggles->particle[i] != particle) continue;
        toggles->particle[i] = toggles->particle[--toggles->count];
        return STATUS_OK;
    }
    if (toggles->count == PIN_TOGGLES_MAX)
        return error_set(
            error, STATUS_BAD_PARAMETER,
            "%d particles have been pinned or freed by hand, and a scene holds no more",
            (int)PIN_TOGGLES_MAX);
    toggles->particle[toggles->count++] = particle;
    return STATUS_OK;
}
