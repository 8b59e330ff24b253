// The scene that the options ask for: its file, parameters, lanes and pins.
#include "apps/options.h"

#include "runtime/scene_file.h"

#include <stdlib.h>
#include <string.h>

Status options_assign(const Options *options, Params *params, Error *error)
{
    Status status = STATUS_OK;
    for (int i = 0; i < options->assignment_count && status == STATUS_OK; i++) {
        const Assignment *change = &options->assignments[i];
        status = change->info ? param_parse(params, change->info, change->text, error)
                              : params_assign(params, change->text, error);
    }
    return status;
}

static Status parse_lanes(const Options *options, const Scene *scene, Lane *lanes, Error *error)
{
    for (int i = 0; i < options->lane_count; i++) {
        Error reason;
        if (lane_parse(options->lanes[i], &lanes[i], &reason) != STATUS_OK ||
            lane_check(&lanes[i], scene, &reason) != STATUS_OK)
            return error_set(error, reason.status, "--lane \"%.80s\": %.600s", options->lanes[i],
                             reason.text);
    }
    return STATUS_OK;
}

Status options_lanes(const Options *options, const Scene *scene, Lane *lanes, int most, int *count,
                     Error *error)
{
    if (options->lane_count > most) {
        return error_set(error, STATUS_BAD_PARAMETER, "%s takes at most %d lanes, not %d",
                         options_command_name(options), most, options->lane_count);
    }
    *count = options->lane_count > 0 ? options->lane_count : scene->lane_count;
    if (options->lane_count > 0) return parse_lanes(options, scene, lanes, error);
    for (int i = 0; i < *count; i++) { // --set may not go with them
        Error reason;
        if (lane_check(&scene->lanes[i], scene, &reason) != STATUS_OK)
            return error_set(error, reason.status, "lane %d, \"%s\": %.600s", i + 1,
                             scene->lanes[i].name, reason.text);
        lanes[i] = scene->lanes[i];
    }
    return STATUS_OK;
}

// What the window is to show of the scene.
static Status set_lanes(const Options *options, Scene *scene, Error *error)
{
    if (options->reference) scene->fine = strcmp(options->reference, "fine") == 0;
    if (options->lane_count == 1 && strcmp(options->lanes[0], "none") == 0) {
        scene->lane_count = 0;
        return STATUS_OK;
    }
    Lane lanes[SCENE_LANES_MAX];
    int count = 0;
    Status status = options_lanes(options, scene, lanes, SCENE_LANES_MAX, &count, error);
    if (status != STATUS_OK) return status;
    memcpy(scene->lanes, lanes, (size_t)count * sizeof *lanes);
    scene->lane_count = count;
    return STATUS_OK;
}

Status options_reference(const Options *options, const Scene *scene, int *lane, Error *error)
{
    const char *text = options->reference;
    *lane = -1;
    if (!text || strcmp(text, "fine") == 0 || strcmp(text, "none") == 0) return STATUS_OK;
    char *end;
    long number = strtol(text, &end, 10);
    if (end != text && *end == '\0' && number >= 1 && number <= scene->lane_count) {
        *lane = (int)number - 1;
        return STATUS_OK;
    }
    if (scene->lane_count == 0)
        return error_set(error, STATUS_BAD_PARAMETER,
                         "--reference of view takes fine, none or, with lanes, the number of one, "
                         "not \"%.80s\"",
                         text);
    return error_set(error, STATUS_BAD_PARAMETER,
                     "--reference of view takes fine, none or the number of a lane from 1 to %d, "
                     "not \"%.80s\"",
                     scene->lane_count, text);
}

static Status toggle_pins(const Options *options, Scene *scene, Error *error)
{
    Error reason;
    if (!options->toggled_pins) return STATUS_OK;
    scene->toggled_pins = (PinToggles){0};
    if (strcmp(options->toggled_pins, "none") == 0 ||
        pin_toggles_parse(options->toggled_pins, &scene->toggled_pins, &reason) == STATUS_OK)
        return STATUS_OK;
    return error_set(error, STATUS_BAD_PARAMETER, "--toggled-pins takes %.300s, or none",
                     reason.text);
}

Status options_load_scene(const Options *options, Scene *out, Error *error)
{
    Status status = scene_load(options->scene ? options->scene : DEFAULT_SCENE, out, error);
    if (status == STATUS_BAD_PARAMETER && options->scene && !options->command_given &&
        !strpbrk(options->scene, "./")) { // it may have been meant as a command
        Error scene_error = *error;
        return error_set(error, status,
                         "there is no command \"%.60s\" (commands are view, list, run, analyze, "
                         "region, bench, compare, sweep and figure), and %s",
                         options->scene, scene_error.text);
    }
    if (status == STATUS_OK) status = options_assign(options, &out->params, error);
    if (status == STATUS_OK) status = toggle_pins(options, out, error);
    if (status != STATUS_OK) return status;
    if (options->command == APP_VIEW) {
        int reference;
        status = set_lanes(options, out, error);
        return status == STATUS_OK ? options_reference(options, out, &reference, error) : status;
    }
    if (options->command != APP_COMPARE) {
        out->lane_count = 0;
        out->fine = false;
    }
    return STATUS_OK;
}
