// inih splits lines into section, name and value; this file says what each may be. Like
// runtime/scene_parse.c it feeds inih the lines one by one, to know their numbers.
#include "lesson/lesson_parse.h"

#include "lesson/formula_syntax.h"
#include "lesson/placeholder.h"
#include "runtime/scene_file.h"
#include "scene/combination.h"

#include <ini.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t\r"

typedef struct Parser {
    const char *path;       // for error messages
    const char *next, *end; // text not yet read
    int line;               // number of the last line read
    bool key_open;          // a key followed the last section, so an indented line continues it
    bool continues;         // the last line read does that
    bool changed;           // this step has settings or lanes
    bool has_lanes;         // it has lanes of its own
    unsigned keys;          // one bit per row of step_keys that this step has set
    int caption_line, ask_line, equation_line;
    int failed_line; // 0: no failure
    Lesson *lesson;
    Error *error;
} Parser;

__attribute__((format(printf, 3, 4))) static void fail(Parser *parser, int line, const char *format,
                                                       ...)
{
    char what[sizeof parser->error->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (parser->failed_line) return; // the first one counts
    parser->failed_line = line;
    error_set(parser->error, STATUS_BAD_PARAMETER, "%s, line %d: %s", parser->path, line, what);
}

static LessonStep *current(Parser *parser)
{
    return &parser->lesson->steps[parser->lesson->step_count - 1];
}

static int lanes_of(const LessonStep *step)
{
    return step->scene.lane_count > 0 ? step->scene.lane_count : 1;
}

// ---- values of a step

static void read_text(Parser *parser, const char *name, const char *value, char *text, size_t size)
{
    size_t used = strlen(text);
    if (used + strlen(value) + 2 > size) {
        fail(parser, parser->line, "%s has more than %zu bytes", name, size - 2);
        return;
    }
    snprintf(text + used, size - used, "%s%s", used > 0 ? " " : "", value);
}

static void read_caption(Parser *parser, const char *value)
{
    if (!parser->continues) parser->caption_line = parser->line;
    read_text(parser, "caption", value, current(parser)->caption, sizeof current(parser)->caption);
}

static void read_ask(Parser *parser, const char *value)
{
    if (!parser->continues) parser->ask_line = parser->line;
    read_text(parser, "ask", value, current(parser)->ask, sizeof current(parser)->ask);
}

static void read_equation(Parser *parser, const char *value)
{
    if (!parser->continues) parser->equation_line = parser->line;
    read_text(parser, "equation", value, current(parser)->equation,
              sizeof current(parser)->equation);
}

static void read_scene(Parser *parser, const char *value)
{
    LessonStep *step = current(parser);
    if (parser->changed) {
        fail(parser, parser->line,
             "scene must stand before lane, fine, start_stretch, speed and set");
        return;
    }
    step->fresh = true;
    if (strcmp(value, "again") == 0) {
        if (parser->lesson->step_count == 1)
            fail(parser, parser->line, "the first step has no scene to start again");
        return;
    }
    Error error;
    if (scene_load(value, &step->scene, &error) != STATUS_OK)
        fail(parser, parser->line, "%s", error.text);
}

static void read_fine(Parser *parser, const char *value)
{
    LessonStep *step = current(parser);
    step->scene.fine = strcmp(value, "on") == 0;
    if (!step->scene.fine && strcmp(value, "off") != 0)
        fail(parser, parser->line, "fine = %.40s is not allowed: it takes on or off", value);
    else if (!step->fresh)
        fail(parser, parser->line, "fine needs a scene in this step, which may be again");
    parser->changed = true;
}

static void read_start_stretch(Parser *parser, const char *value)
{
    LessonStep *step = current(parser);
    char *end;
    step->scene.start_stretch = strtod(value, &end); // scene_check knows its range
    if (end == value || *end != '\0')
        fail(parser, parser->line, "start_stretch takes a number, not \"%.40s\"", value);
    else if (!step->fresh)
        fail(parser, parser->line, "start_stretch needs a scene in this step, which may be again");
    parser->changed = true;
}

static void read_lane(Parser *parser, const char *value)
{
    LessonStep *step = current(parser);
    Error error;
    if (!step->fresh) {
        fail(parser, parser->line, "lane needs a scene in this step, which may be again");
        return;
    }
    if (!parser->has_lanes) step->scene.lane_count = 0; // other lanes than the scene's
    parser->changed = parser->has_lanes = true;
    if (step->scene.lane_count == SCENE_LANES_MAX)
        fail(parser, parser->line, "a step has at most %d lanes", (int)SCENE_LANES_MAX);
    else if (lane_parse(value, &step->scene.lanes[step->scene.lane_count], &error) != STATUS_OK)
        fail(parser, parser->line, "%s", error.text);
    else
        step->scene.lane_count++;
}

// One value of all lanes or of one, in the step's scene and, if it goes on, as a setting.
static void set_value(Parser *parser, int lane, const ParamInfo *info, const char *text)
{
    LessonStep *step = current(parser);
    Params params = step->scene.params;
    Error error;
    if (param_parse(&params, info, text, &error) != STATUS_OK) {
        fail(parser, parser->line, "%s", error.text);
        return;
    }
    double value = param_get(&params, info);
    const char *shared = lane > 0 ? lane_shares_because(info) : NULL;
    if (shared) {
        fail(parser, parser->line, "a lane cannot have %s of its own: %s", info->name, shared);
        return;
    }
    if (lane > 0)
        lane_own(&step->scene.lanes[lane - 1], info, value);
    else
        step->scene.params = params;
    if (step->fresh) return;
    if (info->rebuilds) {
        fail(parser, parser->line, "%s starts the cloth over; give this step scene = again",
             info->name);
    } else if (step->setting_count == LESSON_SETTINGS_MAX) {
        fail(parser, parser->line, "a step has at most %d settings", (int)LESSON_SETTINGS_MAX);
    } else {
        step->settings[step->setting_count++] =
            (LessonSetting){lane, (int)(info - param_table), value};
    }
}

static void set_values(Parser *parser, int lane, const char *value)
{
    char text[256];
    parser->changed = true;
    if (lane > current(parser)->scene.lane_count) {
        fail(parser, parser->line, "there is no lane %d; this step has %d", lane,
             current(parser)->scene.lane_count);
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
            fail(parser, parser->line, "set takes NAME=VALUE NAME=VALUE ..., not \"%.60s\"", word);
        else if (!info)
            fail(parser, parser->line,
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
    LessonStep *step = current(parser);
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
        fail(parser, parser->line,
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
    fail(parser, parser->line, "%s = %.40s is not allowed: it takes one of %s", name, value, list);
    return -1;
}

static void read_panels(Parser *parser, const char *value)
{
    static const char *const words[] = {"none", "controls", "readouts", "both", NULL};
    int word = read_word(parser, "panels", value, words);
    current(parser)->view.controls = word == 1 || word == 3;
    current(parser)->view.readouts = word == 2 || word == 3;
}

static void read_plot(Parser *parser, const char *value)
{
    LessonView *view = &current(parser)->view; // the window knows which plots there are
    if (strlen(value) >= sizeof view->plot)
        fail(parser, parser->line, "there is no plot \"%.60s\"", value);
    else
        snprintf(view->plot, sizeof view->plot, "%s", strcmp(value, "none") == 0 ? "" : value);
}

static void read_colour(Parser *parser, const char *value)
{
    static const char *const words[] = {"none",     "mode",   "strain", "speed",
                                        "velocity", "energy", "error",  NULL};
    int word = read_word(parser, "colour", value, words);
    current(parser)->view.colour = (LessonColour)(word > 0 ? word : 0);
}

static void read_lanes(Parser *parser, const char *value)
{
    static const char *const words[] = {"side-by-side", "one", "overlay", NULL};
    int word = read_word(parser, "lanes", value, words);
    current(parser)->view.lanes = (LessonLanes)(word > 0 ? word : 0);
}

static void read_surface(Parser *parser, const char *value)
{
    static const char *const words[] = {"cloth", "wireframe", "springs", NULL};
    int word = read_word(parser, "surface", value, words);
    current(parser)->view.surface = word > 0 ? word : 0;
}

static void read_select(Parser *parser, const char *value)
{
    static const char *const words[] = {"1", "2", "3", "4", NULL};
    current(parser)->view.selected = read_word(parser, "select", value, words) + 1;
}

static void read_camera(Parser *parser, const char *value)
{
    LessonView *view = &current(parser)->view;
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
        fail(parser, parser->line,
             "camera takes frame, or yaw and pitch in degrees, then a zoom if one likes, and what "
             "it "
             "looks at, in m: 30 10 1.5 0 0.2 0");
}

static void read_promise(Parser *parser, const char *value)
{
    LessonStep *step = current(parser);
    if (step->promise_count == LESSON_PROMISES_MAX) {
        fail(parser, parser->line, "a step has at most %d promises", (int)LESSON_PROMISES_MAX);
        return;
    }
    Promise *promise = &step->promises[step->promise_count];
    if (strlen(value) >= sizeof promise->text) {
        fail(parser, parser->line, "promise has more than %zu bytes", sizeof promise->text - 1);
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

// ---- a whole step

static void print_nothing(void *user, const Placeholder *placeholder, char *out, size_t size)
{
    (void)user, (void)placeholder;
    snprintf(out, size, "0");
}

static void check_equation(Parser *parser, const LessonStep *step)
{
    char filled[sizeof step->equation];
    Formula formula;
    Error error;
    if (step->equation[0] == '\0') return;
    if (placeholders_check(step->equation, PLACEHOLDER_IN_EQUATION, lanes_of(step), &error) !=
        STATUS_OK) {
        fail(parser, parser->equation_line, "%s", error.text);
        return;
    }
    placeholders_fill(step->equation, PLACEHOLDER_IN_EQUATION, print_nothing, NULL, filled,
                      sizeof filled);
    if (formula_parse(filled, &formula, &error) != STATUS_OK)
        fail(parser, parser->equation_line, "%s", error.text);
}

static void check_scene(Parser *parser, const LessonStep *step)
{
    Error error;
    if (step->scene.lane_count == 0) {
        const char *refusal = params_refusal(&step->scene.params);
        if (refusal) fail(parser, step->line, "%s", refusal);
    }
    for (int i = 0; i < step->scene.lane_count; i++) {
        if (lane_check(&step->scene.lanes[i], &step->scene, &error) != STATUS_OK)
            fail(parser, step->line, "lane %d: %s", i + 1, error.text);
    }
    if (scene_check(&step->scene, &error) != STATUS_OK) fail(parser, step->line, "%s", error.text);
}

static void check_promises(Parser *parser, LessonStep *step)
{
    for (int i = 0; i < step->promise_count; i++) {
        Promise *promise = &step->promises[i], read;
        Error error;
        if (promise_parse(promise->text, lanes_of(step), &read, &error) != STATUS_OK) {
            fail(parser, promise->line, "%s", error.text);
            return;
        }
        read.line = promise->line;
        *promise = read;
    }
    if (step->promise_count > 0 && isinf(step->run))
        fail(parser, step->promises[0].line,
             "a step that promises something says how long it runs, not run = on");
}

static void end_step(Parser *parser)
{
    const Lesson *lesson = parser->lesson;
    if (lesson->step_count == 0 || parser->failed_line) return;
    LessonStep *step = current(parser);
    Error error;
    if (step->caption[0] == '\0') fail(parser, step->line, "this step has no caption");
    if (lesson->step_count == 1 && !step->fresh)
        fail(parser, step->line, "the first step needs a scene");
    if (!step->fresh && isinf(lesson->steps[lesson->step_count - 2].run))
        fail(
            parser, step->line,
            "this step goes on after one that runs on and on; give it a scene, which may be again, "
            "or say how long the other runs");
    if (placeholders_check(step->caption, PLACEHOLDER_IN_TEXT, lanes_of(step), &error) != STATUS_OK)
        fail(parser, parser->caption_line, "%s", error.text);
    if (placeholders_check(step->ask, PLACEHOLDER_IN_TEXT, lanes_of(step), &error) != STATUS_OK)
        fail(parser, parser->ask_line, "%s", error.text);
    if (step->view.selected > lanes_of(step)) step->view.selected = 1; // of the step before
    check_equation(parser, step);
    check_scene(parser, step);
    check_promises(parser, step);
}

static void begin_step(Parser *parser)
{
    Lesson *lesson = parser->lesson;
    end_step(parser);
    if (parser->failed_line) return;
    if (lesson->step_count == LESSON_STEPS_MAX) {
        fail(parser, parser->line, "a lesson has at most %d steps", (int)LESSON_STEPS_MAX);
        return;
    }
    LessonStep *step = &lesson->steps[lesson->step_count];
    *step = (LessonStep){.line = parser->line, .view = {.selected = 1, .zoom = 1.0f}};
    if (lesson->step_count > 0) {
        step->scene = step[-1].scene;
        step->view = step[-1].view;
    }
    lesson->step_count++;
    parser->keys = 0;
    parser->changed = parser->has_lanes = false;
}

// ---- lines

static void begin_section(Parser *parser, const char *line)
{
    char name[64] = "";
    sscanf(line, "[%63[^]\r\n]", name);
    parser->key_open = false;
    if (!strchr(line, ']')) return; // which inih refuses
    if (strcmp(name, "step") == 0)
        begin_step(parser);
    else if (strcmp(name, "lesson") != 0)
        fail(parser, parser->line, "there is no section [%s]; the sections are lesson and step",
             name);
}

static bool is_comment(const char *line, size_t length)
{
    while (length > 0 && (*line == ' ' || *line == '\t')) line++, length--;
    return length > 0 && (*line == ';' || *line == '#');
}

// inih calls this for every line, like fgets.
static char *read_line(char *out, int size, void *stream)
{
    Parser *parser = stream;
    if (parser->failed_line || parser->next == parser->end) return NULL;
    parser->line++;
    size_t left = (size_t)(parser->end - parser->next);
    const char *newline = memchr(parser->next, '\n', left);
    size_t length = newline ? (size_t)(newline - parser->next) + 1 : left;
    const char *line = parser->next;
    parser->next += length;
    if (is_comment(line, length)) length = 0; // a comment may be longer
    if (length >= (size_t)size) {
        fail(parser, parser->line, "the line is longer than %d characters", size - 2);
        return NULL;
    }
    memcpy(out, line, length);
    out[length] = '\0';
    const char *start = out + strspn(out, BLANKS);
    parser->continues = start > out && parser->key_open;
    if (*start == '[' && !parser->continues) begin_section(parser, start);
    return out;
}

static void read_lesson_key(Parser *parser, const char *name, const char *value)
{
    Lesson *lesson = parser->lesson;
    if (strcmp(name, "title") == 0 && !parser->continues && lesson->title[0] == '\0')
        read_text(parser, name, value, lesson->title, sizeof lesson->title);
    else if (strcmp(name, "about") == 0 && (parser->continues || lesson->about[0] == '\0'))
        read_text(parser, name, value, lesson->about, sizeof lesson->about);
    else if (strcmp(name, "title") == 0 || strcmp(name, "about") == 0)
        fail(parser, parser->line, "%s is given twice", name);
    else
        fail(parser, parser->line, "[lesson] has no \"%s\"; it takes title and about", name);
}

static void fail_step_key(Parser *parser, const char *name)
{
    char list[200] = "";
    for (int i = 0; i < STEP_KEYS; i++) {
        size_t length = strlen(list);
        snprintf(list + length, sizeof list - length, "%s%s", i > 0 ? ", " : "", step_keys[i].name);
    }
    fail(parser, parser->line, "[step] has no \"%s\"; it takes %s", name, list);
}

static void read_step_key(Parser *parser, const char *name, const char *value)
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
            fail(parser, parser->line,
                 "a line that begins with a blank goes on with \"%s\" above, which cannot", name);
        else if (!parser->continues && !key->repeats && (parser->keys & 1u << i))
            fail(parser, parser->line, "%s is given twice", name);
        else
            key->read(parser, value);
        parser->keys |= 1u << i;
        return;
    }
    fail_step_key(parser, name);
}

// inih calls this for every name = value and every continuation; 0 is failure.
static int read_value(void *user, const char *section, const char *name, const char *value)
{
    Parser *parser = user;
    if (parser->failed_line) return 0;
    if (*section == '\0')
        fail(parser, parser->line, "\"%s\" stands before the first [section]", name);
    else if (strcmp(section, "lesson") == 0)
        read_lesson_key(parser, name, value);
    else
        read_step_key(parser, name, value);
    parser->key_open = true;
    return parser->failed_line == 0;
}

static bool is_text(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)text[i];
        if ((c < ' ' && c != '\t' && c != '\n' && c != '\r') || c == 0x7f) return false;
    }
    return true;
}

Status lesson_parse(const char *path, const char *text, size_t size, Lesson *out, Error *error)
{
    // the end of a long path says more than its beginning, and the message must fit the buffer
    size_t length = strlen(path);
    if (length > 120) path += length - 120;
    if (!is_text(text, size))
        return error_set(error, STATUS_BAD_PARAMETER,
                         "%s is not a lesson file: it holds bytes that are not text", path);
    const char mark[] = "\xef\xbb\xbf"; // that some editors begin a text with
    if (size >= strlen(mark) && memcmp(text, mark, strlen(mark)) == 0) {
        text += strlen(mark);
        size -= strlen(mark);
    }
    Error ignored;
    Parser parser = {.path = path,
                     .next = text,
                     .end = text + size,
                     .lesson = out,
                     .error = error ? error : &ignored};
    out->title[0] = out->about[0] = '\0';
    out->step_count = 0;
    int line = ini_parse_stream(read_line, &parser, read_value, &parser);
    if (line < 0) return error_set(error, STATUS_OUT_OF_MEMORY, "out of memory for %s", path);
    if (line > 0 && !parser.failed_line)
        fail(&parser, line, "this is neither [section] nor name = value nor a ; comment");
    end_step(&parser);
    if (!parser.failed_line && out->step_count == 0)
        fail(&parser, parser.line + 1, "a lesson has at least one [step]");
    if (!parser.failed_line && out->title[0] == '\0')
        snprintf(out->title, sizeof out->title, "%s", out->name);
    return parser.failed_line ? STATUS_BAD_PARAMETER : STATUS_OK;
}
