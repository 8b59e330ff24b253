#include "cloth/collide.h"

// Part of the tangential velocity that one step in contact takes.
#define FRICTION 0.1

void collide_floor(Cloth *cloth, double ground)
{
    const Mesh *mesh = &cloth->mesh;
    for (int p = 0; p < mesh->particle_count; p++) {
        Vec3 x = mesh_vector(mesh, cloth->x, p);
        if (!(x.y < ground) || cloth_is_held(cloth, p)) continue;
        Vec3 v = mesh_vector(mesh, cloth->v, p);
        x.y = ground;
        v.x *= 1.0 - FRICTION;
        v.y = v.y < 0.0 ? 0.0 : v.y;
        v.z *= 1.0 - FRICTION;
        mesh_set_vector(mesh, cloth->x, p, x);
        mesh_set_vector(mesh, cloth->v, p, v);
    }
}
