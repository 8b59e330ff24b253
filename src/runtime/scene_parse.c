// ini_text splits lines into section, name and value; this file says what each may be.
#include "runtime/scene_parse.h"

#include "base/file.h"
#include "runtime/ini_text.h"
#include "scene/collider_text.h"
#include "scene/muscle_text.h"

#include <assert.h>
#include <limits.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The keys of [scene], in the order of key_names.
enum SceneKey {
    KEY_TITLE,
    KEY_ABOUT,
    KEY_PINS,
    KEY_MESH,
    KEY_TOGGLED_PINS,
    KEY_MASS_SPREAD,
    KEY_STIFFNESS_SPREAD,
    KEY_START,
    KEY_START_STRETCH,
    KEY_START_VELOCITY,
    KEY_FINE,
    KEYS,
};
static const char *const key_names[KEYS] = {
    "title",
    "about",
    "pins",
    "mesh",
    "toggled_pins",
    "mass_spread",
    "stiffness_spread",
    "start",
    "start_stretch",
    "start_velocity",
    "fine",
};

#define LANE_SECTION "lane"
#define COLLIDER_SECTION "collider"
#define MUSCLE_SECTION "muscle"

#define PIN_NAMES                                                                                  \
    "top-left, top-right, bottom-left, bottom-right, top-edge, left-edge, bottom-edge, "           \
    "right-edge or none"

typedef struct Parser {
    const char *path;       // its last part, for error messages
    const char *whole_path; // a mesh is looked for beside it
    IniReader ini;
    int line;                        // number of the last line read
    unsigned scene_keys;             // one bit per SceneKey that [scene] has set
    uint64_t param_keys;             // the same for param_table
    int lane_lines[SCENE_LANES_MAX]; // where each lane begins
    int collider_lines[COLLIDERS_MAX];
    unsigned collider_keys; // of the last one, see collider_assign
    int muscle_lines[MUSCLES_MAX];
    unsigned muscle_keys; // the same
    int failed_line;      // 0: no failure
    Scene scene;
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
    parser->failed_line = line;
    error_set(parser->error, STATUS_BAD_PARAMETER, "%s, line %d: %s", parser->path, line, what);
}

static void append_name(char *list, size_t size, const char *name)
{
    size_t length = strlen(list);
    snprintf(list + length, size - length, "%s%s", length > 0 ? ", " : "", name);
}

static bool is_section(const char *name)
{
    if (strcmp(name, "scene") == 0 || strcmp(name, LANE_SECTION) == 0 ||
        strcmp(name, COLLIDER_SECTION) == 0 || strcmp(name, MUSCLE_SECTION) == 0)
        return true;
    for (int i = 0; i < param_count; i++) {
        if (strcmp(param_table[i].group, name) == 0) return true;
    }
    return false;
}

static void fail_section(Parser *parser, const char *name)
{
    char list[160] = "scene";
    for (int i = 0; i < param_count; i++) { // rows of one group are adjacent in the table
        if (i == 0 || strcmp(param_table[i].group, param_table[i - 1].group) != 0) {
            append_name(list, sizeof list, param_table[i].group);
        }
    }
    append_name(list, sizeof list, COLLIDER_SECTION);
    append_name(list, sizeof list, MUSCLE_SECTION);
    append_name(list, sizeof list, LANE_SECTION);
    fail(parser, parser->line, "there is no section [%s]; the sections are %s", name, list);
}

static void begin_lane(Parser *parser)
{
    Scene *scene = &parser->scene;
    if (scene->lane_count == SCENE_LANES_MAX) {
        fail(parser, parser->line, "a scene has at most %d lanes", (int)SCENE_LANES_MAX);
        return;
    }
    parser->lane_lines[scene->lane_count] = parser->line;
    lane_parse("", &scene->lanes[scene->lane_count++], NULL);
}

static void begin_collider(Parser *parser)
{
    Scene *scene = &parser->scene;
    if (scene->collider_count == COLLIDERS_MAX) {
        fail(parser, parser->line, "a scene has at most %d colliders", (int)COLLIDERS_MAX);
        return;
    }
    parser->collider_keys = 0;
    parser->collider_lines[scene->collider_count] = parser->line;
    scene->colliders[scene->collider_count++] = collider_default();
}

static void begin_muscle(Parser *parser)
{
    Scene *scene = &parser->scene;
    if (scene->muscle_count == MUSCLES_MAX) {
        fail(parser, parser->line, "a scene has at most %d muscles", (int)MUSCLES_MAX);
        return;
    }
    parser->muscle_keys = 0;
    parser->muscle_lines[scene->muscle_count] = parser->line;
    scene->muscles[scene->muscle_count++] = muscle_default();
}

static void begin_section(Parser *parser, const char *name)
{
    if (!is_section(name)) fail_section(parser, name);
    if (strcmp(name, LANE_SECTION) == 0) begin_lane(parser);
    if (strcmp(name, COLLIDER_SECTION) == 0) begin_collider(parser);
    if (strcmp(name, MUSCLE_SECTION) == 0) begin_muscle(parser);
}

static void read_text(Parser *parser, const char *name, const char *value, char *text, size_t size)
{
    if (strlen(value) >= size) {
        fail(parser, parser->line, "%s has %zu bytes, and at most %zu are allowed", name,
             strlen(value), size - 1);
        return;
    }
    strcpy(text, value);
}

static void continue_about(Parser *parser, const char *value)
{
    char *about = parser->scene.about;
    char joined[2 * sizeof parser->scene.about];
    snprintf(joined, sizeof joined, "%s%s%s", about, *about ? " " : "", value);
    read_text(parser, "about", joined, about, sizeof parser->scene.about);
}

static void read_pins(Parser *parser, const char *value)
{
    char names[256];
    snprintf(names, sizeof names, "%s", value);
    parser->scene.pins = 0;
    if (strcmp(names, "none") == 0) return;
    char *rest = NULL;
    char *name = strtok_r(names, " \t", &rest);
    if (!name) fail(parser, parser->line, "pins is empty; it takes " PIN_NAMES);
    for (; name && !parser->failed_line; name = strtok_r(NULL, " \t", &rest)) {
        unsigned pin = pin_from_name(name);
        if (pin == 0) {
            fail(parser, parser->line, "\"%s\" cannot be pinned; pins takes " PIN_NAMES, name);
        }
        parser->scene.pins |= pin;
    }
}

static void read_toggled_pins(Parser *parser, const char *value)
{
    Error reason;
    if (pin_toggles_parse(value, &parser->scene.toggled_pins, &reason) != STATUS_OK)
        fail(parser, parser->line, "toggled_pins takes %s", reason.text);
}

// A path relative to the scene's file, unless it is absolute.
static void read_mesh(Parser *parser, const char *value)
{
    char *mesh = parser->scene.mesh;
    size_t size = sizeof parser->scene.mesh;
    const char *slash = strrchr(parser->whole_path, '/');
    int folder = *value == '/' || !slash ? 0 : (int)(slash - parser->whole_path) + 1;
    if (*value == '\0') {
        fail(parser, parser->line, "mesh is empty; it takes the name of an OBJ file");
    } else if (snprintf(mesh, size, "%.*s%s", folder, parser->whole_path, value) >= (int)size) {
        fail(parser, parser->line, "the path of the mesh is longer than %zu bytes", size - 1);
    }
}

static void read_start(Parser *parser, const char *value)
{
    for (int i = 0; start_pose_name(i); i++) {
        if (strcmp(value, start_pose_name(i)) != 0) continue;
        parser->scene.start = (StartPose)i;
        return;
    }
    fail(parser, parser->line, "start = %.60s is not allowed: it takes flat or hanging", value);
}

static void read_fine(Parser *parser, const char *value)
{
    parser->scene.fine = strcmp(value, "on") == 0;
    if (!parser->scene.fine && strcmp(value, "off") != 0) {
        fail(parser, parser->line, "fine = %.60s is not allowed: it takes on or off", value);
    }
}

// exactly `count` numbers
static void read_numbers(Parser *parser, const char *name, const char *value, int count,
                         double *out)
{
    for (int i = 0; i < count; i++) {
        char *end;
        out[i] = strtod(value, &end);
        bool last = i + 1 == count;
        if (end == value || (last ? *end != '\0' : *end != ' ' && *end != '\t')) {
            fail(parser, parser->line, "%s takes %s", name,
                 count == 1 ? "a number" : "three numbers (m/s): x y z");
            return;
        }
        value = end;
    }
}

static int find_key(const char *name)
{
    for (int key = 0; key < KEYS; key++) {
        if (strcmp(key_names[key], name) == 0) return key;
    }
    return -1;
}

static void fail_key(Parser *parser, const char *name)
{
    const ParamInfo *info = param_find(name);
    if (info) {
        fail(parser, parser->line, "%s belongs in [%s], not in [scene]", name, info->group);
        return;
    }
    char list[200] = "";
    for (int key = 0; key < KEYS; key++) append_name(list, sizeof list, key_names[key]);
    fail(parser, parser->line, "[scene] has no \"%s\"; it takes %s", name, list);
}

static void read_scene_key(Parser *parser, const char *name, const char *value)
{
    Scene *scene = &parser->scene;
    int key = find_key(name);
    if (key < 0) {
        fail_key(parser, name);
        return;
    }
    if (parser->scene_keys & 1u << key) {
        fail(parser, parser->line, "%s is given twice", name);
        return;
    }
    parser->scene_keys |= 1u << key;
    double v[3] = {0};
    switch ((enum SceneKey)key) {
    case KEY_TITLE:
        read_text(parser, name, value, scene->title, sizeof scene->title);
        break;
    case KEY_ABOUT:
        read_text(parser, name, value, scene->about, sizeof scene->about);
        break;
    case KEY_PINS:
        read_pins(parser, value);
        break;
    case KEY_MESH:
        read_mesh(parser, value);
        break;
    case KEY_TOGGLED_PINS:
        read_toggled_pins(parser, value);
        break;
    case KEY_MASS_SPREAD:
        read_numbers(parser, name, value, 1, &scene->mass_spread);
        break;
    case KEY_STIFFNESS_SPREAD:
        read_numbers(parser, name, value, 1, &scene->stiffness_spread);
        break;
    case KEY_START:
        read_start(parser, value);
        break;
    case KEY_START_STRETCH:
        read_numbers(parser, name, value, 1, &scene->start_stretch);
        break;
    case KEY_START_VELOCITY:
        read_numbers(parser, name, value, 3, v);
        scene->start_velocity = (Vec3){v[0], v[1], v[2]};
        break;
    case KEY_FINE:
        read_fine(parser, value);
        break;
    case KEYS:
        break;
    }
    Error error;
    if (!parser->failed_line && scene_check(scene, &error) != STATUS_OK) {
        fail(parser, parser->line, "%s", error.text);
    }
}

static void read_collider_key(Parser *parser, const char *name, const char *value)
{
    Scene *scene = &parser->scene;
    assert(scene->collider_count > 0); // by begin_section
    Error error;
    Collider *collider = &scene->colliders[scene->collider_count - 1];
    if (collider_assign(collider, &parser->collider_keys, name, value, &error) != STATUS_OK)
        fail(parser, parser->line, "%s", error.text);
}

static void read_muscle_key(Parser *parser, const char *name, const char *value)
{
    Scene *scene = &parser->scene;
    assert(scene->muscle_count > 0); // by begin_section
    Error error;
    Muscle *muscle = &scene->muscles[scene->muscle_count - 1];
    if (muscle_assign(muscle, &parser->muscle_keys, name, value, &error) != STATUS_OK)
        fail(parser, parser->line, "%s", error.text);
}

static void check_muscles(Parser *parser)
{
    const Scene *scene = &parser->scene;
    for (int i = 0; i < scene->muscle_count && !parser->failed_line; i++) {
        Error error;
        if (muscle_check(&scene->muscles[i], &error) != STATUS_OK)
            fail(parser, parser->muscle_lines[i], "muscle %d: %s", i + 1, error.text);
    }
}

// When all of their keys are known.
static void check_colliders(Parser *parser)
{
    const Scene *scene = &parser->scene;
    for (int i = 0; i < scene->collider_count && !parser->failed_line; i++) {
        Error error;
        if (collider_check(&scene->colliders[i], &error) != STATUS_OK)
            fail(parser, parser->collider_lines[i], "collider %d: %s", i + 1, error.text);
    }
}

static void fail_param_name(Parser *parser, const char *section, const char *name)
{
    char list[200] = "";
    for (int i = 0; i < param_count; i++) {
        if (strcmp(param_table[i].group, section) == 0) {
            append_name(list, sizeof list, param_table[i].name);
        }
    }
    fail(parser, parser->line, "[%s] has no \"%s\"; it takes %s", section, name, list);
}

static void read_param(Parser *parser, const char *section, const char *name, const char *value)
{
    const ParamInfo *info = param_find(name);
    if (!info) {
        fail_param_name(parser, section, name);
        return;
    }
    uint64_t key = (uint64_t)1 << (info - param_table);
    Error error;
    if (strcmp(info->group, section) != 0) {
        fail(parser, parser->line, "%s belongs in [%s], not in [%s]", name, info->group, section);
    } else if (parser->param_keys & key) {
        fail(parser, parser->line, "%s is given twice", name);
    } else if (param_parse(&parser->scene.params, info, value, &error) != STATUS_OK) {
        fail(parser, parser->line, "%s", error.text);
    }
    parser->param_keys |= key;
}

static void fail_lane_name(Parser *parser, const char *name)
{
    char list[600] = "";
    for (int i = 0; i < param_count; i++) {
        if (!lane_shares_because(&param_table[i]))
            append_name(list, sizeof list, param_table[i].name);
    }
    fail(parser, parser->line, "[" LANE_SECTION "] has no \"%s\"; it takes %s", name, list);
}

static void read_lane_param(Parser *parser, const char *name, const char *value)
{
    Scene *scene = &parser->scene;
    assert(scene->lane_count > 0); // by begin_section
    const ParamInfo *info = param_find(name);
    Error error;
    if (!info) {
        fail_lane_name(parser, name);
    } else if (lane_assign(&scene->lanes[scene->lane_count - 1], info, value, &error) !=
               STATUS_OK) {
        fail(parser, parser->line, "%s", error.text);
    }
}

// What lanes share may stand after them.
static void check_lanes(Parser *parser)
{
    const Scene *scene = &parser->scene;
    for (int i = 0; i < scene->lane_count && !parser->failed_line; i++) {
        Error error;
        if (lane_check(&scene->lanes[i], scene, &error) == STATUS_OK) continue;
        fail(parser, parser->lane_lines[i], "lane %d, \"%s\": %s", i + 1, scene->lanes[i].name,
             error.text);
    }
}

static void read_value(Parser *parser, bool continues)
{
    const char *section = parser->ini.section, *name = parser->ini.name;
    const char *value = parser->ini.value;
    bool in_scene = strcmp(section, "scene") == 0;
    if (*section == '\0') {
        fail(parser, parser->line, "\"%s\" stands before the first [section]", name);
    } else if (continues && in_scene && strcmp(name, "about") == 0) {
        continue_about(parser, value);
    } else if (continues) {
        fail(parser, parser->line,
             "a line that begins with a blank goes on with \"%s\" above, and only about can", name);
    } else if (in_scene) {
        read_scene_key(parser, name, value);
    } else if (strcmp(section, LANE_SECTION) == 0) {
        read_lane_param(parser, name, value);
    } else if (strcmp(section, COLLIDER_SECTION) == 0) {
        read_collider_key(parser, name, value);
    } else if (strcmp(section, MUSCLE_SECTION) == 0) {
        read_muscle_key(parser, name, value);
    } else {
        read_param(parser, section, name, value);
    }
}

// Up to the end, or to the first line that is refused.
static void read_lines(Parser *parser, int lines_before)
{
    IniKind kind;
    while (!parser->failed_line && (kind = ini_next(&parser->ini)) != INI_END) {
        parser->line = lines_before + parser->ini.line;
        if (kind == INI_SECTION)
            begin_section(parser, parser->ini.section);
        else if (kind == INI_BAD)
            fail(parser, parser->line, "%s", parser->ini.wrong);
        else
            read_value(parser, kind == INI_MORE);
    }
}

Status scene_parse(const char *path, const char *text, size_t size, Scene *out, Error *error)
{
    return scene_parse_after(path, 0, text, size, out, error);
}

Status scene_parse_after(const char *path, int lines_before, const char *text, size_t size,
                         Scene *out, Error *error)
{
    assert(param_count <= 64); // bits of Parser.param_keys
    const char *whole_path = path;
    path = file_shown_briefly(path);
    if (!ini_is_text(text, size)) {
        return error_set(error, STATUS_BAD_PARAMETER,
                         "%s is not a scene file: it holds bytes that are not text", path);
    }
    Error ignored;
    Parser parser = {.path = path,
                     .whole_path = whole_path,
                     .scene = scene_default(),
                     .error = error ? error : &ignored};
    memcpy(parser.scene.name, out->name, sizeof out->name);
    snprintf(parser.scene.title, sizeof parser.scene.title, "%s", out->name);
    parser.scene.about[0] = '\0';
    ini_begin(&parser.ini, text, size);
    read_lines(&parser, lines_before);
    check_colliders(&parser);
    check_muscles(&parser);
    if (parser.failed_line) return STATUS_BAD_PARAMETER;
    Error reason;
    if (scene_check(&parser.scene, &reason) != STATUS_OK) { // sections that contradict each other
        return error_set(error, STATUS_BAD_PARAMETER, "%s: %.200s", path, reason.text);
    }
    check_lanes(&parser);
    if (parser.failed_line) return STATUS_BAD_PARAMETER;
    *out = parser.scene;
    return STATUS_OK;
}
