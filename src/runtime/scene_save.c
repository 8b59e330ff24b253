#include "runtime/scene_file.h"

#include "base/output_file.h"
#include "base/text_stream.h"
#include "runtime/ini_text.h"
#include "scene/collider_text.h"
#include "scene/muscle_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void write_pins(FILE *file, unsigned pins)
{
    fprintf(file, "pins =");
    if (pins == 0) fprintf(file, " none");
    for (unsigned flag = 1; flag; flag <<= 1) {
        const char *name = pin_name(flag);
        if (name && (pins & flag)) fprintf(file, " %s", name);
    }
    fprintf(file, "\n");
}

static void write_toggled_pins(FILE *file, const PinToggles *toggles)
{
    if (toggles->count == 0) return;
    fprintf(file, "; particles pinned or freed beside the pins above, counted by rows from 0\n");
    fprintf(file, "toggled_pins =");
    for (int i = 0; i < toggles->count; i++) fprintf(file, " %d", toggles->particle[i]);
    fprintf(file, "\n");
}

// Other bits: -0 is not 0.
static bool differs(double a, double b)
{
    return memcmp(&a, &b, sizeof a) != 0;
}

// The settings that most scenes do not use.
static void write_start(FILE *file, const Scene *scene)
{
    Vec3 v = scene->start_velocity;
    if (scene->mesh[0] != '\0') ini_print(file, "mesh", scene->mesh);
    if (differs(scene->mass_spread, 0.0)) {
        fprintf(file, "mass_spread = %.17g\n", scene->mass_spread);
    }
    if (differs(scene->stiffness_spread, 0.0)) {
        fprintf(file, "stiffness_spread = %.17g\n", scene->stiffness_spread);
    }
    fprintf(file, "start = %s\n", start_pose_name((int)scene->start));
    if (scene->start_stretch != 1.0) {
        fprintf(file, "start_stretch = %.17g\n", scene->start_stretch);
    }
    if (differs(v.x, 0.0) || differs(v.y, 0.0) || differs(v.z, 0.0)) {
        fprintf(file, "start_velocity = %.17g %.17g %.17g\n", v.x, v.y, v.z);
    }
    if (scene->fine) fprintf(file, "; a hidden lane to compare with\nfine = on\n");
}

static void write_params(FILE *file, const Params *params)
{
    const char *group = "";
    for (int i = 0; i < param_count; i++) {
        const ParamInfo *info = &param_table[i];
        if (strcmp(info->group, group) != 0) fprintf(file, "\n[%s]\n", info->group);
        group = info->group;
        char value[64], allowed[PARAM_ALLOWED_SIZE];
        param_print(params, info, value, sizeof value);
        param_allowed(info, allowed, sizeof allowed);
        fprintf(file, "; %s\n; %s%s%s\n%s = %s\n", info->help, allowed, info->unit[0] ? ", " : "",
                info->unit, info->name, value);
    }
}

static void write_lanes(FILE *file, const Scene *scene)
{
    if (scene->lane_count > 0) {
        fprintf(file,
                "\n; The same scene side by side: each [lane] has these parameters of its own "
                "and\n; shares the rest.\n");
    }
    for (int k = 0; k < scene->lane_count; k++) {
        const Lane *lane = &scene->lanes[k];
        fprintf(file, "%s[lane]\n", k > 0 ? "\n" : "");
        for (int i = 0; i < param_count; i++) {
            const ParamInfo *info = &param_table[i];
            char value[64];
            if (!lane_owns(lane, info)) continue;
            param_print(&lane->params, info, value, sizeof value);
            fprintf(file, "%s = %s\n", info->name, value);
        }
    }
}

void scene_print(const Scene *scene, FILE *file)
{
    fprintf(file, "[scene]\n");
    ini_print(file, "title", scene->title);
    ini_print_wrapped(file, "about", scene->about);
    write_pins(file, scene->pins);
    write_toggled_pins(file, &scene->toggled_pins);
    write_start(file, scene);
    write_params(file, &scene->params);
    for (int i = 0; i < scene->collider_count; i++) {
        fprintf(file, "\n[collider]\n");
        collider_print(&scene->colliders[i], file);
    }
    for (int i = 0; i < scene->muscle_count; i++) {
        fprintf(file, "\n[muscle]\n");
        muscle_print(&scene->muscles[i], file);
    }
    write_lanes(file, scene);
}

Status scene_save(const Scene *scene, const char *path, Error *error)
{
    TextStream stream;
    bool printed = text_stream_open(&stream);
    if (printed) {
        scene_print(scene, stream.file);
        printed = text_stream_close(&stream);
    }
    if (!printed) return error_set(error, STATUS_OUT_OF_MEMORY, "out of memory for the scene");
    Status status = output_file_write(path, stream.text, stream.size, error);
    free(stream.text);
    return status;
}
