// The multilevel preconditioners of a grid and of any other mesh: symmetric, definite, the same for
// any number of threads, and worth their cost where they are chosen.
#include "support/crumpled.h"
#include "support/solver_test.h"

#include "cloth/cloth.h"
#include "linalg/vectors.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define STEP (1.0 / 60.0) // s

typedef enum Kind { GRID, TRIANGLES, KINDS } Kind;

// Wavy, with three pins, at corners and in the middle of a grid; springs of `stretch` N/m.
static Cloth wavy(Kind kind, int rows, int columns, double stretch)
{
    Cloth cloth;
    Error error = {0};
    Mesh triangles = {0};
    if (kind == TRIANGLES) triangles = mesh_of_triangles(rows, columns);
    Status status = kind == GRID ? cloth_init_grid(&cloth, rows, columns, 1.0, 0.2, &error)
                                 : cloth_init(&cloth, &triangles, 0.2, &error);
    if (status != STATUS_OK) fail_msg("%s", error.text);
    const Mesh *mesh = &cloth.mesh;
    for (int p = 0; p < mesh->particle_count; p++) {
        Vec3 x = mesh_vector(mesh, cloth.x, p);
        x.y += 2.0 * mesh->spacing * sin(0.7 * (p % columns)) * cos(0.4 * (p / columns));
        mesh_set_vector(mesh, cloth.x, p, vec3_scale(1.02, x));
    }
    cloth_set_pinned(&cloth, 0, true);
    cloth_set_pinned(&cloth, columns - 1, true);
    cloth_set_pinned(&cloth, mesh->particle_count / 2, true);
    cloth_set_material(&cloth, (Material){.stiffness = {stretch, 0.5 * stretch, 0.1 * stretch}});
    return cloth;
}

static void fill(const Cloth *cloth, uint32_t seed, bool only_free, double *flat)
{
    memset(flat, 0, (size_t)cloth->mesh.dofs * sizeof *flat);
    for (int p = 0; p < cloth->mesh.particle_count; p++) {
        Vec3 value = {noise(&seed), noise(&seed), noise(&seed)};
        if (!only_free || !cloth_is_held(cloth, p)) mesh_set_vector(&cloth->mesh, flat, p, value);
    }
}

typedef struct Vectors {
    double *a, *b, *x, *z, *Ma, *Mb;
} Vectors;

static Vectors vectors_of(const Mesh *mesh)
{
    return (Vectors){mesh_flat_create(mesh), mesh_flat_create(mesh), mesh_flat_create(mesh),
                     mesh_flat_create(mesh), mesh_flat_create(mesh), mesh_flat_create(mesh)};
}

static void vectors_finish(Vectors *v)
{
    free(v->a), free(v->b), free(v->x), free(v->z), free(v->Ma), free(v->Mb);
}

// out = what PCG takes for A^-1 r. Returns r'out as its passes have it.
static double apply(const LinearOperator *A, Vectors *v, double *r, double *out)
{
    memset(v->z, 0, (size_t)A->dofs * sizeof *out);
    memset(out, 0, (size_t)A->dofs * sizeof *out);
    double rz = A->passes->advance(A->self, 0.0, r, v->z).rz;
    A->passes->turn(A->self, &(PcgTurn){0.0, 0.0, v->x, out, v->z});
    return rz;
}

// A held particle's equation is x = b; on a grid, whatever b is there.
static void assert_held_stay(const Cloth *cloth, const Vectors *v)
{
    for (int p = 0; p < cloth->mesh.particle_count; p++) {
        if (!cloth_is_held(cloth, p)) continue;
        Vec3 off =
            vec3_sub(mesh_vector(&cloth->mesh, v->Ma, p), mesh_vector(&cloth->mesh, v->a, p));
        assert_near(vec3_length(off), 0.0, 1e-13);
    }
}

static void check_symmetry(Kind kind, const int size[2], Tangent tangent)
{
    Cloth cloth = wavy(kind, size[0], size[1], 5000.0);
    int n = cloth.mesh.dofs;
    Vectors v = vectors_of(&cloth.mesh);
    cloth.model->linearise(&cloth, cloth.x, tangent);
    LinearOperator A = cloth.model->assemble(&cloth, 1.0, STEP * STEP, 0.0);
    fill(&cloth, 3, kind == TRIANGLES, v.a);
    fill(&cloth, 5, kind == TRIANGLES, v.b);
    double aa = apply(&A, &v, v.a, v.Ma);
    assert_near(aa, vector_dot(n, v.a, v.Ma), 1e-10 * aa);
    double bb = apply(&A, &v, v.b, v.Mb);
    assert_true(aa > 0.0 && bb > 0.0);
    assert_near(vector_dot(n, v.a, v.Mb), vector_dot(n, v.b, v.Ma), 1e-12 * sqrt(aa * bb));
    if (kind == GRID) { // this one is block Jacobi alone
        A.precondition(A.self, v.a, v.Mb);
        assert_true(vector_largest_difference(n, v.Ma, v.Mb) > 0.0);
    }
    assert_held_stay(&cloth, &v);
    vectors_finish(&v);
    cloth_finish(&cloth);
}

static void it_is_symmetric_and_definite(void **state)
{
    (void)state;
    static const int sizes[][2] = {{24, 24}, {25, 31}, {32, 27}, {33, 50}};
    for (int round = 0; round < 4 * KINDS; round++) {
        for (Tangent tangent = TANGENT_CLAMPED; tangent <= TANGENT_AXIAL; tangent++) {
            if (tangent == TANGENT_FULL) continue;
            check_symmetry((Kind)(round / 4), sizes[round % 4], tangent);
        }
    }
}

static PcgReport solve(Cloth *cloth, const double *b, double *x, double tolerance)
{
    Arena scratch;
    assert_int_equal(arena_init(&scratch, pcg_scratch_size(cloth->mesh.dofs), NULL), STATUS_OK);
    cloth->model->linearise(cloth, cloth->x, TANGENT_CLAMPED);
    LinearOperator A = cloth->model->assemble(cloth, 1.0, STEP * STEP, 0.0);
    PcgReport report = pcg_solve(&A, b, x, tolerance, 5000, &scratch);
    report.rest = NULL;
    arena_finish(&scratch);
    return report;
}

// Of a load that is the same everywhere. Returns how many iterations the levels took.
static int compare_with_jacobi(Kind kind, int side)
{
    Cloth cloth = wavy(kind, side, side, 5000.0);
    Vectors v = vectors_of(&cloth.mesh);
    for (int p = 0; p < cloth.mesh.particle_count; p++)
        if (!cloth_is_held(&cloth, p)) mesh_set_vector(&cloth.mesh, v.b, p, (Vec3){0, -1, 0.3});
    PcgReport levels = solve(&cloth, v.b, v.x, 1e-2);
    cloth.only_block_jacobi = true;
    PcgReport jacobi = solve(&cloth, v.b, v.z, 1e-2);
    assert_true(levels.converged && jacobi.converged);
    print_message("%3d x %3d: %d iterations, block Jacobi %d\n", side, side, levels.iterations,
                  jacobi.iterations);
    assert_true(4 * levels.iterations < jacobi.iterations);
    if (side == 32) {
        solve(&cloth, v.b, v.z, 1e-13);
        cloth.only_block_jacobi = false;
        assert_true(solve(&cloth, v.b, v.x, 1e-13).converged);
        assert_true(vector_largest_difference(cloth.mesh.dofs, v.x, v.z) <
                    1e-9 * vector_largest(cloth.mesh.dofs, v.x));
    }
    vectors_finish(&v);
    cloth_finish(&cloth);
    return levels.iterations;
}

// Block Jacobi's iterations grow with the side.
static void it_saves_iterations_and_solves_the_same(void **state)
{
    (void)state;
    for (Kind kind = GRID; kind < KINDS; kind++) {
        int last = 0;
        for (int side = 32; side <= 128; side *= 2) {
            int iterations = compare_with_jacobi(kind, side);
            if (last > 0) assert_in_range(iterations, 1, 2 * last);
            last = iterations;
        }
    }
}

// What a step can follow is left to block Jacobi.
static void it_is_left_out_where_it_does_not_pay(void **state)
{
    (void)state;
    for (Kind kind = GRID; kind < KINDS; kind++) {
        Cloth cloth = wavy(kind, 32, 32, 1.0);
        Vectors v = vectors_of(&cloth.mesh);
        fill(&cloth, 7, true, v.b);
        PcgReport automatic = solve(&cloth, v.b, v.x, 1e-2);
        cloth.only_block_jacobi = true;
        PcgReport jacobi = solve(&cloth, v.b, v.z, 1e-2);
        assert_int_equal(automatic.iterations, jacobi.iterations);
        assert_memory_equal(v.x, v.z, (size_t)cloth.mesh.dofs * sizeof(double));
        vectors_finish(&v);
        cloth_finish(&cloth);
    }
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    for (Kind kind = GRID; kind < KINDS; kind++) {
        Cloth cloth = wavy(kind, 70, 45, 5000.0);
        Vectors v = vectors_of(&cloth.mesh);
        fill(&cloth, 9, true, v.b);
        solve(&cloth, v.b, v.x, 1e-3);
        for (int size = 2; size <= CREW_MAX; size++) {
            Crew crew = {.size = size, .run = run_backwards};
            cloth.crew = &crew;
            solve(&cloth, v.b, v.z, 1e-3);
            assert_memory_equal(v.x, v.z, (size_t)cloth.mesh.dofs * sizeof(double));
        }
        vectors_finish(&v);
        cloth_finish(&cloth);
    }
}

// x becomes y, y becomes z, z becomes x.
static void turn_axes(const Mesh *mesh, double *flat)
{
    for (int p = 0; p < mesh->particle_count; p++) {
        Vec3 a = mesh_vector(mesh, flat, p);
        mesh_set_vector(mesh, flat, p, (Vec3){a.z, a.x, a.y});
    }
}

// A cloth whose axes have other names is the same cloth.
static void axes_do_not_matter(void **state)
{
    (void)state;
    for (Kind kind = GRID; kind < KINDS; kind++) {
        Cloth cloth = wavy(kind, 33, 40, 5000.0);
        const Mesh *mesh = &cloth.mesh;
        Vectors v = vectors_of(mesh);
        fill(&cloth, 11, true, v.a);
        for (int turn = 0; turn < 3; turn++) {
            cloth.model->linearise(&cloth, cloth.x, TANGENT_CLAMPED);
            LinearOperator A = cloth.model->assemble(&cloth, 1.0, STEP * STEP, 0.0);
            apply(&A, &v, v.a, turn == 0 ? v.Ma : v.Mb);
            double largest = vector_largest(mesh->dofs, v.Ma);
            for (int p = 0; p < mesh->particle_count && turn > 0; p++) {
                Vec3 off = vec3_sub(mesh_vector(mesh, v.Ma, p), mesh_vector(mesh, v.Mb, p));
                assert_near(vec3_length(off), 0.0, 1e-9 * largest);
            }
            turn_axes(mesh, cloth.x), turn_axes(mesh, v.a), turn_axes(mesh, v.Ma);
        }
        vectors_finish(&v);
        cloth_finish(&cloth);
    }
}

static int transposed(int p, int side)
{
    return p % side * side + p / side;
}

// A square cloth whose rows are called columns is the same cloth, wherever it is pinned: at nodes
// of the coarser levels, and at any distance before or behind them.
static void rows_and_columns_do_not_matter(void **state)
{
    (void)state;
    enum { SIDE = 33 };
    Cloth cloth = wavy(GRID, SIDE, SIDE, 5000.0), other = wavy(GRID, SIDE, SIDE, 5000.0);
    Vectors v = vectors_of(&cloth.mesh);
    for (int p = 0; p < SIDE * SIDE; p++) {
        bool pinned = p % 37 == 5;
        cloth_set_pinned(&cloth, p, pinned);
        cloth_set_pinned(&other, transposed(p, SIDE), pinned);
        mesh_set_vector(&other.mesh, other.x, transposed(p, SIDE),
                        mesh_vector(&cloth.mesh, cloth.x, p));
    }
    fill(&cloth, 13, true, v.a);
    for (int p = 0; p < SIDE * SIDE; p++)
        mesh_set_vector(&other.mesh, v.b, transposed(p, SIDE), mesh_vector(&cloth.mesh, v.a, p));
    Cloth *const both[2] = {&cloth, &other};
    for (int i = 0; i < 2; i++) {
        both[i]->model->linearise(both[i], both[i]->x, TANGENT_CLAMPED);
        LinearOperator A = both[i]->model->assemble(both[i], 1.0, STEP * STEP, 0.0);
        apply(&A, &v, i == 0 ? v.a : v.b, i == 0 ? v.Ma : v.Mb);
    }
    double largest = vector_largest(cloth.mesh.dofs, v.Ma);
    for (int p = 0; p < SIDE * SIDE; p++) {
        Vec3 off = vec3_sub(mesh_vector(&cloth.mesh, v.Ma, p),
                            mesh_vector(&other.mesh, v.Mb, transposed(p, SIDE)));
        assert_near(vec3_length(off), 0.0, 1e-9 * largest);
    }
    vectors_finish(&v);
    cloth_finish(&cloth);
    cloth_finish(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_symmetric_and_definite),
        cmocka_unit_test(it_saves_iterations_and_solves_the_same),
        cmocka_unit_test(it_is_left_out_where_it_does_not_pay),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(axes_do_not_matter),
        cmocka_unit_test(rows_and_columns_do_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
