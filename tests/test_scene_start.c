// How a scene becomes a cloth: mesh, spread, initial position and velocity, pins.
#include "support/solver_test.h"

#include "scene/scene_start.h"
#include "simulation/simulation_state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// A mesh of 2 m by 1 m, standing (in the plane z = 5) or lying, in its own file.
static void write_mesh(char path[64], bool standing)
{
    strcpy(path, "/tmp/selvage-mesh-XXXXXX");
    int handle = mkstemp(path);
    assert_true(handle >= 0);
    FILE *file = fdopen(handle, "w");
    assert_non_null(file);
    for (int row = 0; row < 3; row++) {
        for (int column = 0; column < 5; column++) {
            double x = 0.5 * column, down = 0.5 * row;
            fprintf(file, "v %g %g %g\n", x, standing ? -down : 3.0, standing ? 5.0 : down);
        }
    }
    for (int row = 0; row < 2; row++) {
        for (int column = 0; column < 4; column++) {
            int p = 5 * row + column + 1;
            fprintf(file, "f %d %d %d %d\n", p, p + 5, p + 6, p + 1);
        }
    }
    assert_int_equal(fclose(file), 0);
}

static void meshes_are_pinned_by_their_corners_and_edges(void **state)
{
    (void)state;
    const struct {
        unsigned pins;
        const char *pinned; // one letter per particle
    } cases[] = {
        {PIN_TOP_LEFT | PIN_TOP_RIGHT, "x...x.........."},
        {PIN_BOTTOM_LEFT, "..........x...."},
        {PIN_BOTTOM_RIGHT, "..............x"},
        {PIN_TOP_EDGE, "xxxxx.........."},
        {PIN_LEFT_EDGE, "x....x....x...."},
        {PIN_BOTTOM_EDGE, "..........xxxxx"},
        {PIN_RIGHT_EDGE, "....x....x....x"},
        {0, "..............."},
    };
    for (int standing = 0; standing < 2; standing++) {
        char path[64];
        write_mesh(path, standing);
        for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
            Scene scene = scene_with("size=4");
            snprintf(scene.mesh, sizeof scene.mesh, "%s", path);
            scene.pins = cases[k].pins;
            Simulation *simulation = simulation_of(&scene);
            const Cloth *cloth = &simulation->body.cloth;
            assert_int_equal(cloth->mesh.particle_count, 15);
            for (int p = 0; p < 15; p++) {
                assert_int_equal(cloth->pinned[p], cases[k].pinned[p] == 'x');
            }
            Vec3 last = mesh_vector(&cloth->mesh, cloth->x, 14); // scaled by two
            assert_near(last.x, 4.0, 1e-15);
            assert_near(standing ? -last.y : last.z, 2.0, 1e-15);
            simulation_destroy(simulation);
        }
        unlink(path);
    }
}

static void a_missing_mesh_is_told_of(void **state)
{
    (void)state;
    Scene scene = scene_default();
    Simulation *simulation;
    Error error = {0};
    strcpy(scene.mesh, "no-such.obj");
    assert_int_equal(simulation_create(&scene, &simulation, &error), STATUS_FILE);
    assert_non_null(strstr(error.text, "no-such.obj"));
    assert_null(simulation);
}

static void starts_are_turned_stretched_and_thrown(void **state)
{
    (void)state;
    Scene scene = scene_with("rows=1 columns=3 size=1");
    scene.pins = PIN_TOP_LEFT;
    scene.start = START_HANGING;
    scene.start_stretch = 1.5;
    scene.start_velocity = (Vec3){1.0, 2.0, 3.0};
    Simulation *simulation = simulation_of(&scene);
    const Cloth *rope = &simulation->body.cloth;
    assert_near(mesh_vector(&rope->mesh, rope->x, 2).y, -1.5, 1e-15);
    assert_near(mesh_vector(&rope->mesh, rope->x, 2).x, 0.0, 0.0);
    assert_near(mesh_vector(&rope->mesh, rope->v, 2).z, 3.0, 0.0);
    assert_near(vec3_length(mesh_vector(&rope->mesh, rope->v, 0)), 0.0, 0.0); // pinned
    assert_near(scene_start_centre(&scene, &rope->mesh).y, -0.75, 1e-15);
    simulation_destroy(simulation);

    scene = scene_with("rows=3 columns=3 size=1");
    scene.start = START_HANGING;
    simulation = simulation_of(&scene);
    const Cloth *cloth = &simulation->body.cloth;
    assert_near(mesh_vector(&cloth->mesh, cloth->x, 8).y, -1.0, 1e-15);
    assert_near(mesh_vector(&cloth->mesh, cloth->x, 8).x, 1.0, 1e-15);
    assert_near(mesh_vector(&cloth->mesh, cloth->x, 8).z, 0.0, 1e-15);
    simulation_destroy(simulation);
}

static void spreads_stay_within_their_share_and_repeat(void **state)
{
    (void)state;
    Scene scene = scene_with("rows=20 columns=20");
    scene.mass_spread = 0.3;
    scene.stiffness_spread = 0.5;
    Simulation *a = simulation_of(&scene), *b = simulation_of(&scene);
    const Cloth *first = &a->body.cloth, *second = &b->body.cloth;
    double mean = scene.params.density * first->mesh.area[0], low = 2.0, high = 0.0, sum = 0.0;
    for (int p = 0; p < 400; p++) {
        double share = cloth_mass(first, p) / mean;
        assert_true(share >= 0.7 && share <= 1.3);
        assert_true(cloth_mass(first, p) == cloth_mass(second, p));
        low = fmin(low, share), high = fmax(high, share), sum += share;
    }
    assert_true(low < 0.72 && high > 1.28 && fabs(sum / 400.0 - 1.0) < 0.03);
    low = 2.0, high = 0.0;
    for (int s = 0; s < first->mesh.kind_start[SPRING_SHEAR]; s++) {
        double share = first->spring_stiffness[s] / scene.params.stretch;
        assert_true(share >= 0.5 && share <= 1.5);
        low = fmin(low, share), high = fmax(high, share);
    }
    assert_true(low < 0.53 && high > 1.47);
    simulation_destroy(a);
    simulation_destroy(b);
}

static void a_model_is_changed_while_the_cloth_moves(void **state)
{
    (void)state;
    Scene scene = scene_with("rows=6 columns=6 step=1e-4");
    Simulation *simulation = simulation_of(&scene);
    Command command = {.kind = COMMAND_SET_PARAM};
    command.param.index = (int)(param_find("model") - param_table);
    for (int round = 0; round < 2 * FORCE_MODEL_COUNT; round++) {
        double before = simulation->now.time;
        Vec3 x = mesh_vector(&simulation->body.cloth.mesh, simulation->body.cloth.x, 20);
        command.param.value = round % FORCE_MODEL_COUNT;
        assert_int_equal(simulation_apply(simulation, &command, NULL), STATUS_OK);
        assert_ptr_equal(simulation->body.cloth.model,
                         force_model_table[round % FORCE_MODEL_COUNT]);
        Vec3 now = mesh_vector(&simulation->body.cloth.mesh, simulation->body.cloth.x, 20);
        assert_true(simulation->now.time == before && vec3_length(vec3_sub(x, now)) == 0.0);
        for (int step = 0; step < 20; step++) {
            assert_int_equal(simulation_step(simulation, NULL), STATUS_OK);
        }
    }
    // a rope has no triangles: refused, and nothing changes
    Scene rope = scene_with("rows=1 columns=6");
    command = (Command){.kind = COMMAND_LOAD_SCENE, .scene = &rope};
    assert_int_equal(simulation_apply(simulation, &command, NULL), STATUS_OK);
    command = (Command){.kind = COMMAND_SET_PARAM};
    command.param.index = (int)(param_find("model") - param_table);
    command.param.value = 1;
    Error error = {0};
    assert_int_equal(simulation_apply(simulation, &command, &error), STATUS_BAD_PARAMETER);
    assert_non_null(strstr(error.text, "needs triangles"));
    assert_int_equal(simulation->scene.params.model, 0);
    assert_int_equal(simulation_step(simulation, NULL), STATUS_OK);
    simulation_destroy(simulation);
}

// Symplectic Euler keeps the radius of an orbit within 3 %.
static void a_ball_orbits(void **state)
{
    (void)state;
    Scene scene = scene_with("rows=1 columns=2 size=0.5 density=8 stretch=40 gravity=0 air=0 "
                             "alpha=0 step=5e-3");
    scene.pins = PIN_TOP_LEFT;
    scene.start_stretch = 1.6;
    scene.start_velocity = (Vec3){0.0, sqrt(12.0 * 0.8), 0.0};
    Simulation *simulation = simulation_of(&scene);
    const Cloth *cloth = &simulation->body.cloth;
    bool below = false;
    for (int step = 0; step < 1000; step++) {
        assert_int_equal(simulation_step(simulation, NULL), STATUS_OK);
        Vec3 x = mesh_vector(&cloth->mesh, cloth->x, 1);
        assert_near(vec3_length(x), 0.8, 0.024);
        below = below || x.y < -0.7;
    }
    assert_true(below);
    simulation_destroy(simulation);
}

// What a camera shows of a scene: scene_start.h.
static bool is_seen(SceneView view, Vec3 point, double reach)
{
    Vec3 middle = vec3_add(view.centre, (Vec3){0.0, -0.8 * view.radius, 0.0});
    return vec3_length(vec3_sub(point, middle)) + reach <= 1.35 * view.radius + 1e-9;
}

static SceneView view_of(const Scene *scene)
{
    Cloth cloth;
    assert_int_equal(scene_build(scene, NULL, &cloth, NULL), STATUS_OK);
    SceneView view = scene_view(scene, &cloth.mesh);
    cloth_finish(&cloth);
    return view;
}

static void the_view_holds_bodies_and_swings(void **state)
{
    (void)state;
    Scene scene = scene_with("rows=6 columns=6 size=1");
    SceneView bare = view_of(&scene);
    assert_near(bare.radius, sqrt(0.5), 1e-12);
    assert_near(bare.centre.x, 0.5, 1e-12);
    // A body where the cloth is seen anyway changes nothing.
    scene.collider_count = 1;
    scene.colliders[0] = collider_default();
    scene.colliders[0].centre = (Vec3){0.5, -0.5, 0.5};
    SceneView near = view_of(&scene);
    assert_near(near.radius, bare.radius, 1e-12);
    assert_near(near.centre.y, bare.centre.y, 1e-12);
    // Others are seen, with their paths, and the cloth still is.
    scene.colliders[0].centre = (Vec3){2.0, -0.5, 0.5};
    scene.colliders[0].path = (ColliderPath){
        .count = 2, .time = {0.0, 1.0}, .offset = {{0.0, 0.0, 0.0}, {0.0, 3.0, 0.0}}};
    SceneView wide = view_of(&scene);
    assert_false(is_seen(bare, scene.colliders[0].centre, 0.25));
    assert_true(is_seen(wide, scene.colliders[0].centre, 0.25));
    assert_true(is_seen(wide, (Vec3){2.0, 2.5, 0.5}, 0.25));
    Vec3 middle = vec3_add(bare.centre, (Vec3){0.0, -0.8 * bare.radius, 0.0});
    assert_true(is_seen(wide, middle, 1.35 * bare.radius));

    // A cloth that falls down is seen from its upper edge to the floor, and larger.
    Scene falling = scene_with("rows=6 columns=6 size=1 ground=-1.1");
    falling.start = START_HANGING;
    SceneView held = view_of(&falling);
    falling.pins = 0;
    SceneView down = view_of(&falling);
    assert_true(down.radius < 0.9 * held.radius);
    assert_true(is_seen(down, (Vec3){0.5, 0.0, 0.0}, 0.0));
    assert_true(is_seen(down, (Vec3){0.5, -1.1, 0.0}, 0.3));
    falling.params.ground = -5.0; // it falls out of sight
    assert_near(view_of(&falling).radius, held.radius, 1e-12);

    // A cloth on a pole: all of it at the start, and most of its swing to the other side; in the
    // middle where it comes to rest. A flag is held out by the wind.
    Scene banner = scene_with("rows=6 columns=11 size=2 ground=-5");
    banner.start = START_HANGING;
    banner.pins = PIN_LEFT_EDGE;
    SceneView pole = view_of(&banner);
    assert_true(is_seen(pole, (Vec3){2.0, 0.0, 0.0}, 0.0));
    assert_true(is_seen(pole, (Vec3){0.0, -2.5, 0.0}, 0.0));
    assert_true(is_seen(pole, (Vec3){-1.2, -1.0, 0.0}, 0.0));
    banner.params.wind = 5.0;
    SceneView flag = view_of(&banner);
    assert_near(flag.centre.x, 1.0, 1e-12);
    assert_true(pole.centre.x < 0.5 * flag.centre.x);

    // All of an orbit, with its centre in the middle; both sides of a rope's swing.
    Scene orbit = scene_with("rows=1 columns=2 size=0.5 gravity=0");
    orbit.pins = PIN_TOP_LEFT;
    orbit.start_stretch = 1.6;
    SceneView around = view_of(&orbit);
    assert_near(around.centre.y - 0.8 * around.radius, 0.0, 1e-12);
    assert_true(is_seen(around, (Vec3){0}, 0.8 * 1.1));
    orbit = scene_with("rows=1 columns=8 size=1");
    orbit.pins = PIN_TOP_LEFT;
    around = view_of(&orbit);
    assert_true(is_seen(around, (Vec3){-1.0, 0.0, 0.0}, 0.0));
    assert_true(is_seen(around, (Vec3){1.0, 0.0, 0.0}, 0.0));
    assert_true(is_seen(around, (Vec3){0.0, -1.0, 0.0}, 0.0));
}

// Twice the cloth, seen from twice as far: what the camera looks at grows with it.
static void the_centre_grows_with_the_cloth(void **state)
{
    (void)state;
    for (int start = 0; start < START_POSES; start++) {
        Vec3 of_one = {0};
        for (double size = 1.0; size < 5.0; size *= 2.0) {
            Scene scene = scene_with("rows=5 columns=4");
            scene.params.size = size;
            scene.start = (StartPose)start;
            Simulation *simulation = simulation_of(&scene);
            Vec3 centre = scene_start_centre(&scene, &simulation->body.cloth.mesh);
            if (size == 1.0) of_one = centre;
            // and the mean is that of the particles
            Vec3 sum = {0}, mean = scene_start_mean(&scene, &simulation->body.cloth.mesh);
            int count = simulation->body.cloth.mesh.particle_count;
            for (int p = 0; p < count; p++) sum = vec3_add(sum, particle_position(simulation, p));
            Vec3 wrong = vec3_add_scaled(mean, -1.0 / count, sum);
            assert_near(vec3_length(wrong), 0.0, 1e-12);
            assert_near(vec3_length(vec3_sub(centre, vec3_scale(size, of_one))), 0.0, 1e-12);
            simulation_destroy(simulation);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(meshes_are_pinned_by_their_corners_and_edges),
        cmocka_unit_test(a_missing_mesh_is_told_of),
        cmocka_unit_test(starts_are_turned_stretched_and_thrown),
        cmocka_unit_test(spreads_stay_within_their_share_and_repeat),
        cmocka_unit_test(a_model_is_changed_while_the_cloth_moves),
        cmocka_unit_test(a_ball_orbits),
        cmocka_unit_test(the_view_holds_bodies_and_swings),
        cmocka_unit_test(the_centre_grows_with_the_cloth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
