#include "cloth/wind.h"

#include "cloth/cloth.h"
#include "cloth/spring_kernels.h"

#include <stdint.h>

// Gusts are a sum of sines whose amplitudes add up to 1, of frequencies from GUST_SLOWEST on, each
// about twice the one before. The seed chooses frequencies and phases.
enum { SINES = 6 };
#define GUST_SLOWEST 0.13 // Hz
#define GUST_TURN 45.0    // degrees, the most by which a gust of strength 1 changes the direction

// A number in [0, 1) that follows from seed and index (an integer hash, Wellons 2018).
static double chance(int seed, int index)
{
    uint32_t state = (uint32_t)seed * 2654435769u + (uint32_t)index + 1u;
    state = (state ^ (state >> 16)) * 0x7feb352du;
    state = (state ^ (state >> 15)) * 0x846ca68bu;
    state ^= state >> 16;
    return state / 4294967296.0;
}

// Between -1 and 1. `part` 0 is for the speed, 1 for the direction.
static double noise(int seed, int part, double time)
{
    double sum = 0.0, amplitudes = 0.0, frequency = GUST_SLOWEST, amplitude = 1.0;
    for (int s = 0; s < SINES; s++) {
        int index = 2 * (part * SINES + s);
        double f = frequency * (0.75 + 0.5 * chance(seed, index));
        sum += amplitude * sin(2.0 * M_PI * (f * time + chance(seed, index + 1)));
        amplitudes += amplitude;
        frequency *= 2.0;
        amplitude *= 0.75;
    }
    return sum / amplitudes;
}

static Air air_of(const Wind *wind, double speed, double degrees)
{
    double angle = degrees * (M_PI / 180.0);
    return (Air){.velocity = {speed * cos(angle), 0.0, -speed * sin(angle)},
                 .normal = wind->drag_normal + AIR_DENSITY * WIND_NORMAL * speed,
                 .tangent = wind->drag_tangent + AIR_DENSITY * WIND_TANGENT * speed};
}

Air wind_at(const Wind *wind, double time)
{
    if (!(wind->speed > 0.0 && wind->gust > 0.0)) return air_of(wind, wind->speed, wind->direction);
    return air_of(wind, wind->speed * (1.0 + wind->gust * noise(wind->seed, 0, time)),
                  wind->direction + GUST_TURN * wind->gust * noise(wind->seed, 1, time));
}

Air wind_strongest(const Wind *wind)
{
    return air_of(wind, wind->speed * (1.0 + wind->gust), wind->direction);
}

bool wind_is_felt(Air air)
{
    return air.normal > 0.0 || air.tangent > 0.0;
}

int wind_piece_count(const Mesh *mesh)
{
    return mesh->triangle_count > 0 ? mesh->triangle_count : mesh->kind_start[SPRING_SHEAR];
}

// The particles at the corners of a piece; returns how many.
static int corners_of(const Mesh *mesh, int piece, int corner[3])
{
    if (mesh->triangle_count > 0) {
        for (int k = 0; k < 3; k++) corner[k] = (int)mesh->triangles[piece][k];
        return 3;
    }
    corner[0] = mesh->springs[piece][0];
    corner[1] = mesh->springs[piece][1];
    return 2;
}

// A piece without area has no direction, and no force.
static WindPiece piece_at(const Mesh *mesh, Air air, const double *x, const int corner[3],
                          int corners)
{
    Vec3 a = mesh_vector(mesh, x, corner[0]), b = mesh_vector(mesh, x, corner[1]);
    Vec3 side = vec3_sub(b, a);
    if (corners == 2) {
        double l = vec3_length(side);
        if (!(l > LENGTH_TINY)) return (WindPiece){0};
        return (WindPiece){.axis = vec3_scale(1.0 / l, side),
                           .area = mesh->spacing * l,
                           .across = air.normal,
                           .along = air.tangent - air.normal};
    }
    Vec3 normal = vec3_cross(side, vec3_sub(mesh_vector(mesh, x, corner[2]), a));
    double twice = vec3_length(normal);
    if (!(twice > LENGTH_TINY * LENGTH_TINY)) return (WindPiece){0};
    return (WindPiece){.axis = vec3_scale(1.0 / twice, normal),
                       .area = 0.5 * twice,
                       .across = air.tangent,
                       .along = air.normal - air.tangent};
}

static Vec3 mean(const Mesh *mesh, const double *flat, const int corner[3], int corners)
{
    Vec3 sum = mesh_vector(mesh, flat, corner[0]);
    for (int k = 1; k < corners; k++) sum = vec3_add(sum, mesh_vector(mesh, flat, corner[k]));
    return vec3_scale(1.0 / corners, sum);
}

static Vec3 push(const WindPiece *piece, Vec3 u)
{
    Vec3 force = vec3_scale(piece->area * piece->across, u);
    return vec3_add_scaled(force, piece->area * piece->along * vec3_dot(piece->axis, u),
                           piece->axis);
}

static void share(const Mesh *mesh, const int corner[3], int corners, Vec3 force, double *f)
{
    Vec3 part = vec3_scale(1.0 / corners, force);
    for (int k = 0; k < corners; k++)
        mesh_set_vector(mesh, f, corner[k], vec3_add(mesh_vector(mesh, f, corner[k]), part));
}

WindPower wind_add_forces(const Cloth *cloth, Air air, const double *x, const double *v, double *f)
{
    const Mesh *mesh = &cloth->mesh;
    WindPower power = {0};
    int corner[3], count = wind_piece_count(mesh);
    if (!wind_is_felt(air)) return power;
    if (mesh->row_width > 0 && mesh->triangle_count > 0) {
        GridAir of_grid = {air.velocity, air.normal, air.tangent};
        GridAirPower of_cells = cloth->kernels->grid_wind(mesh, of_grid, x, v, f);
        return (WindPower){of_cells.work, of_cells.drag};
    }
    for (int i = 0; i < count; i++) {
        int corners = corners_of(mesh, i, corner);
        WindPiece piece = piece_at(mesh, air, x, corner, corners);
        Vec3 V = mean(mesh, v, corner, corners);
        Vec3 work = push(&piece, air.velocity), drag = push(&piece, V);
        share(mesh, corner, corners, vec3_sub(work, drag), f);
        power.work += vec3_dot(work, V);
        power.drag += vec3_dot(drag, V);
    }
    return power;
}

void wind_linearise(Cloth *cloth, Air air, const double *x)
{
    const Mesh *mesh = &cloth->mesh;
    int corner[3], count = wind_piece_count(mesh);
    for (int i = 0; i < count; i++) {
        int corners = corners_of(mesh, i, corner);
        cloth->wind_pieces[i] = piece_at(mesh, air, x, corner, corners);
    }
}

void wind_add_drag(const Cloth *cloth, WindOn on, double scale, const double *p, double *Dp)
{
    const Mesh *mesh = &cloth->mesh;
    int corner[3], count = wind_piece_count(mesh);
    for (int i = 0; i < count; i++) {
        int corners = corners_of(mesh, i, corner), wanted = 0, chosen[3];
        for (int k = 0; k < corners; k++) {
            if (on == WIND_ON_ALL || !cloth_is_held(cloth, corner[k])) chosen[wanted++] = corner[k];
        }
        Vec3 sum = {0};
        for (int k = 0; k < wanted; k++) sum = vec3_add(sum, mesh_vector(mesh, p, chosen[k]));
        Vec3 drag = push(&cloth->wind_pieces[i], vec3_scale(scale / (corners * corners), sum));
        for (int k = 0; k < wanted; k++)
            mesh_set_vector(mesh, Dp, chosen[k], vec3_add(mesh_vector(mesh, Dp, chosen[k]), drag));
    }
}

double wind_drag_bound(const Cloth *cloth, Air air, const double *x)
{
    const Mesh *mesh = &cloth->mesh;
    double largest = 0.0, coefficient = fmax(air.normal, air.tangent);
    int corner[3], count = wind_piece_count(mesh);
    if (!wind_is_felt(air)) return 0.0;
    for (int p = 0; p < mesh->particle_count; p++) cloth->wind_share[p] = 0.0;
    for (int i = 0; i < count; i++) {
        int corners = corners_of(mesh, i, corner);
        WindPiece piece = piece_at(mesh, air, x, corner, corners);
        for (int k = 0; k < corners; k++) cloth->wind_share[corner[k]] += piece.area / corners;
    }
    for (int p = 0; p < mesh->particle_count; p++) {
        if (!cloth_is_held(cloth, p))
            largest = fmax(largest, coefficient * cloth->wind_share[p] / cloth_mass(cloth, p));
    }
    return largest;
}
