#include "scene/scene_start.h"

#include "cloth/obj_file.h"
#include "scene/start_shape.h"

#include <math.h>
#include <stdint.h>

// Particles within this share of the spacing from an edge lie on it.
#define ON_EDGE 0.01

// A camera looks below the centre of a flat cloth, where it is going to hang. A solid one is there
// already: its centre counts as higher by this share of its depth.
#define SOLID_RISE 0.45
// The same for a cloth that starts upright, by this share of its height.
#define UPRIGHT_RISE 0.6

// A factor in 1 - spread .. 1 + spread, the same for the same number on every run; the bits are
// mixed as in MurmurHash3.
static double spread_factor(double spread, uint32_t number)
{
    uint32_t h = number * 2654435761u + 1u;
    h = (h ^ (h >> 16)) * 2246822507u;
    h = (h ^ (h >> 13)) * 3266489909u;
    h ^= h >> 16;
    return 1.0 + spread * ((double)h / 2147483648.0 - 1.0);
}

static Status check_toggled_pins(const PinToggles *toggles, int particle_count, Error *error)
{
    for (int i = 0; i < toggles->count; i++) {
        int p = toggles->particle[i];
        if (p >= 0 && p < particle_count) continue;
        return error_set(error, STATUS_BAD_PARAMETER,
                         "toggled_pins names particle %d; this cloth has 0 to %d", p,
                         particle_count - 1);
    }
    return STATUS_OK;
}

static Status scene_mesh(const Scene *scene, const KnownMesh *known, Mesh *mesh, Error *error)
{
    const Params *params = &scene->params;
    if (scene->mesh[0] == '\0')
        return mesh_init_grid(mesh, params->rows, params->columns, params->size, error);
    if (!known) return mesh_load_obj(mesh, scene->mesh, params->size, error);
    return mesh_copy(known->mesh, known->scale, mesh, error);
}

Status scene_build(const Scene *scene, const KnownMesh *known, Cloth *cloth, Error *error)
{
    const Params *params = &scene->params;
    Mesh mesh;
    *cloth = (Cloth){.grabbed = -1};
    Status status = scene_mesh(scene, known, &mesh, error);
    if (status == STATUS_OK) status = cloth_init(cloth, &mesh, params->density, error);
    if (status != STATUS_OK) return status;
    for (int s = 0; s < cloth->mesh.spring_count; s++) {
        cloth_set_spring_factor(cloth, s, spread_factor(scene->stiffness_spread, (uint32_t)s));
    }
    status = check_toggled_pins(&scene->toggled_pins, cloth->mesh.particle_count, error);
    if (status == STATUS_OK)
        status = cloth_set_muscles(cloth, scene->muscle_count, scene->muscles, error);
    if (status == STATUS_OK) {
        status = cloth_set_model(cloth, force_model_table[params->model], error);
    }
    if (status != STATUS_OK) cloth_finish(cloth);
    return status;
}

static bool is_rope(const Mesh *mesh)
{
    return mesh->height == 0.0 && mesh->depth == 0.0;
}

// Map the mesh at rest to its start: flat, or hanging from its top.
static Vec3 hang(const Scene *scene, const Mesh *mesh, Vec3 x)
{
    if (scene->start == START_FLAT) return x;
    return is_rope(mesh) ? (Vec3){0.0, -x.x, 0.0} : (Vec3){x.x, -x.z, x.y};
}

Vec3 scene_start_centre(const Scene *scene, const Mesh *mesh)
{
    Vec3 middle = {0.5 * mesh->width, -0.5 * mesh->depth, 0.5 * mesh->height};
    Vec3 centre = hang(scene, mesh, middle);
    centre.y += SOLID_RISE * mesh->depth;
    if (scene->start == START_HANGING && !is_rope(mesh)) centre.y += UPRIGHT_RISE * mesh->height;
    return vec3_scale(scene->start_stretch, centre);
}

Vec3 scene_start_mean(const Scene *scene, const Mesh *mesh)
{
    Vec3 sum = {0};
    for (int p = 0; p < mesh->particle_count; p++)
        sum = vec3_add(sum, hang(scene, mesh, mesh->rest_position[p]));
    return vec3_scale(scene->start_stretch / mesh->particle_count, sum);
}

bool scene_roams(const Scene *scene)
{
    bool is_held = scene->pins != 0 || scene->toggled_pins.count > 0;
    bool floats = scene->params.gravity == 0.0 && scene->collider_count == 0;
    return !is_held && (scene->muscle_count > 0 || floats);
}

double scene_start_radius(const Scene *scene, const Mesh *mesh)
{
    double half = 0.5 * hypot(hypot(mesh->width, mesh->height), mesh->depth);
    return scene->start_stretch * (is_rope(mesh) ? 2.0 * half : half);
}

#define VIEW_DROP 0.80  // in radii, see scene_view
#define VIEW_REACH 1.35 // in radii

typedef struct Ball {
    Vec3 centre;
    double radius;
} Ball;

// The smallest that holds both.
static Ball join(Ball a, Ball b)
{
    Vec3 apart = vec3_sub(b.centre, a.centre);
    double distance = vec3_length(apart);
    if (distance + b.radius <= a.radius) return a;
    if (distance + a.radius <= b.radius) return b;
    double radius = 0.5 * (distance + a.radius + b.radius);
    return (Ball){vec3_add_scaled(a.centre, (radius - a.radius) / distance, apart), radius};
}

// What a rope sweeps: held at one end, half a disc below it, or without gravity all of it; hanging,
// its length and some more; free in space, itself and some more.
static Ball rope_view(const Scene *scene, const Mesh *mesh)
{
    double length = scene->start_stretch * mesh->width;
    Vec3 middle = scene_start_centre(scene, mesh);
    bool falls = scene->params.gravity != 0.0;
    if (scene->pins == PIN_TOP_LEFT && !falls) return (Ball){(Vec3){0}, 1.25 * length};
    if (scene->pins == PIN_TOP_LEFT && scene->start == START_FLAT)
        return (Ball){{0.0, -0.45 * length, 0.0}, 1.1 * length};
    if (scene->pins == PIN_TOP_LEFT) return (Ball){{0.0, -0.6 * length, 0.0}, 0.9 * length};
    if (!falls) return (Ball){middle, 0.85 * length};
    return (Ball){vec3_add(middle, (Vec3){0.0, -VIEW_DROP * length, 0.0}), VIEW_REACH * length};
}

// A cloth that stands upright, held by nothing, not far above the floor: all the way from its upper
// edge to there, and where it will lie not too low.
static bool falls_down(const Scene *scene, const Mesh *mesh, Ball *seen)
{
    bool upright = scene->start == START_HANGING && mesh->depth == 0.0 && scene->pins == 0 &&
                   scene->toggled_pins.count == 0 && scene->params.gravity > 0.0;
    double height = scene->start_stretch * mesh->height, way = -scene->params.ground;
    if (!upright || way < height || way > 1.5 * height) return false;
    seen->centre = (Vec3){scene_start_centre(scene, mesh).x, -0.66 * way, 0.0};
    seen->radius = 0.73 * way;
    return true;
}

// A cloth that stands upright, held along one side as by a pole, with no wind to hold it out: it
// swings to both sides of the pole and comes to rest along it.
static bool swings_about_a_pole(const Scene *scene, const Mesh *mesh, Ball *seen)
{
    bool left = scene->pins == PIN_LEFT_EDGE, right = scene->pins == PIN_RIGHT_EDGE;
    bool upright = scene->start == START_HANGING && mesh->depth == 0.0;
    if (!upright || !(left || right) || !(scene->params.gravity > 0.0) || scene->params.wind > 0.0)
        return false;
    double width = scene->start_stretch * mesh->width, height = scene->start_stretch * mesh->height;
    seen->centre = (Vec3){(left ? 0.2 : 0.8) * width, -0.6 * height - 0.25 * width, 0.0};
    seen->radius = hypot(0.8 * width, 0.6 * height + 0.25 * width);
    return true;
}

SceneView scene_view(const Scene *scene, const Mesh *mesh)
{
    Vec3 centre = scene_start_centre(scene, mesh);
    double radius = scene_start_radius(scene, mesh);
    Ball cloth = {vec3_add(centre, (Vec3){0.0, -VIEW_DROP * radius, 0.0}), VIEW_REACH * radius};
    bool stays = (scene->pins & PIN_ALL_EDGES) == PIN_ALL_EDGES; // it does not swing down
    if (stays) cloth = (Ball){centre, 1.15 * radius};
    Ball seen = is_rope(mesh) ? rope_view(scene, mesh) : cloth;
    bool falls = !is_rope(mesh) &&
                 (falls_down(scene, mesh, &seen) || swings_about_a_pole(scene, mesh, &seen));
    bool same = !is_rope(mesh) && !stays && !falls;
    for (int i = 0; i < scene->collider_count; i++) {
        const Collider *body = &scene->colliders[i];
        Ball at = {body->centre, collider_extent(body)};
        Ball before = seen;
        seen = join(seen, at);
        for (int k = 0; k < body->path.count; k++) {
            at.centre = vec3_add(body->centre, body->path.offset[k]);
            seen = join(seen, at);
        }
        same = same && seen.radius == before.radius;
    }
    if (same) return (SceneView){centre, radius};
    radius = seen.radius / VIEW_REACH;
    return (SceneView){vec3_add(seen.centre, (Vec3){0.0, VIEW_DROP * radius, 0.0}), radius};
}

static void place_particle(const Scene *scene, Cloth *cloth, int p, Vec3 x)
{
    const Mesh *mesh = &cloth->mesh;
    double mass = scene->params.density * mesh->area[p];
    mesh_set_vector(mesh, cloth->x, p, vec3_scale(scene->start_stretch, hang(scene, mesh, x)));
    mesh_set_vector(mesh, cloth->v, p, scene->start_velocity);
    cloth_set_mass(cloth, p, mass * spread_factor(scene->mass_spread, ~(uint32_t)p));
    cloth_set_pinned(cloth, p, false);
}

// From top to bottom: along z, or down when the mesh stands.
static double downwards(const Mesh *mesh, Vec3 x)
{
    return mesh->depth > mesh->height ? -x.y : x.z;
}

static void pin(Cloth *cloth, int p)
{
    cloth_set_pinned(cloth, p, true);
    mesh_set_vector(&cloth->mesh, cloth->v, p, (Vec3){0});
}

// Pin the particle nearest to a corner of the mesh.
static void pin_corner(Cloth *cloth, bool right, bool bottom)
{
    const Mesh *mesh = &cloth->mesh;
    double across = right ? mesh->width : 0.0;
    double down = bottom ? fmax(mesh->depth, mesh->height) : 0.0, nearest = INFINITY;
    int corner = 0;
    for (int p = 0; p < mesh->particle_count; p++) {
        Vec3 x = mesh->rest_position[p];
        double distance = hypot(x.x - across, downwards(mesh, x) - down);
        if (distance >= nearest) continue;
        nearest = distance;
        corner = p;
    }
    pin(cloth, corner);
}

static void place_pins(const Scene *scene, Cloth *cloth)
{
    const Mesh *mesh = &cloth->mesh;
    unsigned pins = scene->pins;
    if (pins & PIN_TOP_LEFT) pin_corner(cloth, false, false);
    if (pins & PIN_TOP_RIGHT) pin_corner(cloth, true, false);
    if (pins & PIN_BOTTOM_LEFT) pin_corner(cloth, false, true);
    if (pins & PIN_BOTTOM_RIGHT) pin_corner(cloth, true, true);
    for (int p = 0; p < mesh->particle_count; p++) {
        Vec3 x = mesh->rest_position[p];
        double tolerance = ON_EDGE * mesh->spacing, down = downwards(mesh, x);
        double bottom = fmax(mesh->depth, mesh->height);
        if (((pins & PIN_TOP_EDGE) && down <= tolerance) ||
            ((pins & PIN_BOTTOM_EDGE) && down >= bottom - tolerance) ||
            ((pins & PIN_LEFT_EDGE) && x.x <= tolerance) ||
            ((pins & PIN_RIGHT_EDGE) && x.x >= mesh->width - tolerance))
            pin(cloth, p);
    }
    for (int i = 0; i < scene->toggled_pins.count; i++) {
        int p = scene->toggled_pins.particle[i];
        if (cloth->pinned[p]) {
            cloth_set_pinned(cloth, p, false);
        } else {
            pin(cloth, p);
        }
    }
}

void scene_place(const Scene *scene, Cloth *cloth)
{
    const Mesh *mesh = &cloth->mesh;
    const Params *params = &scene->params;
    StartShape shape = start_shape(mesh->width, params->gather, params->folds);
    cloth_set_grabbed(cloth, -1);
    for (int column = 0; column < mesh->columns; column++) {
        // the folds run along z: a whole column shares x and y, which are expensive to compute
        Vec3 top = start_shape_place(&shape, mesh->rest_position[column]);
        for (int row = 0; row < mesh->rows; row++) {
            int p = row * mesh->columns + column;
            place_particle(scene, cloth, p, (Vec3){top.x, top.y, mesh->rest_position[p].z});
        }
    }
    if (mesh->rows == 0) { // not a grid
        for (int p = 0; p < mesh->particle_count; p++) {
            place_particle(scene, cloth, p, mesh->rest_position[p]);
        }
    }
    place_pins(scene, cloth);
}
