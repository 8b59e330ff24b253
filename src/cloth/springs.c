// A spring between a and b, with d = xa - xb, l = |d|, u = d/l, rest length L and r = 1 - L/l:
//   E   = k/2 (l - L)^2
//   f_a = -k (l - L) u = -f_b
// Damping is Rayleigh's, -d0 M v - alpha K_clamped(x) v. The product with K needs the same u and l
// as the force, so it is taken spring by spring in the same loop, with w = va - vb:
//   K_clamped v at a:  k [ (u.w) u + max(r, 0) (w - (u.w) u) ],  the opposite at b.
// A spring of length zero has no direction: it exerts no force (LENGTH_TINY).
#include "cloth/springs.h"

#include <math.h>

static void add_spring_forces(const Cloth *cloth, int first, int last, double k, const double *x,
                              const double *v, double *f)
{
    const Mesh *mesh = &cloth->mesh;
    double damping = cloth->material.alpha * k;
    for (int s = first; s < last; s++) {
        int a = mesh->springs[s][0], b = mesh->springs[s][1];
        Vec3 d = vec3_sub(mesh_vector(mesh, x, a), mesh_vector(mesh, x, b));
        double l2 = vec3_dot(d, d);
        if (!(l2 > LENGTH_TINY * LENGTH_TINY)) continue;
        // The root and the division do not wait for each other.
        double l = sqrt(l2), inverse2 = 1.0 / l2, ratio = mesh->rest_length[s] * l * inverse2;
        double along = k * (ratio - 1.0); // N/m: the spring pulls a with along d
        Vec3 force = {0};
        if (damping > 0.0) {
            Vec3 w = vec3_sub(mesh_vector(mesh, v, a), mesh_vector(mesh, v, b));
            double r = 0.5 * (1.0 - ratio + fabs(1.0 - ratio)); // max(1 - L/l, 0), but no branch
            along -= damping * (1.0 - r) * inverse2 * vec3_dot(d, w);
            force = vec3_scale(-damping * r, w);
        }
        force = vec3_add_scaled(force, along, d);
        mesh_set_vector(mesh, f, a, vec3_add(mesh_vector(mesh, f, a), force));
        mesh_set_vector(mesh, f, b, vec3_sub(mesh_vector(mesh, f, b), force));
    }
}

void springs_force(const Cloth *cloth, const double *x, const double *v, double *f)
{
    const Mesh *mesh = &cloth->mesh;
    const Material *material = &cloth->material;
    for (int p = 0; p < mesh->particle_count; p++) {
        double mass = cloth_mass(cloth, p);
        Vec3 force = vec3_scale(-material->air * mass, mesh_vector(mesh, v, p));
        force.y -= mass * material->gravity;
        mesh_set_vector(mesh, f, p, force);
    }
    for (int kind = 0; kind < SPRING_KINDS; kind++) {
        double k = material->stiffness[kind];
        if (k > 0.0) {
            add_spring_forces(cloth, mesh->kind_start[kind], mesh->kind_start[kind + 1], k, x, v,
                              f);
        }
    }
}

static double spring_length(const Mesh *mesh, const double *x, int s)
{
    int a = mesh->springs[s][0], b = mesh->springs[s][1];
    return vec3_length(vec3_sub(mesh_vector(mesh, x, a), mesh_vector(mesh, x, b)));
}

double springs_energy(const Cloth *cloth, const double *x)
{
    const Mesh *mesh = &cloth->mesh;
    double energy = 0.0;
    for (int kind = 0; kind < SPRING_KINDS; kind++) {
        double k = cloth->material.stiffness[kind];
        for (int s = mesh->kind_start[kind]; s < mesh->kind_start[kind + 1]; s++) {
            double extension = spring_length(mesh, x, s) - mesh->rest_length[s];
            energy += 0.5 * k * extension * extension;
        }
    }
    return energy;
}

double springs_max_strain(const Cloth *cloth, const double *x)
{
    const Mesh *mesh = &cloth->mesh;
    double largest = 0.0;
    for (int s = 0; s < mesh->spring_count; s++) {
        double rest = mesh->rest_length[s];
        largest = fmax(largest, fabs(spring_length(mesh, x, s) - rest) / rest);
    }
    return largest;
}

double cloth_gravity_energy(const Cloth *cloth, const double *x)
{
    double energy = 0.0;
    for (int p = 0; p < cloth->mesh.particle_count; p++) {
        energy +=
            cloth_mass(cloth, p) * cloth->material.gravity * mesh_vector(&cloth->mesh, x, p).y;
    }
    return energy;
}

double cloth_kinetic_energy(const Cloth *cloth, const double *v)
{
    double energy = 0.0;
    for (int p = 0; p < cloth->mesh.particle_count; p++) {
        if (cloth_is_held(cloth, p)) continue;
        Vec3 w = mesh_vector(&cloth->mesh, v, p);
        energy += 0.5 * cloth_mass(cloth, p) * vec3_dot(w, w);
    }
    return energy;
}

double cloth_max_speed(const Cloth *cloth, const double *v)
{
    double largest = 0.0;
    for (int p = 0; p < cloth->mesh.particle_count; p++) {
        if (cloth_is_held(cloth, p)) continue;
        Vec3 w = mesh_vector(&cloth->mesh, v, p);
        double square = vec3_dot(w, w);
        if (!(square <= largest)) largest = square; // lets a NaN in
        if (isnan(largest)) break;
    }
    return sqrt(largest);
}
