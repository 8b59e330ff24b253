// selvage list: scenes, lessons, integrators and parameters, for people or as JSON. `selvage list
// integrators` prints the table of docs/integrators.md, in Markdown.
#include "apps/commands.h"
#include "apps/json.h"
#include "apps/report.h"
#include "figures/corrections.h"
#include "figures/figure.h"
#include "lesson/lesson_file.h"
#include "runtime/scene_file.h"
#include "stability/limits.h"
#include "sweep/measures.h"

#include <math.h>
#include <string.h>

// Prints text padded to `width` columns; a UTF-8 sequence takes one column.
static void print_padded(const char *text, int width)
{
    fputs(text, stdout);
    for (const char *s = text; *s; s++) width -= (*s & 0xc0) != 0x80;
    printf("%*s", width > 0 ? width : 0, "");
}

static void print_scenes(const SceneList *scenes)
{
    puts("Scenes");
    for (int i = 0; i < scenes->count; i++) {
        fputs("  ", stdout);
        print_padded(scenes->items[i].name, 18);
        printf("%s\n", scenes->items[i].title);
    }
}

static void print_lessons(const LessonList *lessons)
{
    puts("Lessons");
    for (int i = 0; i < lessons->count; i++) {
        fputs("  ", stdout);
        print_padded(lessons->items[i].name, 24);
        printf("%s, %d steps\n", lessons->items[i].title, lessons->items[i].step_count);
    }
}

// Largest stable step without damping, in units of 1/omega of the stiffest mode.
static double undamped_limit(const Integrator *integrator)
{
    const Scheme scheme = {
        .integrator = integrator, .options = {.harmonic = HARMONIC_CORRECTED}, .coupling = 1.0};
    // springs of a large cloth are far softer than its stiffest mode
    const Stiffness stiffness = {.k0 = 1.0, .spring = 1e-3};
    return step_limit(&scheme, &stiffness, 0.0, 0.0).step;
}

static const char *limit_text(const Integrator *integrator, char *text, size_t size)
{
    if (integrator->traits & INTEGRATOR_EXPLICIT_ACROSS) return "by tension";
    double limit = undamped_limit(integrator);
    if (isinf(limit)) return "any";
    if (limit == 0.0) return "none";
    snprintf(text, size, "%.3g", limit);
    return text;
}

static const char *work_text(const Integrator *integrator, char *text, size_t size)
{
    bool solves = integrator->traits & INTEGRATOR_IMPLICIT;
    if (!solves && (integrator->traits & INTEGRATOR_USES_LINEARISATION)) return "1 product";
    snprintf(text, size, "%d%s", integrator->forces_per_step, solves ? " + solve" : "");
    return text;
}

static const char *order_text(const Integrator *integrator, char *text, size_t size)
{
    const char *proviso = integrator->order_proviso;
    snprintf(text, size, "%d%s%s%s", integrator->order, proviso ? " (" : "", proviso ? proviso : "",
             proviso ? ")" : "");
    return text;
}

static void print_integrators(void)
{
    puts("\nIntegrators: order, force evaluations per step, largest stable h without damping");
    for (int i = 0; i < integrator_count; i++) {
        const Integrator *integrator = integrator_table[i];
        char order[80], work[32], limit[32];
        printf("  %s\n%20sorder %s, %s, h in 1/omega: %s; %s\n%20s%s\n", integrator->name, "",
               order_text(integrator, order, sizeof order),
               work_text(integrator, work, sizeof work),
               limit_text(integrator, limit, sizeof limit), integrator->label, "",
               integrator->summary);
    }
}

// The table of docs/integrators.md.
static void print_integrators_as_markdown(void)
{
    puts("Measured on a cloth of 16 x 16 particles with k0 = 1e6/s^2 that falls from flat and "
         "hangs by two corners, with an air drag of 0.5/s. Unless it says otherwise, limits are "
         "without alpha, and the rest is with alpha = 0.1 ms. Deviations are the largest of a "
         "particle from RK4 with h = 0.1 ms.\n");
    puts("| id | order | forces per step | largest stable h without damping, in 1/omega | what the "
         "sources claim | what we measured |\n|---|---|---|---|---|---|");
    for (int i = 0; i < integrator_count; i++) {
        const Integrator *integrator = integrator_table[i];
        char order[80], work[32], limit[32];
        printf(
            "| `%s` | %s | %s | %s | %s | %s |\n", integrator->name,
            order_text(integrator, order, sizeof order), work_text(integrator, work, sizeof work),
            limit_text(integrator, limit, sizeof limit), integrator->claim, integrator->measured);
    }
}

static void print_params(void)
{
    Params defaults = params_default();
    puts("\nParameters, by section of the scene file\n"
         "  name              unit     default             allowed");
    for (int i = 0; i < param_count; i++) {
        const ParamInfo *info = &param_table[i];
        char value[64], allowed[PARAM_ALLOWED_SIZE];
        param_print(&defaults, info, value, sizeof value);
        param_allowed(info, allowed, sizeof allowed);
        if (i == 0 || strcmp(info->group, info[-1].group) != 0) printf(" [%s]\n", info->group);
        printf("  %-18s", info->name);
        print_padded(info->unit, 9);
        printf("%-20s%s\n%20s%s\n", value, allowed, "", info->help);
    }
}

static void write_scenes(Json *json, const SceneList *scenes)
{
    json_open_array(json, "scenes");
    for (int i = 0; i < scenes->count; i++) {
        json_open_object(json, NULL);
        json_text(json, "name", scenes->items[i].name);
        json_text(json, "title", scenes->items[i].title);
        json_text(json, "about", scenes->items[i].about);
        json_close_object(json);
    }
    json_close_array(json);
}

static void write_lessons(Json *json, const LessonList *lessons)
{
    json_open_array(json, "lessons");
    for (int i = 0; i < lessons->count; i++) {
        json_open_object(json, NULL);
        json_text(json, "name", lessons->items[i].name);
        json_text(json, "title", lessons->items[i].title);
        json_text(json, "about", lessons->items[i].about);
        json_count(json, "steps", lessons->items[i].step_count);
        json_close_object(json);
    }
    json_close_array(json);
}

static void write_integrators(Json *json)
{
    json_open_array(json, "integrators");
    for (int i = 0; i < integrator_count; i++) {
        const Integrator *integrator = integrator_table[i];
        json_open_object(json, NULL);
        json_text(json, "name", integrator->name);
        json_count(json, "order", integrator->order);
        json_text(json, "label", integrator->label);
        json_text(json, "summary", integrator->summary);
        json_text(json, "reference", integrator->reference);
        json_count(json, "forces_per_step", integrator->forces_per_step);
        char limit[32]; // as text, because JSON has no infinity
        json_text(json, "undamped_limit", limit_text(integrator, limit, sizeof limit));
        json_text(json, "claim", integrator->claim);
        json_text(json, "measured", integrator->measured);
        json_close_object(json);
    }
    json_close_array(json);
}

static void write_param(Json *json, const ParamInfo *info, const Params *defaults)
{
    double value = param_get(defaults, info);
    bool is_word = info->word && value == PARAM_WORD;
    json_open_object(json, NULL);
    json_text(json, "name", info->name);
    json_text(json, "group", info->group);
    json_text(json, "unit", info->unit);
    if (info->kind == PARAM_CHOICE || is_word) {
        char text[64];
        param_print(defaults, info, text, sizeof text);
        json_text(json, "default", text);
    } else {
        json_number(json, "default", value);
    }
    if (info->kind == PARAM_CHOICE) {
        json_open_array(json, "choices");
        for (int i = 0; info->choice(i); i++) json_text(json, NULL, info->choice(i));
        json_close_array(json);
    } else {
        json_number(json, "min", info->min);
        json_number(json, "max", info->max);
        if (info->word) json_text(json, "word", info->word);
    }
    json_bool(json, "whole", info->kind == PARAM_COUNT);
    json_text(json, "help", info->help);
    json_close_object(json);
}

static void write_json(const SceneList *scenes, const LessonList *lessons)
{
    Json json = {.file = stdout};
    Params defaults = params_default();
    json_open_object(&json, NULL);
    write_scenes(&json, scenes);
    write_lessons(&json, lessons);
    write_integrators(&json);
    json_open_array(&json, "parameters");
    for (int i = 0; i < param_count; i++) write_param(&json, &param_table[i], &defaults);
    json_close_array(&json);
    json_close_object(&json);
}

static void list_integrators(bool as_json)
{
    Json json = {.file = stdout};
    if (!as_json) {
        print_integrators_as_markdown();
        return;
    }
    json_open_object(&json, NULL);
    write_integrators(&json);
    json_close_object(&json);
}

static void list_lessons(const LessonList *lessons, bool as_json)
{
    Json json = {.file = stdout};
    if (!as_json) {
        print_lessons(lessons);
        return;
    }
    json_open_object(&json, NULL);
    write_lessons(&json, lessons);
    json_close_object(&json);
}

// A name and a sentence, for people or as JSON.
static void list_names(const char *topic, int count, const char *(*name)(int),
                       const char *(*sentence)(int), bool as_json)
{
    Json json = {.file = stdout};
    if (as_json) {
        json_open_object(&json, NULL);
        json_open_array(&json, topic);
    }
    for (int i = 0; i < count; i++) {
        if (as_json) {
            json_open_object(&json, NULL);
            json_text(&json, "name", name(i));
            json_text(&json, "about", sentence(i));
            json_close_object(&json);
        } else {
            print_padded(name(i), 20);
            printf("%s\n", sentence(i));
        }
    }
    if (as_json) {
        json_close_array(&json);
        json_close_object(&json);
    }
}

static const char *measure_name(int i)
{
    return measure_table[i].name;
}
static const char *measure_sentence(int i)
{
    return measure_table[i].help;
}
static const char *figure_name(int i)
{
    return figure_table[i].name;
}
static const char *figure_sentence(int i)
{
    return figure_table[i].sentence;
}

static void list_all(const SceneList *scenes, const LessonList *lessons, bool as_json)
{
    if (as_json) {
        write_json(scenes, lessons);
        return;
    }
    print_scenes(scenes);
    puts("");
    print_lessons(lessons);
    print_integrators();
    print_params();
}

int command_list(const Options *options)
{
    SceneList scenes = {0};
    LessonList lessons = {0};
    Error error;
    const char *topic = options->scene ? options->scene : "";
    if (strcmp(topic, "integrators") == 0) {
        list_integrators(options->json);
        return EXIT_DONE;
    }
    if (strcmp(topic, "measures") == 0) {
        list_names(topic, measure_count, measure_name, measure_sentence, options->json);
        return EXIT_DONE;
    }
    if (strcmp(topic, "corrections") == 0) {
        corrections_write(stdout);
        return EXIT_DONE;
    }
    if (strcmp(topic, "figures") == 0) {
        list_names(topic, figure_count, figure_name, figure_sentence, options->json);
        return EXIT_DONE;
    }
    Status status = lesson_list(&lessons, &error);
    if (status == STATUS_OK) status = scene_list(&scenes, &error);
    if (status == STATUS_OK && strcmp(topic, "lessons") == 0)
        list_lessons(&lessons, options->json);
    else if (status == STATUS_OK)
        list_all(&scenes, &lessons, options->json);
    lesson_list_finish(&lessons);
    scene_list_finish(&scenes);
    return status == STATUS_OK ? EXIT_DONE : report_error(&error);
}
