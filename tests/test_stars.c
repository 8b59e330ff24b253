// Springs of meshes that are not grids: the stars of spring_stars.h against the plain loop over
// springs, and the order of particles in memory.
#include "cloth/forces.h"
#include "cloth/mesh_order.h"
#include "cloth/spring_stars.h"
#include "crumpled.h"
#include "solver_test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int sizes[][2] = {{2, 2}, {2, 3}, {3, 3}, {4, 7}, {21, 18}}; // every remainder of 8
enum { SIZES = sizeof sizes / sizeof sizes[0] };

// Round `kind` has the damping of that kind, the last one none; springs of three stiffnesses.
static Cloth crumpled_triangles(const int size[2], int kind)
{
    Mesh mesh = mesh_of_triangles(size[0], size[1]);
    Cloth cloth;
    assert_int_equal(cloth_init(&cloth, &mesh, 0.2, NULL), STATUS_OK);
    assert_non_null(cloth.stars);
    for (int s = 0; s < cloth.mesh.spring_count; s++)
        cloth_set_spring_factor(&cloth, s, 1.0 + 0.5 * (s % 3));
    cloth_set_material(&cloth, material_with((DampingKind)(kind % DAMPING_KINDS),
                                             kind < DAMPING_KINDS ? 2e-3 : 0.0));
    crumple(&cloth, 59);
    return cloth;
}

static void forces_are_those_of_the_list(void **state)
{
    (void)state;
    const SpringKernels *sets[SPRING_KERNEL_SETS];
    int count = spring_kernels_all(sets);
    for (int size = 0; size < SIZES; size++) {
        for (int kind = 0; kind <= DAMPING_KINDS; kind++) {
            Cloth cloth = crumpled_triangles(sizes[size], kind);
            double *want = flat_array(&cloth), *got = flat_array(&cloth);
            struct SpringStars *stars = cloth.stars;
            cloth.stars = NULL; // uses the list
            cloth_forces(&cloth, cloth.x, cloth.v, want);
            double takes = power_of_forces(&cloth);
            assert_true(takes > 0.0); // air drag too
            cloth.stars = stars;
            for (int k = 0; k < count; k++) {
                cloth.kernels = sets[k];
                spoil(&cloth, got);
                double power = cloth_forces(&cloth, cloth.x, cloth.v, got);
                assert_same(&cloth, got, want, 1e-13);
                assert_near(power, takes, 1e-10 * takes);
            }
            free(want), free(got);
            cloth_finish(&cloth);
        }
    }
}

static void one_pass_is_force_kick_and_drift(void **state)
{
    (void)state;
    const SpringKernels *sets[SPRING_KERNEL_SETS];
    int count = spring_kernels_all(sets);
    const double kick = 1.1e-4, h = 1.3e-4;
    for (int round = 0; round < SIZES * (DAMPING_KINDS + 1); round++) {
        Cloth cloth = crumpled_triangles(sizes[round % SIZES], round / SIZES);
        double *f = flat_array(&cloth), *got = flat_array(&cloth);
        double *x = flat_array(&cloth), *v = flat_array(&cloth);
        double *new_x = flat_array(&cloth), *new_v = flat_array(&cloth);
        for (int k = 0; k < count; k++) {
            cloth.kernels = sets[k];
            double power = cloth_forces(&cloth, cloth.x, cloth.v, f), lowest = INFINITY;
            for (int i = 0; i < cloth.mesh.dofs; i++) {
                v[i] = cloth.v[i] + kick * cloth.inverse_mass[i] * f[i];
                x[i] = cloth.x[i] + h * v[i];
            }
            for (int p = 0; p < cloth.mesh.particle_count; p++)
                lowest = fmin(lowest, mesh_vector(&cloth.mesh, x, p).y);
            ForceStep step = {kick, h, cloth.x, cloth.v, new_x, new_v, got};
            ForceSums sums;
            assert_true(cloth.model->step(&cloth, &step, &sums));
            assert_same(&cloth, got, f, 1e-13);
            assert_same(&cloth, new_v, v, 1e-13);
            assert_same(&cloth, new_x, x, 1e-13);
            assert_near(sums.power, power, 1e-12 * power);
            double kinetic = cloth_kinetic_energy(&cloth, v), speed = cloth_max_speed(&cloth, v);
            assert_near(sums.kinetic, kinetic, 1e-12 * kinetic);
            assert_near(sums.speed, speed, 1e-12 * speed);
            assert_near(sums.lowest, lowest, 1e-13);
        }
        free(f), free(got), free(x), free(v), free(new_x), free(new_v);
        cloth_finish(&cloth);
    }
}

static void a_number_that_is_not_finite_shows(void **state)
{
    (void)state;
    const SpringKernels *sets[SPRING_KERNEL_SETS];
    int count = spring_kernels_all(sets);
    Cloth cloth = crumpled_triangles(sizes[SIZES - 1], DAMPING_KINDS);
    double *x = flat_array(&cloth), *v = flat_array(&cloth);
    mesh_set_vector(&cloth.mesh, cloth.v, 300, (Vec3){0.0, NAN, 0.0});
    for (int k = 0; k < count; k++) {
        cloth.kernels = sets[k];
        ForceStep step = {1e-4, 1e-4, cloth.x, cloth.v, x, v, NULL};
        ForceSums sums;
        assert_true(cloth.model->step(&cloth, &step, &sums));
        assert_true(isnan(sums.speed));
    }
    free(x), free(v);
    cloth_finish(&cloth);
}

// ---- tangents

typedef void Product(const Cloth *cloth, const double *p, double *out);

static void product_at_full(const Cloth *cloth, const double *p, double *out)
{
    cloth->model->product_at(cloth, cloth->x, TANGENT_FULL, p, out);
}

static LinearOperator matrix_of(const Cloth *cloth)
{
    return cloth->model->assemble((Cloth *)cloth, 1.3, 1e-2, 0.7);
}

static void assembled(const Cloth *cloth, const double *p, double *out)
{
    LinearOperator A = matrix_of(cloth);
    A.multiply(A.self, p, out);
}

static void preconditioned(const Cloth *cloth, const double *p, double *out)
{
    LinearOperator A = matrix_of(cloth);
    A.precondition(A.self, p, out);
}

static double *noisy_array(const Cloth *cloth, uint32_t seed)
{
    double *p = flat_array(cloth);
    for (int q = 0; q < cloth->mesh.particle_count; q++) // held ones too
        mesh_set_vector(&cloth->mesh, p, q, (Vec3){noise(&seed), noise(&seed), noise(&seed)});
    return p;
}

static void tangents_are_those_of_the_list(void **state)
{
    (void)state;
    const SpringKernels *sets[SPRING_KERNEL_SETS];
    int count = spring_kernels_all(sets);
    for (int round = 0; round < DAMPING_KINDS * (TANGENT_TAUT + 1); round++) {
        Cloth cloth = crumpled_triangles(sizes[SIZES - 1], round % DAMPING_KINDS);
        Tangent tangent = (Tangent)(round / DAMPING_KINDS);
        Product *const products[] = {cloth.model->product, cloth.model->damping_product,
                                     product_at_full, assembled, preconditioned};
        enum { PRODUCTS = sizeof products / sizeof products[0] };
        struct SpringStars *stars = cloth.stars;
        double *p = noisy_array(&cloth, 77), *want = flat_array(&cloth), *got = flat_array(&cloth);
        for (int i = 0; i < PRODUCTS * count; i++) {
            Product *product = products[i % PRODUCTS];
            cloth.kernels = sets[i / PRODUCTS];
            cloth.model->linearise(&cloth, cloth.x, tangent);
            spoil(&cloth, got);
            product(&cloth, p, got);
            cloth.stars = NULL; // uses the list
            cloth.model->linearise(&cloth, cloth.x, tangent);
            product(&cloth, p, want);
            cloth.stars = stars;
            // inverting a nearly singular block magnifies rounding
            assert_same(&cloth, got, want, product == preconditioned ? 1e-11 : 1e-13);
        }
        free(p), free(want), free(got);
        cloth_finish(&cloth);
    }
}

// The merged passes of PCG are its steps one after the other.
static void passes_are_products_and_sums(void **state)
{
    (void)state;
    const SpringKernels *sets[SPRING_KERNEL_SETS];
    int count = spring_kernels_all(sets);
    Cloth cloth = crumpled_triangles(sizes[SIZES - 1], 0);
    int n = cloth.mesh.dofs;
    for (int k = 0; k < count; k++) {
        cloth.kernels = sets[k];
        cloth.model->linearise(&cloth, cloth.x, TANGENT_CLAMPED);
        LinearOperator A = matrix_of(&cloth);
        double *q = noisy_array(&cloth, 3), *p = noisy_array(&cloth, 4);
        double *x = noisy_array(&cloth, 5), *r = noisy_array(&cloth, 6);
        double *want = flat_array(&cloth), *want_x = flat_array(&cloth);
        for (int held = 0; held < cloth.mesh.particle_count; held++) { // as PCG has it
            if (!cloth_is_held(&cloth, held)) continue;
            double *all[] = {q, p, r};
            for (int i = 0; i < 3; i++) mesh_set_vector(&cloth.mesh, all[i], held, (Vec3){0});
        }
        for (int i = 0; i < n; i++) want[i] = q[i] + 0.3 * p[i];
        for (int i = 0; i < n; i++) want_x[i] = x[i] + 0.2 * p[i];
        PcgTurn turn = {.step = 0.2, .beta = 0.3, .x = x, .p = p, .q = q};
        double dot = A.passes->turn(A.self, &turn), sum = 0.0;
        assert_same(&cloth, p, want, 1e-14);
        assert_same(&cloth, x, want_x, 1e-14);
        A.multiply(A.self, p, want);
        assert_same(&cloth, q, want, 1e-14);
        for (int i = 0; i < n; i++) sum += p[i] * want[i];
        assert_near(dot, sum, 1e-12 * sum);
        for (int i = 0; i < n; i++) want[i] = r[i] - 0.1 * q[i];
        PcgSums sums = A.passes->advance(A.self, 0.1, r, q);
        assert_same(&cloth, r, want, 1e-14);
        A.precondition(A.self, r, want);
        assert_same(&cloth, q, want, 1e-14);
        double rr = 0.0, rz = 0.0;
        for (int i = 0; i < n; i++) rr += r[i] * r[i], rz += r[i] * want[i];
        assert_near(sums.rr, rr, 1e-12 * rr);
        assert_near(sums.rz, rz, 1e-12 * rz);
        free(q), free(p), free(x), free(r), free(want), free(want_x);
    }
    cloth_finish(&cloth);
}

// What a method has linearised stays, whatever the material or a muscle does before it asks.
static void a_tangent_stays_what_it_was(void **state)
{
    (void)state;
    Cloth cloth = crumpled_triangles(sizes[SIZES - 1], 0);
    double *before = flat_array(&cloth), *after = flat_array(&cloth);
    cloth.model->linearise(&cloth, cloth.x, TANGENT_CLAMPED);
    cloth.model->product(&cloth, cloth.v, before);
    Material softer = cloth.material;
    softer.stiffness[SPRING_STRETCH] *= 0.5;
    cloth_set_material(&cloth, softer);
    cloth.rest_length[3] *= 1.2;
    spring_stars_set_length(&cloth, 3);
    cloth.model->product(&cloth, cloth.v, after);
    assert_memory_equal(before, after, (size_t)cloth.mesh.dofs * sizeof *before);
    cloth.model->linearise(&cloth, cloth.x, TANGENT_CLAMPED);
    cloth.model->product(&cloth, cloth.v, after);
    assert_memory_not_equal(before, after, (size_t)cloth.mesh.dofs * sizeof *before);
    free(before), free(after);
    cloth_finish(&cloth);
}

// ---- threads

static void parts_do_not_matter(void **state)
{
    (void)state;
    static const int crews[] = {1, 2, 3, 4, 8, 16};
    static const int large[] = {50, 40};
    const SpringKernels *sets[SPRING_KERNEL_SETS];
    int count = spring_kernels_all(sets);
    for (int round = 0; round < 2 * count; round++) {
        Cloth cloth = crumpled_triangles(large, round % 2 ? 0 : DAMPING_KINDS);
        cloth.kernels = sets[round / 2];
        size_t bytes = (size_t)cloth.mesh.dofs * sizeof(double);
        double *f[2], *x[2], *v[2], *Kp[2], power[2];
        ForceSums sums[2];
        for (int i = 0; i < 2; i++) {
            f[i] = flat_array(&cloth), x[i] = flat_array(&cloth);
            v[i] = flat_array(&cloth), Kp[i] = flat_array(&cloth);
        }
        for (size_t c = 0; c <= sizeof crews / sizeof crews[0]; c++) {
            Crew crew = {.size = c ? crews[c - 1] : 1, .run = run_backwards};
            int i = c > 0;
            cloth.crew = c ? &crew : NULL;
            ForceStep step = {1e-4, 2e-4, cloth.x, cloth.v, x[i], v[i], NULL};
            assert_true(cloth.model->step(&cloth, &step, &sums[i]));
            power[i] = cloth_forces(&cloth, cloth.x, cloth.v, f[i]);
            cloth.model->linearise(&cloth, cloth.x, TANGENT_CLAMPED);
            cloth.model->product(&cloth, cloth.v, Kp[i]);
            if (i == 0) continue;
            assert_memory_equal(&sums[0], &sums[1], sizeof sums[0]);
            assert_memory_equal(f[0], f[1], bytes);
            assert_memory_equal(x[0], x[1], bytes);
            assert_memory_equal(v[0], v[1], bytes);
            assert_memory_equal(Kp[0], Kp[1], bytes);
            assert_true(power[0] == power[1]);
        }
        for (int i = 0; i < 2; i++) free(f[i]), free(x[i]), free(v[i]), free(Kp[i]);
        cloth_finish(&cloth);
    }
}

// ---- order

static void particles_keep_their_neighbours_near(void **state)
{
    (void)state;
    Mesh mesh = mesh_of_triangles(40, 40);
    int n = mesh.particle_count, *at = calloc((size_t)n, sizeof *at);
    assert_non_null(at);
    for (int p = 0; p < n; p++) { // every place once
        assert_int_equal(mesh.first_dof[p] % MESH_ENTRIES, 0);
        assert_in_range(mesh.first_dof[p], 0, MESH_ENTRIES * (n - 1));
        at[mesh.first_dof[p] / MESH_ENTRIES]++;
    }
    for (int p = 0; p < n; p++) assert_int_equal(at[p], 1);
    double apart = 0.0; // the numbers are at random, n / 3 apart in the mean
    for (int s = 0; s < mesh.spring_count; s++) {
        apart += abs(mesh.first_dof[mesh.springs[s][0]] - mesh.first_dof[mesh.springs[s][1]]);
    }
    apart /= MESH_ENTRIES * mesh.spring_count;
    assert_true(apart < 2.0 * 40 + ORDER_WINDOW);
    // slots that have no spring: those of the border alone
    int slots = 0, *springs_at = at;
    memset(at, 0, (size_t)n * sizeof *at);
    for (int s = 0; s < 2 * mesh.spring_count; s++)
        springs_at[mesh.first_dof[mesh.springs[s / 2][s % 2]] / MESH_ENTRIES]++;
    for (int group = 0; group < n; group += MESH_LANES) {
        int most = 0;
        for (int i = group; i < group + MESH_LANES; i++) most = at[i] > most ? at[i] : most;
        slots += MESH_LANES * most;
    }
    assert_true(slots < 1.05 * 2 * mesh.spring_count);
    free(at);
    mesh_finish(&mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_are_those_of_the_list),
        cmocka_unit_test(one_pass_is_force_kick_and_drift),
        cmocka_unit_test(a_number_that_is_not_finite_shows),
        cmocka_unit_test(tangents_are_those_of_the_list),
        cmocka_unit_test(passes_are_products_and_sums),
        cmocka_unit_test(a_tangent_stays_what_it_was),
        cmocka_unit_test(parts_do_not_matter),
        cmocka_unit_test(particles_keep_their_neighbours_near),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
