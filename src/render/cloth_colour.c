#include "render/cloth_colour.h"

#include "base/colour_map.h"

#include <math.h>
#include <string.h>

static const ColourInfo table[COLOURS] = {
    [COLOUR_FABRIC] = {"none", "", "", 1.0f, false, "The fabric's own colours."},
    [COLOUR_MODE] = {"mode", "mode: movement, of the largest", "", 1.0f, false,
                     "How much each particle moves in the mode that is chosen below the plots."},
    [COLOUR_STRAIN] = {"strain", "strain of the springs", "%", 0.01f, true,
                       "(l - L) / L of the most strained spring at each particle: orange is "
                       "stretched, blue is compressed."},
    [COLOUR_SPEED] = {"speed", "speed", "m/s", 1e-3f, false, "|v| of each particle."},
    [COLOUR_VELOCITY] = {"velocity as RGB", "velocity", "m/s", 1e-3f, true,
                         "v along x as red, along y (up) as green, along z as blue; grey is rest."},
    [COLOUR_ENERGY] = {"kinetic energy", "kinetic energy per area", "J/m\u00b2", 1e-6f, false,
                       "Half the density times |v|\u00b2 of each particle."},
    [COLOUR_ERROR] = {"error", "distance to the reference", "m", 1e-5f, false,
                      "How far each particle is from the same one of the lane that this lane is "
                      "compared with."},
};

const ColourInfo *colour_info(ColourBy by)
{
    return &table[by > COLOUR_FABRIC && by < COLOURS ? by : COLOUR_FABRIC];
}

static float length3(const float *v)
{
    return sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static void strains(const Snapshot *snapshot, float *values)
{
    memset(values, 0, (size_t)snapshot->particle_count * sizeof *values);
    for (int i = 0; i < snapshot->spring_count; i++) {
        const uint32_t *ends = snapshot->springs + 2 * i;
        const float *a = snapshot->position + 3 * ends[0], *b = snapshot->position + 3 * ends[1];
        float side[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
        float strain = 100.0f * (length3(side) / snapshot->rest_length[i] - 1.0f); // %
        if (!isfinite(strain)) strain = INFINITY;
        for (int k = 0; k < 2; k++) {
            float *at = &values[ends[k]];
            if (fabsf(strain) > fabsf(*at)) *at = strain;
        }
    }
}

static float shape_size(const Snapshot *snapshot, const float *shape, float *values)
{
    float most = 0.0f;
    for (int i = 0; i < snapshot->particle_count; i++) {
        values[i] = shape ? length3(shape + 3 * i) : 0.0f;
        if (values[i] > most && isfinite(values[i])) most = values[i];
    }
    return most > 0.0f ? most : 1.0f;
}

float colour_values(ColourBy by, const Snapshot *snapshot, const float *shape, float *values)
{
    int count = snapshot->particle_count;
    float most = 0.0f, density = (float)snapshot->scene.params.density;
    if (by == COLOUR_STRAIN) strains(snapshot, values);
    float whole = by == COLOUR_MODE ? shape_size(snapshot, shape, values) : 1.0f;
    for (int i = 0; i < count; i++) {
        float speed = length3(snapshot->velocity + 3 * i);
        switch (by) {
        case COLOUR_MODE:
            values[i] /= whole;
            break;
        case COLOUR_SPEED:
        case COLOUR_VELOCITY:
            values[i] = speed;
            break;
        case COLOUR_ENERGY:
            values[i] = 0.5f * density * speed * speed;
            break;
        case COLOUR_ERROR:
            values[i] = snapshot->distance[i];
            break;
        case COLOUR_STRAIN:
            break;
        default:
            values[i] = 0.0f;
        }
        if (!isfinite(values[i])) values[i] = INFINITY;
        if (isfinite(values[i]) && fabsf(values[i]) > most) most = fabsf(values[i]);
    }
    return most;
}

float colour_scale(ColourBy by, float most, float before)
{
    float least = colour_info(by)->least;
    if (by == COLOUR_MODE) return 1.0f;
    if (before > 0.0f && most <= before && most >= 0.15f * before) return before;
    most = fmaxf(most, least);
    float decade = powf(10.0f, floorf(log10f(most)));
    const float steps[] = {1.0f, 2.0f, 5.0f, 10.0f};
    for (int i = 0; i < 4; i++) {
        if (most <= steps[i] * decade * 1.00001f) return steps[i] * decade;
    }
    return 10.0f * decade;
}

void colour_of_value(ColourBy by, float value, float scale, float rgb[3])
{
    float t = scale > 0.0f ? value / scale : 0.0f;
    if (colour_info(by)->is_signed)
        colour_map_signed(t, rgb);
    else
        colour_map(t, rgb);
}

void colour_of_velocity(const float velocity[3], float scale, float rgb[3])
{
    for (int k = 0; k < 3; k++) {
        float t = scale > 0.0f ? velocity[k] / scale : 0.0f;
        if (!(t > -1.0f)) t = -1.0f; // also for NaN
        if (t > 1.0f) t = 1.0f;
        rgb[k] = 0.5f + 0.5f * t;
    }
}

void colour_particles(ColourBy by, const Snapshot *snapshot, const float *values, float scale,
                      float *rgb)
{
    for (int i = 0; i < snapshot->particle_count; i++) {
        if (by == COLOUR_VELOCITY)
            colour_of_velocity(snapshot->velocity + 3 * i, scale, rgb + 3 * i);
        else
            colour_of_value(by, values[i], scale, rgb + 3 * i);
    }
}
