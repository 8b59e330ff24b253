#include "bench/naive.h"

#include <stdlib.h>
#include <string.h>

Status naive_init(NaiveCloth *naive, const Cloth *cloth, Error *error)
{
    const Mesh *mesh = &cloth->mesh;
    size_t n = (size_t)mesh->particle_count;
    *naive = (NaiveCloth){.particle_count = mesh->particle_count,
                          .spring_count = mesh->spring_count,
                          .x = calloc(n, sizeof(Vec3)),
                          .v = calloc(n, sizeof(Vec3)),
                          .f = calloc(n, sizeof(Vec3)),
                          .good_x = calloc(n, sizeof(Vec3)),
                          .good_v = calloc(n, sizeof(Vec3)),
                          .mass = calloc(n, sizeof(double)),
                          .held = calloc(n, sizeof(bool)),
                          .springs = calloc((size_t)mesh->spring_count, sizeof(NaiveSpring)),
                          .gravity = cloth->material.gravity,
                          .air = cloth->material.air,
                          .alpha = cloth->material.alpha};
    if (!naive->x || !naive->v || !naive->f || !naive->good_x || !naive->good_v || !naive->mass ||
        !naive->held || !naive->springs) {
        naive_finish(naive);
        return error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory for the naive cloth");
    }
    for (int p = 0; p < mesh->particle_count; p++) {
        naive->x[p] = mesh_vector(mesh, cloth->x, p);
        naive->v[p] = mesh_vector(mesh, cloth->v, p);
        naive->mass[p] = cloth_mass(cloth, p);
        naive->held[p] = cloth_is_held(cloth, p);
    }
    for (int s = 0; s < mesh->spring_count; s++) {
        naive->springs[s] = (NaiveSpring){mesh->springs[s][0], mesh->springs[s][1],
                                          cloth->spring_stiffness[s], mesh->rest_length[s]};
    }
    return STATUS_OK;
}

void naive_finish(NaiveCloth *naive)
{
    free(naive->x);
    free(naive->v);
    free(naive->f);
    free(naive->good_x);
    free(naive->good_v);
    free(naive->mass);
    free(naive->held);
    free(naive->springs);
    *naive = (NaiveCloth){0};
}

void naive_forces(NaiveCloth *naive)
{
    Vec3 *x = naive->x, *v = naive->v, *f = naive->f;
    double alpha = naive->alpha;
    for (int p = 0; p < naive->particle_count; p++) {
        f[p] = vec3_scale(-naive->air * naive->mass[p], v[p]);
        f[p].y -= naive->mass[p] * naive->gravity;
    }
    for (int i = 0; i < naive->spring_count; i++) {
        NaiveSpring s = naive->springs[i];
        Vec3 d = vec3_sub(x[s.a], x[s.b]);
        double l = vec3_length(d);
        if (!(l > LENGTH_TINY)) continue;
        double ratio = s.rest_length / l;
        Vec3 force = vec3_scale(s.k * (ratio - 1.0), d);
        if (alpha > 0.0) {
            Vec3 w = vec3_sub(v[s.a], v[s.b]);
            double t = fmax(1.0 - ratio, 0.0), c = alpha * s.k;
            force = vec3_add_scaled(force, -c * (1.0 - t) * vec3_dot(d, w) / (l * l), d);
            force = vec3_add_scaled(force, -c * t, w);
        }
        f[s.a] = vec3_add(f[s.a], force);
        f[s.b] = vec3_sub(f[s.b], force);
    }
}

double naive_step(NaiveCloth *naive, double h, double ground)
{
    Vec3 *x = naive->x, *v = naive->v;
    memcpy(naive->good_x, x, (size_t)naive->particle_count * sizeof *x);
    memcpy(naive->good_v, v, (size_t)naive->particle_count * sizeof *v);
    naive_forces(naive);
    double fastest = 0.0;
    for (int p = 0; p < naive->particle_count; p++) {
        if (!naive->held[p]) v[p] = vec3_add_scaled(v[p], h / naive->mass[p], naive->f[p]);
        x[p] = vec3_add_scaled(x[p], h, v[p]);
        fastest = fmax(fastest, vec3_dot(v[p], v[p]));
        if (x[p].y < ground) x[p].y = ground;
    }
    return sqrt(fastest);
}
