#include "cloth/collide.h"

#include <math.h>

// A particle this close to the floor lies on it, in units of the spacing.
#define CONTACT 1e-6

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

static double collide_particle(Cloth *cloth, int particle, double ground, const double *old_x)
{
    const Mesh *mesh = &cloth->mesh;
    Vec3 x = mesh_vector(mesh, cloth->x, particle), v = mesh_vector(mesh, cloth->v, particle);
    double mass = cloth_mass(cloth, particle);
    double work = mass * (cloth->material.gravity * (ground - x.y) - 0.5 * vec3_dot(v, v));
    // Coulomb: the floor takes the downward velocity, and along itself at most friction times that.
    // What rests is pushed down by g h in a step, so it is slowed by friction g, whatever h is.
    double down = fmax(-v.y, 0.0), along = hypot(v.x, v.z);
    double left = along > 0.0 ? fmax(1.0 - cloth->material.friction * down / along, 0.0) : 0.0;
    // What lay on the floor and sticks stays where it was. Otherwise every step would move it, as a
    // filter of symbol 0 after the step would, and the stable step would fall to 0.71 of the free
    // cloth's. What lands has come its way.
    Vec3 old = mesh_vector(mesh, old_x, particle);
    bool stays = left == 0.0 && cloth->material.friction > 0.0 && old.y <= ground;
    x = (Vec3){stays ? old.x : x.x, ground, stays ? old.z : x.z};
    v = (Vec3){left * v.x, fmax(v.y, 0.0), left * v.z};
    work += 0.5 * mass * vec3_dot(v, v);
    mesh_set_vector(mesh, cloth->x, particle, x);
    mesh_set_vector(mesh, cloth->v, particle, v);
    return work;
}

double collide_floor(Cloth *cloth, double ground, const double *old_x)
{
    const Mesh *mesh = &cloth->mesh;
    double work = 0.0;
    if (!any_below(mesh, cloth->x, ground)) return work;
    for (int p = 0; p < mesh->particle_count; p++) {
        bool below = mesh_vector(mesh, cloth->x, p).y < ground;
        if (below && !cloth_is_held(cloth, p)) work += collide_particle(cloth, p, ground, old_x);
    }
    return work;
}

bool collide_is_touching(const Cloth *cloth, const double *x, double ground)
{
    const Mesh *mesh = &cloth->mesh;
    double contact = ground + CONTACT * mesh->spacing;
    if (!any_below(mesh, x, contact)) return false;
    for (int p = 0; p < mesh->particle_count; p++) {
        if (mesh_vector(mesh, x, p).y < contact && !cloth_is_held(cloth, p)) return true;
    }
    return false;
}
