// The filter in all its forms: against the reference data, theory, and conservation.
#include "support/crumpled.h"
#include "support/solver_test.h"

#include "cloth/filter.h"
#include "cloth/forces.h"
#include "cloth/mesh_triangles.h"
#include "simulation/simulation_state.h"
#include "stability/filter_symbol.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const grids[] = {"3x3", "8x8"};
static const int sides[] = {3, 8};

static Cloth grid(int rows, int columns)
{
    Cloth cloth;
    assert_int_equal(cloth_init_grid(&cloth, rows, columns, 1.0, 0.2, NULL), STATUS_OK);
    return cloth;
}

static double component(Vec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

static void add_noise(Cloth *cloth, uint32_t seed)
{
    for (int p = 0; p < cloth->mesh.particle_count; p++) {
        Vec3 v = {noise(&seed), noise(&seed), noise(&seed)};
        mesh_set_vector(&cloth->mesh, cloth->v, p, v);
    }
}

static void forms_agree_with_the_reference(void **state)
{
    (void)state;
    enum { FIRST = 5, FIRST_V = 6 }; // columns: two lambdas of each of three forms; vx, vy, vz
    for (int g = 0; g < 2; g++) {
        Cloth cloth = grid(sides[g], sides[g]);
        char name[64];
        snprintf(name, sizeof name, "%s_initial.csv", grids[g]);
        Table initial = golden_read(name);
        snprintf(name, sizeof name, "%s_operators.csv", grids[g]);
        Table wanted = golden_read(name);
        for (int k = 0; k < 6; k++) {
            for (int p = 0; p < initial.rows; p++) {
                const double *row = initial.values + p * initial.columns;
                cloth_set_pinned(&cloth, p, row[2] != 0.0);
                mesh_set_vector(&cloth.mesh, cloth.x, p, (Vec3){row[3], row[4], row[5]});
                mesh_set_vector(&cloth.mesh, cloth.v, p, (Vec3){row[6], row[7], row[8]});
            }
            Filter filter = {FILTER_EXPONENTIAL, (FilterForm)(k / 2), FILTER_CURRENT, 1.0 + k % 2};
            filter_prepare(&cloth, filter);
            filter_velocities(&cloth, cloth.x, cloth.v);
            for (int i = 0; i < wanted.rows; i++) {
                Vec3 v = mesh_vector(&cloth.mesh, cloth.v, i / 3);
                assert_near(component(v, i % 3), table_at(&wanted, i, FIRST + k), 1e-14);
            }
        }
        table_finish(&initial);
        table_finish(&wanted);
        cloth_finish(&cloth);
    }
}

// On a flat cloth rest and current distances are equal, so the stencil must give the same as the
// list: at corners, on borders, for any row width.
static void stencil_and_list_agree(void **state)
{
    (void)state;
    const int shapes[][2] = {{1, 2}, {1, 9}, {2, 2}, {3, 5}, {9, 4}, {17, 13}, {4, 64}};
    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
        for (int form = 0; form < FILTER_FORMS; form++) {
            for (int kind = FILTER_EXPONENTIAL; kind < FILTER_KINDS; kind++) {
                Cloth a = grid(shapes[k][0], shapes[k][1]), b = grid(shapes[k][0], shapes[k][1]);
                add_noise(&a, 5);
                add_noise(&b, 5);
                cloth_set_pinned(&a, 1, true);
                cloth_set_pinned(&b, 1, true);
                Filter filter = {(FilterKind)kind, (FilterForm)form, FILTER_CURRENT, 1.3};
                filter_prepare(&b, filter);
                filter.distance = FILTER_REST;
                // a list first: the stencil must cope with what it leaves behind
                filter_prepare(&a, (Filter){FILTER_GAUSSIAN, FILTER_CONSERVING, FILTER_REST, 2.0});
                filter_velocities(&a, a.x, a.v);
                add_noise(&a, 5);
                filter_prepare(&a, filter);
                for (int times = 0; times < 2; times++) {
                    filter_velocities(&a, a.x, a.v);
                    filter_velocities(&b, b.x, b.v);
                }
                for (int p = 0; p < a.mesh.particle_count; p++) {
                    Vec3 d = vec3_sub(mesh_vector(&a.mesh, a.v, p), mesh_vector(&b.mesh, b.v, p));
                    assert_near(vec3_length(d), 0.0, 1e-14);
                }
                // padding stays 0
                for (int i = 0; i < a.mesh.dofs; i++) {
                    if (a.inverse_mass[i] == 0.0 && a.mass[i] == 1.0) assert_true(a.v[i] == 0.0);
                }
                cloth_finish(&a);
                cloth_finish(&b);
            }
        }
    }
}

// f(q1, q2) of theory section 12, with bend springs: 12 neighbours.
static double symbol(FilterKind kind, double lambda, double q1, double q2)
{
    bool gaussian = kind == FILTER_GAUSSIAN;
    double b = exp(gaussian ? -lambda * lambda : -lambda);
    double c = gaussian ? b * b : pow(b, sqrt(2.0)), e = gaussian ? b * b * b * b : b * b;
    double c1 = cos(q1), c2 = cos(q2);
    return (1.0 + 2.0 * b * (c1 + c2) + 4.0 * c * c1 * c2 +
            2.0 * e * (cos(2.0 * q1) + cos(2.0 * q2))) /
           (1.0 + 4.0 * b + 4.0 * c + 4.0 * e);
}

static void waves_are_damped_by_the_symbol(void **state)
{
    (void)state;
    Cloth cloth = grid(24, 24);
    const double waves[][2] = {{0.0, 0.0}, {0.3, 1.1}, {M_PI, 0.0}, {M_PI, M_PI}, {2.0, 2.5}};
    for (int form = 0; form < FILTER_FORMS; form++) {
        for (int l = 0; l < 4; l++) {
            FilterKind kind = l < 2 ? FILTER_EXPONENTIAL : FILTER_GAUSSIAN;
            for (size_t k = 0; k < sizeof waves / sizeof waves[0]; k++) {
                double lambda = l % 2 ? 2.0 : 0.7, q1 = waves[k][0], q2 = waves[k][1];
                for (int p = 0; p < cloth.mesh.particle_count; p++) {
                    double phase = q1 * (p % 24) + q2 * (p / 24);
                    mesh_set_vector(&cloth.mesh, cloth.v, p, (Vec3){cos(phase), sin(phase), 1.0});
                }
                filter_prepare(&cloth, (Filter){kind, (FilterForm)form, FILTER_REST, lambda});
                filter_velocities(&cloth, cloth.x, cloth.v);
                double f = symbol(kind, lambda, q1, q2);
                if (form == FILTER_HALF) f = 0.5 * (1.0 + f);
                FilterSymbol known =
                    filter_symbol_of(kind == FILTER_GAUSSIAN, lambda, form == FILTER_HALF, false);
                assert_near(filter_symbol_at(&known, q1, q2), f, 1e-14);
                // deep enough inside that no neighbour's neighbour is missing
                for (int row = 4; row < 20; row++) {
                    for (int column = 4; column < 20; column++) {
                        double phase = q1 * column + q2 * row;
                        Vec3 v = mesh_vector(&cloth.mesh, cloth.v, row * 24 + column);
                        assert_near(v.x, f * cos(phase), 1e-14);
                        assert_near(v.y, f * sin(phase), 1e-14);
                        assert_near(v.z, 1.0, 1e-14);
                    }
                }
            }
        }
    }
    cloth_finish(&cloth);
}

static Vec3 momentum(const Cloth *cloth)
{
    Vec3 sum = {0};
    for (int p = 0; p < cloth->mesh.particle_count; p++) {
        sum = vec3_add_scaled(sum, cloth_mass(cloth, p), mesh_vector(&cloth->mesh, cloth->v, p));
    }
    return sum;
}

static void only_the_conserving_form_keeps_momentum(void **state)
{
    (void)state;
    for (int current = 0; current < 2; current++) {
        for (int form = 0; form < FILTER_FORMS; form++) {
            Cloth cloth = grid(5, 7);
            add_noise(&cloth, 11);
            uint32_t seed = 3;
            for (int p = 0; p < cloth.mesh.particle_count; p++) {
                cloth_set_mass(&cloth, p, 0.01 * (1.0 + 0.8 * noise(&seed)));
            }
            Vec3 before = momentum(&cloth);
            double energy = cloth_kinetic_energy(&cloth, cloth.v);
            filter_prepare(&cloth, (Filter){FILTER_EXPONENTIAL, (FilterForm)form,
                                            current ? FILTER_CURRENT : FILTER_REST, 1.0});
            filter_velocities(&cloth, cloth.x, cloth.v);
            double change = vec3_length(vec3_sub(momentum(&cloth), before));
            if (form == FILTER_CONSERVING) {
                assert_near(change, 0.0, 1e-16);
                assert_true(cloth_kinetic_energy(&cloth, cloth.v) < energy);
            } else {
                assert_true(change > 1e-3);
            }
            cloth_finish(&cloth);
        }
    }
}

static void rigid_motion_stays_and_held_particles_are_heard(void **state)
{
    (void)state;
    const Vec3 drift = {0.3, -1.0, 2.0}, hand = {5.0, 0.0, 0.0};
    for (int variant = 0; variant < 2 * FILTER_FORMS; variant++) {
        Cloth cloth = grid(8, 8);
        for (int p = 0; p < cloth.mesh.particle_count; p++) {
            mesh_set_vector(&cloth.mesh, cloth.v, p, drift);
        }
        filter_prepare(&cloth, (Filter){FILTER_EXPONENTIAL, (FilterForm)(variant / 2),
                                        variant % 2 ? FILTER_CURRENT : FILTER_REST, 1.0});
        filter_velocities(&cloth, cloth.x, cloth.v);
        for (int p = 0; p < cloth.mesh.particle_count; p++) {
            Vec3 v = mesh_vector(&cloth.mesh, cloth.v, p);
            assert_near(vec3_length(vec3_sub(v, drift)), 0.0, 2e-15);
        }
        // a held particle keeps its velocity, and its neighbours feel it
        cloth_set_grabbed(&cloth, 27);
        mesh_set_vector(&cloth.mesh, cloth.v, 27, hand);
        filter_velocities(&cloth, cloth.x, cloth.v);
        assert_true(mesh_vector(&cloth.mesh, cloth.v, 27).x == hand.x);
        assert_true(mesh_vector(&cloth.mesh, cloth.v, 28).x > drift.x + 0.1);
        cloth_finish(&cloth);
    }
}

// Of every form and way to apply it, with pins and a hand that moves.
static void filters_say_what_they_take(void **state)
{
    (void)state;
    for (int variant = 0; variant < 2 * 2 * FILTER_FORMS; variant++) {
        Cloth cloth = grid(7, 9);
        const Mesh *mesh = &cloth.mesh;
        bool equal = variant % 2, current = variant / 2 % 2;
        double *f = mesh_flat_create(mesh), power = 0.0;
        uint32_t seed = 11;
        for (int p = 0; p < mesh->particle_count; p++) {
            if (!equal) cloth_set_mass(&cloth, p, 0.01 * (1.0 + 0.8 * noise(&seed)));
            mesh_set_vector(mesh, cloth.v, p, (Vec3){noise(&seed), noise(&seed), noise(&seed)});
            mesh_set_vector(mesh, f, p, (Vec3){noise(&seed), noise(&seed), noise(&seed)});
        }
        cloth_set_pinned(&cloth, 0, true);
        mesh_set_vector(mesh, cloth.v, 0, (Vec3){0});
        cloth_set_grabbed(&cloth, 31);
        filter_prepare(&cloth, (Filter){FILTER_EXPONENTIAL, (FilterForm)(variant / 4),
                                        current ? FILTER_CURRENT : FILTER_REST, 1.0});
        for (int i = 0; i < mesh->dofs; i++) power += cloth.v[i] * f[i];
        double lost = filter_forces(&cloth, cloth.x, cloth.v, f);
        for (int i = 0; i < mesh->dofs; i++) power -= cloth.v[i] * f[i];
        assert_near(lost, power, 1e-13);
        double before = cloth_kinetic_energy(&cloth, cloth.v);
        double taken = filter_velocities(&cloth, cloth.x, cloth.v);
        assert_true(taken > 0.01 * before);
        assert_near(taken, before - cloth_kinetic_energy(&cloth, cloth.v), 1e-14 * before);
        free(f);
        cloth_finish(&cloth);
    }
}

static void filtered_forces_leave_rest_and_fall_alone(void **state)
{
    (void)state;
    for (int form = 0; form < FILTER_FORMS; form++) {
        Cloth cloth = grid(6, 6);
        uint32_t seed = 3;
        for (int p = 0; p < cloth.mesh.particle_count; p++) {
            cloth_set_mass(&cloth, p, 0.01 * (1.0 + 0.8 * noise(&seed)));
        }
        cloth_set_material(&cloth, (Material){.gravity = 9.81});
        filter_prepare(&cloth, (Filter){FILTER_EXPONENTIAL, (FilterForm)form, FILTER_REST, 1.0});
        double *f = mesh_flat_create(&cloth.mesh);
        // all particles fall alike, whatever their masses
        cloth_forces(&cloth, cloth.x, cloth.v, f);
        filter_forces(&cloth, cloth.x, cloth.v, f);
        for (int p = 0; p < 36; p++) {
            assert_near(mesh_vector(&cloth.mesh, f, p).y, -9.81 * cloth_mass(&cloth, p), 1e-15);
        }
        // a pin that carries the cloth does not push its neighbours
        memset(f, 0, (size_t)cloth.mesh.dofs * sizeof *f);
        cloth_set_pinned(&cloth, 14, true);
        mesh_set_vector(&cloth.mesh, f, 14, (Vec3){0.0, -7.0, 0.0});
        filter_forces(&cloth, cloth.x, cloth.v, f);
        for (int p = 0; p < 36; p++) {
            assert_near(mesh_vector(&cloth.mesh, f, p).y, p == 14 ? -7.0 : 0.0, 0.0);
        }
        free(f);
        cloth_finish(&cloth);
    }
}

static void triangle_meshes_are_filtered_too(void **state)
{
    (void)state;
    static const Vec3 corners[] = {{0, 0, 0}, {1, 0, 0}, {1, 0, 1}, {0, 0, 1}};
    static const uint32_t triangles[][3] = {{0, 2, 1}, {0, 3, 2}};
    TriangleList list = {
        .particle_count = 4, .position = corners, .triangle_count = 2, .triangles = triangles};
    Mesh mesh;
    Cloth cloth;
    assert_int_equal(mesh_init_triangles(&mesh, &list, 1.0, NULL), STATUS_OK);
    assert_int_equal(cloth_init(&cloth, &mesh, 0.2, NULL), STATUS_OK);
    mesh_set_vector(&cloth.mesh, cloth.v, 1, (Vec3){1.0, 0.0, 0.0});
    filter_prepare(&cloth, (Filter){FILTER_EXPONENTIAL, FILTER_PLAIN, FILTER_REST, 1.0});
    filter_velocities(&cloth, cloth.x, cloth.v);
    // four springs of length 1 and one of sqrt 2, which is also the bend spring's length
    double dx = cloth.mesh.spacing, b = exp(-1.0 / dx), c = exp(-sqrt(2.0) / dx);
    assert_near(dx, (4.0 + sqrt(2.0)) / 5.0, 1e-15);
    double sum = 1.0 + 2.0 * b + c;
    assert_near(mesh_vector(&cloth.mesh, cloth.v, 1).x, 1.0 / sum, 1e-15);
    assert_near(mesh_vector(&cloth.mesh, cloth.v, 0).x, b / sum, 1e-15);
    assert_near(mesh_vector(&cloth.mesh, cloth.v, 3).x, c / sum, 1e-15);
    cloth_finish(&cloth);
}

// A filtered force gives the particle the filtered acceleration, the first particle's too.
static void forces_are_filtered_as_accelerations(void **state)
{
    (void)state;
    Cloth cloth = grid(5, 5);
    filter_prepare(&cloth, (Filter){FILTER_EXPONENTIAL, FILTER_PLAIN, FILTER_REST, 1.5});
    add_noise(&cloth, 11);
    double *f = mesh_flat_create(&cloth.mesh);
    assert_non_null(f);
    for (int i = 0; i < cloth.mesh.dofs; i++) f[i] = cloth.mass[i] * cloth.v[i];
    filter_forces(&cloth, cloth.x, cloth.v, f);
    filter_velocities(&cloth, cloth.x, cloth.v);
    for (int i = 0; i < cloth.mesh.dofs; i++) assert_near(f[i], cloth.mass[i] * cloth.v[i], 1e-15);
    free(f);
    cloth_finish(&cloth);
}

// x' = x + h v' with the filtered v', of every particle, on every path through the step: a grid in
// one pass, other models and meshes force by force.
static void particles_move_with_their_filtered_velocity(void **state)
{
    (void)state;
    char path[] = "/tmp/selvage-mesh-XXXXXX.obj";
    int file = mkstemps(path, 4);
    assert_true(file >= 0);
    close(file);
    write_irregular_mesh(5, 5, path);
    const char *const models[] = {"springs", "baraff-witkin", "choi-ko"};
    for (int k = 0; k < 6; k++) {
        Scene scene = scene_with("rows=5 columns=5 filter=exponential lambda=1.5 step=1e-4 "
                                 "integrator=symplectic-euler");
        char model[40];
        snprintf(model, sizeof model, "model=%s", models[k / 2]);
        scene_assign(&scene, model);
        scene.pins = 0;
        if (k % 2) snprintf(scene.mesh, sizeof scene.mesh, "%s", path);
        Simulation *simulation;
        Error error;
        if (simulation_create(&scene, &simulation, &error) != STATUS_OK) fail_msg("%s", error.text);
        Cloth *cloth = &simulation->body.cloth;
        add_noise(cloth, 3);
        for (int step = 0; step < 2; step++) {
            Vec3 before[25];
            for (int p = 0; p < 25; p++) before[p] = particle_position(simulation, p);
            run_steps(simulation, 1);
            for (int p = 0; p < 25; p++) {
                Vec3 moved = vec3_sub(particle_position(simulation, p), before[p]);
                Vec3 wanted = vec3_scale(1e-4, mesh_vector(&cloth->mesh, cloth->v, p));
                assert_near(vec3_length(vec3_sub(moved, wanted)), 0.0, 1e-14);
                assert_true(vec3_length(moved) > 1e-7);
            }
        }
        simulation_destroy(simulation);
    }
    unlink(path);
}

// The filter with the drift in one pass against one after the other, with every set of kernels: the
// same velocities, and what the pass finds on the way is what the state has.
static void a_drift_in_the_same_pass_is_the_same(void **state)
{
    (void)state;
    const SpringKernels *sets[SPRING_KERNEL_SETS];
    int count = spring_kernels_all(sets);
    const int shapes[][2] = {{2, 2}, {3, 17}, {9, 4}, {5, 64}, {31, 8}};
    for (int k = 0; k < count * (int)(sizeof shapes / sizeof shapes[0]); k++) {
        const int *shape = shapes[k / count];
        Cloth cloth = grid(shape[0], shape[1]), apart = grid(shape[0], shape[1]);
        const Mesh *mesh = &cloth.mesh;
        cloth.kernels = apart.kernels = sets[k % count];
        Cloth *both[] = {&cloth, &apart};
        for (int c = 0; c < 2; c++) {
            cloth_set_pinned(both[c], 0, true);
            cloth_set_grabbed(both[c], mesh->particle_count / 2);
            filter_prepare(both[c], (Filter){FILTER_EXPONENTIAL, FILTER_HALF, FILTER_REST, 1.2});
            add_noise(both[c], 5);
        }
        double *x = mesh_flat_create(mesh), lost, h = 1e-3, largest = 0.0, lowest = INFINITY;
        assert_non_null(x);
        ForceStep step = {.h = h, .x = cloth.x, .new_x = x, .new_v = cloth.v};
        ForceSums sums;
        assert_true(filter_and_drift(&cloth, &step, &sums, &lost));
        assert_near(filter_velocities(&apart, apart.x, apart.v), lost, 1e-15);
        assert_memory_equal(cloth.v, apart.v, (size_t)mesh->dofs * sizeof *x);
        for (int i = 0; i < mesh->dofs; i++) assert_near(x[i], cloth.x[i] + h * cloth.v[i], 1e-15);
        for (int p = 0; p < mesh->particle_count; p++) {
            Vec3 v = mesh_vector(mesh, cloth.v, p);
            if (!cloth_is_held(&cloth, p)) largest = fmax(largest, vec3_length(v));
            lowest = fmin(lowest, mesh_vector(mesh, x, p).y);
        }
        assert_near(sums.speed, largest, 1e-14);
        assert_near(sums.kinetic, cloth_kinetic_energy(&cloth, cloth.v), 1e-14);
        assert_true(sums.lowest <= lowest && sums.power == 0.0);
        mesh_set_vector(mesh, cloth.v, 1, (Vec3){0.0, NAN, 0.0});
        assert_true(filter_and_drift(&cloth, &step, &sums, &lost));
        assert_true(isnan(sums.speed));
        free(x);
        cloth_finish(&cloth);
        cloth_finish(&apart);
    }
}

// Whichever part of the rows is filtered first, the result has the same bits.
static void parts_do_not_matter(void **state)
{
    (void)state;
    Cloth alone = grid(70, 9), shared = grid(70, 9);
    size_t bytes = (size_t)alone.mesh.dofs * sizeof(double);
    for (int form = 0; form < FILTER_FORMS; form++) {
        Filter filter = {FILTER_EXPONENTIAL, (FilterForm)form, FILTER_REST, 1.3};
        filter_prepare(&alone, filter);
        add_noise(&alone, 7);
        filter_velocities(&alone, alone.x, alone.v);
        for (int size = 2; size <= 6; size++) {
            Crew crew = {.size = size, .run = run_backwards};
            shared.crew = &crew;
            filter_prepare(&shared, filter);
            add_noise(&shared, 7);
            filter_velocities(&shared, shared.x, shared.v);
            assert_memory_equal(shared.v, alone.v, bytes);
        }
    }
    cloth_finish(&alone);
    cloth_finish(&shared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_agree_with_the_reference),
        cmocka_unit_test(stencil_and_list_agree),
        cmocka_unit_test(waves_are_damped_by_the_symbol),
        cmocka_unit_test(only_the_conserving_form_keeps_momentum),
        cmocka_unit_test(rigid_motion_stays_and_held_particles_are_heard),
        cmocka_unit_test(filters_say_what_they_take),
        cmocka_unit_test(filtered_forces_leave_rest_and_fall_alone),
        cmocka_unit_test(triangle_meshes_are_filtered_too),
        cmocka_unit_test(forces_are_filtered_as_accelerations),
        cmocka_unit_test(particles_move_with_their_filtered_velocity),
        cmocka_unit_test(a_drift_in_the_same_pass_is_the_same),
        cmocka_unit_test(parts_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
