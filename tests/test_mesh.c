// Meshes that are not square grids: ropes, single springs, any triangles.
#include "support/solver_test.h"

#include "cloth/forces.h"
#include "cloth/mesh_edges.h"
#include "cloth/mesh_triangles.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A square of two triangles, and a third triangle standing up beside it.
static const Vec3 corners[] = {
    {0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {1.0, 0.0, 1.0}, {0.0, 0.0, 1.0}, {0.0, 1.0, 0.5}};
static const uint32_t folded[][3] = {{0, 2, 1}, {0, 3, 2}, {0, 4, 3}};

static TriangleList list_of(int particles, const Vec3 *position, int count,
                            const uint32_t (*triangles)[3])
{
    return (TriangleList){.particle_count = particles,
                          .position = position,
                          .triangle_count = count,
                          .triangles = triangles};
}

static void a_rope_is_a_grid_of_one_row(void **state)
{
    (void)state;
    const int counts[] = {2, 3, 20};
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
        int n = counts[k];
        Cloth rope;
        assert_int_equal(cloth_init_grid(&rope, 1, n, 2.0, 0.3, NULL), STATUS_OK);
        assert_int_equal(rope.mesh.spring_count, n - 1 + (n > 2 ? n - 2 : 0));
        assert_int_equal(rope.mesh.kind_start[SPRING_BEND], n - 1);
        assert_int_equal(rope.mesh.triangle_count, 0);
        double spacing = 2.0 / (n - 1), mass = 0.0;
        for (int p = 0; p < n; p++) mass += cloth_mass(&rope, p);
        assert_near(mass, 0.3 * 2.0 * spacing, 1e-15); // a strip one spacing wide
        assert_near(cloth_mass(&rope, 0), cloth_mass(&rope, n - 1), 0.0);
        cloth_finish(&rope);
    }
    Cloth ladder; // upright: the same along z
    assert_int_equal(cloth_init_grid(&ladder, 5, 1, 2.0, 0.3, NULL), STATUS_OK);
    assert_int_equal(ladder.mesh.spring_count, 4 + 3);
    assert_near(cloth_mass(&ladder, 0), 0.3 * 2.0 * 0.5 / 5.0, 1e-15);
    cloth_finish(&ladder);
}

static void fewer_than_two_particles_are_refused(void **state)
{
    (void)state;
    const int shapes[][2] = {{1, 1}, {0, 5}, {5, 0}, {-1, -1}};
    for (size_t k = 0; k < sizeof shapes / sizeof shapes[0]; k++) {
        Cloth cloth;
        Error error = {0};
        assert_int_equal(cloth_init_grid(&cloth, shapes[k][0], shapes[k][1], 1.0, 0.2, &error),
                         STATUS_BAD_PARAMETER);
        assert_non_null(strstr(error.text, "at least two particles"));
        cloth_finish(&cloth);
    }
}

static void a_single_spring_pulls_as_hooke_says(void **state)
{
    (void)state;
    Cloth pair;
    assert_int_equal(cloth_init_grid(&pair, 1, 2, 0.5, 2.0, NULL), STATUS_OK);
    cloth_set_material(&pair, (Material){.stiffness = {40.0, 0.0, 0.0}});
    mesh_set_vector(&pair.mesh, pair.x, 1, (Vec3){0.0, 0.8, 0.0});
    double f[128] = {0};
    assert_true(pair.mesh.dofs <= 128);
    cloth_forces(&pair, pair.x, pair.v, f);
    assert_near(mesh_vector(&pair.mesh, f, 0).y, 40.0 * 0.3, 1e-13);
    assert_near(mesh_vector(&pair.mesh, f, 1).y, -40.0 * 0.3, 1e-13);
    assert_near(cloth_elastic_energy(&pair, pair.x), 0.5 * 40.0 * 0.09, 1e-13);
    assert_near(cloth_mass(&pair, 0), 2.0 * 0.5 * 0.5 / 2.0, 1e-15);
    cloth_finish(&pair);
}

static void edges_know_their_two_sides(void **state)
{
    (void)state;
    MeshEdges edges;
    assert_int_equal(mesh_edges_init(&edges, 5, 3, folded, NULL), STATUS_OK);
    assert_int_equal(edges.count, 7);
    assert_int_equal(edges.crowded, -1);
    int shared = 0;
    for (int e = 0; e < edges.count; e++) {
        const MeshEdge *edge = &edges.items[e];
        assert_true(edge->ends[0] < edge->ends[1]);
        if (edge->side[1] < 0) continue;
        shared++;
        bool diagonal = edge->ends[0] == 0 && edge->ends[1] == 2;
        assert_true(diagonal || (edge->ends[0] == 0 && edge->ends[1] == 3));
        assert_int_equal(edge->opposite[0] + edge->opposite[1], diagonal ? 1 + 3 : 2 + 4);
    }
    assert_int_equal(shared, 2);
    mesh_edges_finish(&edges);
}

static void triangles_become_springs_and_masses(void **state)
{
    (void)state;
    Mesh mesh;
    Cloth cloth;
    TriangleList list = list_of(5, corners, 3, folded);
    assert_int_equal(mesh_init_triangles(&mesh, &list, 2.0, NULL), STATUS_OK);
    assert_int_equal(mesh.rows, 0);
    assert_int_equal(mesh.kind_start[SPRING_SHEAR], 7);
    assert_int_equal(mesh.kind_start[SPRING_BEND], 7);
    assert_int_equal(mesh.spring_count, 9); // two shared edges, a bend spring across each
    assert_near(mesh.width, 2.0, 1e-15);
    assert_near(mesh.depth, 2.0, 1e-15); // scaled by 2
    assert_near(mesh.height, 2.0, 1e-15);
    for (int p = 0; p < 5; p++) {
        Vec3 x = mesh.rest_position[p];
        assert_true(x.x >= 0.0 && x.y <= 0.0 && x.z >= 0.0 && x.y >= -2.0);
    }
    for (int s = 0; s < mesh.spring_count; s++) {
        Vec3 d = vec3_sub(mesh.rest_position[mesh.springs[s][0]],
                          mesh.rest_position[mesh.springs[s][1]]);
        assert_near(mesh.rest_length[s], vec3_length(d), 1e-15);
        assert_true(mesh.rest_length[s] > 0.1);
    }
    assert_int_equal(cloth_init(&cloth, &mesh, 0.5, NULL), STATUS_OK);
    double mass = 0.0;
    for (int p = 0; p < 5; p++) mass += cloth_mass(&cloth, p);
    assert_near(mass, 0.5 * (4.0 + 2.0), 1e-14); // a square of 2 m, and half of one
    assert_near(cloth_mass(&cloth, 1), 0.5 * 2.0 / 3.0, 1e-15);
    cloth_finish(&cloth);
}

// A strut given twice, or from either end, or along an edge, is one spring.
static void a_strut_is_one_spring(void **state)
{
    (void)state;
    static const uint32_t struts[][2] = {{3, 1}, {0, 2}, {1, 4}, {1, 3}, {4, 3}, {1, 3}, {4, 1}};
    Mesh mesh;
    TriangleList list = list_of(5, corners, 3, folded);
    list.strut_count = 7;
    list.struts = struts;
    assert_int_equal(mesh_init_triangles(&mesh, &list, 2.0, NULL), STATUS_OK);
    assert_int_equal(mesh.kind_start[SPRING_SHEAR], 7);
    assert_int_equal(mesh.kind_start[SPRING_BEND], 9); // 1 to 3 and 1 to 4
    assert_int_equal(mesh.spring_count, 9);            // instead of bend springs
    for (int s = 7; s < 9; s++) {
        assert_int_equal(mesh.springs[s][0], 1);
        assert_int_equal(mesh.springs[s][1], s == 7 ? 3 : 4);
    }
    mesh_finish(&mesh);
}

// The radius of the smallest circle around it: a / sqrt(3) of an equilateral triangle with sides a;
// half of the longest side where an angle is 90 degrees or more.
static void the_reach_is_that_of_the_smallest_circle(void **state)
{
    (void)state;
    static const uint32_t one[][3] = {{0, 1, 2}};
    const struct {
        double x, y, reach; // of the third corner; the first two are 1 m apart
    } cases[] = {{0.5, 0.5 * sqrt(3.0), 1.0 / sqrt(3.0)},
                 {0.5, 0.6, 0.5 * (0.36 + 0.25) / 0.6}, // acute: legs^2 / (2 height)
                 {0.0, 0.75, 0.5 * 1.25},               // 3 : 4 : 5
                 {0.4, 0.2, 0.5}};
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        const Vec3 at[] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {cases[k].x, cases[k].y, 0.0}};
        Mesh mesh;
        TriangleList list = list_of(3, at, 1, one);
        assert_int_equal(mesh_init_triangles(&mesh, &list, 1.0, NULL), STATUS_OK);
        assert_near(mesh.reach, cases[k].reach, 1e-15);
        mesh_finish(&mesh);
    }
}

static void factors_scale_the_stiffness_of_single_springs(void **state)
{
    (void)state;
    Cloth cloth;
    assert_int_equal(cloth_init_grid(&cloth, 3, 3, 1.0, 0.2, NULL), STATUS_OK);
    cloth_set_spring_factor(&cloth, 4, 0.5);
    cloth_set_material(&cloth, (Material){.stiffness = {50.0, 25.0, 5.0}});
    assert_near(cloth.spring_stiffness[3], 50.0, 0.0);
    assert_near(cloth.spring_stiffness[4], 25.0, 0.0);
    cloth_finish(&cloth);
}

static void bad_triangles_are_named(void **state)
{
    (void)state;
    static const uint32_t outside[][3] = {{0, 1, 2}, {0, 2, 9}};
    static const uint32_t crowded[][3] = {{0, 1, 2}, {0, 2, 3}, {0, 2, 4}};
    static const uint32_t twice[][3] = {{0, 1, 2}, {2, 1, 0}, {0, 3, 2}};
    static const uint32_t point[][3] = {{0, 1, 1}};
    static const uint32_t some[][3] = {{0, 1, 2}};
    Vec3 flat[5], endless[5];
    memcpy(flat, corners, sizeof flat);
    memcpy(endless, corners, sizeof endless);
    flat[2] = (Vec3){0.5, 0.0, 1e-9};
    endless[1].y = NAN;
    const struct {
        TriangleList list;
        const char *sentence;
    } cases[] = {
        {list_of(5, corners, 2, outside), "triangle 1: a corner"},
        {list_of(5, corners, 3, crowded), "an edge belongs to three"},
        {list_of(4, corners, 3, twice), "an edge belongs to three"},
        {list_of(3, corners, 2, twice), "triangle 1: two triangles have the same corners"},
        {list_of(3, corners, 1, point), "triangle 0: the triangle has no area"},
        {list_of(3, flat, 1, some), "triangle 0: the triangle has no area"},
        {list_of(5, corners, 1, some), "vertex 3: the vertex belongs to no triangle"},
        {list_of(3, endless, 1, some), "vertex 1: a coordinate"},
        {list_of(3, corners, 0, some), "no triangle"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        Mesh mesh;
        Error error = {0};
        assert_int_equal(mesh_init_triangles(&mesh, &cases[k].list, 1.0, &error),
                         STATUS_BAD_PARAMETER);
        if (!strstr(error.text, cases[k].sentence)) fail_msg("%s", error.text);
        assert_null(mesh.springs);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_rope_is_a_grid_of_one_row),
        cmocka_unit_test(fewer_than_two_particles_are_refused),
        cmocka_unit_test(a_single_spring_pulls_as_hooke_says),
        cmocka_unit_test(edges_know_their_two_sides),
        cmocka_unit_test(triangles_become_springs_and_masses),
        cmocka_unit_test(a_strut_is_one_spring),
        cmocka_unit_test(the_reach_is_that_of_the_smallest_circle),
        cmocka_unit_test(factors_scale_the_stiffness_of_single_springs),
        cmocka_unit_test(bad_triangles_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
