#include "runtime/command_line.h"

#include "runtime/scene_file.h"

#include <stdio.h>
#include <string.h>

typedef struct Words {
    char *text;
    size_t length;
    bool full;
} Words;

static void add_character(Words *words, char c)
{
    if (words->length + 1 >= COMMAND_LINE_SIZE) {
        words->full = true;
        return;
    }
    words->text[words->length++] = c;
    words->text[words->length] = '\0';
}

static void add_text(Words *words, const char *text)
{
    for (; *text; text++) add_character(words, *text);
}

// In single quotes unless every character is plain; a single quote itself is written '\''.
static void add_word(Words *words, const char *word)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%";
    if (words->length > 0) add_character(words, ' ');
    if (*word && word[strspn(word, plain)] == '\0') {
        add_text(words, word);
        return;
    }
    add_character(words, '\'');
    for (; *word; word++) {
        if (*word == '\'')
            add_text(words, "'\\''");
        else
            add_character(words, *word);
    }
    add_character(words, '\'');
}

static void add_params(Words *words, const Params *now, const Params *base)
{
    for (int i = 0; i < param_count; i++) {
        const ParamInfo *info = &param_table[i];
        if (param_get(now, info) == param_get(base, info)) continue;
        bool integrator = strcmp(info->name, "integrator") == 0;
        char value[64], assignment[128];
        param_print(now, info, value, sizeof value);
        if (integrator || strcmp(info->name, "step") == 0) {
            add_word(words, integrator ? "--integrator" : "--step");
            add_word(words, value);
        } else {
            snprintf(assignment, sizeof assignment, "%s=%s", info->name, value);
            add_word(words, "--set");
            add_word(words, assignment);
        }
    }
}

enum { LANE_TEXT = 1024 }; // as lane_parse takes

static bool same_lanes(const Scene *a, const Scene *b)
{
    if (a->lane_count != b->lane_count) return false;
    for (int i = 0; i < a->lane_count; i++) {
        char one[LANE_TEXT], other[LANE_TEXT];
        lane_print(&a->lanes[i], one, sizeof one);
        lane_print(&b->lanes[i], other, sizeof other);
        if (strcmp(one, other) != 0) return false;
    }
    return true;
}

static void add_lanes(Words *words, const Scene *now, int reference, const Scene *base)
{
    char number[16];
    if (reference >= 0 && reference < now->lane_count) {
        snprintf(number, sizeof number, "%d", reference + 1);
        add_word(words, "--reference");
        add_word(words, number);
    } else if (now->fine != base->fine) {
        add_word(words, "--reference");
        add_word(words, now->fine ? "fine" : "none");
    }
    if (same_lanes(now, base)) return;
    if (now->lane_count == 0) {
        add_word(words, "--lane");
        add_word(words, "none");
    }
    for (int i = 0; i < now->lane_count; i++) {
        char text[LANE_TEXT];
        lane_print(&now->lanes[i], text, sizeof text);
        add_word(words, "--lane");
        add_word(words, *text ? text : " "); // one that shares everything; not the lack of a value
    }
}

static bool same_pins(const PinToggles *a, const PinToggles *b)
{
    return a->count == b->count &&
           memcmp(a->particle, b->particle, (size_t)a->count * sizeof *a->particle) == 0;
}

static void add_pins(Words *words, const PinToggles *now, const PinToggles *base)
{
    if (same_pins(now, base)) return;
    char text[PIN_TOGGLES_MAX * 12 + 8] = "none";
    size_t length = 0;
    for (int i = 0; i < now->count; i++)
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%d", i > 0 ? " " : "",
                                   now->particle[i]);
    add_word(words, "--toggled-pins");
    add_word(words, text);
}

// Whether what no option can change is as in the file.
static bool same_rest(const Scene *a, const Scene *b)
{
    Vec3 u = a->start_velocity, v = b->start_velocity;
    return a->pins == b->pins && strcmp(a->mesh, b->mesh) == 0 &&
           a->mass_spread == b->mass_spread && a->stiffness_spread == b->stiffness_spread &&
           a->start == b->start && a->start_stretch == b->start_stretch && u.x == v.x &&
           u.y == v.y && u.z == v.z;
}

Status command_line_print(const Scene *scene, int reference, char text[COMMAND_LINE_SIZE],
                          Error *error)
{
    Words words = {.text = text};
    const char *file = scene->source[0] ? scene->source : scene->name;
    Scene base;
    text[0] = '\0';
    if (scene_load(file, &base, NULL) != STATUS_OK || !same_rest(scene, &base)) {
        return error_set(error, STATUS_FILE,
                         "No command line opens this scene again: there is no file with it. Ctrl S "
                         "saves it.");
    }
    add_word(&words, "selvage");
    add_word(&words, "view");
    add_word(&words, file);
    add_params(&words, &scene->params, &base.params);
    add_lanes(&words, scene, reference, &base);
    add_pins(&words, &scene->toggled_pins, &base.toggled_pins);
    if (words.full)
        return error_set(error, STATUS_FILE,
                         "The command line would be longer than %d characters. Ctrl S saves the "
                         "scene.",
                         (int)COMMAND_LINE_SIZE - 1);
    return STATUS_OK;
}
