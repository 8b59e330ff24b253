// Contacts inside the implicit solve against dense matrices from finite differences: in every step
// the velocities satisfy the conditions of the problem (Karush, Kuhn & Tucker), to 1e-8 of what
// presses. With the definite matrix of a step they have one solution. The work that is booked is
// that of the impulses which the momentum of each particle asks for.
#include "support/solver_test.h"

#include "cloth/collide.h"
#include "cloth/forces.h"
#include "simulation/simulation_state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLOSE 1e-8
// The velocity at which sliding friction counts as one direction, in units of friction g h.
#define SLIDES 0.02

typedef struct Dense {
    int n;
    double *A, *b;     // A is row by row
    double *x, *v, *f; // before the step; `f` is the force there
    double *up, *down, *shifted, *still;
    double *solved; // velocities after the step
} Dense;

static Dense dense_create(const Mesh *mesh)
{
    size_t n = (size_t)mesh->dofs;
    Dense dense = {.n = (int)n, .A = calloc(n * n, sizeof(double))};
    double **arrays[] = {&dense.b,    &dense.x,       &dense.v,     &dense.f,     &dense.up,
                         &dense.down, &dense.shifted, &dense.still, &dense.solved};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        *arrays[i] = mesh_flat_create(mesh);
    assert_non_null(dense.A);
    return dense;
}

static void dense_finish(Dense *dense)
{
    double *arrays[] = {dense->A,  dense->b,    dense->x,       dense->v,     dense->f,
                        dense->up, dense->down, dense->shifted, dense->still, dense->solved};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) free(arrays[i]);
}

// A = M - h df/dv - h^2 df/dx,  b = h (f + h df/dx v), by central differences of the forces. As in
// the method, df/dx is that of the elastic forces, so at rest.
static void dense_fill(Dense *dense, const Cloth *cloth, double h)
{
    int n = dense->n;
    const double e = 1e-5;
    memcpy(dense->x, cloth->x, (size_t)n * sizeof(double));
    memcpy(dense->v, cloth->v, (size_t)n * sizeof(double));
    cloth_forces(cloth, dense->x, dense->v, dense->f);
    for (int i = 0; i < n; i++) dense->b[i] = h * dense->f[i];
    for (int of_v = 0; of_v < 2; of_v++) {
        const double *from = of_v ? dense->v : dense->x;
        memcpy(dense->shifted, from, (size_t)n * sizeof(double));
        for (int j = 0; j < n; j++) {
            for (int side = 0; side < 2; side++) {
                dense->shifted[j] = from[j] + (side ? -e : e);
                cloth_forces(cloth, of_v ? dense->x : dense->shifted,
                             of_v ? dense->shifted : dense->still, side ? dense->down : dense->up);
            }
            dense->shifted[j] = from[j];
            for (int i = 0; i < n; i++) {
                double slope = (dense->up[i] - dense->down[i]) / (2.0 * e);
                dense->A[(size_t)i * (size_t)n + (size_t)j] -= (of_v ? h : h * h) * slope;
                if (!of_v) dense->b[i] += h * h * slope * dense->v[j];
            }
        }
    }
}

// J = A dv - b of one particle.
static Vec3 impulse_of(const Dense *dense, const Cloth *cloth, int particle)
{
    double J[3];
    int first = cloth->mesh.first_dof[particle], stride = cloth->mesh.component_stride;
    for (int c = 0; c < 3; c++) {
        int i = first + c * stride;
        const double *row = dense->A + (size_t)i * (size_t)dense->n;
        double sum = cloth_mass(cloth, particle) * (dense->solved[i] - dense->v[i]) - dense->b[i];
        for (int j = 0; j < dense->n; j++) sum += row[j] * (dense->solved[j] - dense->v[j]);
        J[c] = sum;
    }
    return (Vec3){J[0], J[1], J[2]};
}

typedef struct Counts {
    int open, slides, sticks;
} Counts;

// One particle after the step: `centre` is that of the body, which is still.
static void check_particle(const Dense *dense, Simulation *simulation, int p, double h,
                           Counts *counts)
{
    const Cloth *cloth = &simulation->body.cloth;
    const Collider *body = &simulation->scene.colliders[0];
    double friction = simulation->scene.params.friction;
    Vec3 J = impulse_of(dense, cloth, p), normal;
    Vec3 v = mesh_vector(&cloth->mesh, dense->solved, p),
         x = mesh_vector(&cloth->mesh, dense->x, p);
    double gap = collider_distance(body, body->centre, x, &normal) -
                 collider_thickness(body, cloth->mesh.reach);
    double scale = cloth_mass(cloth, p) * (9.81 * h + vec3_length(v) + 1.0);
    double across = vec3_dot(J, normal), slack = vec3_dot(v, normal) + gap / h;
    Vec3 rubs = vec3_add_scaled(J, -across, normal);
    Vec3 u = vec3_add_scaled(v, -vec3_dot(v, normal), normal);
    assert_true(slack > -CLOSE * (1.0 + fabs(gap / h)));
    assert_true(across > -CLOSE * scale);
    if (across < CLOSE * scale) { // nothing touches
        assert_true(vec3_length(J) < CLOSE * scale);
        counts->open++;
        return;
    }
    assert_near(slack, 0.0, CLOSE * (1.0 + fabs(gap / h)));
    assert_true(vec3_length(rubs) <= friction * across + CLOSE * scale);
    double speed = vec3_length(u);
    if (speed > SLIDES * friction * 9.81 * h) {
        Vec3 expected = vec3_scale(-friction * across / speed, u);
        double allowed = CLOSE * (scale + friction * across);
        assert_near(vec3_length(vec3_sub(rubs, expected)), 0.0, allowed);
        counts->slides++;
    } else {
        counts->sticks++;
    }
}

// J, of an impulse: what of it stops a particle, m dv along it, times the mean of the velocities,
// and the rest times the way over h.
static double work_of_impulse(Vec3 J, double mass, Vec3 before, Vec3 after, Vec3 moved)
{
    double square = vec3_dot(J, J);
    if (square == 0.0) return 0.0;
    double stops = mass * vec3_dot(vec3_sub(after, before), J) / square;
    double share = fmin(fmax(stops, 0.0), 1.0);
    double mean = 0.5 * (vec3_dot(J, before) + vec3_dot(J, after));
    return fmin(share * mean + (1.0 - share) * vec3_dot(J, moved), 0.0);
}

// J, of the impulses that momentum asks for, and of what stops a particle that has arrived.
static double work_of(const Dense *dense, const Cloth *cloth)
{
    double work = 0.0;
    for (int p = 0; p < cloth->mesh.particle_count; p++) {
        if (cloth_is_held(cloth, p)) continue;
        Vec3 solved = mesh_vector(&cloth->mesh, dense->solved, p);
        Vec3 before = mesh_vector(&cloth->mesh, dense->v, p);
        Vec3 after = mesh_vector(&cloth->mesh, cloth->v, p);
        double mass = cloth_mass(cloth, p);
        Vec3 stops = vec3_scale(mass, vec3_sub(after, solved));
        work += work_of_impulse(impulse_of(dense, cloth, p), mass, before, after, solved);
        work += work_of_impulse(stops, mass, before, after, solved);
    }
    return work;
}

static Counts check_run(const Scene *scene, double seconds)
{
    Simulation *simulation;
    Error error;
    Counts counts = {0};
    if (simulation_create(scene, &simulation, &error) != STATUS_OK) fail_msg("%s", error.text);
    const Cloth *cloth = &simulation->body.cloth;
    while (simulation->now.time < seconds) {
        Dense dense = dense_create(&cloth->mesh);
        double h = simulation_next_step(simulation);
        dense_fill(&dense, cloth, h);
        double booked = simulation->now.balance.sum.contact;
        run_steps(simulation, 1);
        booked = simulation->now.balance.sum.contact - booked;
        // the velocities of the solve: what has arrived on the surface with some is stopped there
        for (int i = 0; i < dense.n; i++) dense.solved[i] = (cloth->x[i] - dense.x[i]) / h;
        for (int p = 0; p < cloth->mesh.particle_count; p++)
            if (!cloth_is_held(cloth, p)) check_particle(&dense, simulation, p, h, &counts);
        double work = work_of(&dense, cloth);
        double scale = simulation->drop * scene->params.gravity; // J, of a fall by its own length
        if (!(fabs(booked - work) < CLOSE * (scale + fabs(work))))
            fail_msg("at %g s %.12g J are booked for %.12g J", simulation->now.time, booked, work);
        dense_finish(&dense);
    }
    simulation_destroy(simulation);
    print_message("%d free, %d sliding, %d sticking\n", counts.open, counts.slides, counts.sticks);
    return counts;
}

#define EXACT                                                                                      \
    "integrator=backward-euler tangent=full pcg_tolerance=1e-13 ground=-100 step=0.005 alpha=0 "   \
    "restitution=0 "

static Scene with_body(const char *text, Collider body)
{
    Scene scene = scene_with(text);
    collider_prepare(&body);
    scene.collider_count = 1;
    scene.colliders[0] = body;
    return scene;
}

static void a_spring_on_a_slope(void **state)
{
    (void)state;
    const double frictions[] = {0.0, 0.2, 0.6}; // the slope has tan 20 degrees = 0.36
    for (int i = 0; i < 3; i++) {
        char text[200];
        snprintf(text, sizeof text,
                 EXACT "rows=1 columns=2 size=0.2 stretch=100 air=0.1 friction=%g", frictions[i]);
        Scene scene = with_body(text, (Collider){.shape = COLLIDER_BOX,
                                                 .radius = 0.3,
                                                 .half = {50.0, 1.0, 50.0},
                                                 .centre = {0.0, -1.2, 0.0},
                                                 .turn = {0.0, 0.0, -20.0}});
        scene.pins = 0;
        Counts counts = check_run(&scene, 0.6);
        assert_true(counts.open > 10 && counts.slides + counts.sticks > 10);
        if (frictions[i] == 0.6) assert_true(counts.sticks > 20);
        if (frictions[i] < 0.3) assert_true(counts.slides > 20);
    }
}

static void a_rope_over_a_ball(void **state)
{
    (void)state;
    const double frictions[] = {0.0, 0.3};
    for (int i = 0; i < 2; i++) {
        char text[200];
        snprintf(text, sizeof text,
                 EXACT "rows=1 columns=9 size=0.8 density=2 stretch=300 bend=2 air=0.5 "
                       "friction=%g",
                 frictions[i]);
        Scene scene = with_body(text, (Collider){.radius = 0.2, .centre = {0.45, -0.25, 0.0}});
        scene.pins = 0;
        Counts counts = check_run(&scene, 0.5);
        assert_true(counts.open > 50 && counts.slides + counts.sticks > 50);
    }
}

static void a_pendulum_against_a_wall(void **state)
{
    (void)state;
    Scene scene = with_body(EXACT "rows=1 columns=2 size=0.5 density=4 stretch=400 friction=0.2 "
                                  "air=0.1",
                            (Collider){.shape = COLLIDER_BOX,
                                       .radius = 0.1,
                                       .half = {0.5, 2.0, 2.0},
                                       .centre = {-0.6, 0.0, 0.0}});
    scene.pins = PIN_TOP_LEFT;
    Counts counts = check_run(&scene, 1.5);
    assert_true(counts.open > 20 && counts.slides + counts.sticks > 2);
}

static void multiply_by_mass(void *self, const double *p, double *out)
{
    for (int i = 0; i < 3; i++) out[i] = *(const double *)self * p[i];
}

// One solve for a particle and the ball under it. Across the surface they end with the same
// velocity; along it friction stops them, or slows them by as much as it can. An impulse along the
// surface also turns the ball.
static void check_particle_on_ball(double friction, bool sticks)
{
    const double m = 0.3, M = 0.7, inertia = 0.02, radius = 0.25, h_speed = 1e-3;
    const Vec3 normal = {0.6, 0.8, 0.0}, side = {-0.48, 0.36, 0.8};
    const double across = -1.5, passing = 0.9, pressed = -0.2, pulled = 0.1;
    double mass = m, dv[3], v[3], b[3];
    Vec3 velocity = vec3_add_scaled(vec3_scale(across, normal), passing, side);
    Vec3 given = vec3_add_scaled(vec3_scale(pressed, normal), pulled, side);
    memcpy(v, &velocity, sizeof v);
    memcpy(b, &given, sizeof b);
    ContactPoint point = {
        .mass = m, .normal = normal, .arm = vec3_scale(radius, normal), .state = CONTACT_OPEN};
    ContactSet set = {.count = 1,
                      .points = &point,
                      .ball_count = 1,
                      .balls = {{.mass = M, .inertia = inertia}},
                      .component_stride = 1,
                      .friction = friction,
                      .speed = friction * h_speed};
    LinearOperator A = {.self = &mass, .dofs = 3, .multiply = multiply_by_mass};
    PcgEffort effort = {.tolerance = 1e-13, .max_iterations = 100};
    Arena scratch;
    assert_int_equal(arena_init(&scratch, contact_scratch_size(3), NULL), STATUS_OK);
    contact_begin(&set);
    contact_solve(&set, &A, b, v, dv, &effort, 1000, &scratch);
    arena_finish(&scratch);

    double press = -(across + pressed / m) / (1.0 / m + 1.0 / M);
    double stop = (passing + pulled / m) / (1.0 / m + 1.0 / M + radius * radius / inertia);
    double rub = fmin(friction * press, stop);
    assert_int_equal(rub == stop, sticks);
    assert_int_equal(point.state, sticks ? CONTACT_STICKING : CONTACT_SLIDING);
    Vec3 J = vec3_add_scaled(vec3_scale(press, normal), -rub, side);
    Vec3 change = vec3_scale(1.0 / m, vec3_add(given, J));
    Vec3 spin = vec3_scale(-1.0 / inertia, vec3_cross(point.arm, J));
    const Twist *ball = &set.balls[0].step;
    assert_near(vec3_length(vec3_sub((Vec3){dv[0], dv[1], dv[2]}, change)), 0.0, 1e-10);
    assert_near(vec3_length(vec3_sub(ball->velocity, vec3_scale(-1.0 / M, J))), 0.0, 1e-10);
    assert_near(vec3_length(vec3_sub(ball->spin, spin)), 0.0, 1e-10);
}

static void a_particle_on_a_free_ball(void **state)
{
    (void)state;
    check_particle_on_ball(0.0, false);
    check_particle_on_ball(0.1, false);
    check_particle_on_ball(0.9, true);
}

// Shares of solves add up to the impulses of a part of the step; the next part starts without them.
static void a_part_starts_with_nothing_taken(void **state)
{
    (void)state;
    enum { POINTS = 3 };
    ContactPoint points[POINTS] = {{0}};
    ContactSet set = {.count = POINTS, .points = points, .ball_count = 1};
    set.balls[0].start = (Twist){{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};
    for (int round = 0; round < 2; round++) {
        contact_begin(&set);
        assert_near(set.balls[0].now.velocity.x, 1.0, 0.0);
        assert_near(set.balls[0].now.spin.y, 1.0, 0.0);
        for (int i = 0; i < POINTS; i++) {
            assert_near(vec3_length(points[i].taken), 0.0, 0.0);
            points[i].impulse = (Vec3){i + 1.0, 2.0, 3.0};
        }
        set.balls[0].step = (Twist){{4.0, 0.0, 0.0}, {0.0, 8.0, 0.0}};
        contact_take(&set, 0.5);
        contact_take(&set, 0.5); // of what is missing
        for (int i = 0; i < POINTS; i++) {
            Vec3 wanted = vec3_scale(0.75, points[i].impulse);
            assert_near(vec3_length(vec3_sub(points[i].taken, wanted)), 0.0, 1e-15);
        }
        assert_near(set.balls[0].now.velocity.x, 1.0 + 4.0, 1e-15);
        assert_near(set.balls[0].now.spin.y, 1.0 + 8.0, 1e-15);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_spring_on_a_slope),
        cmocka_unit_test(a_rope_over_a_ball),
        cmocka_unit_test(a_pendulum_against_a_wall),
        cmocka_unit_test(a_particle_on_a_free_ball),
        cmocka_unit_test(a_part_starts_with_nothing_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
