#include "stage/session_state.h"

#include "scene/combination.h"

#include <math.h>
#include <stdlib.h>

static Status apply_to_lane(Session *self, int lane, const Command *command, Error *error)
{
    StageLane *one = &self->stage.lanes[lane];
    double clock = self->has_lanes ? self->stage.time : simulation_time(one->simulation);
    Status status = simulation_apply(one->simulation, command, error);
    if (status != STATUS_OK) return status;
    one->changed = one->stopped;
    if (one->timeline) timeline_command(one->timeline, command, clock, one->simulation);
    if (one->sampler) sampler_jump(one->sampler, one->simulation);
    return STATUS_OK;
}

// Without lanes, its clock is its time.
static Status apply_to_only(Session *self, const Command *command, Error *error)
{
    Status status = apply_to_lane(self, 0, command, error);
    if (status != STATUS_OK) return status;
    Simulation *simulation = self->stage.lanes[0].simulation;
    if (command->kind == COMMAND_LOAD_SCENE) self->start = self->scene = *command->scene;
    self->scene.params = *simulation_params(simulation);
    self->stage.time = self->goal = simulation_time(simulation);
    return STATUS_OK;
}

static void start_clock_again(Session *self)
{
    self->stage.time = self->goal = 0.0;
    self->start = self->scene;
    self->changes.count = 0;
    session_forget_changes(&self->forgotten);
    self->left = NAN;
    for (int i = 0; i < self->stage.count; i++) self->stage.lanes[i].stopped = false;
}

static Status reset_lanes(Session *self)
{
    for (int i = 0; i < self->stage.count; i++)
        apply_to_lane(self, i, &(Command){.kind = COMMAND_RESET}, NULL); // cannot be refused
    start_clock_again(self);
    return STATUS_OK;
}

static Status check_lane(const Session *self, const Command *command, Error *error)
{
    int count = self->scene.lane_count;
    if (command->kind == COMMAND_SHARE_PARAM && command->lane == COMMAND_ALL_LANES)
        return error_set(error, STATUS_BAD_PARAMETER, "only one lane can share a value again");
    if (command->lane >= 0 && command->lane <= count) return STATUS_OK;
    return error_set(error, STATUS_BAD_PARAMETER, "there is no lane %d; this scene has %d",
                     command->lane, count);
}

// Would each lane accept this scene's parameters?
static Status check_lanes(const Scene *scene, Error *error)
{
    for (int i = 0; i < session_lanes_of(scene) + scene->fine; i++) {
        Scene one = session_scene_of(scene, i);
        const char *refusal = params_refusal(&one.params);
        if (!refusal) continue;
        const char *name = i < scene->lane_count ? scene->lanes[i].name : "the fine one";
        return error_set(error, STATUS_BAD_PARAMETER, "lane %d, %.60s: %s", i + 1, name, refusal);
    }
    return scene_check(scene, error);
}

// A parameter of all lanes that have no value of their own, or of one.
static Status set_param(Session *self, const Command *command, Error *error)
{
    int index = command->param.index;
    if (index < 0 || index >= param_count)
        return error_set(error, STATUS_BAD_PARAMETER, "there is no parameter number %d", index);
    const ParamInfo *info = &param_table[index];
    const char *reason = command->lane > 0 ? lane_shares_because(info) : NULL;
    if (reason)
        return error_set(error, STATUS_BAD_PARAMETER, "a lane cannot have %s of its own: %s",
                         info->name, reason);
    Params tried = self->scene.params;
    Status status = command->kind == COMMAND_SET_PARAM
                        ? param_set(&tried, info, command->param.value, error)
                        : STATUS_OK;
    Scene scene = self->scene;
    if (status == STATUS_OK) {
        session_change_scene(&scene, command);
        status = check_lanes(&scene, error);
    }
    if (status == STATUS_OK) status = session_keep_change(self, command, error);
    if (status != STATUS_OK) return status;
    bool rebuilt = false;
    for (int i = 0; i < self->stage.count; i++) {
        Scene before = session_scene_of(&self->scene, i), after = session_scene_of(&scene, i);
        double value = param_get(&after.params, info);
        if (value == param_get(&before.params, info)) continue;
        rebuilt = rebuilt || info->rebuilds;
        Command set = {.kind = COMMAND_SET_PARAM, .param = {index, value}};
        status = apply_to_lane(self, i, &set, error);
        if (status != STATUS_OK) break; // for want of memory
    }
    if (rebuilt) stage_make_room(&self->stage);
    if (status != STATUS_OK) return status;
    self->scene = scene;
    if (!rebuilt) return STATUS_OK;
    self->scene.toggled_pins = (PinToggles){0};
    return reset_lanes(self);
}

static bool is_for(const Command *command, int lane)
{
    return command->lane == COMMAND_ALL_LANES || lane == command->lane - 1;
}

// To the lanes that it is for: to all or to none. Where they differ, each is asked first; in
// everything else that may be refused they are alike, so the first one decides.
static Status pass_on(Session *self, const Command *command, Error *error)
{
    for (int i = 0; i < self->stage.count; i++) {
        if (!is_for(command, i)) continue;
        Status status = simulation_check_own(self->stage.lanes[i].simulation, command, error);
        if (status != STATUS_OK) return status;
    }
    for (int i = 0; i < self->stage.count; i++) {
        bool stopped = self->stage.lanes[i].stopped;
        if (!is_for(command, i)) continue;
        if (command->kind == COMMAND_RETRY && !stopped) continue;
        Status status = apply_to_lane(self, i, command, error);
        if (status != STATUS_OK) return status;
        if (command->kind == COMMAND_RETRY) self->stage.lanes[i].stopped = false;
    }
    if (command->kind == COMMAND_TOGGLE_PIN)
        return pin_toggles_flip(&self->scene.toggled_pins, command->particle, error);
    return STATUS_OK;
}

Status session_apply(Session *self, const Command *command, Error *error)
{
    bool loads = command->kind == COMMAND_LOAD_SCENE;
    if (loads && (self->has_lanes || command->scene->lane_count > 0)) {
        Status status = check_lanes(command->scene, error);
        return status == STATUS_OK ? session_load(self, command->scene, error) : status;
    }
    Status status = check_lane(self, command, error);
    if (status != STATUS_OK) return status;
    if (loads || command->kind == COMMAND_RESET) session_return(self);
    if (!self->has_lanes) return apply_to_only(self, command, error);
    switch (command->kind) {
    case COMMAND_SET_PARAM:
    case COMMAND_SHARE_PARAM:
        return set_param(self, command, error);
    case COMMAND_RESET:
        return reset_lanes(self);
    default:
        return pass_on(self, command, error);
    }
}
