#include "scene/collider_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum Key {
    KEY_SHAPE,
    KEY_CENTRE,
    KEY_RADIUS,
    KEY_AXIS,
    KEY_SIDES,
    KEY_TURN,
    KEY_MASS,
    KEY_VELOCITY,
    KEY_PATH,
    KEYS,
} Key;

enum {
    ANY = ~0,
    SPHERE = 1 << COLLIDER_SPHERE,
    CAPSULE = 1 << COLLIDER_CAPSULE,
    BOX = 1 << COLLIDER_BOX
};

static const struct {
    const char *name;
    int shapes; // that have it
    const char *takes;
} keys[KEYS] = {
    {"shape", ANY, "sphere, capsule or box"},
    {"centre", ANY, "three numbers (m): x y z"},
    {"radius", ANY, "a number (m)"},
    {"axis", CAPSULE, "three numbers (m), from one end to the other: x y z"},
    {"sides", BOX, "three numbers (m): x y z"},
    {"turn", BOX, "three angles (degrees): about x, then y, then z"},
    {"mass", SPHERE, "a number (kg)"},
    {"velocity", SPHERE, "three numbers (m/s): x y z"},
    {"path", ANY, "up to 8 points, each a time (s) and an offset (m): t x y z, t x y z"},
};

// Exactly `count` numbers, up to the end or a comma. Returns what follows, NULL if they are not
// there.
static const char *read_numbers(const char *text, int count, double *out)
{
    for (int i = 0; i < count; i++) {
        char *end;
        out[i] = strtod(text, &end);
        if (end == text) return NULL;
        text = end + strspn(end, " \t");
    }
    return *text == '\0' || *text == ',' ? text : NULL;
}

static bool read_vector(const char *text, double scale, Vec3 *out)
{
    double v[3];
    const char *rest = read_numbers(text, 3, v);
    if (!rest || *rest) return false;
    *out = vec3_scale(scale, (Vec3){v[0], v[1], v[2]});
    return true;
}

static bool read_number(const char *text, double *out)
{
    const char *rest = read_numbers(text, 1, out);
    return rest && !*rest;
}

static bool read_shape(const char *text, ColliderShape *shape)
{
    for (int i = 0; collider_shape_name(i); i++) {
        if (strcmp(text, collider_shape_name(i)) != 0) continue;
        *shape = (ColliderShape)i;
        return true;
    }
    return false;
}

static bool read_path(const char *text, ColliderPath *path)
{
    for (path->count = 0; text && path->count < PATH_POINTS_MAX; text = *text ? text + 1 : NULL) {
        double number[4];
        text = read_numbers(text, 4, number);
        if (!text) return false;
        path->time[path->count] = number[0];
        path->offset[path->count++] = (Vec3){number[1], number[2], number[3]};
    }
    return !text;
}

static bool read_value(Collider *collider, Key key, const char *value)
{
    switch (key) {
    case KEY_SHAPE:
        return read_shape(value, &collider->shape);
    case KEY_CENTRE:
        return read_vector(value, 1.0, &collider->centre);
    case KEY_RADIUS:
        return read_number(value, &collider->radius);
    case KEY_AXIS:
    case KEY_SIDES:
        return read_vector(value, 0.5, &collider->half);
    case KEY_TURN:
        return read_vector(value, 1.0, &collider->turn);
    case KEY_MASS:
        return read_number(value, &collider->mass);
    case KEY_VELOCITY:
        return read_vector(value, 1.0, &collider->velocity);
    case KEY_PATH:
        return read_path(value, &collider->path);
    case KEYS:
        break;
    }
    return false;
}

static Status fail_name(const char *name, Error *error)
{
    char list[160] = "";
    for (int key = 0; key < KEYS; key++) {
        size_t length = strlen(list);
        snprintf(list + length, sizeof list - length, "%s%s", key > 0 ? ", " : "", keys[key].name);
    }
    return error_set(error, STATUS_BAD_PARAMETER, "[collider] has no \"%.60s\"; it takes %s", name,
                     list);
}

Status collider_assign(Collider *collider, unsigned *given, const char *name, const char *value,
                       Error *error)
{
    int key = 0;
    while (key < KEYS && strcmp(keys[key].name, name) != 0) key++;
    if (key == KEYS) return fail_name(name, error);
    if (*given & 1u << key)
        return error_set(error, STATUS_BAD_PARAMETER, "%s is given twice", name);
    Collider changed = *collider;
    if (!read_value(&changed, (Key)key, value))
        return error_set(error, STATUS_BAD_PARAMETER, "%s = %.60s is not allowed: it takes %s",
                         name, value, keys[key].takes);
    unsigned known = *given | 1u << key;
    for (int k = 0; k < KEYS; k++) {
        if ((known & 1u << k) && !(keys[k].shapes & 1 << changed.shape))
            return error_set(error, STATUS_BAD_PARAMETER,
                             "a %s has no %s; shape stands before what only some shapes have",
                             collider_shape_name((int)changed.shape), keys[k].name);
    }
    collider_prepare(&changed);
    *collider = changed;
    *given = known;
    return STATUS_OK;
}

// As many digits as it takes to read the same number again.
static void print_number(FILE *file, double value)
{
    char text[32];
    for (int digits = 6; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    fprintf(file, " %s", text);
}

static void print_vector(FILE *file, Vec3 v)
{
    print_number(file, v.x);
    print_number(file, v.y);
    print_number(file, v.z);
}

static void print_line(FILE *file, Key key, Vec3 v)
{
    fprintf(file, "%s =", keys[key].name);
    print_vector(file, v);
    fprintf(file, "\n");
}

static void print_path(FILE *file, const ColliderPath *path)
{
    if (path->count == 0) return;
    fprintf(file, "%s =", keys[KEY_PATH].name);
    for (int i = 0; i < path->count; i++) {
        if (i > 0) fprintf(file, ",");
        print_number(file, path->time[i]);
        print_vector(file, path->offset[i]);
    }
    fprintf(file, "\n");
}

// What a ball has that moves freely. A 0 may have a sign.
static void print_motion(FILE *file, const Collider *collider)
{
    static const Vec3 rest = {0};
    if (collider->mass != 0.0 || signbit(collider->mass)) {
        fprintf(file, "%s =", keys[KEY_MASS].name);
        print_number(file, collider->mass);
        fprintf(file, "\n");
    }
    if (memcmp(&collider->velocity, &rest, sizeof rest) != 0)
        print_line(file, KEY_VELOCITY, collider->velocity);
}

void collider_print(const Collider *collider, FILE *file)
{
    fprintf(file, "%s = %s\n", keys[KEY_SHAPE].name, collider_shape_name((int)collider->shape));
    print_line(file, KEY_CENTRE, collider->centre);
    fprintf(file, "%s =", keys[KEY_RADIUS].name);
    print_number(file, collider->radius);
    fprintf(file, "\n");
    Vec3 whole = vec3_scale(2.0, collider->half);
    if (collider->shape == COLLIDER_CAPSULE) print_line(file, KEY_AXIS, whole);
    if (collider->shape == COLLIDER_BOX) {
        print_line(file, KEY_SIDES, whole);
        print_line(file, KEY_TURN, collider->turn);
    }
    if (collider->shape == COLLIDER_SPHERE) print_motion(file, collider);
    print_path(file, &collider->path);
}
