// ini_text splits lines into section, name and value; this file says what each may be.
#include "lesson/lesson_parse.h"

#include "base/file.h"
#include "lesson/formula_syntax.h"
#include "lesson/lesson_parser.h"
#include "lesson/live_value.h"
#include "scene/combination.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void lesson_fail(Parser *parser, int line, const char *format, ...)
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

LessonStep *lesson_current(Parser *parser)
{
    return &parser->lesson->steps[parser->lesson->step_count - 1];
}

int lesson_lanes_of(const LessonStep *step)
{
    return step->scene.lane_count > 0 ? step->scene.lane_count : 1;
}

// ---- a whole step

static void print_nothing(void *user, const LiveValue *live, char *out, size_t size)
{
    (void)user, (void)live;
    snprintf(out, size, "0");
}

static void check_equation(Parser *parser, const LessonStep *step)
{
    char filled[sizeof step->equation];
    Formula formula;
    Error error;
    if (step->equation[0] == '\0') return;
    if (live_values_check(step->equation, LIVE_VALUE_IN_EQUATION, lesson_lanes_of(step), &error) !=
        STATUS_OK) {
        lesson_fail(parser, parser->equation_line, "%s", error.text);
        return;
    }
    live_values_fill(step->equation, LIVE_VALUE_IN_EQUATION, print_nothing, NULL, filled,
                     sizeof filled);
    if (formula_parse(filled, &formula, &error) != STATUS_OK)
        lesson_fail(parser, parser->equation_line, "%s", error.text);
}

static void check_scene(Parser *parser, const LessonStep *step)
{
    Error error;
    if (step->scene.lane_count == 0) {
        const char *refusal = params_refusal(&step->scene.params);
        if (refusal) lesson_fail(parser, step->line, "%s", refusal);
    }
    for (int i = 0; i < step->scene.lane_count; i++) {
        if (lane_check(&step->scene.lanes[i], &step->scene, &error) != STATUS_OK)
            lesson_fail(parser, step->line, "lane %d: %s", i + 1, error.text);
    }
    if (scene_check(&step->scene, &error) != STATUS_OK)
        lesson_fail(parser, step->line, "%s", error.text);
}

static void check_promises(Parser *parser, LessonStep *step)
{
    for (int i = 0; i < step->promise_count; i++) {
        Promise *promise = &step->promises[i], read;
        Error error;
        if (promise_parse(promise->text, lesson_lanes_of(step), &read, &error) != STATUS_OK) {
            lesson_fail(parser, promise->line, "%s", error.text);
            return;
        }
        read.line = promise->line;
        *promise = read;
    }
    if (step->promise_count > 0 && isinf(step->run))
        lesson_fail(parser, step->promises[0].line,
                    "a step that promises something says how long it runs, not run = on");
}

static void end_step(Parser *parser)
{
    const Lesson *lesson = parser->lesson;
    if (lesson->step_count == 0 || parser->failed_line) return;
    LessonStep *step = lesson_current(parser);
    Error error;
    if (step->caption[0] == '\0') lesson_fail(parser, step->line, "this step has no caption");
    if (lesson->step_count == 1 && !step->fresh)
        lesson_fail(parser, step->line, "the first step needs a scene");
    if (lesson->step_count > 1 && !step->fresh && isinf(lesson->steps[lesson->step_count - 2].run))
        lesson_fail(
            parser, step->line,
            "this step goes on after one that runs on and on; give it a scene, which may be again, "
            "or say how long the other runs");
    if (live_values_check(step->caption, LIVE_VALUE_IN_TEXT, lesson_lanes_of(step), &error) !=
        STATUS_OK)
        lesson_fail(parser, parser->caption_line, "%s", error.text);
    if (live_values_check(step->ask, LIVE_VALUE_IN_TEXT, lesson_lanes_of(step), &error) !=
        STATUS_OK)
        lesson_fail(parser, parser->ask_line, "%s", error.text);
    if (step->view.selected > lesson_lanes_of(step)) step->view.selected = 1; // of the step before
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
        lesson_fail(parser, parser->line, "a lesson has at most %d steps", (int)LESSON_STEPS_MAX);
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

static void begin_section(Parser *parser, const char *name)
{
    if (strcmp(name, "step") == 0)
        begin_step(parser);
    else if (strcmp(name, "lesson") != 0)
        lesson_fail(parser, parser->line,
                    "there is no section [%s]; the sections are lesson and step", name);
}

static void read_lesson_key(Parser *parser, const char *name, const char *value)
{
    Lesson *lesson = parser->lesson;
    if (strcmp(name, "title") == 0 && !parser->continues && lesson->title[0] == '\0')
        lesson_read_text(parser, name, value, lesson->title, sizeof lesson->title);
    else if (strcmp(name, "about") == 0 && (parser->continues || lesson->about[0] == '\0'))
        lesson_read_text(parser, name, value, lesson->about, sizeof lesson->about);
    else if (strcmp(name, "title") == 0 || strcmp(name, "about") == 0)
        lesson_fail(parser, parser->line, "%s is given twice", name);
    else
        lesson_fail(parser, parser->line, "[lesson] has no \"%s\"; it takes title and about", name);
}

static void read_value(Parser *parser)
{
    const IniReader *ini = &parser->ini;
    if (ini->section[0] == '\0')
        lesson_fail(parser, parser->line, "\"%s\" stands before the first [section]", ini->name);
    else if (strcmp(ini->section, "lesson") == 0)
        read_lesson_key(parser, ini->name, ini->value);
    else
        lesson_read_key(parser, ini->name, ini->value);
}

// Up to the end, or to the first line that is refused.
static void read_lines(Parser *parser)
{
    IniKind kind;
    while (!parser->failed_line && (kind = ini_next(&parser->ini)) != INI_END) {
        parser->line = parser->ini.line;
        parser->continues = kind == INI_MORE;
        if (kind == INI_SECTION)
            begin_section(parser, parser->ini.section);
        else if (kind == INI_BAD)
            lesson_fail(parser, parser->line, "%s", parser->ini.wrong);
        else
            read_value(parser);
    }
}

Status lesson_parse(const char *path, const char *text, size_t size, Lesson *out, Error *error)
{
    path = file_shown_briefly(path);
    if (!ini_is_text(text, size))
        return error_set(error, STATUS_BAD_PARAMETER,
                         "%s is not a lesson file: it holds bytes that are not text", path);
    Error ignored;
    Parser parser = {.path = path, .lesson = out, .error = error ? error : &ignored};
    out->title[0] = out->about[0] = '\0';
    out->step_count = 0;
    ini_begin(&parser.ini, text, size);
    read_lines(&parser);
    end_step(&parser);
    if (!parser.failed_line && out->step_count == 0)
        lesson_fail(&parser, parser.ini.line + 1, "a lesson has at least one [step]");
    if (!parser.failed_line && out->title[0] == '\0')
        snprintf(out->title, sizeof out->title, "%s", out->name);
    return parser.failed_line ? parser.error->status : STATUS_OK;
}
