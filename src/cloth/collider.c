#include "cloth/collider.h"

#include <math.h>
#include <stddef.h>

// A triangle may be larger than at rest: this is what a cloth pulled over a ball reaches.
#define STRETCHED 1.1

#define RADIANS (3.14159265358979323846 / 180.0)

const char *collider_shape_name(int shape)
{
    static const char *const names[COLLIDER_SHAPES] = {"sphere", "capsule", "box"};
    return shape >= 0 && shape < COLLIDER_SHAPES ? names[shape] : NULL;
}

Collider collider_default(void)
{
    Collider collider = {.radius = 0.25};
    collider_prepare(&collider);
    return collider;
}

static bool within(double value, double low, double high)
{
    return value >= low && value <= high; // false for NaN
}

static bool vector_within(Vec3 v, double most)
{
    return within(v.x, -most, most) && within(v.y, -most, most) && within(v.z, -most, most);
}

static Status check_path(const ColliderPath *path, Error *error)
{
    for (int i = 0; i < path->count; i++) {
        if (!vector_within(path->offset[i], 100.0))
            return error_set(error, STATUS_BAD_PARAMETER, "path takes offsets from -100 to 100 m");
        bool rises =
            i == 0 ? path->time[i] == 0.0 : within(path->time[i] - path->time[i - 1], 0.01, 1000.0);
        if (!rises)
            return error_set(error, STATUS_BAD_PARAMETER,
                             "the times of path begin with 0 and rise by 0.01 to 1000 s");
    }
    return STATUS_OK;
}

Status collider_check(const Collider *collider, Error *error)
{
    const double least = 0.001, most = 100.0;
    Vec3 half = collider->half;
    bool sized = within(collider->radius, least, most);
    if (collider->shape == COLLIDER_BOX) {
        double thinnest = fmin(half.x, fmin(half.y, half.z));
        sized = within(collider->radius, least, fmin(thinnest, most)) && vector_within(half, most);
        if (!sized)
            return error_set(error, STATUS_BAD_PARAMETER,
                             "a box takes sides of at most %g m, and a radius for its edges from "
                             "%g m to half of the shortest side",
                             2.0 * most, least);
    }
    if (!sized || !vector_within(half, most))
        return error_set(error, STATUS_BAD_PARAMETER,
                         "radius takes %g to %g m, and axis at most "
                         "%g m",
                         least, most, 2.0 * most);
    if (!vector_within(collider->centre, most))
        return error_set(error, STATUS_BAD_PARAMETER, "centre takes three numbers from %g to %g m",
                         -most, most);
    if (!vector_within(collider->turn, 360.0))
        return error_set(error, STATUS_BAD_PARAMETER,
                         "turn takes three angles from -360 to 360 degrees");
    if (!within(collider->mass, 0.0, 1e4))
        return error_set(error, STATUS_BAD_PARAMETER, "mass takes 0 to 10000 kg");
    if (!vector_within(collider->velocity, most))
        return error_set(error, STATUS_BAD_PARAMETER,
                         "velocity takes three numbers from %g to %g m/s", -most, most);
    if (collider->mass > 0.0 && collider->shape != COLLIDER_SPHERE)
        return error_set(error, STATUS_BAD_PARAMETER, "only a sphere can have a mass");
    if (collider->mass > 0.0 && collider->path.count > 0)
        return error_set(error, STATUS_BAD_PARAMETER, "what has a mass has no path");
    if (collider->mass == 0.0 && vec3_length(collider->velocity) > 0.0)
        return error_set(error, STATUS_BAD_PARAMETER, "velocity is for a sphere with a mass");
    return check_path(&collider->path, error);
}

static Vec3 turned(Vec3 a, Vec3 turn)
{
    double c = cos(turn.x), s = sin(turn.x);
    a = (Vec3){a.x, c * a.y - s * a.z, s * a.y + c * a.z};
    c = cos(turn.y), s = sin(turn.y);
    a = (Vec3){c * a.x + s * a.z, a.y, c * a.z - s * a.x};
    c = cos(turn.z), s = sin(turn.z);
    return (Vec3){c * a.x - s * a.y, s * a.x + c * a.y, a.z};
}

void collider_prepare(Collider *collider)
{
    Vec3 turn = vec3_scale(RADIANS, collider->turn);
    collider->axes[0] = turned((Vec3){1.0, 0.0, 0.0}, turn);
    collider->axes[1] = turned((Vec3){0.0, 1.0, 0.0}, turn);
    collider->axes[2] = turned((Vec3){0.0, 0.0, 1.0}, turn);
}

ColliderMotion collider_start(const Collider *collider)
{
    Vec3 offset = collider_path_offset(&collider->path, 0.0);
    return (ColliderMotion){.centre = vec3_add(collider->centre, offset),
                            .velocity = collider->velocity};
}

Vec3 collider_path_offset(const ColliderPath *path, double time)
{
    if (path->count == 0) return (Vec3){0};
    double end = path->time[path->count - 1];
    if (path->count == 1) return path->offset[0];
    time -= end * floor(time / end);
    int i = 1;
    while (i + 1 < path->count && time > path->time[i]) i++;
    double s = (time - path->time[i - 1]) / (path->time[i] - path->time[i - 1]);
    Vec3 way = vec3_sub(path->offset[i], path->offset[i - 1]);
    return vec3_add_scaled(path->offset[i - 1], s * s * (3.0 - 2.0 * s), way);
}

// From a ball with this radius about a point to `away`.
static double from_capsule(const Collider *collider, Vec3 away, Vec3 *normal)
{
    Vec3 half = collider->half;
    double square = vec3_dot(half, half);
    double along = square > 0.0 ? vec3_dot(away, half) / square : 0.0;
    along = fmax(-1.0, fmin(along, 1.0));
    return collider_ball_distance(vec3_add_scaled(away, -along, half), collider->radius, normal);
}

// A box without its rounding, and a ball about each of its points.
static double from_box(const Collider *collider, Vec3 away, Vec3 *normal)
{
    double half[3] = {collider->half.x, collider->half.y, collider->half.z};
    double beyond[3], deepest = -INFINITY;
    int face = 0;
    Vec3 outside = {0};
    for (int i = 0; i < 3; i++) {
        double at = vec3_dot(away, collider->axes[i]), core = half[i] - collider->radius;
        beyond[i] = copysign(fabs(at) - core, at);
        if (fabs(at) - core > 0.0) outside = vec3_add_scaled(outside, beyond[i], collider->axes[i]);
        if (fabs(at) - core > deepest) {
            deepest = fabs(at) - core;
            face = i;
        }
    }
    if (deepest > 0.0) return collider_ball_distance(outside, collider->radius, normal);
    *normal = vec3_scale(signbit(vec3_dot(away, collider->axes[face])) ? -1.0 : 1.0,
                         collider->axes[face]);
    return deepest - collider->radius;
}

double collider_distance(const Collider *collider, Vec3 centre, Vec3 point, Vec3 *normal)
{
    Vec3 away = vec3_sub(point, centre);
    switch (collider->shape) {
    case COLLIDER_CAPSULE:
        return from_capsule(collider, away, normal);
    case COLLIDER_BOX:
        return from_box(collider, away, normal);
    default:
        return collider_ball_distance(away, collider->radius, normal);
    }
}

double collider_extent(const Collider *collider)
{
    double half = vec3_length(collider->half);
    return collider->shape == COLLIDER_BOX ? half : half + collider->radius;
}

double collider_drop(const Collider *collider)
{
    Vec3 half = collider->half;
    if (collider->shape == COLLIDER_SPHERE) return collider->radius;
    if (collider->shape == COLLIDER_CAPSULE) return fabs(half.y) + collider->radius;
    const double core[3] = {half.x - collider->radius, half.y - collider->radius,
                            half.z - collider->radius};
    double drop = collider->radius;
    for (int i = 0; i < 3; i++) drop += core[i] * fabs(collider->axes[i].y);
    return drop;
}

double collider_thickness(const Collider *collider, double reach)
{
    double radius = collider->radius;
    reach *= STRETCHED;
    return reach * reach / (sqrt(radius * radius + reach * reach) + radius);
}
