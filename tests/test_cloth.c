// Forces against energies, the tangent against forces, and all of them against the reference data.
#include "support/solver_test.h"

#include "cloth/collide.h"
#include "cloth/filter.h"
#include "cloth/forces.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The material of the reference data.
static const Material reference_material = {
    .stiffness = {50.0, 25.0, 5.0}, .air = 0.5, .alpha = 1e-3, .gravity = 9.81};

static const char *const grids[] = {"3x3", "8x8"};
static const int sides[] = {3, 8};

static Cloth grid(int rows, int columns)
{
    Cloth cloth;
    assert_int_equal(cloth_init_grid(&cloth, rows, columns, 1.0, 0.2, NULL), STATUS_OK);
    cloth_set_material(&cloth, reference_material);
    return cloth;
}

// The cloth of the reference data in its initial state.
static Cloth reference_cloth(int g)
{
    Cloth cloth = grid(sides[g], sides[g]);
    char name[64];
    snprintf(name, sizeof name, "%s_initial.csv", grids[g]);
    Table initial = golden_read(name);
    assert_int_equal(initial.rows, cloth.mesh.particle_count);
    for (int p = 0; p < initial.rows; p++) {
        const double *row = initial.values + p * initial.columns;
        assert_near(cloth_mass(&cloth, p), row[1], 1e-17);
        cloth_set_pinned(&cloth, p, row[2] != 0.0);
        mesh_set_vector(&cloth.mesh, cloth.x, p, (Vec3){row[3], row[4], row[5]});
        mesh_set_vector(&cloth.mesh, cloth.v, p, (Vec3){row[6], row[7], row[8]});
    }
    table_finish(&initial);
    return cloth;
}

static double component(Vec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

// Entry 3 p + axis of the reference data, in any layout.
static double entry(const Cloth *cloth, const double *flat, int index)
{
    return component(mesh_vector(&cloth->mesh, flat, index / 3), index % 3);
}

static void set_entry(const Cloth *cloth, double *flat, int index, double value)
{
    Vec3 v = mesh_vector(&cloth->mesh, flat, index / 3);
    *(index % 3 == 0 ? &v.x : index % 3 == 1 ? &v.y : &v.z) = value;
    mesh_set_vector(&cloth->mesh, flat, index / 3, v);
}

static double *flat_array(const Cloth *cloth)
{
    double *flat = calloc((size_t)cloth->mesh.dofs, sizeof(double));
    assert_non_null(flat);
    return flat;
}

static void springs_are_those_of_the_reference(void **state)
{
    (void)state;
    for (int g = 0; g < 2; g++) {
        Cloth cloth = grid(sides[g], sides[g]);
        char name[64];
        snprintf(name, sizeof name, "%s_springs.csv", grids[g]);
        Table springs = golden_read(name);
        assert_int_equal(springs.rows, cloth.mesh.spring_count);
        for (int s = 0; s < springs.rows; s++) {
            assert_int_equal(cloth.mesh.springs[s][0], table_at(&springs, s, 1));
            assert_int_equal(cloth.mesh.springs[s][1], table_at(&springs, s, 2));
            assert_near(cloth.spring_stiffness[s], table_at(&springs, s, 3), 0.0);
            assert_near(cloth.mesh.rest_length[s], table_at(&springs, s, 4), 1e-15);
        }
        table_finish(&springs);
        cloth_finish(&cloth);
    }
}

static void grids_need_not_be_square(void **state)
{
    (void)state;
    const int shapes[][2] = {{2, 2}, {2, 7}, {5, 3}, {9, 4}};
    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
        int rows = shapes[k][0], columns = shapes[k][1];
        Cloth cloth = grid(rows, columns);
        const Mesh *mesh = &cloth.mesh;
        int stretch = rows * (columns - 1) + (rows - 1) * columns;
        int shear = 2 * (rows - 1) * (columns - 1);
        int bend = rows * (columns > 2 ? columns - 2 : 0) + (rows > 2 ? rows - 2 : 0) * columns;
        assert_int_equal(mesh->spring_count, stretch + shear + bend);
        assert_int_equal(mesh->kind_start[SPRING_SHEAR], stretch);
        assert_int_equal(mesh->kind_start[SPRING_BEND], stretch + shear);
        assert_near(mesh->spacing, 1.0 / ((rows > columns ? rows : columns) - 1), 1e-16);
        assert_near(cloth_mass(&cloth, 0) * rows * columns,
                    0.2 * (rows - 1) * (columns - 1) * mesh->spacing * mesh->spacing, 1e-15);
        for (int s = 0; s < mesh->spring_count; s++) {
            Vec3 a = mesh->rest_position[mesh->springs[s][0]];
            Vec3 b = mesh->rest_position[mesh->springs[s][1]];
            assert_near(vec3_length(vec3_sub(a, b)), mesh->rest_length[s], 1e-15);
            int e = mesh->spring_entry[s][0];
            assert_int_equal(mesh->neighbours.column[e], mesh->springs[s][1]);
            assert_near(mesh->rest_distance[e], mesh->rest_length[s], 0.0);
        }
        // every triangle faces up, and together they cover the cloth
        assert_int_equal(mesh->triangle_count, 2 * (rows - 1) * (columns - 1));
        double area = 0.0;
        for (int t = 0; t < mesh->triangle_count; t++) {
            Vec3 a = mesh->rest_position[mesh->triangles[t][0]];
            Vec3 b = vec3_sub(mesh->rest_position[mesh->triangles[t][1]], a);
            Vec3 c = vec3_sub(mesh->rest_position[mesh->triangles[t][2]], a);
            double twice = b.z * c.x - b.x * c.z; // y of the cross product
            assert_true(twice > 0.0);
            area += 0.5 * twice;
        }
        assert_near(area, mesh->width * mesh->height, 1e-14);
        cloth_finish(&cloth);
    }
}

static void operators_agree_with_the_reference(void **state)
{
    (void)state;
    enum { FORCE = 1, P, KFULL, KCLAMPED };
    for (int g = 0; g < 2; g++) {
        Cloth cloth = reference_cloth(g);
        char name[64];
        snprintf(name, sizeof name, "%s_operators.csv", grids[g]);
        Table table = golden_read(name);
        assert_int_equal(table.rows, 3 * cloth.mesh.particle_count);
        double *p = flat_array(&cloth), *out = flat_array(&cloth);
        for (int i = 0; i < table.rows; i++) set_entry(&cloth, p, i, table_at(&table, i, P));

        cloth_forces(&cloth, cloth.x, cloth.v, out);
        for (int i = 0; i < table.rows; i++) {
            assert_near(entry(&cloth, out, i), table_at(&table, i, FORCE), 1e-12);
        }
        for (int clamped = 0; clamped < 2; clamped++) {
            cloth.model->linearise(&cloth, cloth.x, clamped ? TANGENT_CLAMPED : TANGENT_FULL);
            cloth.model->product(&cloth, p, out);
            for (int i = 0; i < table.rows; i++) {
                assert_near(entry(&cloth, out, i), table_at(&table, i, clamped ? KCLAMPED : KFULL),
                            2e-12); // values reach 200
            }
        }
        free(p);
        free(out);
        table_finish(&table);
        cloth_finish(&cloth);
    }
}

static void forces_are_the_slope_of_the_energy(void **state)
{
    (void)state;
    Cloth cloth = reference_cloth(0);
    cloth.material.air = cloth.material.alpha = 0.0;
    double *f = flat_array(&cloth), *x = flat_array(&cloth), h = 1e-6;
    cloth_forces(&cloth, cloth.x, cloth.v, f);
    for (int i = 0; i < cloth.mesh.dofs; i++) {
        double energy[2];
        for (int side = 0; side < 2; side++) {
            memcpy(x, cloth.x, (size_t)cloth.mesh.dofs * sizeof *x);
            x[i] += side ? h : -h;
            energy[side] = cloth_elastic_energy(&cloth, x) + cloth_gravity_energy(&cloth, x);
        }
        assert_near(f[i], -(energy[1] - energy[0]) / (2.0 * h), 1e-8);
    }
    free(f);
    free(x);
    cloth_finish(&cloth);
}

static void full_tangent_is_the_slope_of_the_force(void **state)
{
    (void)state;
    Cloth cloth = reference_cloth(1);
    cloth.material.air = cloth.material.alpha = 0.0;
    int n = cloth.mesh.dofs;
    double *p = flat_array(&cloth), *Kp = flat_array(&cloth), *x = flat_array(&cloth);
    double *f[2] = {flat_array(&cloth), flat_array(&cloth)}, h = 1e-6;
    uint32_t seed = 17;
    for (int i = 0; i < n; i++) p[i] = noise(&seed);
    cloth.model->linearise(&cloth, cloth.x, TANGENT_FULL);
    cloth.model->product(&cloth, p, Kp);
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < n; i++) x[i] = cloth.x[i] + (side ? h : -h) * p[i];
        cloth_forces(&cloth, x, cloth.v, f[side]);
    }
    for (int i = 0; i < n; i++) assert_near(Kp[i], -(f[1][i] - f[0][i]) / (2.0 * h), 2e-6);
    free(p), free(Kp), free(x), free(f[0]), free(f[1]);
    cloth_finish(&cloth);
}

static void clamped_tangent_is_semi_definite(void **state)
{
    (void)state;
    Cloth cloth = reference_cloth(1);
    double *p = flat_array(&cloth), *Kp = flat_array(&cloth);
    uint32_t seed = 23;
    cloth.model->linearise(&cloth, cloth.x, TANGENT_CLAMPED);
    for (int trial = 0; trial < 200; trial++) {
        double product = 0.0;
        for (int i = 0; i < cloth.mesh.dofs; i++) p[i] = noise(&seed);
        cloth.model->product(&cloth, p, Kp);
        for (int i = 0; i < cloth.mesh.dofs; i++) product += p[i] * Kp[i];
        assert_true(product >= 0.0);
    }
    free(p), free(Kp);
    cloth_finish(&cloth);
}

static void assembled_matrix_is_the_matrix_free_product(void **state)
{
    (void)state;
    for (int clamped = 0; clamped < 2; clamped++) {
        Cloth cloth = reference_cloth(1);
        cloth_set_grabbed(&cloth, 20); // held like the two pins
        const Mesh *mesh = &cloth.mesh;
        double *p = flat_array(&cloth), *Kp = flat_array(&cloth), *Ap = flat_array(&cloth);
        double *z = flat_array(&cloth), a = 1.3, b = 0.01;
        uint32_t seed = 29;
        for (int q = 0; q < mesh->particle_count; q++) {
            if (cloth_is_held(&cloth, q)) continue; // held entries are 0 in a solve
            mesh_set_vector(mesh, p, q, (Vec3){noise(&seed), noise(&seed), noise(&seed)});
        }
        cloth.model->linearise(&cloth, cloth.x, clamped ? TANGENT_CLAMPED : TANGENT_FULL);
        cloth.model->product(&cloth, p, Kp);
        LinearOperator A = cloth.model->assemble(&cloth, a, b, 0.0);
        A.multiply(A.self, p, Ap);
        for (int q = 0; q < mesh->particle_count; q++) {
            Vec3 got = mesh_vector(mesh, Ap, q);
            Vec3 want = vec3_add(vec3_scale(a * cloth_mass(&cloth, q), mesh_vector(mesh, p, q)),
                                 vec3_scale(b, mesh_vector(mesh, Kp, q)));
            if (cloth_is_held(&cloth, q)) want = (Vec3){0};
            assert_near(vec3_length(vec3_sub(got, want)), 0.0, 1e-13);
        }
        // the preconditioner inverts the diagonal blocks: exact for a single particle
        A.precondition(A.self, p, z);
        for (int q = 0; q < mesh->particle_count; q++) {
            double *alone = flat_array(&cloth);
            mesh_set_vector(mesh, alone, q, mesh_vector(mesh, z, q));
            A.multiply(A.self, alone, Ap);
            Vec3 back = mesh_vector(mesh, Ap, q);
            assert_near(vec3_length(vec3_sub(back, mesh_vector(mesh, p, q))), 0.0, 1e-13);
            free(alone);
        }
        free(p), free(Kp), free(Ap), free(z);
        cloth_finish(&cloth);
    }
}

static void damping_never_adds_energy(void **state)
{
    (void)state;
    Cloth damped = reference_cloth(1), free_cloth = reference_cloth(1);
    free_cloth.material.air = free_cloth.material.alpha = 0.0;
    double *fd = flat_array(&damped), *f = flat_array(&damped), *v = flat_array(&damped);
    uint32_t seed = 31;
    for (int trial = 0; trial < 50; trial++) {
        double power = 0.0;
        for (int i = 0; i < damped.mesh.dofs; i++) v[i] = noise(&seed);
        cloth_forces(&damped, damped.x, v, fd);
        cloth_forces(&free_cloth, damped.x, v, f);
        for (int i = 0; i < damped.mesh.dofs; i++) power += (fd[i] - f[i]) * v[i];
        assert_true(power < 0.0);
    }
    free(fd), free(f), free(v);
    cloth_finish(&damped);
    cloth_finish(&free_cloth);
}

static void springs_of_no_length_give_no_nan(void **state)
{
    (void)state;
    Cloth cloth = grid(4, 4);
    double *f = flat_array(&cloth);
    memset(cloth.x, 0, (size_t)cloth.mesh.dofs * sizeof(double)); // all in one point
    cloth_forces(&cloth, cloth.x, cloth.v, f);
    for (int p = 0; p < cloth.mesh.particle_count; p++) {
        Vec3 force = mesh_vector(&cloth.mesh, f, p);
        assert_true(force.x == 0.0 && force.z == 0.0);
        assert_near(force.y, -9.81 * cloth_mass(&cloth, p), 1e-15);
    }
    for (int clamped = 0; clamped < 2; clamped++) {
        cloth.model->linearise(&cloth, cloth.x, clamped ? TANGENT_CLAMPED : TANGENT_FULL);
        LinearOperator A = cloth.model->assemble(&cloth, 1.0, 1.0, 0.0);
        double *Af = flat_array(&cloth);
        A.multiply(A.self, f, Af);
        for (int i = 0; i < cloth.mesh.dofs; i++) assert_true(isfinite(Af[i]));
        free(Af);
    }
    assert_true(isfinite(cloth_max_strain(&cloth, cloth.x)));
    filter_prepare(&cloth, (Filter){FILTER_EXPONENTIAL, FILTER_PLAIN, FILTER_CURRENT, 2.0});
    filter_velocities(&cloth, cloth.x, cloth.v);
    for (int i = 0; i < cloth.mesh.dofs; i++) assert_true(cloth.v[i] == 0.0);
    free(f);
    cloth_finish(&cloth);
}

static void floor_stops_what_falls_through(void **state)
{
    (void)state;
    Cloth cloth = grid(2, 3);
    const Vec3 v = {1.0, -2.0, -3.0}, rising = {1.0, 2.0, 0.0};
    for (int p = 0; p < 6; p++) {
        mesh_set_vector(&cloth.mesh, cloth.x, p, (Vec3){p, p == 0 ? -0.9 : -1.1, 0.0});
        mesh_set_vector(&cloth.mesh, cloth.v, p, p == 3 ? rising : v);
    }
    cloth_set_pinned(&cloth, 1, true);
    cloth_set_grabbed(&cloth, 2);
    cloth.material.friction = 0.5;
    double *old_x = flat_array(&cloth);
    const StepStart start = {.x = old_x, .v = cloth.v, .h = 0.01};
    collide(&cloth, &(Surroundings){.ground = -1.0}, &start);
    assert_true(mesh_vector(&cloth.mesh, cloth.x, 0).y == -0.9); // above
    assert_true(mesh_vector(&cloth.mesh, cloth.v, 0).y == -2.0);
    assert_true(mesh_vector(&cloth.mesh, cloth.x, 1).y == -1.1); // pinned
    assert_true(mesh_vector(&cloth.mesh, cloth.x, 2).y == -1.1); // in the hand
    assert_true(mesh_vector(&cloth.mesh, cloth.x, 3).y == -1.0); // a rising particle keeps rising
    assert_true(mesh_vector(&cloth.mesh, cloth.v, 3).y == 2.0);
    assert_true(mesh_vector(&cloth.mesh, cloth.x, 4).y == -1.0);
    Vec3 slowed = mesh_vector(&cloth.mesh, cloth.v, 4);
    assert_true(slowed.y == 0.0);
    // 2 m/s are taken downwards, so half as much along the floor, of sqrt(10)
    assert_near(slowed.x, 1.0 - 1.0 / sqrt(10.0), 1e-15);
    assert_near(slowed.z, -3.0 * (1.0 - 1.0 / sqrt(10.0)), 1e-15);
    assert_true(mesh_vector(&cloth.mesh, cloth.x, 4).x == 4.0); // it slides on, and so does 5,
    cloth.material.friction = 2.0; // unless it lay there and friction holds it
    mesh_set_vector(&cloth.mesh, old_x, 4, (Vec3){3.9, -1.0, 0.1});
    for (int p = 4; p < 6; p++) {
        mesh_set_vector(&cloth.mesh, cloth.x, p, (Vec3){p, -1.1, 0.0});
        mesh_set_vector(&cloth.mesh, cloth.v, p, v);
    }
    collide(&cloth, &(Surroundings){.ground = -1.0}, &start);
    assert_true(mesh_vector(&cloth.mesh, cloth.x, 4).x == 3.9);
    assert_true(mesh_vector(&cloth.mesh, cloth.x, 4).z == 0.1);
    assert_true(mesh_vector(&cloth.mesh, cloth.x, 5).x == 5.0);
    free(old_x);
    cloth_finish(&cloth);
}

// What is pinned or in the hand does not answer to forces, whichever particle it is.
static void held_particles_have_no_inverse_mass(void **state)
{
    (void)state;
    Cloth cloth = grid(2, 3);
    const Mesh *mesh = &cloth.mesh;
    for (int p = 0; p < mesh->particle_count; p++) {
        Vec3 free_again = vec3_scale(1.0 / cloth_mass(&cloth, p), (Vec3){1.0, 1.0, 1.0});
        for (int hand = 0; hand < 2; hand++) {
            for (int held = 1; held >= 0; held--) {
                if (hand)
                    cloth_set_grabbed(&cloth, held ? p : -1);
                else
                    cloth_set_pinned(&cloth, p, held);
                Vec3 wanted = held ? (Vec3){0} : free_again,
                     inverse = mesh_vector(mesh, cloth.inverse_mass, p);
                assert_true(cloth_is_held(&cloth, p) == (held != 0));
                assert_near(vec3_length(vec3_sub(inverse, wanted)), 0.0, 1e-12);
            }
        }
    }
    cloth_set_grabbed(&cloth, 0); // from one to the next
    cloth_set_grabbed(&cloth, 1);
    assert_true(mesh_vector(mesh, cloth.inverse_mass, 0).x > 0.0);
    assert_true(mesh_vector(mesh, cloth.inverse_mass, 1).x == 0.0);
    cloth_finish(&cloth);
}

static void speed_of_free_particles_shows_a_nan(void **state)
{
    (void)state;
    Cloth cloth = grid(3, 3);
    mesh_set_vector(&cloth.mesh, cloth.v, 4, (Vec3){3.0, 0.0, 4.0});
    assert_near(cloth_max_speed(&cloth, cloth.v), 5.0, 1e-15);
    cloth_set_pinned(&cloth, 4, true);
    assert_near(cloth_max_speed(&cloth, cloth.v), 0.0, 0.0);
    mesh_set_vector(&cloth.mesh, cloth.v, 2, (Vec3){NAN, 0.0, 0.0});
    mesh_set_vector(&cloth.mesh, cloth.v, 3, (Vec3){1.0, 0.0, 0.0});
    assert_true(isnan(cloth_max_speed(&cloth, cloth.v)));
    cloth_finish(&cloth);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(springs_are_those_of_the_reference),
        cmocka_unit_test(grids_need_not_be_square),
        cmocka_unit_test(operators_agree_with_the_reference),
        cmocka_unit_test(forces_are_the_slope_of_the_energy),
        cmocka_unit_test(full_tangent_is_the_slope_of_the_force),
        cmocka_unit_test(clamped_tangent_is_semi_definite),
        cmocka_unit_test(assembled_matrix_is_the_matrix_free_product),
        cmocka_unit_test(damping_never_adds_energy),
        cmocka_unit_test(springs_of_no_length_give_no_nan),
        cmocka_unit_test(floor_stops_what_falls_through),
        cmocka_unit_test(held_particles_have_no_inverse_mass),
        cmocka_unit_test(speed_of_free_particles_shows_a_nan),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
