#include "crumpled.h"

#include "cloth/forces.h"
#include "cloth/mesh_triangles.h"
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

Mesh mesh_of_triangles(int rows, int columns)
{
    Mesh grid, mesh;
    assert_int_equal(mesh_init_grid(&grid, rows, columns, 1.0, NULL), STATUS_OK);
    int n = grid.particle_count;
    uint32_t seed = 5, *number = calloc((size_t)n, sizeof *number);
    Vec3 *position = calloc((size_t)n, sizeof *position);
    assert_true(number && position);
    for (int p = 0; p < n; p++) { // Fisher and Yates
        int other = (int)(0.5 * (noise(&seed) + 1.0) * (p + 1));
        other = other > p ? p : other;
        number[p] = number[other];
        number[other] = (uint32_t)p;
    }
    for (int p = 0; p < n; p++) position[number[p]] = grid.rest_position[p];
    for (int corner = 0; corner < 3 * grid.triangle_count; corner++)
        grid.triangles[corner / 3][corner % 3] = number[grid.triangles[corner / 3][corner % 3]];
    TriangleList list = {.particle_count = n,
                         .position = position,
                         .triangle_count = grid.triangle_count,
                         .triangles = (const uint32_t(*)[3])grid.triangles};
    assert_int_equal(mesh_init_triangles(&mesh, &list, 1.0, NULL), STATUS_OK);
    mesh_finish(&grid);
    free(number), free(position);
    assert_int_equal(mesh.row_width, 0);
    return mesh;
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
