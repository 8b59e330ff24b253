#include "lesson/lesson_parser.h"

#include "runtime/scene_file.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t\r"

// ---- values of a step

void lesson_read_text(Parser *parser, const char *name, const char *value, char *text, size_t size)
{
    size_t used = strlen(text);
    if (used + strlen(value) + 2 > size) {
        lesson_fail(parser, parser->line, "%s has more than %zu bytes", name, size - 2);
        return;
    }
    snprintf(text + used, size - used, "%s%s", used > 0 ? " " : "", value);
}

static void read_caption(Parser *parser, const char *value)
{
    if (!parser->continues) parser->caption_line = parser->line;
    lesson_read_text(parser, "caption", value, lesson_current(parser)->caption,
                     sizeof lesson_current(parser)->caption);
}

static void read_ask(Parser *parser, const char *value)
{
    if (!parser->continues) parser->ask_line = parser->line;
    lesson_read_text(parser, "ask", value, lesson_current(parser)->ask,
                     sizeof lesson_current(parser)->ask);
}

static void read_equation(Parser *parser, const char *value)
{
    if (!parser->continues) parser->equation_line = parser->line;
    lesson_read_text(parser, "equation", value, lesson_current(parser)->equation,
                     sizeof lesson_current(parser)->equation);
}

static void read_scene(Parser *parser, const char *value)
{
    LessonStep *step = lesson_current(parser);
    if (parser->changed) {
        lesson_fail(parser, parser->line,
                    "scene must stand before lane, fine, start_stretch, speed and set");
        return;
    }
    step->fresh = true;
    if (strcmp(value, "again") == 0) {
        if (parser->lesson->step_count == 1)
            lesson_fail(parser, parser->line, "the first step has no scene to start again");
        return;
    }
    Error error;
    Status status = scene_load(value, &step->scene, &error);
    if (status == STATUS_OK) return;
    lesson_fail(parser, parser->line, "%s", error.text);
    if (status == STATUS_OUT_OF_MEMORY) parser->error->status = status; // the file may be right
}

static void read_fine(Parser *parser, const char *value)
{
    LessonStep *step = lesson_current(parser);
    step->scene.fine = strcmp(value, "on") == 0;
    if (!step->scene.fine && strcmp(value, "off") != 0)
        lesson_fail(parser, parser->line, "fine = %.40s is not allowed: it takes on or off", value);
    else if (!step->fresh)
        lesson_fail(parser, parser->line, "fine needs a scene in this step, which may be again");
    parser->changed = true;
}

static void read_start_stretch(Parser *parser, const char *value)
{
    LessonStep *step = lesson_current(parser);
    char *end;
    step->scene.start_stretch = strtod(value, &end); // scene_check knows its range
    if (end == value || *end != '\0')
        lesson_fail(parser, parser->line, "start_stretch takes a number, not \"%.40s\"", value);
    else if (!step->fresh)
        lesson_fail(parser, parser->line,
                    "start_stretch needs a scene in this step, which may be again");
    parser->changed = true;
}

static void read_lane(Parser *parser, const char *value)
{
    LessonStep *step = lesson_current(parser);
    Error error;
    if (!step->fresh) {
        lesson_fail(parser, parser->line, "lane needs a scene in this step, which may be again");
        return;
    }
    if (!parser->has_lanes) step->scene.lane_count = 0; // other lanes than the scene's
    parser->changed = parser->has_lanes = true;
    if (step->scene.lane_count == SCENE_LANES_MAX)
        lesson_fail(parser, parser->line, "a step has at most %d lanes", (int)SCENE_LANES_MAX);
    else if (lane_parse(value, &step->scene.lanes[step->scene.lane_count], &error) != STATUS_OK)
        lesson_fail(parser, parser->line, "%s", error.text);
    else
        step->scene.lane_count++;
}

// One value of all lanes or of one, in the step's scene and, if it goes on, as a setting.
static void set_value(Parser *parser, int lane, const ParamInfo *info, const char *text)
{
    LessonStep *step = lesson_current(parser);
    Params params = step->scene.params;
    Error error;
    if (param_parse(&params, info, text, &error) != STATUS_OK) {
        lesson_fail(parser, parser->line, "%s", error.text);
        return;
    }
    double value = param_get(&params, info);
    const char *shared = lane > 0 ? lane_shares_because(info) : NULL;
    if (shared) {
        lesson_fail(parser, parser->line, "a lane cannot have %s of its own: %s", info->name,
                    shared);
        return;
    }
    if (lane > 0)
        lane_own(&step->scene.lanes[lane - 1], info, value);
    else
        step->scene.params = params;
    if (step->fresh) return;
    if (info->rebuilds) {
        lesson_fail(parser, parser->line, "%s starts the cloth over; give this step scene = again",
                    info->name);
    } else if (step->setting_count == LESSON_SETTINGS_MAX) {
        lesson_fail(parser, parser->line, "a step has at most %d settings",
                    (int)LESSON_SETTINGS_MAX);
    } else {
        step->settings[step->setting_count++] =
            (LessonSetting){lane, (int)(info - param_table), value};
    }
}

static void set_values(Parser *parser, int lane, const char *value)
{
    char text[256];
    parser->changed = true;
    if (lane > lesson_current(parser)->scene.lane_count) {
        lesson_fail(parser, parser->line, "there is no lane %d; this step has %d", lane,
                    lesson_current(parser)->scene.lane_count);
        return;
    }
    snprintf(text, sizeof text, "%s", value);
    char *rest = NULL;
    for (char *word = strtok_r(text, BLANKS, &rest); word && !parser->failed_line;
         word = strtok_r(NULL, BLANKS, &rest)) {
        char *equals = strchr(word, '=');
        if (equals) *equals = '\0';
        const ParamInfo *info = equals ? param_find(word) : NULL;
        if (!equals)
            lesson_fail(parser, parser->line, "set takes NAME=VALUE NAME=VALUE ..., not \"%.60s\"",
                        word);
        else if (!info)
            lesson_fail(parser, parser->line,
                        "there is no parameter \"%.60s\"; selvage list has their names", word);
        else
            set_value(parser, lane, info, equals + 1);
    }
}

static void read_set(Parser *parser, const char *value)
{
    set_values(parser, 0, value);
}

static void read_speed(Parser *parser, const char *value)
{
    parser->changed = true;
    set_value(parser, 0, param_find("speed"), value);
}

static void read_run(Parser *parser, const char *value)
{
    LessonStep *step = lesson_current(parser);
    char *end;
    if (strcmp(value, "on") == 0) {
        step->run = INFINITY;
        return;
    }
    step->run = strtod(value, &end);
    end += strspn(end, " ");
    if (strcmp(end, "ms") == 0)
        step->run *= 1e-3;
    else if (strcmp(end, "s") != 0 && *end != '\0')
        step->run = NAN;
    if (end == value || !(step->run >= 0.0 && step->run <= 600.0))
        lesson_fail(
            parser, parser->line,
            "run = %.40s is not allowed: it takes a simulated time as 1.5 s or 20 ms, or on",
            value);
}

// One of a few words; its number, or -1 and an error.
static int read_word(Parser *parser, const char *name, const char *value, const char *const words[])
{
    char list[120] = "";
    for (int i = 0; words[i]; i++) {
        if (strcmp(words[i], value) == 0) return i;
        size_t length = strlen(list);
        snprintf(list + length, sizeof list - length, "%s%s", i > 0 ? ", " : "", words[i]);
    }
    lesson_fail(parser, parser->line, "%s = %.40s is not allowed: it takes one of %s", name, value,
                list);
    return -1;
}

static void read_panels(Parser *parser, const char *value)
{
    static const char *const words[] = {"none", "controls", "readouts", "both", NULL};
    int word = read_word(parser, "panels", value, words);
    lesson_current(parser)->view.controls = word == 1 || word == 3;
    lesson_current(parser)->view.readouts = word == 2 || word == 3;
}

static void read_plot(Parser *parser, const char *value)
{
    LessonView *view = &lesson_current(parser)->view; // the window knows which plots there are
    if (strlen(value) >= sizeof view->plot)
        lesson_fail(parser, parser->line, "there is no plot \"%.60s\"", value);
    else
        snprintf(view->plot, sizeof view->plot, "%s", strcmp(value, "none") == 0 ? "" : value);
}

static void read_colour(Parser *parser, const char *value)
{
    static const char *const words[] = {"none",     "mode",   "strain", "speed",
                                        "velocity", "energy", "error",  NULL};
    int word = read_word(parser, "colour", value, words);
    lesson_current(parser)->view.colour = (LessonColour)(word > 0 ? word : 0);
}

static void read_lanes(Parser *parser, const char *value)
{
    static const char *const words[] = {"side-by-side", "one", "overlay", NULL};
    int word = read_word(parser, "lanes", value, words);
    lesson_current(parser)->view.lanes = (LessonLanes)(word > 0 ? word : 0);
}

static void read_surface(Parser *parser, const char *value)
{
    static const char *const words[] = {"cloth", "wireframe", "springs", NULL};
    int word = read_word(parser, "surface", value, words);
    lesson_current(parser)->view.surface = word > 0 ? word : 0;
}

static void read_select(Parser *parser, const char *value)
{
    static const char *const words[] = {"1", "2", "3", "4", NULL};
    lesson_current(parser)->view.selected = read_word(parser, "select", value, words) + 1;
}

static void read_camera(Parser *parser, const char *value)
{
    LessonView *view = &lesson_current(parser)->view;
    char extra;
    view->has_camera = strcmp(value, "frame") != 0;
    if (!view->has_camera) return;
    view->zoom = 1.0f;
    float *t = view->target;
    int count = sscanf(value, "%f %f %f %f %f %f %c", &view->yaw, &view->pitch, &view->zoom, &t[0],
                       &t[1], &t[2], &extra);
    view->has_target = count == 6;
    bool ranged = fabsf(view->yaw) <= 360.0f && fabsf(view->pitch) <= 89.0f && view->zoom >= 0.1f &&
                  view->zoom <= 20.0f;
    for (int i = 0; i < 3; i++) ranged = ranged && fabsf(t[i]) <= 100.0f;
    if ((count != 2 && count != 3 && count != 6) || !ranged)
        lesson_fail(
            parser, parser->line,
            "camera takes frame, or yaw and pitch in degrees, then a zoom if one likes, and what "
            "it "
            "looks at, in m: 30 10 1.5 0 0.2 0");
}

static void read_promise(Parser *parser, const char *value)
{
    LessonStep *step = lesson_current(parser);
    if (step->promise_count == LESSON_PROMISES_MAX) {
        lesson_fail(parser, parser->line, "a step has at most %d promises",
                    (int)LESSON_PROMISES_MAX);
        return;
    }
    Promise *promise = &step->promises[step->promise_count];
    if (strlen(value) >= sizeof promise->text) {
        lesson_fail(parser, parser->line, "promise has more than %zu bytes",
                    sizeof promise->text - 1);
        return;
    }
    promise->line = parser->line; // understood when the step's lanes are known
    snprintf(promise->text, sizeof promise->text, "%s", value);
    step->promise_count++;
}

static const struct StepKey {
    const char *name;
    void (*read)(Parser *parser, const char *value);
    bool repeats;   // may be given more than once
    bool continues; // may go on in lines that begin with a blank
} step_keys[] = {
    {"ask", read_ask, false, true},           {"caption", read_caption, false, true},
    {"equation", read_equation, false, true}, {"scene", read_scene, false, false},
    {"fine", read_fine, false, false},        {"start_stretch", read_start_stretch, false, false},
    {"lane", read_lane, true, false},         {"set", read_set, true, true},
    {"speed", read_speed, false, false},      {"run", read_run, false, false},
    {"panels", read_panels, false, false},    {"plot", read_plot, false, false},
    {"colour", read_colour, false, false},    {"lanes", read_lanes, false, false},
    {"surface", read_surface, false, false},  {"select", read_select, false, false},
    {"camera", read_camera, false, false},    {"promise", read_promise, true, false},
};
enum { STEP_KEYS = sizeof step_keys / sizeof step_keys[0] };

static void fail_step_key(Parser *parser, const char *name)
{
    char list[200] = "";
    for (int i = 0; i < STEP_KEYS; i++) {
        size_t length = strlen(list);
        snprintf(list + length, sizeof list - length, "%s%s", i > 0 ? ", " : "", step_keys[i].name);
    }
    lesson_fail(parser, parser->line, "[step] has no \"%s\"; it takes %s", name, list);
}

void lesson_read_key(Parser *parser, const char *name, const char *value)
{
    int lane = 0;
    char extra;
    if (sscanf(name, "set %d %c", &lane, &extra) == 1 && lane >= 1) {
        set_values(parser, lane, value);
        return;
    }
    for (int i = 0; i < STEP_KEYS; i++) {
        const struct StepKey *key = &step_keys[i];
        if (strcmp(key->name, name) != 0) continue;
        if (parser->continues && !key->continues)
            lesson_fail(parser, parser->line,
                        "a line that begins with a blank goes on with \"%s\" above, which cannot",
                        name);
        else if (!parser->continues && !key->repeats && (parser->keys & 1u << i))
            lesson_fail(parser, parser->line, "%s is given twice", name);
        else
            key->read(parser, value);
        parser->keys |= 1u << i;
        return;
    }
    fail_step_key(parser, name);
}
