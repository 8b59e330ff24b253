// Solid bodies and the floor: their shapes, what they do to a cloth, and to each other.
#include "support/solver_test.h"

#include "cloth/collide.h"
#include "cloth/forces.h"
#include "simulation/simulation_state.h"
#include "simulation/state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT(list) ((int)(sizeof(list) / sizeof(list)[0]))

static Collider body(ColliderShape shape, Vec3 centre, double radius, Vec3 half, Vec3 turn)
{
    Collider collider = {
        .shape = shape, .centre = centre, .radius = radius, .half = half, .turn = turn};
    collider_prepare(&collider);
    assert_int_equal(collider_check(&collider, NULL), STATUS_OK);
    return collider;
}

static Collider ball(Vec3 centre, double radius)
{
    return body(COLLIDER_SPHERE, centre, radius, (Vec3){0}, (Vec3){0});
}

// ---- shapes ----

// The normal is the gradient of the distance, and as long as 1; where the surface is, a ball
// rolled over the inside of the shape says.
static void distances_are_distances(void **state)
{
    (void)state;
    const Collider bodies[] = {
        ball((Vec3){0.1, 0.2, 0.3}, 0.4),
        body(COLLIDER_CAPSULE, (Vec3){0.1, 0.2, 0.3}, 0.2, (Vec3){0.3, 0.1, -0.2}, (Vec3){0}),
        body(COLLIDER_BOX, (Vec3){0.1, 0.2, 0.3}, 0.05, (Vec3){0.3, 0.2, 0.4},
             (Vec3){10.0, -30.0, 50.0}),
    };
    uint32_t seed = 5;
    for (int b = 0; b < COUNT(bodies); b++) {
        for (int i = 0; i < 500; i++) {
            Vec3 x = {noise(&seed), noise(&seed), noise(&seed)}, normal, unused;
            double d = collider_distance(&bodies[b], bodies[b].centre, x, &normal), e = 1e-6;
            assert_near(vec3_length(normal), 1.0, 1e-12);
            // stepping back along the normal ends on the surface
            Vec3 on = vec3_add_scaled(x, -d, normal);
            if (d > -0.04)
                assert_near(collider_distance(&bodies[b], bodies[b].centre, on, &unused), 0.0,
                            1e-12);
            if (d < 0.0) continue; // inside, the distance has edges
            Vec3 way = {noise(&seed), noise(&seed), noise(&seed)};
            double up = collider_distance(&bodies[b], bodies[b].centre, vec3_add_scaled(x, e, way),
                                          &unused);
            double down = collider_distance(&bodies[b], bodies[b].centre,
                                            vec3_add_scaled(x, -e, way), &unused);
            assert_near((up - down) / (2.0 * e), vec3_dot(normal, way), 1e-5);
        }
    }
    // a face, an edge and a corner of a box, by hand
    Collider box = body(COLLIDER_BOX, (Vec3){0}, 0.1, (Vec3){1.0, 1.0, 1.0}, (Vec3){0});
    Vec3 normal;
    assert_near(collider_distance(&box, (Vec3){0}, (Vec3){1.5, 0.2, 0.3}, &normal), 0.5, 1e-12);
    assert_near(collider_distance(&box, (Vec3){0}, (Vec3){1.2, 1.3, 0.0}, &normal), 0.5 - 0.1,
                1e-12);
    assert_near(collider_distance(&box, (Vec3){0}, (Vec3){0.95, 0.0, 0.0}, &normal), -0.05, 1e-12);
    assert_near(normal.x, 1.0, 1e-12);
}

static void paths_are_smooth_and_repeat(void **state)
{
    (void)state;
    ColliderPath path = {
        .count = 3, .time = {0.0, 1.0, 3.0}, .offset = {{0}, {0.5, 0.0, 0.0}, {0.5, 0.2, 0.0}}};
    assert_near(collider_path_offset(&path, 0.5).x, 0.25, 1e-12);
    assert_near(collider_path_offset(&path, 2.0).y, 0.1, 1e-12);
    assert_near(collider_path_offset(&path, 3.5).x, 0.25, 1e-12); // from the beginning
    for (double t = 0.0; t < 3.0; t += 0.1) {                     // it rests at its points
        double speed = (collider_path_offset(&path, t + 1e-6).x - collider_path_offset(&path, t).x);
        if (fabs(t - 1.0) < 1e-9) assert_near(speed, 0.0, 1e-10);
    }
}

// ---- with a cloth ----

static Simulation *start(const Scene *scene)
{
    Simulation *simulation;
    Error error;
    if (simulation_create(scene, &simulation, &error) != STATUS_OK) fail_msg("%s", error.text);
    return simulation;
}

static void assert_outside(Simulation *simulation, const char *what)
{
    const Cloth *cloth = &simulation->body.cloth;
    Surroundings around = simulation_surroundings(simulation);
    for (int p = 0; p < cloth->mesh.particle_count; p++) {
        Surface surface;
        Vec3 x = mesh_vector(&cloth->mesh, cloth->x, p);
        if (cloth_is_held(cloth, p) || !collide_nearest(cloth, &around, x, 0.0, &surface)) continue;
        if (surface.gap < -1e-9)
            fail_msg("%s, %g s: particle %d is %g m inside", what, simulation->now.time, p,
                     -surface.gap);
    }
}

// No particle is inside anything after any step, and neither is a triangle's middle.
static void nothing_ends_inside(void **state)
{
    (void)state;
    for (int v = 0; v < method_variant_count; v += test_share()) {
        char text[300];
        snprintf(text, sizeof text,
                 "rows=9 columns=9 ground=-0.6 friction=0.3 stretch=200 shear=80 bend=4 air=0.5 "
                 "integrator=%s",
                 method_variants[v]);
        Scene scene = scene_with(text);
        scene.pins = 0;
        scene.collider_count = 2;
        scene.colliders[0] = ball((Vec3){0.4, -0.35, 0.5}, 0.25);
        scene.colliders[1] = body(COLLIDER_BOX, (Vec3){0.9, -0.4, 0.5}, 0.06, (Vec3){0.2, 0.2, 0.2},
                                  (Vec3){0.0, 30.0, 0.0});
        scene.colliders[1].path = (ColliderPath){
            .count = 3, .time = {0.0, 0.3, 0.6}, .offset = {{0}, {0.0, 0.1, 0.0}, {0}}};
        if (simulation_check_scene(&scene, NULL) != STATUS_OK) continue;
        Simulation *simulation = start(&scene);
        const Cloth *cloth = &simulation->body.cloth;
        int touched = 0;
        while (simulation->now.time < 0.8) {
            Error error;
            if (simulation_step(simulation, &error) != STATUS_OK)
                fail_msg("%s: %s", method_variants[v], error.text);
            assert_outside(simulation, method_variants[v]);
            touched += simulation->now.contacts > 0;
        }
        assert_true(touched > 5);
        bool stretched = cloth_max_strain(cloth, cloth->x) > 0.1; // by clamped springs
        for (int t = 0; t < cloth->mesh.triangle_count && !stretched; t++) {
            Vec3 middle = {0}, normal;
            for (int c = 0; c < 3; c++)
                middle = vec3_add_scaled(
                    middle, 1.0 / 3.0,
                    mesh_vector(&cloth->mesh, cloth->x, (int)cloth->mesh.triangles[t][c]));
            double d = collider_distance(&scene.colliders[0], simulation->now.motions[0].centre,
                                         middle, &normal);
            if (d < 0.0) fail_msg("%s: a triangle cuts the ball by %g m", method_variants[v], -d);
        }
        simulation_destroy(simulation);
    }
}

// ---- friction on a slope ----

static Scene slope(const char *method, double degrees, double friction)
{
    char text[300];
    snprintf(text, sizeof text,
             "rows=3 columns=3 size=0.2 stretch=50 shear=20 bend=2 air=0 ground=-100 "
             "pcg_tolerance=1e-9 newton_tolerance=1e-9 friction=%g integrator=%s",
             friction, method);
    Scene scene = scene_with(text);
    scene.pins = 0;
    scene.collider_count = 1;
    // the cloth lies on its upper face: turn and lower the box, not the cloth
    double angle = degrees * M_PI / 180.0;
    scene.colliders[0] =
        body(COLLIDER_BOX, (Vec3){0}, 0.3, (Vec3){50.0, 1.0, 50.0}, (Vec3){0.0, 0.0, -degrees});
    Vec3 up = {sin(angle), cos(angle), 0.0};
    scene.colliders[0].centre = vec3_scale(-1.1, up);
    return scene;
}

// Lay the cloth on the slope, at rest.
static void lay_down(Simulation *simulation)
{
    Cloth *cloth = &simulation->body.cloth;
    const Collider *plane = &simulation->scene.colliders[0];
    Vec3 along = plane->axes[0], across = plane->axes[2], up = plane->axes[1];
    double height = plane->half.y + collider_thickness(plane, cloth->mesh.reach);
    for (int p = 0; p < cloth->mesh.particle_count; p++) {
        Vec3 rest = cloth->mesh.rest_position[p], x = plane->centre;
        x = vec3_add_scaled(x, height, up);
        x = vec3_add_scaled(x, rest.x, along);
        x = vec3_add_scaled(x, rest.z, across);
        mesh_set_vector(&cloth->mesh, cloth->x, p, x);
    }
    simulation_forget(simulation);
    balance_reset(&simulation->now.balance, cloth);
}

// Below the angle of friction it stays, above it goes like a block: a = g (sin - friction cos).
static void a_slope_holds_up_to_its_angle(void **state)
{
    (void)state;
    int compared = 0;
    for (int v = 0; v < method_variant_count; v += test_share()) {
        for (int steep = 0; steep < 2; steep++) {
            double degrees = steep ? 25.0 : 19.0, friction = 0.4; // atan 0.4 = 21.8 degrees
            Scene scene = slope(method_variants[v], degrees, friction);
            if (simulation_check_scene(&scene, NULL) != STATUS_OK) continue;
            Simulation *simulation = start(&scene);
            lay_down(simulation);
            Vec3 before = particle_position(simulation, 4);
            while (simulation->now.time < 0.5) run_steps(simulation, 1);
            Vec3 way = vec3_sub(particle_position(simulation, 4), before);
            double t = simulation->now.time, angle = degrees * M_PI / 180.0;
            double a = steep ? 9.81 * (sin(angle) - friction * cos(angle)) : 0.0;
            double expected = 0.5 * a * t * t, h = simulation_next_step(simulation);
            double allowed = steep ? a * t * h + 0.03 * expected : 2e-3;
            if (!(fabs(vec3_length(way) - expected) <= allowed))
                fail_msg("%s at %g degrees: %g m, not %g m (h = %g s)", method_variants[v], degrees,
                         vec3_length(way), expected, h);
            simulation_destroy(simulation);
            compared++;
        }
    }
    print_message("%d cases\n", compared);
    assert_true(compared > 20 / test_share());
}

// The tolerance of the solver does not show in the friction: 30 % too slow at 1e-2 once.
static void friction_does_not_depend_on_the_tolerance(void **state)
{
    (void)state;
    const char *const methods[] = {"backward-euler", "backward-euler-newton", "imex", "imex-axial"};
    for (int m = 0; m < COUNT(methods); m++) {
        Scene scene = slope(methods[m], 25.0, 0.4);
        scene.params.pcg_tolerance = 1e-2;
        scene.params.newton_tolerance = 1e-3;
        Simulation *simulation = start(&scene);
        lay_down(simulation);
        Vec3 before = particle_position(simulation, 4);
        while (simulation->now.time < 0.5) run_steps(simulation, 1);
        Vec3 way = vec3_sub(particle_position(simulation, 4), before);
        double t = simulation->now.time, angle = 25.0 * M_PI / 180.0;
        double a = 9.81 * (sin(angle) - 0.4 * cos(angle));
        double h = simulation_next_step(simulation), expected = 0.5 * a * t * (t + h);
        print_message("%s: %g m of %g m\n", methods[m], vec3_length(way), expected);
        assert_near(vec3_length(way) / expected, 1.0, 0.02);
        simulation_destroy(simulation);
    }
}

// What lies on a body that rises moves with it, and is not thrown.
static void a_rising_body_carries_the_cloth(void **state)
{
    (void)state;
    const char *const methods[] = {"backward-euler", "backward-euler-newton", "imex", "imex-axial"};
    for (int m = 0; m < COUNT(methods); m++) {
        Scene scene = slope(methods[m], 0.0, 0.4);
        scene.colliders[0].path =
            (ColliderPath){.count = 2, .time = {0.0, 1.0}, .offset = {{0}, {0.0, 0.3, 0.0}}};
        Simulation *simulation = start(&scene);
        lay_down(simulation);
        while (simulation->now.time < 0.6) {
            run_steps(simulation, 1);
            double surface = simulation->now.motions[0].velocity.y;
            double up = mesh_vector(&simulation->body.cloth.mesh, simulation->body.cloth.v, 4).y;
            if (simulation->now.time < 0.45) assert_near(up, surface, 1e-6);
        }
        simulation_destroy(simulation);
    }
}

// What lies on the floor gets no velocity and touches in every step. Methods that move particles
// with their old velocities let it fall by g h^2 in every second step once.
static void what_rests_does_not_fall(void **state)
{
    (void)state;
    const char *const methods[] = {"explicit-euler", "leu", "midpoint", "rk4", "symplectic-euler"};
    for (int m = 0; m < COUNT(methods); m++) {
        char text[200];
        snprintf(text, sizeof text,
                 "rows=3 columns=3 size=0.2 stretch=50 shear=20 bend=2 ground=-0.7 integrator=%s",
                 methods[m]);
        Scene scene = scene_with(text);
        scene.pins = 0;
        Simulation *simulation = start(&scene);
        Cloth *cloth = &simulation->body.cloth;
        for (int p = 0; p < cloth->mesh.particle_count; p++) {
            Vec3 x = mesh_vector(&cloth->mesh, cloth->x, p);
            mesh_set_vector(&cloth->mesh, cloth->x, p, (Vec3){x.x, scene.params.ground, x.z});
        }
        simulation_forget(simulation);
        balance_reset(&simulation->now.balance, cloth);
        for (int i = 0; i < 500; i++) {
            run_steps(simulation, 1);
            assert_int_equal(simulation->now.contacts, cloth->mesh.particle_count);
            assert_near(cloth_max_speed(cloth, cloth->v), 0.0, 1e-12);
        }
        assert_near(simulation_readings(simulation).balance.contact, 0.0, 1e-15);
        simulation_destroy(simulation);
    }
}

// ---- free balls ----

static Vec3 momentum_of(const Simulation *simulation)
{
    const Cloth *cloth = &simulation->body.cloth;
    Vec3 sum = {0};
    for (int p = 0; p < cloth->mesh.particle_count; p++)
        sum = vec3_add_scaled(sum, cloth_mass(cloth, p), mesh_vector(&cloth->mesh, cloth->v, p));
    for (int i = 0; i < simulation->scene.collider_count; i++)
        sum = vec3_add_scaled(sum, simulation->scene.colliders[i].mass,
                              simulation->now.motions[i].velocity);
    return sum;
}

// A ball flies into a free cloth: together they keep their momentum.
static void a_ball_and_a_cloth_keep_their_momentum(void **state)
{
    (void)state;
    const char *const methods[] = {"symplectic-euler",      "rk4",        "backward-euler",
                                   "backward-euler-newton", "imex-axial", "harmonic"};
    for (int m = 0; m < COUNT(methods); m++) {
        char text[200];
        snprintf(text, sizeof text,
                 "rows=9 columns=9 gravity=0 air=0 ground=-100 stretch=100 shear=40 bend=2 "
                 "pcg_tolerance=1e-10 integrator=%s",
                 methods[m]);
        Scene scene = scene_with(text);
        scene.pins = 0;
        scene.collider_count = 1;
        scene.colliders[0] = ball((Vec3){0.5, 0.3, 0.5}, 0.2);
        scene.colliders[0].mass = 0.5;
        scene.colliders[0].velocity = (Vec3){0.2, -2.0, 0.1};
        Simulation *simulation = start(&scene);
        Vec3 before = momentum_of(simulation);
        while (simulation->now.time < 0.5) run_steps(simulation, 1);
        Vec3 change = vec3_sub(momentum_of(simulation), before);
        assert_true(simulation->now.motions[0].velocity.y > -1.9); // it did hit
        if (!(vec3_length(change) < 1e-9))
            fail_msg("%s: momentum changed by %g kg m/s", methods[m], vec3_length(change));
        simulation_destroy(simulation);
    }
}

// A ball dropped on the floor bounces to restitution^2 of its height, and rolls without slipping
// after a while: v = 5/7 v0.
static void a_ball_bounces_and_rolls(void **state)
{
    (void)state;
    Scene scene = scene_with("rows=2 columns=2 ground=-1 restitution=0.5 step=1e-4 friction=0.5");
    scene.collider_count = 1;
    scene.colliders[0] = ball((Vec3){5.0, 0.1, 5.0}, 0.1);
    scene.colliders[0].mass = 1.0;
    Simulation *simulation = start(&scene);
    double highest = -1.0;
    bool bounced = false;
    while (simulation->now.time < 0.9) {
        run_steps(simulation, 1);
        const ColliderMotion *motion = &simulation->now.motions[0];
        bounced = bounced || motion->velocity.y > 0.1;
        if (bounced) highest = fmax(highest, motion->centre.y);
    }
    assert_near(highest + 0.9, 0.25, 2e-3);
    simulation_destroy(simulation);

    scene.params.restitution = 0.0;
    scene.colliders[0].centre.y = -0.9;
    scene.colliders[0].velocity = (Vec3){1.0, 0.0, 0.0};
    simulation = start(&scene);
    while (simulation->now.time < 0.5) run_steps(simulation, 1);
    assert_near(simulation->now.motions[0].velocity.x, 5.0 / 7.0, 1e-3);
    assert_near(-simulation->now.motions[0].spin.z * 0.1, 5.0 / 7.0, 1e-3);
    simulation_destroy(simulation);
}

static void a_state_with_bodies_goes_on_as_before(void **state)
{
    (void)state;
    const char *const methods[] = {"symplectic-euler", "backward-euler"};
    for (int m = 0; m < COUNT(methods); m++) {
        char text[100];
        snprintf(text, sizeof text, "rows=7 columns=7 integrator=%s", methods[m]);
        Scene scene = scene_with(text);
        scene.collider_count = 2;
        scene.colliders[0] = ball((Vec3){0.5, -0.2, 0.5}, 0.15);
        scene.colliders[0].path = (ColliderPath){
            .count = 3, .time = {0.0, 0.5, 1.0}, .offset = {{0}, {0.1, 0.1, 0.0}, {0}}};
        scene.colliders[1] = ball((Vec3){0.4, 0.3, 0.4}, 0.1);
        scene.colliders[1].mass = 0.3;
        Simulation *simulation = start(&scene);
        while (simulation->now.time < 0.3) run_steps(simulation, 1);
        State *saved;
        assert_int_equal(state_create(&saved, NULL), STATUS_OK);
        assert_int_equal(state_save(simulation, saved, NULL), STATUS_OK);
        run_steps(simulation, 20);
        uint64_t hash = simulation_hash(simulation);
        assert_int_equal(state_restore(saved, simulation, NULL), STATUS_OK);
        run_steps(simulation, 20);
        assert_true(simulation_hash(simulation) == hash);
        state_destroy(saved);
        simulation_destroy(simulation);
    }
}

// ---- energy

// A cloth falls on a ball and slides on it: what it loses is booked. A still body never gives, in
// any step. What is left is the method's own error: next to nothing for those that keep energy, up
// to 3 % in these short steps for the others, more for `leu`, whose linearisation is
// older than a landing; test_contact_dense has the work itself to 1e-8. `imex` damps too much for a
// bound, and `printed` is wrong at any step.
static void the_account_closes_in_contact(void **state)
{
    (void)state;
    for (int v = 0; v < method_variant_count; v += test_share()) {
        const char *method = method_variants[v];
        if (strstr(method, "printed")) continue;
        bool keeps = strstr(method, "symplectic") || strstr(method, "verlet") ||
                     strstr(method, "midpoint") || strstr(method, "rk4");
        double most = keeps ? 0.003 : strstr(method, "leu") ? 0.2 : 0.03;
        for (int slides = 0; slides < 2; slides++) {
            char text[300];
            snprintf(text, sizeof text,
                     "rows=9 columns=9 ground=-0.7 friction=%g stretch=60 shear=25 bend=2 air=0.5 "
                     "alpha=1e-3 step=%s pcg_tolerance=1e-8 newton_tolerance=1e-8 integrator=%s",
                     slides ? 0.1 : 0.4, keeps ? "1e-4" : "5e-5", method);
            Scene scene = scene_with(text);
            scene.pins = 0;
            scene.collider_count = 1;
            scene.colliders[0] = ball((Vec3){slides ? 0.65 : 0.5, -0.35, 0.5}, 0.3);
            if (simulation_check_scene(&scene, NULL) != STATUS_OK) continue;
            Simulation *simulation = start(&scene);
            while (simulation->now.time < 0.4) {
                double before = simulation->now.balance.sum.contact;
                run_steps(simulation, 1);
                double work = simulation->now.balance.sum.contact - before;
                if (work > 1e-15)
                    fail_msg("%s at %g s: a still body gives %g J", method, simulation->now.time,
                             work);
            }
            EnergyBalance b = simulation_readings(simulation).balance;
            double lost = b.damping - b.contact;
            print_message("%-40s contact %.4f damping %.4f remainder %.5f J\n", method, b.contact,
                          b.damping, b.remainder);
            assert_true(b.contact < -0.02);
            if (strcmp(method, "imex") != 0 && fabs(b.remainder) > most * lost)
                fail_msg("%s: %g J of %g J are not booked", method, b.remainder, lost);
            simulation_destroy(simulation);
        }
    }
}

// An impulse stops 0.01 m/s of 0.1 kg, and withstands a force of 50 N for 1 ms while the particle
// does not move. It takes the energy that came, m v^2 / 2 = 5e-6 J. Times the mean of the
// velocities all of it took 51 times as much, so that a ball on a cloth worked for ever. On a
// surface that rises, what it carries is added; what slides loses J.u.
static void what_is_pressed_loses_what_it_came_with(void **state)
{
    (void)state;
    ContactMotion stops = {.mass = 0.1, .before = {0.0, -0.01, 0.0}};
    Vec3 impulse = {0.0, 0.051, 0.0};
    assert_near(collide_work(impulse, (Vec3){0}, &stops), -5e-6, 1e-18);
    Vec3 rises = {0.0, 0.2, 0.0};
    ContactMotion carried = {
        .mass = 0.1, .before = {0.0, 0.19, 0.0}, .after = rises, .moved = rises};
    assert_near(collide_work(impulse, rises, &carried), 0.051 * 0.2 - 5e-6, 1e-15);
    ContactMotion slides = {
        .mass = 0.1, .before = {0.3, 0.0, 0.0}, .after = {0.3, 0.0, 0.0}, .moved = {0.3, 0.0, 0.0}};
    assert_near(collide_work((Vec3){-0.02, 0.05, 0.0}, (Vec3){0}, &slides), -0.006, 1e-15);
}

// ---- the hand

static void apply(Simulation *simulation, Command command)
{
    Error error;
    if (simulation_apply(simulation, &command, &error) != STATUS_OK) fail_msg("%s", error.text);
}

// A ball in the hand goes where the hand is, no faster than it may, and what it meets on its way
// stays outside. Let go, a still one stays and a free one flies on.
static void a_ball_in_the_hand_follows_it(void **state)
{
    (void)state;
    const char *const methods[] = {"symplectic-euler", "rk4", "backward-euler", "imex", "harmonic"};
    for (int m = 0; m < COUNT(methods); m++) {
        char text[200];
        snprintf(text, sizeof text,
                 "rows=9 columns=9 ground=-0.6 friction=0.3 stretch=200 shear=80 bend=4 air=0.5 "
                 "hand_speed=2 integrator=%s",
                 methods[m]);
        Scene scene = scene_with(text);
        scene.collider_count = 2;
        scene.colliders[0] = ball((Vec3){0.5, -0.3, 0.5}, 0.2);
        scene.colliders[1] = ball((Vec3){2.0, 0.0, 0.5}, 0.1);
        scene.colliders[1].mass = 0.2;
        Simulation *simulation = start(&scene);
        ColliderMotion *motion = simulation->now.motions;
        apply(simulation, (Command){.kind = COMMAND_GRAB_BODY, .body = {0, (Vec3){0.5, 0.3, 0.6}}});
        int touched = 0;
        while (simulation->now.time < 0.6) {
            Vec3 before = motion[0].centre;
            run_steps(simulation, 1);
            Vec3 way = vec3_sub(motion[0].centre, before);
            double h = simulation_last_step(simulation);
            assert_true(vec3_length(way) <= 2.0 * h * (1.0 + 1e-12));
            assert_near(vec3_length(vec3_add_scaled(way, -h, motion[0].velocity)), 0.0, 1e-14);
            assert_outside(simulation, methods[m]);
            touched += simulation->now.contacts > 0;
        }
        assert_true(touched > 5);
        assert_near(vec3_length(vec3_sub(motion[0].centre, (Vec3){0.5, 0.3, 0.6})), 0.0, 1e-3);
        // not below the floor
        apply(simulation, (Command){.kind = COMMAND_MOVE_HAND, .hand = {-1, {0.5, -9.0, 0.6}}});
        while (simulation->now.time < 1.6) run_steps(simulation, 1);
        assert_true(motion[0].centre.y > -0.4 && motion[0].centre.y < -0.3);
        apply(simulation, (Command){.kind = COMMAND_RELEASE});
        Vec3 there = motion[0].centre;
        run_steps(simulation, 10);
        assert_near(vec3_length(vec3_sub(motion[0].centre, there)), 0.0, 0.0);
        assert_near(vec3_length(motion[0].velocity), 0.0, 0.0);
        // a free ball is thrown
        apply(simulation, (Command){.kind = COMMAND_GRAB_BODY, .body = {1, (Vec3){2.0, 5.0, 0.5}}});
        double until = simulation->now.time + 0.2;
        while (simulation->now.time < until) run_steps(simulation, 1);
        assert_near(motion[1].velocity.y, 2.0, 1e-9);
        apply(simulation, (Command){.kind = COMMAND_RELEASE});
        run_steps(simulation, 1);
        assert_near(motion[1].velocity.y, 2.0 - 9.81 * simulation_last_step(simulation), 1e-9);
        simulation_destroy(simulation);
    }
}

// The cloth and the floor do not push what is held.
static void a_ball_in_the_hand_is_not_pushed(void **state)
{
    (void)state;
    Scene scene = scene_with("rows=5 columns=5 ground=-1");
    scene.collider_count = 2;
    for (int i = 0; i < 2; i++) {
        scene.colliders[i] = ball((Vec3){3.0, 0.19 * i, 3.0}, 0.1);
        scene.colliders[i].mass = 1.0;
    }
    Simulation *simulation = start(&scene);
    apply(simulation, (Command){.kind = COMMAND_GRAB_BODY, .body = {0, (Vec3){3.0, 0.0, 3.0}}});
    while (simulation->now.time < 0.3) run_steps(simulation, 1);
    assert_near(vec3_length(vec3_sub(simulation->now.motions[0].centre, (Vec3){3.0, 0.0, 3.0})),
                0.0, 1e-12);
    assert_near(simulation->now.motions[1].centre.y, 0.2, 1e-3); // it rests on the held one
    simulation_destroy(simulation);
}

typedef struct Window {
    double work, change; // J, of contact and of all energy
    int steps, touching;
} Window;

static Window run_window(Simulation *simulation, double seconds)
{
    Window window = {0};
    double end = simulation->now.time + seconds;
    Readings before = simulation_readings(simulation);
    for (; simulation->now.time < end; window.steps++) {
        run_steps(simulation, 1);
        window.touching += simulation->now.contacts > 0;
    }
    Readings now = simulation_readings(simulation);
    window.work = now.balance.contact - before.balance.contact;
    window.change = energy_total(now.energy) - energy_total(before.energy);
    return window;
}

// A cloth that hangs over a ball at rest gives it no work. Methods that move particles with their
// old velocities let what rests fall for a step before they stopped it; 0.01 J was booked for that
// in 2 s once. It rests when its energy changes by less than 0.2 mJ in 2 s; when that is depends on
// rounding, and so did the work. So several steps are tried.
static void a_cloth_at_rest_gives_no_work(void **state)
{
    (void)state;
    const char *const methods[] = {"explicit-euler", "leu"};
    const double safeties[] = {0.8, 0.76, 0.72, 0.68};
    for (int i = 0; i < 2 * COUNT(safeties); i++) {
        char text[300];
        snprintf(text, sizeof text,
                 "rows=10 columns=10 size=1.2 density=0.25 stretch=600 shear=200 bend=10 air=0.6 "
                 "alpha=2e-4 ground=-1 friction=0.4 integrator=%s safety=%g",
                 methods[i % 2], safeties[i / 2]);
        Scene scene = scene_with(text);
        scene.pins = 0;
        scene.collider_count = 1;
        scene.colliders[0] = ball((Vec3){0.6, -0.45, 0.6}, 0.35);
        Simulation *simulation = start(&scene);
        Window window = {.change = INFINITY};
        while (fabs(window.change) > 2e-4 && simulation->now.time < 30.0)
            window = run_window(simulation, 2.0);
        print_message("%s, safety %g: %.2g J of work, energy %.2g J, until %.0f s\n",
                      methods[i % 2], safeties[i / 2], window.work, window.change,
                      simulation->now.time);
        assert_true(fabs(window.change) <= 2e-4);
        assert_true(window.touching > 0.9 * window.steps);
        assert_near(window.work, 0.0, 5e-4);
        simulation_destroy(simulation);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_are_distances),
        cmocka_unit_test(paths_are_smooth_and_repeat),
        cmocka_unit_test(nothing_ends_inside),
        cmocka_unit_test(a_slope_holds_up_to_its_angle),
        cmocka_unit_test(what_rests_does_not_fall),
        cmocka_unit_test(friction_does_not_depend_on_the_tolerance),
        cmocka_unit_test(a_rising_body_carries_the_cloth),
        cmocka_unit_test(a_ball_and_a_cloth_keep_their_momentum),
        cmocka_unit_test(a_ball_bounces_and_rolls),
        cmocka_unit_test(a_state_with_bodies_goes_on_as_before),
        cmocka_unit_test(the_account_closes_in_contact),
        cmocka_unit_test(what_is_pressed_loses_what_it_came_with),
        cmocka_unit_test(a_ball_in_the_hand_follows_it),
        cmocka_unit_test(a_ball_in_the_hand_is_not_pushed),
        cmocka_unit_test(a_cloth_at_rest_gives_no_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
