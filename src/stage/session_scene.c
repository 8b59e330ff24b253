#include "stage/session_state.h"

#include <stdlib.h>

int session_lanes_of(const Scene *scene)
{
    return scene->lane_count > 0 ? scene->lane_count : 1;
}

Scene session_scene_of(const Scene *scene, int lane)
{
    if (scene->lane_count == 0) return *scene;
    Lane fine = lane_fine();
    return lane_scene(lane < scene->lane_count ? &scene->lanes[lane] : &fine, scene);
}

void session_change_scene(Scene *scene, const Command *command)
{
    const ParamInfo *info = &param_table[command->param.index];
    if (command->lane == COMMAND_ALL_LANES) {
        param_set(&scene->params, info, command->param.value, NULL);
    } else if (command->kind == COMMAND_SHARE_PARAM) {
        lane_share(&scene->lanes[command->lane - 1], info);
    } else {
        lane_own(&scene->lanes[command->lane - 1], info, command->param.value);
    }
}

// The scene as it was when the clock showed `time`.
Scene session_scene_at(const Session *self, double time)
{
    Scene scene = self->start;
    for (int i = 0; i < self->changes.count && self->changes.items[i].clock <= time; i++)
        session_change_scene(&scene, &self->changes.items[i].command);
    return scene;
}

Status session_keep_change(Session *self, const Command *command, Error *error)
{
    Changes *changes = &self->changes;
    if (changes->count == changes->capacity) {
        int capacity = changes->capacity ? 2 * changes->capacity : 64;
        Change *items = realloc(changes->items, (size_t)capacity * sizeof *items);
        if (!items) return error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory");
        changes->items = items;
        changes->capacity = capacity;
    }
    changes->items[changes->count++] = (Change){self->stage.time, *command};
    return STATUS_OK;
}

void session_forget_changes(Changes *changes)
{
    free(changes->items);
    *changes = (Changes){0};
}
