// Every force model with every damping: forces against energies, tangents against forces, the
// matrix against products; and Baraff-Witkin against the reference data.
#include "support/solver_test.h"

#include "cloth/forces.h"
#include "cloth/hinge.h"
#include "cloth/mesh_triangles.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const grids[] = {"3x3", "8x8"};
static const int sides[] = {3, 8};

static const ForceModel *model(const char *name)
{
    for (int i = 0; i < FORCE_MODEL_COUNT; i++) {
        if (strcmp(force_model_name(i), name) == 0) return force_model_table[i];
    }
    fail_msg("there is no model %s", name);
    return NULL;
}

static void shake(Cloth *cloth, double amount)
{
    uint32_t seed = 41;
    for (int p = 0; p < cloth->mesh.particle_count; p++) {
        Vec3 x = mesh_vector(&cloth->mesh, cloth->x, p);
        Vec3 d = {noise(&seed), noise(&seed), noise(&seed)};
        Vec3 v = {noise(&seed), noise(&seed), noise(&seed)};
        mesh_set_vector(&cloth->mesh, cloth->x, p, vec3_add_scaled(x, amount, d));
        mesh_set_vector(&cloth->mesh, cloth->v, p, v);
    }
}

// A crumpled grid with springs of different strength: some springs long, some short, some folded.
static Cloth crumpled(const ForceModel *how, DampingKind damping)
{
    Cloth cloth;
    uint32_t seed = 7;
    assert_int_equal(cloth_init_grid(&cloth, 5, 6, 1.0, 0.2, NULL), STATUS_OK);
    for (int s = 0; s < cloth.mesh.spring_count; s++) {
        cloth_set_spring_factor(&cloth, s, 1.0 + 0.5 * noise(&seed));
    }
    assert_int_equal(cloth_set_model(&cloth, how, NULL), STATUS_OK);
    cloth_set_material(&cloth, (Material){.stiffness = {50.0, 25.0, 500.0},
                                          .damping = damping,
                                          .air = 0.5,
                                          .alpha = 1e-2,
                                          .gravity = 9.81});
    shake(&cloth, 0.07);
    return cloth;
}

static void forces_are_the_slope_of_the_energy(void **state)
{
    (void)state;
    for (int m = 0; m < FORCE_MODEL_COUNT; m++) {
        Cloth cloth = crumpled(force_model_table[m], DAMPING_RAYLEIGH);
        cloth.material.air = cloth.material.alpha = 0.0;
        const Mesh *mesh = &cloth.mesh;
        double *f = mesh_flat_create(mesh), h = 1e-6;
        assert_true(cloth_elastic_energy(&cloth, cloth.x) > 0.01);
        cloth_forces(&cloth, cloth.x, cloth.v, f);
        for (int i = 0; i < 3 * mesh->particle_count; i++) {
            double *entry = &cloth.x[mesh->first_dof[i / 3] + i % 3 * mesh->component_stride];
            double before = *entry, energy[2];
            for (int side = 0; side < 2; side++) {
                *entry = before + (side ? h : -h);
                energy[side] =
                    cloth_elastic_energy(&cloth, cloth.x) + cloth_gravity_energy(&cloth, cloth.x);
            }
            *entry = before;
            double force = f[entry - cloth.x];
            assert_near(force, -(energy[1] - energy[0]) / (2.0 * h), 1e-7);
        }
        free(f);
        cloth_finish(&cloth);
    }
}

// K p and D p as differences of forces.
// v.(before - after)
static double power_lost(const Cloth *cloth, const double *before, const double *after)
{
    double sum = 0.0;
    for (int i = 0; i < cloth->mesh.dofs; i++) sum += cloth->v[i] * (before[i] - after[i]);
    return sum;
}

static void forces_say_what_damping_takes(void **state)
{
    (void)state;
    for (int m = 0; m < FORCE_MODEL_COUNT; m++) {
        for (int damping = 0; damping < DAMPING_KINDS; damping++) {
            Cloth cloth = crumpled(force_model_table[m], (DampingKind)damping);
            const Mesh *mesh = &cloth.mesh;
            double *still = mesh_flat_create(mesh), *f0 = mesh_flat_create(mesh);
            double *f = mesh_flat_create(mesh), *all = mesh_flat_create(mesh);
            double power = cloth_forces(&cloth, cloth.x, cloth.v, f);
            assert_true(cloth_forces(&cloth, cloth.x, still, f0) == 0.0);
            double want = power_lost(&cloth, f0, f);
            assert_true(want > 0.0);
            assert_near(power, want, 1e-11 * want);
            memcpy(all, f, (size_t)mesh->dofs * sizeof *f);
            double across = cloth_add_damping_across(&cloth, cloth.x, cloth.v, all);
            assert_true(across > 0.0);
            assert_near(across, power_lost(&cloth, f, all), 1e-11 * want);
            double drag = cloth_external_forces(&cloth, cloth.v, f);
            cloth_external_forces(&cloth, still, f0);
            assert_near(drag, power_lost(&cloth, f0, f), 1e-11 * want);
            free(still), free(f0), free(f), free(all);
            cloth_finish(&cloth);
        }
    }
}

static void tangents_are_the_slopes_of_the_forces(void **state)
{
    (void)state;
    for (int m = 0; m < FORCE_MODEL_COUNT; m++) {
        for (int damping = 0; damping < DAMPING_KINDS; damping++) {
            Cloth cloth = crumpled(force_model_table[m], (DampingKind)damping);
            cloth.material.air = 0.0;
            const Mesh *mesh = &cloth.mesh;
            double *p = mesh_flat_create(mesh), *x = mesh_flat_create(mesh), h = 1e-6;
            double *got[3], *f[2] = {mesh_flat_create(mesh), mesh_flat_create(mesh)};
            for (int k = 0; k < 3; k++) got[k] = mesh_flat_create(mesh);
            uint32_t seed = 17;
            for (int q = 0; q < mesh->particle_count; q++) {
                mesh_set_vector(mesh, p, q, (Vec3){noise(&seed), noise(&seed), noise(&seed)});
            }
            cloth.model->linearise(&cloth, cloth.x, TANGENT_FULL);
            cloth.model->product(&cloth, p, got[0]);
            cloth.model->product_at(&cloth, cloth.x, TANGENT_FULL, p, got[1]);
            // Rayleigh's D follows the method's K; the forces use the clamped K
            cloth.model->linearise(&cloth, cloth.x, TANGENT_CLAMPED);
            cloth.model->damping_product(&cloth, p, got[2]);
            for (int of_v = 0; of_v < 2; of_v++) {
                double *moving = of_v ? cloth.v : cloth.x;
                cloth.material.alpha = of_v ? 1e-2 : 0.0;
                for (int side = 0; side < 2; side++) {
                    for (int i = 0; i < mesh->dofs; i++) x[i] = moving[i] + (side ? h : -h) * p[i];
                    cloth_forces(&cloth, of_v ? cloth.x : x, of_v ? x : cloth.v, f[side]);
                }
                for (int i = 0; i < mesh->dofs; i++) {
                    double want = -(f[1][i] - f[0][i]) / (2.0 * h);
                    assert_near(got[2 * of_v][i], want, of_v ? 1e-8 : 5e-6);
                    if (!of_v) assert_near(got[1][i], got[0][i], 1e-12);
                }
            }
            for (int k = 0; k < 3; k++) free(got[k]);
            free(p), free(x), free(f[0]), free(f[1]);
            cloth_finish(&cloth);
        }
    }
}

static double dot(const Mesh *mesh, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < mesh->dofs; i++) sum += a[i] * b[i];
    return sum;
}

static void fill_noise(const Cloth *cloth, double *p, uint32_t *seed)
{
    for (int q = 0; q < cloth->mesh.particle_count; q++) {
        Vec3 v = {noise(seed), noise(seed), noise(seed)};
        mesh_set_vector(&cloth->mesh, p, q, cloth_is_held(cloth, q) ? (Vec3){0} : v);
    }
}

static void all_tangents_but_the_full_one_are_semi_definite(void **state)
{
    (void)state;
    static const Tangent tangents[] = {TANGENT_CLAMPED, TANGENT_LAPLACIAN, TANGENT_AXIAL};
    for (int m = 0; m < FORCE_MODEL_COUNT; m++) {
        for (int k = 0; k < 3 * DAMPING_KINDS; k++) {
            Cloth cloth = crumpled(force_model_table[m], (DampingKind)(k / 3));
            const Mesh *mesh = &cloth.mesh;
            double *p = mesh_flat_create(mesh), *q = mesh_flat_create(mesh);
            double *Kp = mesh_flat_create(mesh), *Kq = mesh_flat_create(mesh);
            uint32_t seed = 23;
            cloth.model->linearise(&cloth, cloth.x, tangents[k % 3]);
            for (int trial = 0; trial < 50; trial++) {
                fill_noise(&cloth, p, &seed);
                fill_noise(&cloth, q, &seed);
                cloth.model->product(&cloth, p, Kp);
                cloth.model->product(&cloth, q, Kq);
                assert_true(dot(mesh, p, Kp) >= 0.0);
                assert_near(dot(mesh, q, Kp), dot(mesh, p, Kq), 1e-10); // symmetric
                cloth.model->damping_product(&cloth, p, Kp);
                assert_true(dot(mesh, p, Kp) >= 0.0);
            }
            free(p), free(q), free(Kp), free(Kq);
            cloth_finish(&cloth);
        }
    }
}

static void assert_all_zero(const Mesh *mesh, const double *flat)
{
    for (int i = 0; i < mesh->dofs; i++) assert_true(flat[i] == 0.0);
}

// Whatever was in the result before: with equal springs, where a grid's kernels write it, and with
// unequal ones.
static void where_nothing_moves_products_are_zero(void **state)
{
    (void)state;
    for (int m = 0; m < FORCE_MODEL_COUNT; m++) {
        for (int equal = 0; equal < 2; equal++) {
            Cloth cloth = crumpled(force_model_table[m], DAMPING_PROJECTED);
            const Mesh *mesh = &cloth.mesh;
            for (int s = 0; s < mesh->spring_count && equal; s++)
                cloth_set_spring_factor(&cloth, s, 1.0);
            double *still = mesh_flat_create(mesh), *out = mesh_flat_create(mesh);
            uint32_t seed = 31;
            cloth.model->linearise(&cloth, cloth.x, TANGENT_FULL);
            fill_noise(&cloth, out, &seed);
            cloth.model->product(&cloth, still, out);
            assert_all_zero(mesh, out);
            fill_noise(&cloth, out, &seed);
            cloth.model->damping_product(&cloth, still, out);
            assert_all_zero(mesh, out);
            fill_noise(&cloth, out, &seed);
            cloth.model->product_at(&cloth, cloth.x, TANGENT_FULL, still, out);
            assert_all_zero(mesh, out);
            free(still), free(out);
            cloth_finish(&cloth);
        }
    }
}

static void the_matrix_is_that_of_the_products(void **state)
{
    (void)state;
    for (int m = 0; m < FORCE_MODEL_COUNT; m++) {
        for (int full = 0; full < 2; full++) {
            Cloth cloth = crumpled(force_model_table[m], DAMPING_PROJECTED);
            cloth_set_pinned(&cloth, 0, true);
            cloth_set_grabbed(&cloth, 14);
            const Mesh *mesh = &cloth.mesh;
            double *p = mesh_flat_create(mesh), *Ap = mesh_flat_create(mesh);
            double *Kp = mesh_flat_create(mesh), *Dp = mesh_flat_create(mesh);
            uint32_t seed = 29;
            fill_noise(&cloth, p, &seed);
            cloth.model->linearise(&cloth, cloth.x, full ? TANGENT_FULL : TANGENT_CLAMPED);
            cloth.model->product(&cloth, p, Kp);
            cloth.model->damping_product(&cloth, p, Dp);
            LinearOperator A = cloth.model->assemble(&cloth, 1.3, 0.01, 0.1);
            A.multiply(A.self, p, Ap);
            for (int q = 0; q < mesh->particle_count; q++) {
                Vec3 want = vec3_scale(1.3 * cloth_mass(&cloth, q), mesh_vector(mesh, p, q));
                want = vec3_add_scaled(want, 0.01, mesh_vector(mesh, Kp, q));
                want = vec3_add_scaled(want, 0.1, mesh_vector(mesh, Dp, q));
                if (cloth_is_held(&cloth, q)) want = (Vec3){0};
                assert_near(vec3_length(vec3_sub(mesh_vector(mesh, Ap, q), want)), 0.0, 1e-12);
            }
            // the preconditioner is positive definite, as PCG needs
            A.precondition(A.self, p, Ap);
            assert_true(dot(mesh, p, Ap) > 0.0);

            if (!full) { // and the system can be solved
                Arena scratch;
                assert_int_equal(arena_init(&scratch, pcg_scratch_size(mesh->dofs), NULL),
                                 STATUS_OK);
                PcgReport report = pcg_solve(&A, p, Dp, 1e-12, 500, &scratch);
                assert_true(report.converged && !report.negative_curvature);
                A.multiply(A.self, Dp, Ap);
                for (int i = 0; i < mesh->dofs; i++) assert_near(Ap[i], p[i], 1e-10);
                arena_finish(&scratch);
            }
            free(p), free(Ap), free(Kp), free(Dp);
            cloth_finish(&cloth);
        }
    }
}

// Rigid motion of a cloth needs no force; only the difference damping resists it.
static void rigid_motion_is_free(void **state)
{
    (void)state;
    for (int m = 0; m < FORCE_MODEL_COUNT; m++) {
        for (int damping = 0; damping < DAMPING_KINDS; damping++) {
            Cloth cloth = crumpled(force_model_table[m], (DampingKind)damping);
            const Mesh *mesh = &cloth.mesh;
            cloth.material.air = cloth.material.gravity = 0.0;
            double *f = mesh_flat_create(mesh), *moving = mesh_flat_create(mesh);
            cloth_forces(&cloth, cloth.x, moving, f); // at rest
            double energy = cloth_elastic_energy(&cloth, cloth.x);
            for (int p = 0; p < mesh->particle_count; p++) {
                Vec3 x = mesh_vector(mesh, cloth.x, p);
                mesh_set_vector(mesh, cloth.v, p, (Vec3){2.0 * x.z, 1.0, -2.0 * x.x});
            }
            cloth_forces(&cloth, cloth.x, cloth.v, moving);
            Vec3 total = {0}, torque = {0};
            double change = 0.0;
            for (int p = 0; p < mesh->particle_count; p++) {
                Vec3 force = mesh_vector(mesh, moving, p);
                total = vec3_add(total, force);
                torque = vec3_add(
                    torque, vec3_cross(mesh_vector(mesh, cloth.x, p), mesh_vector(mesh, f, p)));
                change = fmax(change, vec3_length(vec3_sub(force, mesh_vector(mesh, f, p))));
            }
            assert_near(vec3_length(total), 0.0, 1e-11);
            assert_near(vec3_length(torque), 0.0, 1e-11);
            if (damping == DAMPING_DIFFERENCE) assert_true(change > 0.01);
            if (damping == DAMPING_PROJECTED) assert_near(change, 0.0, 1e-11);

            // a quarter turn about x
            for (int p = 0; p < mesh->particle_count; p++) {
                Vec3 x = mesh_vector(mesh, cloth.x, p);
                mesh_set_vector(mesh, cloth.x, p, (Vec3){x.x + 3.0, -x.z, x.y});
            }
            assert_near(cloth_elastic_energy(&cloth, cloth.x), energy, 1e-12);
            free(f), free(moving);
            cloth_finish(&cloth);
        }
    }
}

// In a cloth stretched all over, the difference damping is a damper alpha k between the ends of
// each spring that pulls: all of them, or of Choi and Ko's those that do not bend. With equal
// springs the kernels of the grid find it, with unequal ones the list.
static void difference_damping_is_a_damper_along_every_taut_spring(void **state)
{
    (void)state;
    const char *const names[] = {"springs", "choi-ko"};
    for (int k = 0; k < 4; k++) {
        bool choi_ko = k / 2;
        Cloth cloth;
        assert_int_equal(cloth_init_grid(&cloth, 5, 6, 1.0, 0.2, NULL), STATUS_OK);
        if (k % 2) cloth_set_spring_factor(&cloth, 3, 1.5);
        assert_int_equal(cloth_set_model(&cloth, model(names[choi_ko]), NULL), STATUS_OK);
        cloth_set_material(&cloth, (Material){.stiffness = {50.0, 25.0, 500.0},
                                              .damping = DAMPING_DIFFERENCE,
                                              .alpha = 1e-2});
        const Mesh *mesh = &cloth.mesh;
        for (int i = 0; i < mesh->dofs; i++) cloth.x[i] *= 1.5;
        shake(&cloth, 0.01);
        double *still = mesh_flat_create(mesh), *f = mesh_flat_create(mesh);
        double *f0 = mesh_flat_create(mesh), *want = mesh_flat_create(mesh);
        double power = 0.0;
        for (int s = 0; s < mesh->spring_count; s++) {
            if (choi_ko && s >= mesh->kind_start[SPRING_BEND]) continue;
            int a = mesh->springs[s][0], b = mesh->springs[s][1];
            double damper = 1e-2 * cloth.spring_stiffness[s];
            Vec3 w = vec3_sub(mesh_vector(mesh, cloth.v, a), mesh_vector(mesh, cloth.v, b));
            mesh_set_vector(mesh, want, a, vec3_add_scaled(mesh_vector(mesh, want, a), damper, w));
            mesh_set_vector(mesh, want, b, vec3_add_scaled(mesh_vector(mesh, want, b), -damper, w));
            power += damper * vec3_dot(w, w);
        }
        assert_near(cloth_forces(&cloth, cloth.x, cloth.v, f), power, 1e-12 * power);
        cloth_forces(&cloth, cloth.x, still, f0);
        for (int i = 0; i < mesh->dofs; i++) assert_near(f0[i] - f[i], want[i], 1e-11);
        cloth.model->linearise(&cloth, cloth.x, TANGENT_CLAMPED);
        cloth.model->damping_product(&cloth, cloth.v, f);
        for (int i = 0; i < mesh->dofs; i++) assert_near(f[i], want[i], 1e-11);
        free(still), free(f), free(f0), free(want);
        cloth_finish(&cloth);
    }
}

static void every_mesh_is_at_rest_in_its_own_shape(void **state)
{
    (void)state;
    // a roof: not flat at rest
    static const Vec3 corners[] = {{0, 0, 0}, {2, 0, 0}, {1, 1, 0},
                                   {0, 0, 3}, {2, 0, 3}, {1, 1, 2}};
    static const uint32_t triangles[][3] = {{0, 2, 3}, {2, 5, 3}, {1, 4, 2}, {2, 4, 5}};
    TriangleList list = {
        .particle_count = 6, .position = corners, .triangle_count = 4, .triangles = triangles};
    for (int m = 0; m < FORCE_MODEL_COUNT; m++) {
        Mesh mesh;
        Cloth cloth;
        assert_int_equal(mesh_init_triangles(&mesh, &list, 1.0, NULL), STATUS_OK);
        assert_int_equal(cloth_init(&cloth, &mesh, 0.2, NULL), STATUS_OK);
        assert_int_equal(cloth_set_model(&cloth, force_model_table[m], NULL), STATUS_OK);
        cloth_set_material(&cloth, (Material){.stiffness = {50.0, 25.0, 500.0}, .alpha = 1e-3});
        double *f = mesh_flat_create(&cloth.mesh);
        cloth_forces(&cloth, cloth.x, cloth.v, f);
        assert_near(cloth_elastic_energy(&cloth, cloth.x), 0.0, 1e-25);
        for (int i = 0; i < cloth.mesh.dofs; i++) assert_near(f[i], 0.0, 1e-12);
        free(f);
        cloth_finish(&cloth);
    }
}

static void a_cloth_in_one_point_gives_no_nan(void **state)
{
    (void)state;
    for (int m = 0; m < FORCE_MODEL_COUNT; m++) {
        Cloth cloth = crumpled(force_model_table[m], DAMPING_RAYLEIGH);
        double *f = mesh_flat_create(&cloth.mesh), *Ap = mesh_flat_create(&cloth.mesh);
        memset(cloth.x, 0, (size_t)cloth.mesh.dofs * sizeof *cloth.x);
        assert_true(isfinite(cloth_elastic_energy(&cloth, cloth.x)));
        cloth_forces(&cloth, cloth.x, cloth.v, f);
        for (int full = 0; full < 2; full++) {
            cloth.model->linearise(&cloth, cloth.x, full ? TANGENT_FULL : TANGENT_CLAMPED);
            LinearOperator A = cloth.model->assemble(&cloth, 1.0, 1.0, 1.0);
            A.multiply(A.self, f, Ap);
            for (int i = 0; i < cloth.mesh.dofs; i++) assert_true(isfinite(f[i] + Ap[i]));
            A.precondition(A.self, f, Ap);
            for (int i = 0; i < cloth.mesh.dofs; i++) assert_true(isfinite(Ap[i]));
        }
        free(f), free(Ap);
        cloth_finish(&cloth);
    }
}

// --- Choi-Ko

static Cloth strip(double bend, double length)
{
    Cloth cloth;
    assert_int_equal(cloth_init_grid(&cloth, 1, 3, 2.0, 0.2, NULL), STATUS_OK);
    assert_int_equal(cloth_set_model(&cloth, model("choi-ko"), NULL), STATUS_OK);
    cloth_set_material(&cloth, (Material){.stiffness = {100.0, 0.0, bend}});
    // bent upwards in the middle, so that the stretch springs are slack
    mesh_set_vector(&cloth.mesh, cloth.x, 1, (Vec3){0.5 * length, 0.0, 0.0});
    mesh_set_vector(&cloth.mesh, cloth.x, 2, (Vec3){length, 0.0, 0.0});
    return cloth;
}

static double push_of_strip(double bend, double length)
{
    Cloth cloth = strip(bend, length);
    double *f = mesh_flat_create(&cloth.mesh);
    cloth_forces(&cloth, cloth.x, cloth.v, f);
    double push = mesh_vector(&cloth.mesh, f, 2).x;
    free(f);
    cloth_finish(&cloth);
    return push;
}

static void a_strip_buckles_as_an_arc_does(void **state)
{
    (void)state;
    double k = 500.0, L = 2.0, B = k * L * L * L * BUCKLING_STRAIN / 12.0;
    // straight: acts as a spring
    assert_near(push_of_strip(k, L * (1.0 - 0.5 * BUCKLING_STRAIN)), 0.5 * k * L * BUCKLING_STRAIN,
                1e-12);
    // bent into an arc that turns through 2 phi: E = 2 B phi^2 / L, differentiated by l
    for (double phi = 0.2; phi < 3.1; phi += 0.3) {
        double h = 1e-5, l[2], E[2];
        for (int side = 0; side < 2; side++) {
            double angle = phi + (side ? h : -h);
            l[side] = L * sin(angle) / angle;
            E[side] = 2.0 * B * angle * angle / L;
        }
        double push = -(E[1] - E[0]) / (l[1] - l[0]);
        assert_near(push_of_strip(k, L * sin(phi) / phi), push, 1e-8);
        assert_true(push > 12.0 * B / (L * L)); // more than the load at which Euler's strip buckles
    }
    assert_near(push_of_strip(k, 1e-6 * L), 4.0 * B / (L * L) * M_PI * M_PI, 1e-5); // a full circle
    assert_near(push_of_strip(k, L * 1.1), -100.0 * 0.1, 1e-12); // only the stretch springs
}

// --- Baraff-Witkin

// The reference's k = 5000, 500, 1e-3 in our units; see baraff_witkin.c.
static Cloth reference_cloth(int g, bool stretch, bool shear, bool bend)
{
    Cloth cloth;
    char name[64];
    int n = sides[g];
    double dx = 1.0 / (n - 1), area = 0.5 * dx * dx;
    assert_int_equal(cloth_init_grid(&cloth, n, n, 1.0, 0.2, NULL), STATUS_OK);
    assert_int_equal(cloth_set_model(&cloth, model("baraff-witkin"), NULL), STATUS_OK);
    cloth_set_material(
        &cloth, (Material){.stiffness = {stretch ? 5000.0 * area : 0.0, shear ? 500.0 * area : 0.0,
                                         bend ? 0.75 / (dx * dx) : 0.0}});
    snprintf(name, sizeof name, "%s_initial.csv", grids[g]);
    Table initial = golden_read(name);
    for (int p = 0; p < initial.rows; p++) {
        const double *row = initial.values + p * initial.columns;
        cloth_set_pinned(&cloth, p, row[2] != 0.0);
        mesh_set_vector(&cloth.mesh, cloth.x, p, (Vec3){row[3], row[4], row[5]});
        mesh_set_vector(&cloth.mesh, cloth.v, p, (Vec3){row[6], row[7], row[8]});
    }
    table_finish(&initial);
    return cloth;
}

static void baraff_witkin_agrees_with_the_reference(void **state)
{
    (void)state;
    // columns; stretch, shear and bend each from FORCE on and from PRODUCT on
    enum { FORCE = 1, P = 4, PRODUCT = 5 };
    for (int g = 0; g < 2; g++) {
        char name[64];
        snprintf(name, sizeof name, "%s_bw_operators.csv", grids[g]);
        Table operators = golden_read(name);
        snprintf(name, sizeof name, "%s_bw_energy.csv", grids[g]);
        Table energies = golden_read(name);
        for (int part = 0; part < 3; part++) {
            Cloth cloth = reference_cloth(g, part == 0, part == 1, part == 2);
            const Mesh *mesh = &cloth.mesh;
            double wanted = table_at(&energies, 0, part), largest = 0.0;
            assert_near(cloth_elastic_energy(&cloth, cloth.x), wanted, 1e-13 * wanted);
            double *f = mesh_flat_create(mesh), *p = mesh_flat_create(mesh);
            double *Kp = mesh_flat_create(mesh);
            cloth_forces(&cloth, cloth.x, cloth.v, f);
            for (int i = 0; i < operators.rows; i++) {
                int at = mesh->first_dof[i / 3] + i % 3 * mesh->component_stride;
                p[at] = table_at(&operators, i, P);
                largest = fmax(largest, fabs(table_at(&operators, i, PRODUCT + part)));
                double force = table_at(&operators, i, FORCE + part);
                assert_near(f[at], force, 1e-13 * (1.0 + fabs(force)));
            }
            cloth.model->linearise(&cloth, cloth.x, TANGENT_FULL);
            cloth.model->product(&cloth, p, Kp);
            for (int i = 0; i < operators.rows; i++) {
                int at = mesh->first_dof[i / 3] + i % 3 * mesh->component_stride;
                assert_near(Kp[at], table_at(&operators, i, PRODUCT + part), 1e-6 * largest);
            }
            free(f), free(p), free(Kp);
            cloth_finish(&cloth);
        }
        table_finish(&operators);
        table_finish(&energies);
    }
}

// f = -dE/dx + m g - d0 m v, symplectic Euler with h = 5e-4
static void baraff_witkin_moves_as_the_reference_does(void **state)
{
    (void)state;
    const double tolerances[] = {1e-12, 1e-10};
    const int counts[] = {1, 10};
    for (int g = 0; g < 2; g++) {
        Cloth cloth = reference_cloth(g, true, true, true);
        const Mesh *mesh = &cloth.mesh;
        double *f = mesh_flat_create(mesh), h = 5e-4;
        cloth.material.air = 0.5;
        cloth.material.gravity = 9.81;
        int step = 0;
        for (int k = 0; k < (g == 0 ? 2 : 1); k++) {
            for (; step < counts[k]; step++) {
                cloth_forces(&cloth, cloth.x, cloth.v, f);
                for (int i = 0; i < mesh->dofs; i++) {
                    cloth.v[i] += h * cloth.inverse_mass[i] * f[i];
                    cloth.x[i] += h * cloth.v[i];
                }
            }
            char name[64];
            snprintf(name, sizeof name, "%s_bw_se_N%d.csv", grids[g], counts[k]);
            Table wanted = golden_read(name);
            for (int p = 0; p < mesh->particle_count; p++) {
                const double *row = wanted.values + p * wanted.columns;
                Vec3 x = {row[1], row[2], row[3]}, v = {row[4], row[5], row[6]};
                assert_near(vec3_length(vec3_sub(mesh_vector(mesh, cloth.x, p), x)), 0.0,
                            tolerances[k]);
                assert_near(vec3_length(vec3_sub(mesh_vector(mesh, cloth.v, p), v)), 0.0,
                            tolerances[k]);
            }
            table_finish(&wanted);
        }
        free(f);
        cloth_finish(&cloth);
    }
}

static void hinges_measure_the_fold(void **state)
{
    (void)state;
    for (double angle = -3.0; angle < 3.1; angle += 0.5) {
        Vec3 x[4] = {{0, 0, 0}, {0, 0, 1}, {-1, 0, 0.3}, {cos(angle), sin(angle), 0.6}};
        Hinge hinge;
        assert_true(hinge_at(x, 1e-20, &hinge));
        assert_near(fabs(hinge.angle), fabs(angle), 1e-14);
    }
    Vec3 flat[4] = {{0, 0, 0}, {0, 0, 1}, {0, 0, 0.5}, {1, 0, 0.5}};
    Hinge hinge;
    assert_false(hinge_at(flat, 1e-20, &hinge)); // a triangle without area
}

static void models_are_refused_where_they_do_not_fit(void **state)
{
    (void)state;
    Cloth rope;
    Error error = {0};
    assert_int_equal(cloth_init_grid(&rope, 1, 5, 1.0, 0.2, NULL), STATUS_OK);
    assert_int_equal(cloth_set_model(&rope, model("baraff-witkin"), &error), STATUS_BAD_PARAMETER);
    assert_non_null(strstr(error.text, "needs triangles"));
    assert_ptr_equal(rope.model, model("springs"));
    assert_int_equal(cloth_set_model(&rope, model("choi-ko"), &error), STATUS_OK);
    cloth_finish(&rope);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_are_the_slope_of_the_energy),
        cmocka_unit_test(forces_say_what_damping_takes),
        cmocka_unit_test(tangents_are_the_slopes_of_the_forces),
        cmocka_unit_test(all_tangents_but_the_full_one_are_semi_definite),
        cmocka_unit_test(where_nothing_moves_products_are_zero),
        cmocka_unit_test(the_matrix_is_that_of_the_products),
        cmocka_unit_test(rigid_motion_is_free),
        cmocka_unit_test(difference_damping_is_a_damper_along_every_taut_spring),
        cmocka_unit_test(every_mesh_is_at_rest_in_its_own_shape),
        cmocka_unit_test(a_cloth_in_one_point_gives_no_nan),
        cmocka_unit_test(a_strip_buckles_as_an_arc_does),
        cmocka_unit_test(baraff_witkin_agrees_with_the_reference),
        cmocka_unit_test(baraff_witkin_moves_as_the_reference_does),
        cmocka_unit_test(hinges_measure_the_fold),
        cmocka_unit_test(models_are_refused_where_they_do_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
