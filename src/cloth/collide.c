#include "cloth/collide.h"

// Share of the tangential velocity lost per step in contact.
#define FRICTION 0.1

// In most steps no particle is below. Compilers vectorise a loop without an early exit.
static bool any_below(const Mesh *mesh, const double *x, double ground)
{
    int below = 0, count = mesh->row_width > 0 ? mesh->columns : 1;
    for (int p = 0; p < mesh->particle_count; p += count) {
        const double *y = x + mesh->first_dof[p] + mesh->component_stride;
        for (int i = 0; i < count; i++) below |= y[i] < ground;
    }
    return below != 0;
}

double collide_particle(Cloth *cloth, int particle, double ground)
{
    const Mesh *mesh = &cloth->mesh;
    Vec3 x = mesh_vector(mesh, cloth->x, particle), v = mesh_vector(mesh, cloth->v, particle);
    double mass = cloth_mass(cloth, particle);
    double work = mass * (cloth->material.gravity * (ground - x.y) - 0.5 * vec3_dot(v, v));
    x.y = ground;
    v.x *= 1.0 - FRICTION;
    v.y = v.y < 0.0 ? 0.0 : v.y;
    v.z *= 1.0 - FRICTION;
    work += 0.5 * mass * vec3_dot(v, v);
    mesh_set_vector(mesh, cloth->x, particle, x);
    mesh_set_vector(mesh, cloth->v, particle, v);
    return work;
}

double collide_floor(Cloth *cloth, double ground)
{
    const Mesh *mesh = &cloth->mesh;
    double work = 0.0;
    if (!any_below(mesh, cloth->x, ground)) return work;
    for (int p = 0; p < mesh->particle_count; p++) {
        bool below = mesh_vector(mesh, cloth->x, p).y < ground;
        if (below && !cloth_is_held(cloth, p)) work += collide_particle(cloth, p, ground);
    }
    return work;
}
