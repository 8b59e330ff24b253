#include "random_scene.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

uint32_t random_next(uint32_t *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

uint32_t random_below(uint32_t *seed, uint32_t most)
{
    return random_next(seed) % most;
}

double random_within(uint32_t *seed, double low, double high)
{
    double share = (random_next(seed) + random_next(seed) / 16777216.0) / 16777216.0;
    double value = low + share * (high - low);
    switch (random_below(seed, 8)) {
    case 0:
        return low;
    case 1:
        return high;
    case 2:
        value = 0.0;
        break;
    case 3:
        value = -0.0;
        break;
    case 4:
        value = 5e-324; // the smallest number
        break;
    case 5:
        value = round(value);
        break;
    default:
        break;
    }
    return value >= low && value <= high ? value : high;
}

void random_text(uint32_t *seed, char *out, size_t size)
{
    static const char *const pieces[] = {
        "a",    "word", " ",     " ",        " ",    "  ",        "\t", ";",      " ;",
        "#",    " #x",  "[N/m]", "]",        "=",    ":",         "\"", " \"x\"", "\\",
        "\\\\", "/",    "%s",    "\xc3\xa9", "\xff", "end scene", "'",
    };
    enum { PIECES = sizeof pieces / sizeof pieces[0] };
    size_t used = 0, wanted = random_below(seed, (uint32_t)size);
    bool plain = random_below(seed, 3) == 0; // words alone
    for (out[0] = '\0'; used < wanted;) {
        const char *piece = plain ? random_below(seed, 4) ? "long-words" : "[N/m] #2"
                                  : pieces[random_below(seed, PIECES)];
        int length = snprintf(out + used, size - used, "%s%s", piece, plain ? " " : "");
        used += (size_t)length;
    }
    size_t end = strlen(out);
    if (plain && end > 0 && out[end - 1] == ' ') out[end - 1] = '\0';
}

static void random_params(uint32_t *seed, Params *params)
{
    for (int i = 0; i < param_count; i++) {
        const ParamInfo *info = &param_table[i];
        double value = random_within(seed, info->min, info->max);
        if (info->kind != PARAM_REAL) value = floor(value);
        if (info->word && random_below(seed, 4) == 0) value = PARAM_WORD;
        if (random_below(seed, 2)) param_set(params, info, value, NULL);
    }
}

static Vec3 random_vector(uint32_t *seed, double most)
{
    return (Vec3){random_within(seed, -most, most), random_within(seed, -most, most),
                  random_within(seed, -most, most)};
}

static Collider random_collider(uint32_t *seed)
{
    Collider collider = collider_default();
    collider.shape = (ColliderShape)random_below(seed, COLLIDER_SHAPES);
    collider.centre = random_vector(seed, 100.0);
    collider.radius = random_within(seed, 0.001, 100.0);
    if (collider.shape == COLLIDER_BOX) {
        collider.half = (Vec3){100.0, random_within(seed, collider.radius, 100.0), 100.0};
        collider.turn = random_vector(seed, 360.0);
    }
    if (collider.shape == COLLIDER_CAPSULE) collider.half = random_vector(seed, 100.0);
    if (collider.shape == COLLIDER_SPHERE) collider.mass = random_within(seed, 0.0, 1e4);
    if (collider.mass > 0.0) {
        collider.velocity = random_vector(seed, 100.0);
    } else {
        double time = 0.0;
        collider.path.count = (int)random_below(seed, PATH_POINTS_MAX + 1);
        for (int i = 0; i < collider.path.count; i++) {
            collider.path.time[i] = time;
            collider.path.offset[i] = random_vector(seed, 100.0);
            time += random_within(seed, 0.011, 999.0);
        }
    }
    collider_prepare(&collider);
    return collider;
}

static Muscle random_muscle(uint32_t *seed)
{
    Muscle muscle = {.count = 1 + (int)random_below(seed, MUSCLE_SPRINGS_MAX)};
    for (int i = 0; i < muscle.count; i++) {
        muscle.ends[i][0] = (int)random_below(seed, 1 << 20);
        muscle.ends[i][1] = i == 0 ? 2147483647 : (int)random_below(seed, 100);
    }
    muscle.amplitude = random_within(seed, -MUSCLE_AMPLITUDE_MAX, MUSCLE_AMPLITUDE_MAX);
    muscle.period = random_within(seed, MUSCLE_PERIOD_MIN, MUSCLE_PERIOD_MAX);
    muscle.phase = random_within(seed, -MUSCLE_PHASE_MAX, MUSCLE_PHASE_MAX);
    muscle.start = random_within(seed, 0.0, MUSCLE_PERIOD_MAX);
    return muscle;
}

static void random_lanes(uint32_t *seed, Scene *scene)
{
    int wanted = (int)random_below(seed, SCENE_LANES_MAX + 1);
    for (int k = 0; k < wanted; k++) {
        Lane *lane = &scene->lanes[scene->lane_count];
        lane_parse("", lane, NULL);
        for (int i = 0; i < param_count; i++) {
            const ParamInfo *info = &param_table[i];
            double value = random_within(seed, info->min, info->max);
            if (lane_shares_because(info) || random_below(seed, 4)) continue;
            lane_own(lane, info, info->kind == PARAM_REAL ? value : floor(value));
            if (lane_check(lane, scene, NULL) != STATUS_OK) lane_share(lane, info);
        }
        if (lane_check(lane, scene, NULL) == STATUS_OK) scene->lane_count++;
    }
}

Scene random_scene(uint32_t *seed)
{
    Scene scene = scene_default();
    strcpy(scene.name, "random");
    random_text(seed, scene.title, sizeof scene.title);
    random_text(seed, scene.about, sizeof scene.about);
    scene.pins = random_below(seed, 256);
    for (int i = (int)random_below(seed, 2 * PIN_TOGGLES_MAX); i > 0; i--)
        pin_toggles_flip(&scene.toggled_pins, (int)random_below(seed, 1u << random_below(seed, 24)),
                         NULL);
    if (random_below(seed, 3) == 0) {
        scene.mesh[0] = '/'; // absolute: it stays where it is
        random_text(seed, scene.mesh + 1, sizeof scene.mesh - 1);
    }
    scene.mass_spread = random_within(seed, 0.0, SCENE_SPREAD_MAX);
    scene.stiffness_spread = random_within(seed, 0.0, SCENE_SPREAD_MAX);
    scene.start = (StartPose)random_below(seed, START_POSES);
    scene.start_stretch = random_within(seed, SCENE_STRETCH_MIN, SCENE_STRETCH_MAX);
    scene.start_velocity = random_vector(seed, SCENE_VELOCITY_MAX);
    scene.fine = random_below(seed, 2);
    random_params(seed, &scene.params);
    if (scene.mesh[0]) scene.params.gather = 1.0;
    if (scene.params.rows * scene.params.columns < 2) scene.params.rows = 2;
    for (int i = (int)random_below(seed, COLLIDERS_MAX + 1); i > 0; i--)
        scene.colliders[scene.collider_count++] = random_collider(seed);
    for (int i = (int)random_below(seed, MUSCLES_MAX + 1); i > 0; i--)
        scene.muscles[scene.muscle_count++] = random_muscle(seed);
    random_lanes(seed, &scene);
    return scene;
}

static bool same_bits(const void *a, const void *b, size_t size)
{
    return memcmp(a, b, size) == 0;
}

static bool same_collider(const Collider *a, const Collider *b)
{
    return a->shape == b->shape && a->path.count == b->path.count &&
#define SAME(field) same_bits(&a->field, &b->field, sizeof a->field)
           SAME(centre) && SAME(radius) && SAME(half) && SAME(turn) && SAME(mass) &&
           SAME(velocity) && SAME(path.time) && SAME(path.offset) && SAME(axes);
}

static bool same_muscle(const Muscle *a, const Muscle *b)
{
    return a->count == b->count && SAME(ends) && SAME(amplitude) && SAME(period) && SAME(phase) &&
           SAME(start);
}
#undef SAME

static const char *params_differ(const Params *a, const Params *b)
{
    for (int i = 0; i < param_count; i++) {
        double mine = param_get(a, &param_table[i]), other = param_get(b, &param_table[i]);
        if (!same_bits(&mine, &other, sizeof mine)) return param_table[i].name;
    }
    return NULL;
}

static const char *lanes_differ(const Scene *a, const Scene *b)
{
    if (a->lane_count != b->lane_count) return "lane_count";
    for (int i = 0; i < a->lane_count; i++) {
        if (a->lanes[i].own != b->lanes[i].own) return "lanes' own";
        if (strcmp(a->lanes[i].name, b->lanes[i].name) != 0) return "lanes' name";
        Scene mine = lane_scene(&a->lanes[i], a), other = lane_scene(&b->lanes[i], b);
        const char *name = params_differ(&mine.params, &other.params);
        if (name) return name;
    }
    return NULL;
}

const char *scenes_differ(const Scene *a, const Scene *b)
{
#define SAME(field) (same_bits(&a->field, &b->field, sizeof a->field) ? NULL : #field)
    const char *differs[] = {
        strcmp(a->name, b->name) ? "name" : NULL,
        strcmp(a->title, b->title) ? "title" : NULL,
        strcmp(a->about, b->about) ? "about" : NULL,
        strcmp(a->mesh, b->mesh) ? "mesh" : NULL,
        SAME(pins),
        SAME(toggled_pins.count),
        SAME(mass_spread),
        SAME(stiffness_spread),
        SAME(start),
        SAME(start_stretch),
        SAME(start_velocity),
        SAME(collider_count),
        SAME(muscle_count),
        SAME(fine),
        params_differ(&a->params, &b->params),
        lanes_differ(a, b),
    };
#undef SAME
    for (size_t i = 0; i < sizeof differs / sizeof differs[0]; i++) {
        if (differs[i]) return differs[i];
    }
    if (!same_bits(a->toggled_pins.particle, b->toggled_pins.particle,
                   (size_t)a->toggled_pins.count * sizeof(int)))
        return "toggled_pins";
    for (int i = 0; i < a->collider_count; i++) {
        if (!same_collider(&a->colliders[i], &b->colliders[i])) return "colliders";
    }
    for (int i = 0; i < a->muscle_count; i++) {
        if (!same_muscle(&a->muscles[i], &b->muscles[i])) return "muscles";
    }
    return NULL;
}
