#include "cloth/muscle.h"

#include "cloth/cloth.h"
#include "cloth/spring_stars.h"

#include <math.h>
#include <stdlib.h>

Muscle muscle_default(void)
{
    return (Muscle){.amplitude = 0.1, .period = 1.0, .start = 1.0};
}

static bool within(double value, double low, double high)
{
    return value >= low && value <= high; // false for NaN
}

Status muscle_check(const Muscle *muscle, Error *error)
{
    if (muscle->count < 1)
        return error_set(error, STATUS_BAD_PARAMETER,
                         "it has no springs; springs = 3-4 names that between particles 3 and 4");
    if (!within(muscle->amplitude, -MUSCLE_AMPLITUDE_MAX, MUSCLE_AMPLITUDE_MAX))
        return error_set(error, STATUS_BAD_PARAMETER,
                         "amplitude = %g is not allowed: it takes %g to %g, a share of the length",
                         muscle->amplitude, -MUSCLE_AMPLITUDE_MAX, MUSCLE_AMPLITUDE_MAX);
    if (!within(muscle->period, MUSCLE_PERIOD_MIN, MUSCLE_PERIOD_MAX))
        return error_set(error, STATUS_BAD_PARAMETER,
                         "period = %g is not allowed: it takes %g to %g (s)", muscle->period,
                         MUSCLE_PERIOD_MIN, MUSCLE_PERIOD_MAX);
    if (!within(muscle->phase, -MUSCLE_PHASE_MAX, MUSCLE_PHASE_MAX))
        return error_set(error, STATUS_BAD_PARAMETER,
                         "phase = %g is not allowed: it takes %g to %g (degrees)", muscle->phase,
                         -MUSCLE_PHASE_MAX, MUSCLE_PHASE_MAX);
    if (!within(muscle->start, 0.0, MUSCLE_PERIOD_MAX))
        return error_set(error, STATUS_BAD_PARAMETER,
                         "start = %g is not allowed: it takes 0 to %g (s)", muscle->start,
                         MUSCLE_PERIOD_MAX);
    return STATUS_OK;
}

static int find_spring(const Mesh *mesh, int a, int b)
{
    for (int s = 0; s < mesh->spring_count; s++) {
        const int *ends = mesh->springs[s];
        if ((ends[0] == a && ends[1] == b) || (ends[0] == b && ends[1] == a)) return s;
    }
    return -1;
}

static bool is_known(const MuscleSpring *springs, int count, int spring)
{
    for (int i = 0; i < count; i++) {
        if (springs[i].spring == spring) return true;
    }
    return false;
}

// The springs of one muscle, behind the `known` ones there are.
static Status add_muscle(const Mesh *mesh, int number, const Muscle *muscle, MuscleSpring *springs,
                         int known, Error *error)
{
    for (int i = 0; i < muscle->count; i++) {
        int a = muscle->ends[i][0], b = muscle->ends[i][1], s = find_spring(mesh, a, b);
        if (s < 0)
            return error_set(error, STATUS_BAD_PARAMETER,
                             "muscle %d: no spring joins the particles %d and %d", number, a, b);
        if (is_known(springs, known + i, s))
            return error_set(error, STATUS_BAD_PARAMETER,
                             "muscle %d: the spring %d-%d is named twice", number, a, b);
        springs[known + i] = (MuscleSpring){.spring = s,
                                            .amplitude = muscle->amplitude,
                                            .period = muscle->period,
                                            .phase = muscle->phase * (M_PI / 180.0),
                                            .start = muscle->start,
                                            .linearised = mesh->rest_length[s]};
    }
    return STATUS_OK;
}

Status cloth_set_muscles(Cloth *cloth, int count, const Muscle *muscles, Error *error)
{
    int total = 0, known = 0;
    for (int i = 0; i < count; i++) total += muscles[i].count;
    if (total == 0) return STATUS_OK;
    MuscleSpring *springs = calloc((size_t)total, sizeof *springs);
    if (!springs) return error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory for muscles");
    for (int i = 0; i < count; i++) {
        Status status = add_muscle(&cloth->mesh, i + 1, &muscles[i], springs, known, error);
        if (status != STATUS_OK) {
            free(springs);
            return status;
        }
        known += muscles[i].count;
    }
    free(cloth->muscles);
    cloth->muscles = springs;
    cloth->muscle_count = total;
    cloth->tempo = (MuscleTempo){.amplitude = 1.0, .slowness = 1.0};
    return STATUS_OK;
}

// r(t / start) and its derivative, 1/s
static double ramp(double time, double start, double *rate)
{
    *rate = 0.0;
    if (!(time > 0.0)) return start > 0.0 ? 0.0 : 1.0;
    if (time >= start) return 1.0;
    double s = time / start, rest = 1.0 - s;
    *rate = 30.0 * s * s * rest * rest / start;
    return s * s * s * (10.0 + s * (6.0 * s - 15.0));
}

void muscles_at(Cloth *cloth, double time)
{
    const MuscleTempo *tempo = &cloth->tempo;
    for (int i = 0; i < cloth->muscle_count; i++) {
        MuscleSpring *m = &cloth->muscles[i];
        double L0 = cloth->mesh.rest_length[m->spring], swell, a = tempo->amplitude * m->amplitude;
        double r = ramp(time, m->start, &swell), omega = 2.0 * M_PI / m->period;
        double angle = omega * (time / tempo->slowness + tempo->offset) + m->phase;
        cloth->rest_length[m->spring] = L0 * (1.0 + r * a * sin(angle));
        if (cloth->stars) spring_stars_set_length(cloth, m->spring);
        m->rate = L0 * a * (swell * sin(angle) + r * omega / tempo->slowness * cos(angle));
    }
}

double muscles_power(const Cloth *cloth, const double *x)
{
    const Mesh *mesh = &cloth->mesh;
    double power = 0.0;
    for (int i = 0; i < cloth->muscle_count; i++) {
        const MuscleSpring *m = &cloth->muscles[i];
        const int *ends = mesh->springs[m->spring];
        double l =
            vec3_length(vec3_sub(mesh_vector(mesh, x, ends[0]), mesh_vector(mesh, x, ends[1])));
        power -= cloth->spring_stiffness[m->spring] * (l - cloth->rest_length[m->spring]) * m->rate;
    }
    return power;
}

void muscles_linearise(Cloth *cloth, const double *x)
{
    for (int i = 0; i < cloth->muscle_count; i++) {
        MuscleSpring *m = &cloth->muscles[i];
        const int *ends = cloth->mesh.springs[m->spring];
        Vec3 d =
            vec3_sub(mesh_vector(&cloth->mesh, x, ends[0]), mesh_vector(&cloth->mesh, x, ends[1]));
        double l = vec3_length(d);
        m->linearised = cloth->rest_length[m->spring];
        m->u = l > LENGTH_TINY ? vec3_scale(1.0 / l, d) : (Vec3){0};
    }
}

void muscles_add_change(const Cloth *cloth, double *f)
{
    const Mesh *mesh = &cloth->mesh;
    for (int i = 0; i < cloth->muscle_count; i++) {
        const MuscleSpring *m = &cloth->muscles[i];
        const int *ends = mesh->springs[m->spring];
        double longer = cloth->rest_length[m->spring] - m->linearised;
        Vec3 push = vec3_scale(cloth->spring_stiffness[m->spring] * longer,
                               m->u); // on the first end
        mesh_set_vector(mesh, f, ends[0], vec3_add(mesh_vector(mesh, f, ends[0]), push));
        mesh_set_vector(mesh, f, ends[1], vec3_sub(mesh_vector(mesh, f, ends[1]), push));
    }
}
