// How contact of a cloth with itself finds what may touch, without a step: distances, pairs and
// blocks that are listed, and what a touch does.
#include "support/solver_test.h"

#include "cloth/boxes.h"
#include "cloth/nearest.h"
#include "cloth/nearest4.h"
#include "cloth/self_follow.h"
#include "cloth/self_list.h"
#include "cloth/self_search.h"
#include "cloth/self_touch.h"
#include "simulation/simulation_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(list) ((int)(sizeof(list) / sizeof(list)[0]))

// ---- distances ----

static Vec3 random_point(uint32_t *seed)
{
    return (Vec3){noise(seed), noise(seed), noise(seed)};
}

// The nearest points against the best of a fine grid of points, which finds at most a little more.
static void distances_are_the_least(void **state)
{
    (void)state;
    enum { FINE = 60 };
    uint32_t seed = 3;
    for (int n = 0; n < 300; n++) {
        Vec3 p = random_point(&seed), q = random_point(&seed), a = random_point(&seed),
             b = random_point(&seed), c = random_point(&seed);
        if (n % 5 == 0) c = vec3_add_scaled(a, noise(&seed), vec3_sub(b, a)); // no area
        if (n % 7 == 0) q = vec3_add(p, vec3_sub(b, a));                      // parallel edges
        double share[2], of_triangle = INFINITY, of_edges = INFINITY;
        Vec3 way = nearest_on_triangle(p, a, b, c, share);
        assert_true(share[0] >= 0.0 && share[1] >= 0.0 && share[0] + share[1] <= 1.0 + 1e-12);
        Vec3 there =
            vec3_add_scaled(vec3_add_scaled(a, share[0], vec3_sub(b, a)), share[1], vec3_sub(c, a));
        assert_near(vec3_length(vec3_sub(vec3_sub(p, there), way)), 0.0, 1e-9);
        double found = vec3_length(way);
        way = nearest_on_segments(p, q, a, b, share);
        Vec3 from = vec3_add_scaled(p, share[0], vec3_sub(q, p)),
             to = vec3_add_scaled(a, share[1], vec3_sub(b, a));
        assert_near(vec3_length(vec3_sub(vec3_sub(from, to), way)), 0.0, 1e-9);
        double between = vec3_length(way);
        for (int i = 0; i <= FINE; i++) {
            for (int j = 0; j <= FINE; j++) {
                double s = (double)i / FINE, u = (double)j / FINE;
                Vec3 on = vec3_add_scaled(vec3_add_scaled(a, s * (1.0 - u), vec3_sub(b, a)), u * s,
                                          vec3_sub(c, a));
                of_triangle = fmin(of_triangle, vec3_length(vec3_sub(p, on)));
                from = vec3_add_scaled(p, s, vec3_sub(q, p));
                to = vec3_add_scaled(a, u, vec3_sub(b, a));
                of_edges = fmin(of_edges, vec3_length(vec3_sub(from, to)));
            }
        }
        assert_true(found <= of_triangle + 1e-9 && found >= of_triangle - 0.05);
        assert_true(between <= of_edges + 1e-9 && between >= of_edges - 0.05);
    }
}

static Vec3 lane_of(Float4x3 four, int lane)
{
    return (Vec3){four.x[lane], four.y[lane], four.z[lane]};
}

// Random pairs of cloth of any size, one to four at a time, against the exact distances.
static void distances_of_four_are_as_exact_as_promised(void **state)
{
    (void)state;
    enum { PLACES = 16 };
    const double scales[] = {0.003, 1.0, 200.0}; // m
    uint32_t seed = 29;
    for (int n = 0; n < 1200; n++) {
        double size = scales[n % COUNT(scales)], allowed = 1e-5 * size, share[2];
        Float4 place[PLACES];
        Vec3 x[PLACES];
        int of[4][4], count = 1 + n / 3 % 4;
        for (int i = 0; i < PLACES; i++) {
            place[i] = float4(vec3_scale(size, random_point(&seed)));
            x[i] = (Vec3){place[i][0], place[i][1], place[i][2]};
            of[i % 4][i / 4] = i;
        }
        Float4x3 points = nearest4_triangles(place, of, count),
                 edges = nearest4_edges(place, of, count);
        for (int k = 0; k < count; k++) {
            const int *all = of[k];
            double exact =
                vec3_length(nearest_on_triangle(x[all[0]], x[all[1]], x[all[2]], x[all[3]], share));
            assert_near(vec3_length(lane_of(points, k)), exact, NEAREST4_ERROR * exact + allowed);
            exact =
                vec3_length(nearest_on_segments(x[all[0]], x[all[1]], x[all[2]], x[all[3]], share));
            assert_near(vec3_length(lane_of(edges, k)), exact, NEAREST4_ERROR * exact + allowed);
        }
    }
}

// ---- the search ----

static bool is_listed(const SelfContact *self, const int all[4], bool edges)
{
    for (int i = 0; i < self->count; i++) {
        const SelfPair *pair = &self->pairs[i];
        if (pair->edges == edges && memcmp(pair->particle, all, sizeof pair->particle) == 0)
            return true;
    }
    return false;
}

// Beside each other in a sheet of `side` columns: smooth parts leave such pairs out.
static bool is_beside(const int all[4], int side)
{
    for (int i = 1; i < 4; i++) {
        if (abs(all[0] % side - all[i] % side) > 2 || abs(all[0] / side - all[i] / side) > 2)
            return false;
    }
    return true;
}

static SelfState state_at(const Simulation *simulation, double spacings)
{
    const Mesh *mesh = &simulation->body.cloth.mesh;
    return (SelfState){simulation->body.self_seen, simulation->body.self_seen + mesh->dofs,
                       spacings * mesh->spacing, true};
}

// The sheet is searched where it is seen, and all pairs of its blocks listed.
static SelfState list_all(Simulation *simulation)
{
    SelfContact *self = &simulation->body.self;
    const Mesh *mesh = &simulation->body.cloth.mesh;
    SelfState where = state_at(simulation, 0.55);
    self_search(self, mesh, &where, true);
    float rounding = self_follow(self, mesh, &(SelfWay){where.seen, where.seen, (Vec3){0}});
    for (int i = 0; i < self->close_count; i++)
        assert_true(self_list(self, mesh, &self->close[i],
                              (float)(where.reach - self_contact_thickness(mesh)), rounding));
    assert_false(self->full);
    return where;
}

// A sheet of 20 columns in narrow folds, shaken.
static SelfState list_folds(Simulation *simulation)
{
    enum { SIDE = 20, PERIOD = 5 };
    const Mesh *mesh = &simulation->body.cloth.mesh;
    uint32_t seed = 11;
    for (int p = 0; p < mesh->particle_count; p++) {
        int column = p % SIDE, place = column % (2 * PERIOD), layer = column / PERIOD;
        double along = place < PERIOD ? place : 2 * PERIOD - 1 - place;
        Vec3 x = {along, 0.3 * layer, p / SIDE};
        x = vec3_add_scaled(x, 0.04, random_point(&seed));
        mesh_set_vector(mesh, simulation->body.self_seen, p, vec3_scale(mesh->spacing, x));
    }
    return list_all(simulation);
}

// A sheet of 20 columns, flat but for a loop below: its ends lie on each other, and both face up.
static SelfState list_loop(Simulation *simulation)
{
    enum { SIDE = 20, FIRST = 10, SECOND = 13 };
    const Mesh *mesh = &simulation->body.cloth.mesh;
    const double below[SECOND - FIRST] = {9.5, 4.0, -1.5};
    for (int p = 0; p < mesh->particle_count; p++) {
        int column = p % SIDE;
        Vec3 x = {column, 0.0, p / SIDE};
        if (column >= SECOND)
            x = (Vec3){column - SECOND - 0.6, 0.3, x.z + 0.4};
        else if (column >= FIRST)
            x = (Vec3){below[column - FIRST], -3.0, x.z};
        mesh_set_vector(mesh, simulation->body.self_seen, p, vec3_scale(mesh->spacing, x));
    }
    return list_all(simulation);
}

static void assert_all_listed(SelfState (*list)(Simulation *), int least)
{
    enum { SIDE = 20 };
    Scene scene = scene_with("rows=20 columns=20 self_contact=on");
    Simulation *simulation = simulation_of(&scene);
    SelfContact *self = &simulation->body.self;
    const Mesh *mesh = &simulation->body.cloth.mesh;
    SelfState where = list(simulation);
    assert_int_equal(self->crossings, 0);
    int particles = 0, edges = 0;
    for (int p = 0; p < mesh->particle_count; p++) {
        for (int t = 0; t < mesh->triangle_count; t++) {
            const uint32_t *corner = mesh->triangles[t];
            int all[4] = {p, (int)corner[0], (int)corner[1], (int)corner[2]};
            double share[2];
            if (all[1] == p || all[2] == p || all[3] == p) continue;
            Vec3 away = nearest_on_triangle(self->place[p], self->place[all[1]],
                                            self->place[all[2]], self->place[all[3]], share);
            if (vec3_length(away) > 0.999 * where.reach || is_beside(all, SIDE)) continue;
            assert_true(is_listed(self, all, false));
            particles++;
        }
    }
    double reach = where.reach - 0.5 * self_contact_thickness(mesh);
    for (int e = 0; e < self->edge_count; e++) {
        for (int f = 0; f < e; f++) {
            const int *a = self->edges[e].ends, *b = self->edges[f].ends;
            int all[4] = {a[0], a[1], b[0], b[1]}, turned[4] = {b[0], b[1], a[0], a[1]};
            double share[2];
            if (a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1]) continue;
            Vec3 away = nearest_on_segments(self->place[a[0]], self->place[a[1]], self->place[b[0]],
                                            self->place[b[1]], share);
            if (vec3_length(away) > 0.999 * reach || is_beside(all, SIDE)) continue;
            assert_true(is_listed(self, all, true) || is_listed(self, turned, true));
            edges++;
        }
    }
    assert_true(particles > least && edges > least);
    assert_true(particles + edges <= self->count);
    simulation_destroy(simulation);
}

// The search lists every particle that is near a triangle and every two edges that are near each
// other, by brute force.
static void search_finds_all(void **state)
{
    (void)state;
    assert_all_listed(list_folds, 500);
    assert_all_listed(list_loop, 100);
}

// Blocks that come near each other in two searches are not listed again for the second one.
static void a_search_keeps_what_is_known(void **state)
{
    (void)state;
    Scene scene = scene_with("rows=20 columns=20 self_contact=on");
    Simulation *simulation = simulation_of(&scene);
    SelfContact *self = &simulation->body.self;
    SelfState where = list_folds(simulation);
    int count = self->close_count;
    SelfClose *before = malloc((size_t)count * sizeof *before);
    memcpy(before, self->close, (size_t)count * sizeof *before);
    self_search(self, &simulation->body.cloth.mesh, &where, true);
    assert_true(count > 50);
    assert_int_equal(self->close_count, count);
    for (int i = 0; i < count; i++) {
        const SelfClose *old = &before[i], *now = &self->close[i];
        assert_true(now->a == old->a && now->b == old->b);
        assert_true(now->first == old->first && now->pairs == old->pairs);
        assert_true(now->slack == old->slack && now->unlisted == old->unlisted);
        assert_true(now->unlisted > 0.0f);
    }
    free(before);
    simulation_destroy(simulation);
}

// The components in turn: x becomes y, y becomes z, z becomes x.
static Vec3 cycled(Vec3 a, int times)
{
    for (int i = 0; i < times; i++) a = (Vec3){a.z, a.x, a.y};
    return a;
}

// A ridge whose two sides are inclined by so many degrees, in one of three positions. Are its
// triangles smooth about an axis of this length in the middle of their normals?
static bool ridge_is_smooth(double degrees, float length, int position)
{
    enum { COLUMNS = 5 };
    const double angle = degrees * acos(-1.0) / 180.0;
    Mesh mesh;
    Boxes boxes;
    assert_int_equal(mesh_init_grid(&mesh, 2, COLUMNS, 1.0, NULL), STATUS_OK);
    assert_int_equal(boxes_init(&boxes, &mesh, NULL), STATUS_OK);
    Float4 x[2 * COLUMNS], ahead[2 * COLUMNS] = {{0}};
    float room[2 * COLUMNS] = {0};
    for (int p = 0; p < 2 * COLUMNS; p++) {
        double along = p % COLUMNS - COLUMNS / 2;
        Vec3 place = {along * cos(angle), -fabs(along) * sin(angle), p / COLUMNS};
        x[p] = float4(cycled(place, position));
    }
    boxes_fit(&boxes, &mesh, &(BoxesAt){x, ahead, room, 0.0f});
    int leaves[2 * COLUMNS], count = 0;
    for (int i = 0; i < boxes.node_count; i++)
        if (boxes.nodes[i].second == 0) leaves[count++] = i;
    Float4 side = boxes.nodes[leaves[0]].normals.low;
    double up = side[(1 + position) % 3] > 0.0f ? (double)length : -(double)length;
    Float4 axis = float4(cycled((Vec3){0.0, up, 0.0}, position));
    bool smooth = boxes_leaves_are_smooth(&boxes, leaves, count, axis);
    boxes_finish(&boxes);
    mesh_finish(&mesh);
    return smooth;
}

// Up to 45 degrees, however long the axis is and wherever it points.
static void a_cone_is_one_of_angles(void **state)
{
    (void)state;
    const float lengths[] = {1e-2f, 0.5f, 1.0f, 2.0f, 1e2f};
    for (int i = 0; i < 3 * COUNT(lengths); i++) {
        assert_true(ridge_is_smooth(0.0, lengths[i / 3], i % 3));
        assert_true(ridge_is_smooth(44.0, lengths[i / 3], i % 3));
        assert_false(ridge_is_smooth(46.0, lengths[i / 3], i % 3));
        assert_false(ridge_is_smooth(80.0, lengths[i / 3], i % 3));
    }
}

static bool is_touch(const SelfContact *self, const int all[4])
{
    for (int i = 0; i < self->touch_count; i++) {
        bool same = self->touches[i].weight[0] == 1.0;
        for (int k = 0; k < 4 && same; k++)
            same = self->movers[self->touches[i].mover[k]].particle == all[k];
        if (same) return true;
    }
    return false;
}

// Two layers at rest that almost touch: nothing moves, but others may push, by as much as
// SELF_PUSHED. In every step all pairs of particle and triangle are at hand that a fifth of that
// would bring together.
static void what_others_may_push_together_is_gathered(void **state)
{
    (void)state;
    enum { SIDE = 20 };
    Scene scene = scene_with("rows=20 columns=20 self_contact=on");
    Simulation *simulation = simulation_of(&scene);
    SelfContact *self = &simulation->body.self;
    Cloth *cloth = &simulation->body.cloth;
    const Mesh *mesh = &cloth->mesh;
    const double thickness = self_contact_thickness(mesh), pushed = SELF_PUSHED * mesh->spacing;
    for (int p = 0; p < mesh->particle_count; p++) {
        int column = p % SIDE, row = p / SIDE;
        bool above = column >= SIDE / 2; // beside the particles below, above their triangles
        Vec3 x = {above ? SIDE - 0.7 - column : column, 0.0, above ? row + 0.4 : row};
        x = vec3_scale(mesh->spacing, x);
        if (above) x.y = thickness + 0.1 * pushed;
        mesh_set_vector(mesh, cloth->x, p, x);
        mesh_set_vector(mesh, simulation->body.self_seen, p, x);
    }
    SelfState where = state_at(simulation, 0.55);
    self_search(self, mesh, &where, false);
    const SelfStep step = {.h = 1e-3, .old_x = where.seen, .old_v = cloth->v};
    const SelfRange range = {.near = pushed, .tight = SELF_LEAST_TIGHT * mesh->spacing};
    for (int n = 0; n < 3; n++) {
        self_gather(self, cloth, &step, (Vec3){0}, range);
        assert_false(self->crowded);
        int found = 0;
        for (int p = 0; p < mesh->particle_count; p++) {
            for (int t = 0; t < mesh->triangle_count; t++) {
                const uint32_t *corner = mesh->triangles[t];
                int all[4] = {p, (int)corner[0], (int)corner[1], (int)corner[2]};
                double share[2];
                if (is_beside(all, SIDE)) continue;
                Vec3 away = nearest_on_triangle(self->place[p], self->place[all[1]],
                                                self->place[all[2]], self->place[all[3]], share);
                if (vec3_length(away) - thickness > 0.2 * pushed) continue;
                assert_true(is_touch(self, all));
                found++;
            }
        }
        assert_true(found > 100);
    }
    simulation_destroy(simulation);
}

static void limit_by(const SelfContact *self, const int all[4], bool edges, double tight,
                     double *limit)
{
    const Vec3 *x = self->place;
    double share[2];
    Vec3 away = edges ? nearest_on_segments(x[all[0]], x[all[1]], x[all[2]], x[all[3]], share)
                      : nearest_on_triangle(x[all[0]], x[all[1]], x[all[2]], x[all[3]], share);
    bool at_end = edges && !(share[0] > 0.0 && share[0] < 1.0 && share[1] > 0.0 && share[1] < 1.0);
    if (at_end || vec3_length(away) >= tight) return;
    for (int k = 0; k < 4; k++) limit[all[k]] = fmin(limit[all[k]], SELF_SHARE * vec3_length(away));
}

// A sheet whose last columns are folded back over it. In a step each particle is limited to a share
// of the least distance of what it belongs to, by brute force; those that nothing is near are not.
static void limits_are_shares_of_the_least_distance(void **state)
{
    (void)state;
    enum { SIDE = 12, FOLD = 8 };
    Scene scene = scene_with("rows=12 columns=12 self_contact=on");
    Simulation *simulation = simulation_of(&scene);
    SelfContact *self = &simulation->body.self;
    Cloth *cloth = &simulation->body.cloth;
    const Mesh *mesh = &cloth->mesh;
    uint32_t seed = 17;
    for (int p = 0; p < mesh->particle_count; p++) {
        int column = p % SIDE, row = p / SIDE;
        bool above = column >= FOLD;
        Vec3 x = {above ? 2 * FOLD - 0.7 - column : column, above ? 0.2 : 0.0, row + 0.4 * above};
        x = vec3_add_scaled(x, 0.02, random_point(&seed));
        mesh_set_vector(mesh, cloth->x, p, vec3_scale(mesh->spacing, x));
        mesh_set_vector(mesh, simulation->body.self_seen, p, vec3_scale(mesh->spacing, x));
    }
    SelfState where = state_at(simulation, 0.6);
    self_search(self, mesh, &where, false);
    const SelfStep step = {.h = 1e-3, .old_x = where.seen, .old_v = cloth->v};
    const double tight = 0.3 * mesh->spacing;
    self_gather(self, cloth, &step, (Vec3){0}, (SelfRange){.near = 1e-3, .tight = tight});
    double limit[SIDE * SIDE];
    for (int p = 0; p < SIDE * SIDE; p++) limit[p] = INFINITY;
    for (int p = 0; p < mesh->particle_count; p++) {
        for (int t = 0; t < mesh->triangle_count; t++) {
            const uint32_t *corner = mesh->triangles[t];
            int all[4] = {p, (int)corner[0], (int)corner[1], (int)corner[2]};
            if (all[1] != p && all[2] != p && all[3] != p) limit_by(self, all, false, tight, limit);
        }
    }
    for (int e = 0; e < self->edge_count; e++) {
        for (int f = 0; f < e; f++) {
            const int *a = self->edges[e].ends, *b = self->edges[f].ends;
            int all[4] = {a[0], a[1], b[0], b[1]};
            if (a[0] != b[0] && a[0] != b[1] && a[1] != b[0] && a[1] != b[1])
                limit_by(self, all, true, tight, limit);
        }
    }
    int limited = 0;
    for (int p = 0; p < mesh->particle_count; p++) {
        if (limit[p] == INFINITY) {
            assert_true(self->limit[p] == INFINITY);
            continue;
        }
        assert_near(self->limit[p], limit[p], 1e-12);
        limited++;
    }
    assert_true(limited > 50 && limited < SIDE * SIDE - 30);
    simulation_destroy(simulation);
}

// A particle and the corners of a triangle.
enum { BODIES = 4 };
static const int bodies[BODIES] = {10, 0, 1, 5};

static Vec3 relative(const SelfTouch *touch, const Vec3 of[BODIES])
{
    Vec3 sum = {0};
    for (int k = 0; k < BODIES; k++) sum = vec3_add_scaled(sum, touch->weight[k], of[k]);
    return sum;
}

// The only pair that may meet in a step of length h, with these velocities.
static const SelfTouch *set_off(Simulation *simulation, const Vec3 v[BODIES], Vec3 normal,
                                double left, double h)
{
    SelfContact *self = &simulation->body.self;
    Cloth *cloth = &simulation->body.cloth;
    const Mesh *mesh = &cloth->mesh;
    SelfTouch *touch = &self->touches[0];
    *touch = (SelfTouch){.seen = -1,
                         .mover = {0, 1, 2, 3},
                         .weight = {1.0, -0.5, -0.3, -0.2},
                         .normal = normal,
                         .left = left};
    self->touch_count = 1;
    self->mover_count = BODIES;
    for (int k = 0; k < BODIES; k++) {
        Vec3 way = vec3_scale(h, v[k]), x = mesh_vector(mesh, cloth->x, bodies[k]);
        double inverse = 1.0 / cloth_mass(cloth, bodies[k]);
        self->movers[k] = (SelfMover){.particle = bodies[k],
                                      .inverse = inverse,
                                      .way = way,
                                      .free_way = way,
                                      .v = v[k],
                                      .free_v = v[k],
                                      .old_v = v[k]};
        touch->W += touch->weight[k] * touch->weight[k] * inverse;
        mesh_set_vector(mesh, cloth->v, bodies[k], v[k]);
        mesh_set_vector(mesh, cloth->x, bodies[k], vec3_add(x, way));
    }
    return touch;
}

// One particle flies at a triangle, `left` away from where it has to stop, so fast that it would
// pass that by as much again and 1 mm. Its way ends there, or a little further out where it was too
// near. Then it has the speed of that way, which a step of the same length repeats, but none
// inwards where the next step would take that. Without friction the rest of its motion stays, and
// momentum too.
static void check_push(double left, bool late)
{
    const double h = 1e-3, towards = (2.0 * fabs(left) + 1e-3) / h;
    const Vec3 normal = {0.48, 0.6, -0.64};
    Scene scene = scene_with("rows=4 columns=4 self_contact=on friction=0");
    scene.pins = 0;
    Simulation *simulation = simulation_of(&scene);
    Cloth *cloth = &simulation->body.cloth;
    const Mesh *mesh = &cloth->mesh;
    Vec3 v[BODIES], start[BODIES], way[BODIES], momentum = {0};
    for (int k = 0; k < BODIES; k++) {
        Vec3 drift = {0.1 * k, 0.2, -0.3 * k};
        double speed = k == 0 ? -towards : 0.0;
        v[k] = vec3_add_scaled(drift, speed - vec3_dot(drift, normal), normal);
        start[k] = mesh_vector(mesh, cloth->x, bodies[k]);
        momentum = vec3_add_scaled(momentum, cloth_mass(cloth, bodies[k]), v[k]);
    }
    const SelfTouch *touch = set_off(simulation, v, normal, left, h);
    Vec3 along = vec3_add_scaled(relative(touch, v), towards, normal);
    assert_int_equal(self_push(&simulation->body.self, cloth, &(SelfStep){.h = h, .late = late}),
                     1);
    for (int k = 0; k < BODIES; k++) {
        v[k] = mesh_vector(mesh, cloth->v, bodies[k]);
        way[k] = vec3_sub(mesh_vector(mesh, cloth->x, bodies[k]), start[k]);
        momentum = vec3_add_scaled(momentum, -cloth_mass(cloth, bodies[k]), v[k]);
    }
    double end = left > 0.0 ? -left : self_apart(left, h);
    double speed = left > 0.0 && !late ? -left / h : 0.0;
    Vec3 wanted = vec3_add_scaled(along, speed, normal);
    assert_near(vec3_dot(relative(touch, way), normal), end, 1e-12);
    assert_near(vec3_length(vec3_sub(relative(touch, v), wanted)), 0.0, 1e-9);
    assert_near(vec3_length(momentum), 0.0, 1e-12);
    simulation_destroy(simulation);
}

static void what_is_pushed_has_the_speed_of_its_way(void **state)
{
    (void)state;
    for (int late = 0; late < 2; late++) {
        check_push(2e-3, late);
        check_push(1e-5, late);
        check_push(-1e-3, late);
    }
}

// All turn about an axis, drift, and shake.
static void turn_and_shake(const Mesh *mesh, double *x, uint32_t *seed)
{
    for (int p = 0; p < mesh->particle_count; p++) {
        Vec3 at = mesh_vector(mesh, x, p);
        at = vec3_add(at, vec3_scale(0.01, vec3_cross((Vec3){0.3, 1.0, 0.2}, at)));
        at = vec3_add(at, (Vec3){0.01 * at.x, 0.02, 0.0});
        mesh_set_vector(mesh, x, p, vec3_add_scaled(at, 1e-3, random_point(seed)));
    }
}

// Distances of all particles of a block from all of another, against where they were at the start.
static void assert_no_nearer(const SelfContact *self, const Mesh *mesh, const double *start,
                             const double *x)
{
    double closest = 0.0;
    for (int a = 0; a < self->block_count; a++) {
        for (int b = a; b < self->block_count; b++) {
            SelfClose close = {.a = a, .b = b};
            double most = (double)self_nearing(self, &close);
            const SelfBlock *first = &self->blocks[a], *second = &self->blocks[b];
            for (int i = 0; i < first->corners; i++) {
                for (int k = 0; k < second->corners; k++) {
                    int p = self->corners[first->first_corner + i],
                        q = self->corners[second->first_corner + k];
                    double before = vec3_length(
                               vec3_sub(mesh_vector(mesh, start, p), mesh_vector(mesh, start, q))),
                           now = vec3_length(
                               vec3_sub(mesh_vector(mesh, x, p), mesh_vector(mesh, x, q)));
                    assert_true(fabs(before - now) <= most);
                    closest = fmax(closest, fabs(before - now) / most);
                }
            }
        }
    }
    assert_true(closest > 0.1); // and not by far less
}

// Two blocks come nearer by no more than self_nearing says, whatever their particles do.
static void blocks_come_no_nearer(void **state)
{
    (void)state;
    Scene scene = scene_with("rows=12 columns=12 self_contact=on");
    Simulation *simulation = simulation_of(&scene);
    SelfContact *self = &simulation->body.self;
    const Mesh *mesh = &simulation->body.cloth.mesh;
    size_t size = (size_t)mesh->dofs * sizeof(double);
    double *start = malloc(size), *x = malloc(size);
    memcpy(start, simulation->body.cloth.x, size);
    memcpy(x, start, size);
    SelfPlaces *used = &self->used;
    used->block_count = 0;
    for (int b = 0; b < self->block_count; b++) used->blocks[used->block_count++] = b;
    for (int p = 0; p < mesh->particle_count; p++) used->particles[p] = p;
    used->particle_count = mesh->particle_count;
    self_follow(self, mesh, &(SelfWay){x, x, (Vec3){0}});
    uint32_t seed = 5;
    for (int n = 0; n < 50; n++) {
        turn_and_shake(mesh, x, &seed);
        self_follow(self, mesh, &(SelfWay){x, x, (Vec3){0}});
    }
    assert_no_nearer(self, mesh, start, x);
    free(start);
    free(x);
    simulation_destroy(simulation);
}

// The same where half of the blocks sleep and are followed from survey to survey.
static void sleeping_blocks_come_no_nearer(void **state)
{
    (void)state;
    Scene scene = scene_with("rows=12 columns=12 self_contact=on");
    Simulation *simulation = simulation_of(&scene);
    SelfContact *self = &simulation->body.self;
    const Mesh *mesh = &simulation->body.cloth.mesh;
    size_t size = (size_t)mesh->dofs * sizeof(double);
    double *start = malloc(size), *x = malloc(size);
    memcpy(start, simulation->body.cloth.x, size);
    memcpy(x, start, size);
    for (int a = 0; a < self->block_count; a++) {
        for (int b = a; b < self->block_count; b++) {
            float slack = b < self->block_count / 2 ? 0.0f : 100.0f;
            self->close[self->close_count++] = (SelfClose){.a = a, .b = b, .slack = slack};
        }
    }
    self_use_blocks(self);
    uint32_t seed = 5;
    self_survey(self, mesh, &(SelfWay){x, x, (Vec3){0}}, 1.0f);
    assert_int_equal(self->used.block_count, self->block_count / 2);
    for (int n = 1; n <= 50; n++) {
        turn_and_shake(mesh, x, &seed);
        SelfWay way = {x, x, (Vec3){0}};
        if (n % 10 == 0)
            self_survey(self, mesh, &way, 1.0f);
        else
            self_follow(self, mesh, &way);
    }
    assert_int_equal(self->used.block_count, self->block_count / 2);
    assert_no_nearer(self, mesh, start, x);
    free(start);
    free(x);
    simulation_destroy(simulation);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distances_are_the_least),
        cmocka_unit_test(distances_of_four_are_as_exact_as_promised),
        cmocka_unit_test(search_finds_all),
        cmocka_unit_test(a_search_keeps_what_is_known),
        cmocka_unit_test(a_cone_is_one_of_angles),
        cmocka_unit_test(what_others_may_push_together_is_gathered),
        cmocka_unit_test(limits_are_shares_of_the_least_distance),
        cmocka_unit_test(what_is_pushed_has_the_speed_of_its_way),
        cmocka_unit_test(blocks_come_no_nearer),
        cmocka_unit_test(sleeping_blocks_come_no_nearer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
