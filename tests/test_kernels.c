// Every kernel against the plain list loop, on random states; and the properties of the layout.
#include "base/cpu.h"
#include "cloth/forces.h"
#include "cloth/grid_springs.h"
#include "crumpled.h"
#include "simulation/simulation_state.h"
#include "solver_test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const int shapes[][2] = {{2, 2},   {2, 7}, {5, 3}, {9, 4},  {32, 32},
                                {33, 47}, {1, 9}, {6, 1}, {3, 126}};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

// A rope has no triangles.
static bool takes_model(int shape, int model)
{
    return force_model_table[model]->grid != GRID_MODEL_BARAFF_WITKIN ||
           (shapes[shape][0] > 1 && shapes[shape][1] > 1);
}

static Cloth crumpled_grid(int shape, int model, Material material)
{
    Cloth cloth;
    Error error;
    if (cloth_init_grid(&cloth, shapes[shape][0], shapes[shape][1], 1.0, 0.2, &error) !=
        STATUS_OK) {
        fail_msg("%s", error.text);
    }
    assert_int_equal(cloth_set_model(&cloth, force_model_table[model], &error), STATUS_OK);
    cloth_set_material(&cloth, material);
    crumple(&cloth, 41u + (uint32_t)shape);
    return cloth;
}

// Arcs and angles are computed by other formulas than in the list.
static double rounding_of(const Cloth *cloth)
{
    return cloth->model->made_of_springs ? 1e-13 : 2e-12;
}

static void check_grid_forces(int shape, int model)
{
    const SpringKernels *sets[SPRING_KERNEL_SETS];
    int count = spring_kernels_all(sets);
    for (int kind = 0; kind <= DAMPING_KINDS; kind++) { // the last one: no damping
        Cloth cloth = crumpled_grid(shape, model,
                                    kind < DAMPING_KINDS ? material_with((DampingKind)kind, 2e-3)
                                                         : material_with(DAMPING_RAYLEIGH, 0.0));
        double *want = flat_array(&cloth), *got = flat_array(&cloth);
        cloth.uniform = false; // uses the list
        cloth_forces(&cloth, cloth.x, cloth.v, want);
        double takes = power_of_forces(&cloth), energy = cloth_elastic_energy(&cloth, cloth.x);
        assert_true(takes > 0.0); // air drag too
        cloth.uniform = true;
        for (int k = 0; k < count; k++) {
            cloth.kernels = sets[k];
            spoil(&cloth, got);
            double power = cloth_forces(&cloth, cloth.x, cloth.v, got);
            assert_same(&cloth, got, want, rounding_of(&cloth));
            assert_near(power, takes, 1e-10 * takes);
            assert_near(cloth_elastic_energy(&cloth, cloth.x), energy,
                        rounding_of(&cloth) * energy);
        }
        free(want), free(got);
        cloth_finish(&cloth);
    }
}

static void grid_forces_are_those_of_the_list(void **state)
{
    (void)state;
    for (int shape = 0; shape < SHAPES; shape++) {
        for (int model = 0; model < FORCE_MODEL_COUNT; model++) {
            if (takes_model(shape, model)) check_grid_forces(shape, model);
        }
    }
}

// ---- a step in one pass

static void one_pass_is_force_kick_and_drift(void **state)
{
    (void)state;
    const SpringKernels *sets[SPRING_KERNEL_SETS];
    int count = spring_kernels_all(sets);
    const double kick = 1.1e-4, h = 1.3e-4;
    for (int shape = 0; shape < SHAPES; shape++) {
        for (int kind = 0; kind <= DAMPING_KINDS; kind++) { // the last one: no damping
            bool damped = kind < DAMPING_KINDS;
            Cloth cloth = crumpled_grid(
                shape, 0,
                material_with(damped ? (DampingKind)kind : DAMPING_RAYLEIGH, damped * 2e-3));
            double *f = flat_array(&cloth), *got = flat_array(&cloth);
            double *x = flat_array(&cloth), *v = flat_array(&cloth);
            double *new_x = flat_array(&cloth), *new_v = flat_array(&cloth);
            for (int k = 0; k < count; k++) {
                cloth.kernels = sets[k];
                double power = cloth_forces(&cloth, cloth.x, cloth.v, f);
                for (int i = 0; i < cloth.mesh.dofs; i++) {
                    v[i] = cloth.v[i] + kick * cloth.inverse_mass[i] * f[i];
                    x[i] = cloth.x[i] + h * v[i];
                }
                ForceStep step = {kick, h, cloth.x, cloth.v, new_x, new_v, got};
                ForceSums sums;
                assert_true(cloth.model->step(&cloth, &step, &sums));
                assert_same(&cloth, got, f, 1e-13);
                assert_same(&cloth, new_v, v, 1e-13);
                assert_same(&cloth, new_x, x, 1e-13);
                assert_near(sums.power, power, 1e-12 * power);
                double kinetic = cloth_kinetic_energy(&cloth, v),
                       speed = cloth_max_speed(&cloth, v);
                assert_near(sums.kinetic, kinetic, 1e-12 * kinetic);
                assert_near(sums.speed, speed, 1e-12 * speed);
            }
            free(f), free(got), free(x), free(v), free(new_x), free(new_v);
            cloth_finish(&cloth);
        }
    }
}

static void one_pass_shows_what_is_not_finite(void **state)
{
    (void)state;
    const SpringKernels *sets[SPRING_KERNEL_SETS];
    int count = spring_kernels_all(sets);
    Cloth cloth = crumpled_grid(4, 0, material_with(DAMPING_RAYLEIGH, 0.0));
    double *x = flat_array(&cloth), *v = flat_array(&cloth);
    mesh_set_vector(&cloth.mesh, cloth.v, 700, (Vec3){0.0, NAN, 0.0});
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

static void assembled(const Cloth *cloth, const double *p, double *out)
{
    LinearOperator A = cloth->model->assemble((Cloth *)cloth, 1.3, 1e-2, 0.7);
    A.multiply(A.self, p, out);
}

static void bands_do_not_matter(void **state)
{
    (void)state;
    static const int sizes[] = {2, 3, 4, 8, 16};
    const SpringKernels *sets[SPRING_KERNEL_SETS];
    int count = spring_kernels_all(sets);
    for (int round = 0; round < 2 * FORCE_MODEL_COUNT; round++) {
        Cloth cloth;
        Error error;
        int damped = round % 2;
        assert_int_equal(cloth_init_grid(&cloth, 201, 19, 1.0, 0.2, &error), STATUS_OK);
        assert_int_equal(cloth_set_model(&cloth, force_model_table[round / 2], &error), STATUS_OK);
        cloth_set_material(&cloth, material_with(DAMPING_RAYLEIGH, damped * 2e-3));
        crumple(&cloth, 7);
        double *f[2], *x[2], *v[2], *Ap[2];
        for (int i = 0; i < 2; i++) {
            f[i] = flat_array(&cloth), x[i] = flat_array(&cloth), v[i] = flat_array(&cloth);
            Ap[i] = flat_array(&cloth);
        }
        size_t bytes = (size_t)cloth.mesh.dofs * sizeof(double);
        for (int k = 0; k < count; k++) {
            cloth.kernels = sets[k];
            ForceSums sums[2];
            cloth.crew = NULL;
            double energy = cloth_elastic_energy(&cloth, cloth.x);
            cloth.model->linearise(&cloth, cloth.x, TANGENT_CLAMPED);
            assembled(&cloth, cloth.v, Ap[0]);
            ForceStep step = {1e-4, 2e-4, cloth.x, cloth.v, x[0], v[0], f[0]};
            assert_true(cloth.model->step(&cloth, &step, &sums[0]));
            for (int i = 0; i < 5; i++) {
                Crew crew = {.size = sizes[i], .run = run_backwards};
                cloth.crew = &crew;
                step = (ForceStep){1e-4, 2e-4, cloth.x, cloth.v, x[1], v[1], f[1]};
                assert_true(cloth.model->step(&cloth, &step, &sums[1]));
                assert_memory_equal(&sums[0], &sums[1], sizeof sums[0]);
                assert_memory_equal(f[0], f[1], bytes);
                assert_memory_equal(x[0], x[1], bytes);
                assert_memory_equal(v[0], v[1], bytes);
                assert_true(cloth_forces(&cloth, cloth.x, cloth.v, f[1]) == sums[0].power);
                assert_memory_equal(f[0], f[1], bytes);
                assert_true(cloth_elastic_energy(&cloth, cloth.x) == energy);
                cloth.model->linearise(&cloth, cloth.x, TANGENT_CLAMPED);
                assembled(&cloth, cloth.v, Ap[1]);
                assert_memory_equal(Ap[0], Ap[1], bytes);
            }
        }
        for (int i = 0; i < 2; i++) free(f[i]), free(x[i]), free(v[i]), free(Ap[i]);
        cloth_finish(&cloth);
    }
}

typedef void Product(const Cloth *cloth, const double *p, double *out);

static void product_at_full(const Cloth *cloth, const double *p, double *out)
{
    cloth->model->product_at(cloth, cloth->x, TANGENT_FULL, p, out);
}
static void product_at_laplacian(const Cloth *cloth, const double *p, double *out)
{
    cloth->model->product_at(cloth, cloth->x, TANGENT_LAPLACIAN, p, out);
}
static void preconditioned(const Cloth *cloth, const double *p, double *out)
{
    LinearOperator A = cloth->model->assemble((Cloth *)cloth, 1.3, 1e-2, 0.7);
    A.precondition(A.self, p, out);
}

static void check_products(Cloth *cloth, Tangent tangent)
{
    const SpringKernels *sets[SPRING_KERNEL_SETS];
    int count = spring_kernels_all(sets);
    Product *const products[] = {cloth->model->product,
                                 cloth->model->damping_product,
                                 product_at_full,
                                 product_at_laplacian,
                                 assembled,
                                 preconditioned};
    double *p = flat_array(cloth), *want = flat_array(cloth), *got = flat_array(cloth);
    uint32_t seed = 77;
    for (int q = 0; q < cloth->mesh.particle_count; q++) { // held ones too
        mesh_set_vector(&cloth->mesh, p, q, (Vec3){noise(&seed), noise(&seed), noise(&seed)});
    }
    for (size_t i = 0; i < sizeof products / sizeof products[0]; i++) {
        cloth->uniform = false;
        cloth->model->linearise(cloth, cloth->x, tangent);
        products[i](cloth, p, want);
        cloth->uniform = true;
        for (int k = 0; k < count; k++) {
            cloth->kernels = sets[k];
            cloth->model->linearise(cloth, cloth->x, tangent);
            spoil(cloth, got);
            products[i](cloth, p, got);
            // inverting a nearly singular block magnifies rounding
            assert_same(cloth, got, want,
                        products[i] == preconditioned ? 1e-11 : rounding_of(cloth));
        }
    }
    free(p), free(want), free(got);
}

static void grid_tangents_are_those_of_the_list(void **state)
{
    (void)state;
    for (int shape = 0; shape < SHAPES; shape++) {
        for (int i = 0; i < DAMPING_KINDS * FORCE_MODEL_COUNT; i++) {
            int model = i / DAMPING_KINDS;
            if (!takes_model(shape, model)) continue;
            Cloth cloth =
                crumpled_grid(shape, model, material_with((DampingKind)(i % DAMPING_KINDS), 2e-3));
            for (int t = TANGENT_CLAMPED; t <= TANGENT_AXIAL; t++) {
                check_products(&cloth, (Tangent)t);
            }
            if (cloth.model->goes_slack) check_products(&cloth, TANGENT_TAUT);
            cloth_finish(&cloth);
        }
    }
}

static void steps_do_not_depend_on_the_kernels(void **state)
{
    (void)state;
    const SpringKernels *sets[SPRING_KERNEL_SETS];
    if (spring_kernels_all(sets) < 2) skip();
    static const char *const methods[] = {
        "rows=13 columns=10 step=8e-4 alpha=1e-4",
        "rows=9 columns=9 step=1e-3 integrator=velocity-verlet damping=projected alpha=1e-4",
        "rows=9 columns=11 step=5e-3 integrator=backward-euler pcg_tolerance=1e-13",
    };
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++) {
        Simulation *one = simulation_with(methods[m]), *other = simulation_with(methods[m]);
        size_t bytes = (size_t)one->body.cloth.mesh.dofs * sizeof(double);
        one->body.cloth.kernels = sets[0];
        other->body.cloth.kernels = sets[1];
        for (int step = 0; step < 200; step++) {
            assert_int_equal(simulation_step(one, NULL), STATUS_OK);
            assert_int_equal(simulation_step(other, NULL), STATUS_OK);
            for (int i = 0; i < one->body.cloth.mesh.dofs; i++) {
                assert_near(one->body.cloth.x[i], other->body.cloth.x[i], 1e-12);
                assert_near(one->body.cloth.v[i], other->body.cloth.v[i], 1e-12);
            }
            // the next step starts from the same state again
            memcpy(other->body.cloth.x, one->body.cloth.x, bytes);
            memcpy(other->body.cloth.v, one->body.cloth.v, bytes);
        }
        simulation_destroy(one);
        simulation_destroy(other);
    }
}

static double plain_strain(const Cloth *cloth)
{
    const Mesh *mesh = &cloth->mesh;
    double largest = 0.0;
    for (int s = 0; s < mesh->spring_count; s++) {
        Vec3 d = vec3_sub(mesh_vector(mesh, cloth->x, mesh->springs[s][0]),
                          mesh_vector(mesh, cloth->x, mesh->springs[s][1]));
        largest = fmax(largest, fabs(vec3_length(d) / mesh->rest_length[s] - 1.0));
    }
    return largest;
}

// Springs beyond a border do not count. Once it is a stretched spring that decides, once one that
// is pressed together, and each spring must be seen.
static void the_largest_strain_is_that_of_all_springs(void **state)
{
    (void)state;
    const SpringKernels *sets[SPRING_KERNEL_SETS];
    int count = spring_kernels_all(sets);
    for (int i = 0; i < SHAPES; i++) {
        Cloth cloth;
        assert_int_equal(cloth_init_grid(&cloth, shapes[i][0], shapes[i][1], 1.0, 0.2, NULL),
                         STATUS_OK);
        cloth_set_material(&cloth, material_with(DAMPING_RAYLEIGH, 0.0));
        assert_true(grid_springs_apply(&cloth));
        const Mesh *mesh = &cloth.mesh;
        double *flat = flat_array(&cloth);
        memcpy(flat, cloth.x, (size_t)mesh->dofs * sizeof *flat);
        for (int p = 0; p < 2 * mesh->particle_count; p++) {
            Vec3 there = mesh_vector(mesh, flat, p / 2);
            double share = p % 2 ? 0.3 : -0.2; // towards the middle of its rows
            Vec3 out = vec3_sub(there, (Vec3){0.5 * mesh->width, 0.0, 0.5 * mesh->height});
            mesh_set_vector(mesh, cloth.x, p / 2, vec3_add_scaled(there, share, out));
            for (int k = 0; k < count; k++) {
                cloth.kernels = sets[k];
                assert_near(cloth_max_strain(&cloth, cloth.x), plain_strain(&cloth), 1e-12);
            }
            mesh_set_vector(mesh, cloth.x, p / 2, there);
        }
        free(flat);
        cloth_finish(&cloth);
    }
}

static void padding_stays_clean(void **state)
{
    (void)state;
    static const char *const methods[] = {
        "rows=6 columns=5", "rows=5 columns=6 alpha=1e-4", "rows=6 columns=7 filter=exponential",
        "rows=6 columns=9 integrator=backward-euler tangent=full step=1e-2"};
    for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++) {
        Simulation *simulation = simulation_with(methods[m]);
        Cloth *cloth = &simulation->body.cloth;
        for (int s = 0; s < 1000; s++) {
            assert_int_equal(simulation_step(simulation, NULL), STATUS_OK);
        }
        for (int p = 0; p < cloth->mesh.particle_count; p++) {
            mesh_set_vector(&cloth->mesh, cloth->x, p, (Vec3){0});
            mesh_set_vector(&cloth->mesh, cloth->v, p, (Vec3){0});
            mesh_set_vector(&cloth->mesh, cloth->inverse_mass, p, (Vec3){0});
            mesh_set_vector(&cloth->mesh, cloth->mass, p, (Vec3){1.0, 1.0, 1.0});
        }
        for (int i = 0; i < cloth->mesh.dofs; i++) {
            assert_true(cloth->x[i] == 0.0 && cloth->v[i] == 0.0);
            assert_true(cloth->inverse_mass[i] == 0.0 && cloth->mass[i] == 1.0);
        }
        simulation_destroy(simulation);
    }
}

static void layouts_keep_their_promises(void **state)
{
    (void)state;
    for (int columns = 2; columns < 300; columns++) {
        Mesh mesh;
        assert_int_equal(mesh_init_grid(&mesh, 3, columns, 1.0, NULL), STATUS_OK);
        assert_true(mesh.row_width % MESH_LANES == 0 && mesh.row_width >= columns);
        assert_true(mesh.row_width % 128 != 0); // rows must not share cache sets
        for (int p = 0; p < mesh.particle_count; p++) {
            int last = mesh.first_dof[p] + 2 * mesh.component_stride;
            assert_true(last < 3 * 3 * mesh.row_width && last < mesh.dofs);
        }
        assert_int_equal(mesh.dofs, (3 + GRID_HALO_ROWS) * 3 * mesh.row_width);
        double *flat = mesh_flat_create(&mesh);
        assert_true((uintptr_t)flat % 64 == 0);
        free(flat);
        mesh_finish(&mesh);
    }
}

static void environment_chooses_the_portable_kernels(void **state)
{
    (void)state;
    const char *before = getenv("SELVAGE_NO_SIMD");
    char *saved = before ? strdup(before) : NULL;
    setenv("SELVAGE_NO_SIMD", "1", 1);
    assert_true(spring_kernels_best() == &spring_kernels_portable);
    setenv("SELVAGE_NO_SIMD", "avx512", 1);
    assert_true(cpu_simd() <= CPU_AVX2);
    assert_null(strstr(spring_kernels_best()->name, "avx512"));
    setenv("SELVAGE_NO_SIMD", "0", 1);
    const SpringKernels *sets[SPRING_KERNEL_SETS];
    assert_true(spring_kernels_best() == sets[spring_kernels_all(sets) - 1]);
    saved ? setenv("SELVAGE_NO_SIMD", saved, 1) : unsetenv("SELVAGE_NO_SIMD");
    free(saved);
}

// One triangle after the other, as wind.h has it.
static WindPower plain_wind(const Cloth *cloth, GridAir air, double *f)
{
    const Mesh *mesh = &cloth->mesh;
    WindPower power = {0};
    for (int t = 0; t < mesh->triangle_count; t++) {
        Vec3 x[3], V = {0};
        for (int k = 0; k < 3; k++) {
            x[k] = mesh_vector(mesh, cloth->x, (int)mesh->triangles[t][k]);
            V = vec3_add_scaled(V, 1.0 / 3.0,
                                mesh_vector(mesh, cloth->v, (int)mesh->triangles[t][k]));
        }
        Vec3 N = vec3_cross(vec3_sub(x[1], x[0]), vec3_sub(x[2], x[0])), force[2];
        double length = vec3_length(N);
        if (!(length > 1e-12)) continue;
        Vec3 n = vec3_scale(1.0 / length, N), met[2] = {air.velocity, V};
        for (int k = 0; k < 2; k++)
            force[k] = vec3_scale(
                0.5 * length, vec3_add_scaled(vec3_scale(air.tangent, met[k]),
                                              (air.normal - air.tangent) * vec3_dot(n, met[k]), n));
        power.work += vec3_dot(force[0], V);
        power.drag += vec3_dot(force[1], V);
        for (int k = 0; k < 3; k++) {
            int p = (int)mesh->triangles[t][k];
            Vec3 third = vec3_scale(1.0 / 3.0, vec3_sub(force[0], force[1]));
            mesh_set_vector(mesh, f, p, vec3_add(mesh_vector(mesh, f, p), third));
        }
    }
    return power;
}

static void grid_wind_is_that_of_the_triangles(void **state)
{
    (void)state;
    const SpringKernels *sets[SPRING_KERNEL_SETS];
    const GridAir air = {{3.0, -1.0, 2.0}, 4.0, 0.3};
    int count = spring_kernels_all(sets);
    for (int shape = 0; shape < SHAPES; shape++) {
        Cloth cloth = crumpled_grid(shape, 0, material_with(DAMPING_RAYLEIGH, 0.0));
        if (cloth.mesh.triangle_count > 0) {
            double *want = flat_array(&cloth), *got = flat_array(&cloth);
            WindPower power = plain_wind(&cloth, air, want);
            for (int i = 0; i < count; i++) {
                memset(got, 0, (size_t)cloth.mesh.dofs * sizeof *got);
                GridAirPower by = sets[i]->grid_wind(&cloth.mesh, air, cloth.x, cloth.v, got);
                assert_same(&cloth, got, want, 1e-13);
                assert_near(by.work, power.work, 1e-12 * (1.0 + fabs(power.work)));
                assert_near(by.drag, power.drag, 1e-12 * (1.0 + power.drag));
            }
            free(want), free(got);
        }
        cloth_finish(&cloth);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grid_forces_are_those_of_the_list),
        cmocka_unit_test(grid_wind_is_that_of_the_triangles),
        cmocka_unit_test(one_pass_is_force_kick_and_drift),
        cmocka_unit_test(one_pass_shows_what_is_not_finite),
        cmocka_unit_test(bands_do_not_matter),
        cmocka_unit_test(grid_tangents_are_those_of_the_list),
        cmocka_unit_test(steps_do_not_depend_on_the_kernels),
        cmocka_unit_test(the_largest_strain_is_that_of_all_springs),
        cmocka_unit_test(padding_stays_clean),
        cmocka_unit_test(layouts_keep_their_promises),
        cmocka_unit_test(environment_chooses_the_portable_kernels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
