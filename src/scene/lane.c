#include "scene/combination.h"
#include "scene/scene.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define BLANKS " \t"

static uint64_t bit_of(const ParamInfo *info)
{
    return (uint64_t)1 << (info - param_table);
}

const char *lane_shares_because(const ParamInfo *info)
{
    if (strcmp(info->name, "rows") == 0 || strcmp(info->name, "columns") == 0)
        return "lanes are compared particle by particle";
    if (strcmp(info->name, "speed") == 0 || strcmp(info->name, "slow_motion") == 0)
        return "lanes have one clock";
    return NULL;
}

static Status take(Lane *lane, const char *assignment, Error *error)
{
    const char *equals = strchr(assignment, '=');
    char name[32];
    snprintf(name, sizeof name, "%.*s", equals ? (int)(equals - assignment) : 0, assignment);
    const ParamInfo *info = param_find(name);
    if (!equals || !info)
        return params_assign(&lane->params, assignment, error); // which says what is wrong
    return lane_assign(lane, info, equals + 1, error);
}

// The integrator's name alone, other parameters as NAME=VALUE.
static void make_name(Lane *lane)
{
    char text[sizeof lane->name];
    lane_print(lane, text, sizeof text);
    const char *start = text, prefix[] = "integrator=";
    if (strncmp(start, prefix, strlen(prefix)) == 0) start += strlen(prefix);
    snprintf(lane->name, sizeof lane->name, "%s", *start ? start : "the scene");
}

bool lane_owns(const Lane *lane, const ParamInfo *info)
{
    return lane->own & bit_of(info);
}

void lane_own(Lane *lane, const ParamInfo *info, double value)
{
    lane->own |= bit_of(info);
    param_set(&lane->params, info, value, NULL);
    make_name(lane);
}

void lane_share(Lane *lane, const ParamInfo *info)
{
    lane->own &= ~bit_of(info);
    make_name(lane);
}

Status lane_assign(Lane *lane, const ParamInfo *info, const char *text, Error *error)
{
    const char *reason = lane_shares_because(info);
    if (reason)
        return error_set(error, STATUS_BAD_PARAMETER,
                         "a lane cannot have %s of its own: %s; set it for all of them", info->name,
                         reason);
    if (lane_owns(lane, info))
        return error_set(error, STATUS_BAD_PARAMETER, "a lane sets %s twice", info->name);
    Status status = param_parse(&lane->params, info, text, error);
    if (status == STATUS_OK) lane_own(lane, info, param_get(&lane->params, info));
    return status;
}

Status lane_parse(const char *text, Lane *out, Error *error)
{
    assert(param_count <= 64); // bits of Lane.own
    Lane lane = {.params = params_default()};
    char words[1024], *rest = NULL;
    if (strlen(text) >= sizeof words)
        return error_set(error, STATUS_BAD_PARAMETER, "a lane takes at most %d characters",
                         (int)sizeof words - 1);
    strcpy(words, text);
    Status status = STATUS_OK;
    char *word = strtok_r(words, BLANKS, &rest);
    for (; word && status == STATUS_OK; word = strtok_r(NULL, BLANKS, &rest))
        status = take(&lane, word, error);
    if (status != STATUS_OK) return status;
    make_name(&lane);
    *out = lane;
    return STATUS_OK;
}

Scene lane_scene(const Lane *lane, const Scene *scene)
{
    Scene merged = *scene;
    merged.lane_count = 0;
    merged.fine = false;
    for (int i = 0; i < param_count; i++) {
        const ParamInfo *info = &param_table[i];
        if (lane_owns(lane, info)) // in its range, so it is not refused
            param_set(&merged.params, info, param_get(&lane->params, info), NULL);
    }
    return merged;
}

Status lane_check(const Lane *lane, const Scene *scene, Error *error)
{
    Scene merged = lane_scene(lane, scene);
    Status status = scene_check(&merged, error);
    const char *refusal = params_refusal(&merged.params);
    if (status == STATUS_OK && refusal)
        status = error_set(error, STATUS_BAD_PARAMETER, "%s", refusal);
    return status;
}

// The integrator first: the name starts with it.
void lane_print(const Lane *lane, char *text, size_t size)
{
    const ParamInfo *integrator = param_find("integrator");
    size_t length = 0;
    if (size > 0) text[0] = '\0';
    for (int i = -1; i < param_count; i++) {
        const ParamInfo *info = i < 0 ? integrator : &param_table[i];
        if (!lane_owns(lane, info) || (i >= 0 && info == integrator)) continue;
        char value[64];
        param_print(&lane->params, info, value, sizeof value);
        if (length < size) {
            length += (size_t)snprintf(text + length, size - length, "%s%s=%s",
                                       length > 0 ? " " : "", info->name, value);
        }
    }
}

Lane lane_fine(void)
{
    Lane lane = {0};
    lane_parse("integrator=rk4 step=auto safety=0.2 filter=off", &lane, NULL);
    snprintf(lane.name, sizeof lane.name, "fine");
    return lane;
}
