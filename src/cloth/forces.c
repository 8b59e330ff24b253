#include "cloth/forces.h"

#include "cloth/grid_springs.h"
#include "cloth/grid_stencil.h"
#include "cloth/spring_kernels.h"
#include "linalg/vectors.h"

#include <math.h>
#include <string.h>

double cloth_external_forces(const Cloth *cloth, const double *v, double *f)
{
    double square = 0.0; // kg m^2/s^2
    const Mesh *mesh = &cloth->mesh;
    const Material *material = &cloth->material;
    memset(f, 0, (size_t)mesh->dofs * sizeof *f); // sets the padding
    for (int p = 0; p < mesh->particle_count; p++) {
        double mass = cloth_mass(cloth, p);
        Vec3 w = mesh_vector(mesh, v, p), force = vec3_scale(-material->air * mass, w);
        force.y -= mass * material->gravity;
        mesh_set_vector(mesh, f, p, force);
        square += mass * vec3_dot(w, w);
    }
    return material->air * square;
}

double cloth_forces(const Cloth *cloth, const double *x, const double *v, double *f)
{
    double power;
    if (cloth->model->all_forces && cloth->model->all_forces(cloth, x, v, f, &power)) return power;
    power = cloth_external_forces(cloth, v, f);
    return power + cloth->model->add_forces(cloth, x, v, f);
}

double cloth_add_damping_across(const Cloth *cloth, const double *x, const double *v, double *f)
{
    const Mesh *mesh = &cloth->mesh;
    double alpha = cloth->material.alpha, power = 0.0;
    for (int s = 0; alpha > 0.0 && s < mesh->spring_count; s++) {
        int a = mesh->springs[s][0], b = mesh->springs[s][1];
        Vec3 d = vec3_sub(mesh_vector(mesh, x, a), mesh_vector(mesh, x, b));
        double square = vec3_dot(d, d), stretched = 1.0 - cloth->rest_length[s] / sqrt(square);
        if (!(stretched > 0.0)) continue;
        Vec3 w = vec3_sub(mesh_vector(mesh, v, a), mesh_vector(mesh, v, b));
        Vec3 across = vec3_add_scaled(w, -vec3_dot(d, w) / square, d);
        Vec3 force = vec3_scale(-alpha * cloth->spring_stiffness[s] * stretched, across);
        mesh_set_vector(mesh, f, a, vec3_add(mesh_vector(mesh, f, a), force));
        mesh_set_vector(mesh, f, b, vec3_sub(mesh_vector(mesh, f, b), force));
        power -= vec3_dot(force, w);
    }
    return power;
}

double cloth_elastic_energy(const Cloth *cloth, const double *x)
{
    return cloth->model->energy(cloth, x);
}

double cloth_max_strain(const Cloth *cloth, const double *x)
{
    const Mesh *mesh = &cloth->mesh;
    if (grid_springs_apply(cloth)) {
        static const double all[GRID_SPRINGS] = {1.0, 1.0, 1.0, 1.0, 1.0, 1.0};
        GridStencil there = grid_stencil(mesh, GRID_MODEL_SPRINGS, all);
        return cloth->kernels->grid_strain(&there, x);
    }
    double largest = 0.0;
    for (int s = 0; s < mesh->spring_count; s++) {
        Vec3 a = mesh_vector(mesh, x, mesh->springs[s][0]);
        Vec3 b = mesh_vector(mesh, x, mesh->springs[s][1]);
        double rest = cloth->rest_length[s];
        double strain = fabs(vec3_length(vec3_sub(a, b)) - rest) / rest;
        if (strain > largest) largest = strain; // fmax is a call
    }
    return largest;
}

double cloth_gravity_energy(const Cloth *cloth, const double *x)
{
    const Mesh *mesh = &cloth->mesh;
    double sum = 0.0; // kg m
    if (mesh->row_width > 0) {
        for (int row = 0; row < mesh->rows; row++) {
            size_t line = 3 * (size_t)row * (size_t)mesh->row_width;
            sum += vector_dot(mesh->columns, cloth->mass + line, x + line + mesh->row_width);
        }
    } else {
        for (int p = 0; p < mesh->particle_count; p++)
            sum += cloth_mass(cloth, p) * mesh_vector(mesh, x, p).y;
    }
    return cloth->material.gravity * sum;
}

// A flat array has whole registers, and padding does not move.
double cloth_kinetic_energy(const Cloth *cloth, const double *v)
{
    const double *mass = cloth->mass, *inverse_mass = cloth->inverse_mass;
    double sums[MESH_ENTRIES] = {0};
    for (int i = 0; i < cloth->mesh.dofs; i += MESH_ENTRIES) {
        for (int lane = 0; lane < MESH_ENTRIES; lane++) {
            double m = inverse_mass[i + lane] > 0.0 ? mass[i + lane] : 0.0;
            sums[lane] += m * v[i + lane] * v[i + lane];
        }
    }
    return 0.5 * ((sums[0] + sums[1]) + (sums[2] + sums[3]));
}

double cloth_max_speed(const Cloth *cloth, const double *v)
{
    if (cloth->mesh.row_width > 0) {
        return sqrt(cloth->kernels->grid_max_square(&cloth->mesh, cloth->inverse_mass, v));
    }
    double largest = 0.0;
    for (int p = 0; p < cloth->mesh.particle_count; p++) {
        if (cloth_is_held(cloth, p)) continue;
        Vec3 w = mesh_vector(&cloth->mesh, v, p);
        double square = vec3_dot(w, w);
        if (!(square <= largest)) largest = square; // also true for NaN
        if (isnan(largest)) break;
    }
    return sqrt(largest);
}
