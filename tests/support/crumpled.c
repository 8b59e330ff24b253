#include "crumpled.h"

#include "cloth/forces.h"
#include "solver_test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

double *flat_array(const Cloth *cloth)
{
    double *flat = mesh_flat_create(&cloth->mesh);
    assert_non_null(flat);
    return flat;
}

void crumple(Cloth *cloth, uint32_t seed)
{
    const Mesh *mesh = &cloth->mesh;
    int n = mesh->particle_count;
    double reach = 0.4 * mesh->spacing;
    for (int p = 0; p < n; p++) {
        Vec3 shake = {noise(&seed), noise(&seed), noise(&seed)};
        mesh_set_vector(mesh, cloth->x, p, vec3_add_scaled(mesh->rest_position[p], reach, shake));
        mesh_set_vector(mesh, cloth->v, p, (Vec3){noise(&seed), noise(&seed), noise(&seed)});
        cloth_set_mass(cloth, p, 1e-3 * (1.5 + noise(&seed)));
    }
    mesh_set_vector(mesh, cloth->x, 1, mesh_vector(mesh, cloth->x, 0));
    if (n > 8) mesh_set_vector(mesh, cloth->x, n - 2, mesh_vector(mesh, cloth->x, n - 1));
    cloth_set_pinned(cloth, 0, true);
    if (n > 4) cloth_set_grabbed(cloth, n / 2);
}

Material material_with(DampingKind damping, double alpha)
{
    return (Material){.stiffness = {50.0, 25.0, 5.0},
                      .damping = damping,
                      .air = 0.7,
                      .alpha = alpha,
                      .gravity = 9.81};
}

void assert_same(const Cloth *cloth, const double *got, const double *want, double rounding)
{
    const Mesh *mesh = &cloth->mesh;
    double scale = 1.0;
    for (int i = 0; i < mesh->dofs; i++) scale = fmax(scale, fabs(want[i]));
    double *rest = flat_array(cloth);
    memcpy(rest, got, (size_t)mesh->dofs * sizeof *rest);
    for (int p = 0; p < mesh->particle_count; p++) {
        Vec3 d = vec3_sub(mesh_vector(mesh, got, p), mesh_vector(mesh, want, p));
        assert_near(vec3_length(d), 0.0, rounding * scale);
        mesh_set_vector(mesh, rest, p, (Vec3){0});
    }
    for (int i = 0; i < mesh->dofs; i++) assert_true(rest[i] == 0.0);
    free(rest);
}

void spoil(const Cloth *cloth, double *flat)
{
    for (int i = 0; i < cloth->mesh.dofs; i++) flat[i] = NAN;
}

double power_of_forces(const Cloth *cloth)
{
    double *still = flat_array(cloth), *f = flat_array(cloth), *f0 = flat_array(cloth), sum = 0.0;
    cloth_forces(cloth, cloth->x, cloth->v, f);
    for (int i = 0; i < cloth->mesh.dofs; i++) still[i] = 0.0;
    assert_true(cloth_forces(cloth, cloth->x, still, f0) == 0.0);
    for (int i = 0; i < cloth->mesh.dofs; i++) sum += cloth->v[i] * (f0[i] - f[i]);
    free(still), free(f), free(f0);
    return sum;
}

void run_backwards(Crew *crew, int parts, CrewWork *work, void *job)
{
    (void)crew;
    for (int part = parts - 1; part >= 0; part--) work(job, part);
}
