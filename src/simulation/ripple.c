#include "simulation/ripple.h"

#include <string.h>

static Vec3 ripple_at(const Cloth *cloth, const double *v, int p)
{
    const Mesh *mesh = &cloth->mesh;
    int first = mesh->neighbours.start[p], end = mesh->neighbours.start[p + 1];
    Vec3 sum = {0};
    for (int e = first; e < end; e++) {
        sum = vec3_add(sum, mesh_vector(mesh, v, mesh->neighbours.column[e]));
    }
    return vec3_add_scaled(mesh_vector(mesh, v, p), -1.0 / (end - first), sum);
}

double ripple_energy(const Cloth *cloth, const double *v)
{
    double energy = 0.0;
    for (int p = 0; p < cloth->mesh.particle_count; p++) {
        if (cloth_is_held(cloth, p)) continue;
        Vec3 w = ripple_at(cloth, v, p);
        energy += 0.5 * cloth_mass(cloth, p) * vec3_dot(w, w);
    }
    return energy;
}

void ripple_extract(const Cloth *cloth, const double *v, double *out)
{
    memset(out, 0, (size_t)cloth->mesh.dofs * sizeof *out);
    for (int p = 0; p < cloth->mesh.particle_count; p++) {
        if (!cloth_is_held(cloth, p)) {
            mesh_set_vector(&cloth->mesh, out, p, ripple_at(cloth, v, p));
        }
    }
}
