// Contact of a cloth with itself. Crossings are counted here by a search of its own.
#include "support/solver_test.h"

#include "cloth/boxes.h"
#include "cloth/forces.h"
#include "cloth/nearest.h"
#include "cloth/nearest4.h"
#include "cloth/self_follow.h"
#include "cloth/self_list.h"
#include "cloth/self_search.h"
#include "cloth/self_touch.h"
#include "runtime/scene_file.h"
#include "simulation/simulation_state.h"
#include "simulation/state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define COUNT(list) ((int)(sizeof(list) / sizeof(list)[0]))

// ---- an independent count of crossings

typedef struct Span {
    double low[3], high[3];
    int triangle;
} Span;

static int by_low(const void *a, const void *b)
{
    double x = ((const Span *)a)->low[0], y = ((const Span *)b)->low[0];
    return x < y ? -1 : x > y;
}

static double get(Vec3 v, int axis)
{
    return axis == 0 ? v.x : axis == 1 ? v.y : v.z;
}

// Moeller and Trumbore 1997, with open intervals.
static bool passes(Vec3 from, Vec3 to, const Vec3 corner[3])
{
    Vec3 way = vec3_sub(to, from), b = vec3_sub(corner[1], corner[0]),
         c = vec3_sub(corner[2], corner[0]), p = vec3_cross(way, c);
    double determinant = vec3_dot(b, p);
    double parallel = 1e-12 * vec3_length(way) * vec3_length(b) * vec3_length(c);
    if (fabs(determinant) <= parallel) return false;
    Vec3 s = vec3_sub(from, corner[0]), q = vec3_cross(s, b);
    double u = vec3_dot(s, p) / determinant, v = vec3_dot(way, q) / determinant,
           t = vec3_dot(c, q) / determinant;
    return u > 0.0 && v > 0.0 && u + v < 1.0 && t > 0.0 && t < 1.0;
}

// Sides of triangles that pass through triangles with which they share no particle.
static int count_crossings(const Mesh *mesh, const double *x)
{
    size_t count = (size_t)mesh->triangle_count;
    Span *spans = calloc(count, sizeof *spans);
    Vec3(*corner)[3] = calloc(count, sizeof *corner);
    int crossings = 0;
    for (size_t t = 0; t < count; t++) {
        for (int i = 0; i < 3; i++) corner[t][i] = mesh_vector(mesh, x, (int)mesh->triangles[t][i]);
        spans[t].triangle = (int)t;
        for (int a = 0; a < 3; a++) {
            double u = get(corner[t][0], a), v = get(corner[t][1], a), w = get(corner[t][2], a);
            spans[t].low[a] = fmin(u, fmin(v, w));
            spans[t].high[a] = fmax(u, fmax(v, w));
        }
    }
    qsort(spans, count, sizeof *spans, by_low);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = i + 1; j < count && spans[j].low[0] <= spans[i].high[0]; j++) {
            if (spans[i].low[1] > spans[j].high[1] || spans[j].low[1] > spans[i].high[1] ||
                spans[i].low[2] > spans[j].high[2] || spans[j].low[2] > spans[i].high[2])
                continue;
            int pair[2] = {spans[i].triangle, spans[j].triangle};
            for (int k = 0; k < 2; k++) {
                const uint32_t *of = mesh->triangles[pair[k]],
                               *other = mesh->triangles[pair[1 - k]];
                for (int e = 0; e < 3; e++) {
                    uint32_t p = of[e], q = of[(e + 1) % 3];
                    bool shares = false;
                    for (int c = 0; c < 3; c++) shares = shares || other[c] == p || other[c] == q;
                    if (!shares)
                        crossings += passes(corner[pair[k]][e], corner[pair[k]][(e + 1) % 3],
                                            corner[pair[1 - k]]);
                }
            }
        }
    }
    free(spans);
    free(corner);
    return crossings;
}

static Scene load(const char *name)
{
    Scene scene;
    Error error = {0};
    if (scene_load(name, &scene, &error) != STATUS_OK) fail_msg("%s", error.text);
    return scene;
}

static Simulation *create(const Scene *scene)
{
    Simulation *simulation;
    Error error = {0};
    if (simulation_create(scene, &simulation, &error) != STATUS_OK) fail_msg("%s", error.text);
    return simulation;
}

static int crossings_of(const Simulation *simulation)
{
    return count_crossings(&simulation->body.cloth.mesh, simulation->body.cloth.x);
}

// For looking: test_self_contact SCENE SECONDS [NAME=VALUE ...]
static int look(int count, char **words)
{
    Scene scene = load(words[1]);
    for (int i = 3; i < count; i++) {
        Error error = {0};
        if (params_assign(&scene.params, words[i], &error) != STATUS_OK) fail_msg("%s", error.text);
    }
    Simulation *simulation = create(&scene);
    double end = atof(words[2]), next = 0.0;
    clock_t spent = clock();
    long held = 0, full = 0, most = 0, searches = 0, steps = 0;
    while (simulation->now.time < end) {
        Error error = {0};
        if (simulation_step(simulation, &error) != STATUS_OK) {
            printf("%s\n", error.text);
            break;
        }
        steps++;
        held += simulation->now.self.held_back;
        full += simulation->now.self.full;
        if (simulation->body.self.count > most) most = simulation->body.self.count;
        if (simulation->now.time < next) continue;
        next += end / 20.0;
        Readings r = simulation_readings(simulation);
        printf("t %.2f h %.2e crossings %d (%d) pairs %d of %d (most %ld) held back %ld full %ld "
               "searches %ld/%ld E %.4f remainder %.4f contact %.4f speed %.2f cost %.0f us\n",
               r.time, r.step, crossings_of(simulation), simulation->now.self.crossings,
               simulation->now.self.pairs, simulation->body.self.count, most, held, full,
               simulation->body.self.searches - searches, steps, energy_total(r.energy),
               r.balance.remainder, r.balance.contact, r.max_speed,
               1e6 * (double)(clock() - spent) / CLOCKS_PER_SEC / (double)steps);
        searches = simulation->body.self.searches, steps = 0;
        spent = clock();
    }
    simulation_destroy(simulation);
    return 0;
}

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
    Simulation *simulation = create(&scene);
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
    Simulation *simulation = create(&scene);
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
    Simulation *simulation = create(&scene);
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
    Simulation *simulation = create(&scene);
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
    Simulation *simulation = create(&scene);
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
    Simulation *simulation = create(&scene);
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
    Simulation *simulation = create(&scene);
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

// ---- runs ----

// A small heap, which is quick to compute.
static Scene small_heap(const char *assignments)
{
    Scene scene = load("heap");
    scene_assign(&scene, "rows=20 columns=20");
    scene_assign(&scene, assignments);
    return scene;
}

static void run_without_crossing(Simulation *simulation, double seconds, double every)
{
    double end = simulation->now.time + seconds, next = simulation->now.time;
    while (simulation->now.time < end) {
        Error error = {0};
        if (simulation_step(simulation, &error) != STATUS_OK) fail_msg("%s", error.text);
        if (simulation->now.time < next) continue;
        next += every;
        int crossings = crossings_of(simulation);
        if (crossings > 0) fail_msg("%d crossings at %g s", crossings, simulation->now.time);
    }
}

static const char *const methods[] = {"integrator=symplectic-euler", "integrator=backward-euler"};

static void heap_does_not_cross_itself(void **state)
{
    (void)state;
    for (int m = 0; m < COUNT(methods); m++) {
        Scene scene = small_heap(methods[m]);
        Simulation *simulation = create(&scene);
        run_without_crossing(simulation, 0.5, 0.02);
        EnergyBalance before = simulation_readings(simulation).balance; // it has landed
        run_without_crossing(simulation, 1.1, 0.02);
        // What contacts take is booked: little is left for the remainder of the explicit method.
        EnergyBalance balance = simulation_readings(simulation).balance;
        double contact = balance.contact - before.contact;
        assert_true(contact < 0.0);
        if (m == 0) assert_true(fabs(balance.remainder - before.remainder) < 0.1 * fabs(contact));
        assert_false(simulation->now.self.full);
        simulation_destroy(simulation);
    }
    Scene scene = small_heap("self_contact=off"); // it would
    Simulation *simulation = create(&scene);
    run_steps(simulation, (int)(1.5 / simulation_next_step(simulation)));
    assert_true(crossings_of(simulation) > 20);
    simulation_destroy(simulation);
}

// Steps of implicit methods are so long that springs are stiff beside them. When contacts were met
// after the step, each meeting stretched springs: 1.3 J more within 0.2 s, and an alarm. The lowest
// energy so far is never left by more than a few percent of the fall.
static void long_steps_gain_nothing(void **state)
{
    (void)state;
    const char *const of[] = {"integrator=backward-euler", "integrator=backward-euler-newton",
                              "integrator=imex-axial"};
    for (int m = 0; m < COUNT(of); m++) {
        Scene scene = small_heap("rows=12 columns=12");
        scene_assign(&scene, of[m]);
        Simulation *simulation = create(&scene);
        double lowest = INFINITY, risen = 0.0;
        while (simulation->now.time < 3.5) {
            run_steps(simulation, 1);
            double energy = energy_total(simulation_readings(simulation).energy);
            lowest = fmin(lowest, energy);
            risen = fmax(risen, energy - lowest);
            assert_int_equal(simulation->now.monitor.state, MONITOR_STABLE);
        }
        double fall = simulation->drop * scene.params.gravity; // J, by its own length
        print_message("%s: %.3g J at most gained of %.3g J\n", of[m], risen, fall);
        assert_true(risen < 0.05 * fall);
        simulation_destroy(simulation);
    }
}

// Layers at rest do no work. Methods that move particles with their old velocities let them fall
// for a step before they stopped them; that was booked once, 17 mJ in this time, and left out by
// rules that failed at other roundings. They rest when their energy changes by less than 0.5 mJ
// in 1.5 s. Several steps are tried, because which pairs touch depends on rounding.
static void layers_at_rest_do_no_work(void **state)
{
    (void)state;
    const double safeties[] = {0.8, 0.76, 0.72, 0.68};
    for (int i = 0; i < COUNT(safeties); i++) {
        char text[100];
        snprintf(text, sizeof text, "rows=12 columns=12 air=6 integrator=explicit-euler safety=%g",
                 safeties[i]);
        Scene scene = small_heap(text);
        Simulation *simulation = create(&scene);
        double work = 0.0, change = INFINITY;
        while (fabs(change) > 5e-4 && simulation->now.time < 20.0) {
            Readings before = simulation_readings(simulation);
            double end = simulation->now.time + 1.5;
            while (simulation->now.time < end) run_steps(simulation, 1);
            Readings now = simulation_readings(simulation);
            work = now.balance.contact - before.balance.contact;
            change = energy_total(now.energy) - energy_total(before.energy);
        }
        print_message("safety %g: %d pairs, work %.2g J, energy %.2g J, until %.1f s\n",
                      safeties[i], simulation->now.self.pairs, work, change, simulation->now.time);
        assert_true(fabs(change) <= 5e-4);
        assert_true(simulation->now.self.pairs > 0);
        assert_near(work, change, 5e-4);
        simulation_destroy(simulation);
    }
}

// Layers that are pressed together trembled under leu: what forces gave in the steps between two
// meetings was taken at each. At rest that was growth for the monitor, 26 mJ in two seconds here,
// and on `heap` an alarm after 11 s.
static void layers_at_rest_give_no_alarm(void **state)
{
    (void)state;
    Scene scene = small_heap("rows=24 columns=24 integrator=leu");
    Simulation *simulation = create(&scene);
    while (simulation->now.time < 5.5) run_steps(simulation, 1);
    double excess = simulation->now.monitor.excess;
    double taken = simulation_readings(simulation).balance.contact;
    while (simulation->now.time < 7.5) run_steps(simulation, 1);
    taken -= simulation_readings(simulation).balance.contact;
    double more = simulation->now.monitor.excess - excess;
    print_message("%.2g J taken, %.2g J of growth\n", taken, more);
    assert_true(simulation->now.self.pairs > 0);
    assert_true(more < 1e-3);
    simulation_destroy(simulation);
}

// In steps as long as a frame all of a collapsing heap may meet all. When there was no room to list
// its pairs, nothing was allowed to move far, and 5360 particles were taken back.
static void a_fast_collapse_is_listed(void **state)
{
    (void)state;
    Scene scene = load("heap");
    scene_assign(&scene, "integrator=backward-euler step=0.0166666667");
    Simulation *simulation = create(&scene);
    const SelfContact *self = &simulation->body.self;
    int held = 0, most = 0;
    while (simulation->now.time < 2.2) {
        run_steps(simulation, 1);
        held += simulation->now.self.held_back;
        most = self->count > most ? self->count : most;
        assert_false(simulation->now.self.full);
    }
    print_message("%d pairs of %d, %d particles taken back\n", most, self->capacity, held);
    assert_true(most > 2 * SELF_PAIRS * simulation->body.cloth.mesh.particle_count);
    assert_true(held < 100);
    assert_int_equal(crossings_of(simulation), 0);
    simulation_destroy(simulation);
}

static void move_hand(Simulation *simulation, CommandKind kind, int particle, Vec3 target)
{
    apply_command(simulation, (Command){.kind = kind, .hand = {particle, target}});
}

// A cloth that hangs by its upper edge; a hand pulls a lower corner up to the other side, through
// the middle, and away.
static void hand_does_not_pull_through(void **state)
{
    (void)state;
    for (int m = 0; m < 2; m++) {
        Scene scene = scene_with("rows=22 columns=22 self_contact=on bend=3");
        scene_assign(&scene, methods[m]);
        scene.pins = PIN_TOP_EDGE;
        scene.start = START_HANGING;
        Simulation *simulation = create(&scene);
        int corner = 22 * 22 - 1;
        move_hand(simulation, COMMAND_GRAB, corner, (Vec3){0.9, -0.5, 0.3});
        run_without_crossing(simulation, 0.4, 0.02);
        move_hand(simulation, COMMAND_MOVE_HAND, corner, (Vec3){0.5, -0.4, -0.6});
        run_without_crossing(simulation, 0.4, 0.02);
        move_hand(simulation, COMMAND_MOVE_HAND, corner, (Vec3){0.2, -0.5, -0.1});
        run_without_crossing(simulation, 0.3, 0.02);
        move_hand(simulation, COMMAND_MOVE_HAND, corner, (Vec3){0.5, -0.4, 0.6});
        run_without_crossing(simulation, 0.4, 0.02);
        apply_command(simulation, (Command){.kind = COMMAND_RELEASE});
        run_without_crossing(simulation, 0.5, 0.02);
        simulation_destroy(simulation);
    }
}

static Vec3 momentum(const Cloth *cloth)
{
    Vec3 sum = {0};
    for (int p = 0; p < cloth->mesh.particle_count; p++)
        sum = vec3_add_scaled(sum, cloth_mass(cloth, p), mesh_vector(&cloth->mesh, cloth->v, p));
    return sum;
}

// A free cloth whose halves fly towards each other: momentum stays, energy falls, nothing crosses.
static void momentum_is_conserved(void **state)
{
    (void)state;
    for (int m = 0; m < 2; m++) {
        Scene scene = scene_with("rows=16 columns=16 self_contact=on gravity=0 air=0 bend=0.5 "
                                 "ground=-100 pcg_tolerance=1e-12 newton_tolerance=1e-12");
        scene_assign(&scene, methods[m]);
        scene.pins = 0;
        Simulation *simulation = create(&scene);
        Cloth *cloth = &simulation->body.cloth;
        const Mesh *mesh = &cloth->mesh;
        for (int p = 0; p < mesh->particle_count; p++) { // like a book that is closed
            Vec3 x = mesh->rest_position[p];
            mesh_set_vector(mesh, cloth->v, p,
                            (Vec3){0.0, 6.0 * fabs(x.x - 0.5 * mesh->width), 0.4 * x.x});
        }
        Vec3 before = momentum(cloth);
        double energy = energy_total(simulation_energy(simulation)), scale = energy;
        int touched = 0;
        for (int i = 0; i < 100000 && simulation->now.time < 0.6; i++) {
            run_steps(simulation, 1);
            touched += simulation->now.self.pairs > 0;
            assert_int_equal(simulation->now.self.held_back, 0);
            if (i % 20 == 0) {
                assert_int_equal(crossings_of(simulation), 0);
                double now = energy_total(simulation_energy(simulation));
                assert_true(now <= energy + 2e-3 * scale);
                energy = fmin(energy, now);
            }
        }
        assert_true(touched > 5);
        double size = vec3_length(before);
        assert_near(vec3_length(vec3_sub(momentum(cloth), before)), 0.0,
                    (m == 0 ? 1e-12 : 1e-8) * size);
        simulation_destroy(simulation);
    }
}

// A cloth so small that it is one block, which is closed like a book.
static void one_block_does_not_cross_itself(void **state)
{
    (void)state;
    for (int m = 0; m < 2; m++) {
        Scene scene = scene_with("rows=3 columns=5 self_contact=on gravity=0 air=0 bend=0.1 "
                                 "ground=-100");
        scene_assign(&scene, methods[m]);
        scene.pins = 0;
        Simulation *simulation = create(&scene);
        Cloth *cloth = &simulation->body.cloth;
        const Mesh *mesh = &cloth->mesh;
        assert_int_equal(simulation->body.self.block_count, 1);
        for (int p = 0; p < mesh->particle_count; p++) {
            Vec3 x = mesh->rest_position[p];
            mesh_set_vector(mesh, cloth->v, p,
                            (Vec3){0.0, 6.0 * fabs(x.x - 0.5 * mesh->width), 0.4 * x.x});
        }
        int touched = 0;
        while (simulation->now.time < 0.6) {
            run_steps(simulation, 1);
            touched += simulation->now.self.pairs > 0;
            assert_int_equal(crossings_of(simulation), 0);
        }
        assert_true(touched > 0);
        simulation_destroy(simulation);
    }
}

// A saved state goes on to the same bits, in the same simulation and in another one; at moments
// between two searches too.
static void restored_runs_have_the_same_bits(void **state)
{
    (void)state;
    for (int m = 0; m < 2; m++) {
        Scene scene = small_heap(methods[m]);
        Simulation *simulation = create(&scene), *other;
        run_without_crossing(simulation, 0.9, 0.5);
        int touched = 0;
        State *saved;
        assert_int_equal(state_create(&saved, NULL), STATUS_OK);
        for (int round = 0; round < 5; round++) {
            run_steps(simulation, 3);
            assert_int_equal(state_save(simulation, saved, NULL), STATUS_OK);
            assert_int_equal(state_create_simulation(saved, &other, NULL), STATUS_OK);
            for (int i = 0; i < 37; i++) {
                run_steps(simulation, 1);
                touched += simulation->now.self.pairs;
            }
            run_steps(other, 37);
            assert_true(simulation_hash(simulation) == simulation_hash(other));
            simulation_destroy(other);
        }
        assert_true(touched > 0);
        state_destroy(saved);
        simulation_destroy(simulation);
    }
}

static void switch_on(Simulation *simulation)
{
    int index = (int)(param_find("self_contact") - param_table);
    Command command = {.kind = COMMAND_SET_PARAM, .param = {.index = index, .value = 1.0}};
    apply_command(simulation, command);
}

static double fastest_until(Simulation *simulation, double time)
{
    double fastest = 0.0;
    while (simulation->now.time < time) {
        run_steps(simulation, 1);
        fastest = fmax(fastest, simulation_readings(simulation).max_speed);
    }
    return fastest;
}

// A cloth folded in two, a corner of which has passed through the other layer: contact is switched
// on, and the corner comes back.
static void a_corner_comes_back(void **state)
{
    (void)state;
    enum { SIDE = 16, HALF = SIDE / 2 };
    Scene scene = scene_with("rows=16 columns=16 gravity=0 bend=0.1 ground=-100 air=2");
    scene.pins = 0;
    Simulation *simulation = create(&scene);
    Cloth *cloth = &simulation->body.cloth;
    const Mesh *mesh = &cloth->mesh;
    for (int p = 0; p < mesh->particle_count; p++) {
        int column = p % SIDE, row = p / SIDE;
        bool above = column >= HALF;
        // not one particle over the other
        Vec3 x = {above ? SIDE - 1.3 - column : column, above ? 0.6 : 0.0, row + 0.2 * above};
        if (column + row >= 2 * SIDE - 4) x.y = -0.5;
        mesh_set_vector(mesh, cloth->x, p, vec3_scale(mesh->spacing, x));
    }
    int before = crossings_of(simulation);
    switch_on(simulation);
    double fastest = fastest_until(simulation, 1.0);
    if (getenv("SELVAGE_TALK"))
        printf("%d -> %d, fastest %g\n", before, crossings_of(simulation), fastest);
    assert_true(before > 5);
    assert_int_equal(crossings_of(simulation), 0);
    simulation_destroy(simulation);
}

// Contact is switched on in a heap that crosses itself hundreds of times: nothing flies away.
static void a_tangle_does_not_explode(void **state)
{
    (void)state;
    Scene scene = small_heap("self_contact=off");
    Simulation *simulation = create(&scene);
    double without = fastest_until(simulation, 1.2);
    int before = crossings_of(simulation);
    switch_on(simulation);
    double with = fastest_until(simulation, 1.8);
    assert_true(before > 20);
    assert_true(crossings_of(simulation) < before);
    assert_true(with < without);
    simulation_destroy(simulation);
}

// Layers that lie on each other do no work. The floor stops only the lowest in a step, so the
// others keep a velocity of some g h without moving; their impulses times these velocities took 0.1
// J from the account in 4 s once, and the monitor gave an alarm.
static void a_heap_at_rest_does_no_work(void **state)
{
    (void)state;
    const char *const explicit[] = {"integrator=symplectic-euler-implicit-air",
                                    "integrator=midpoint", "integrator=rk4"};
    for (int m = 0; m < 3; m++) {
        Scene scene = load("heap");
        scene_assign(&scene, "rows=16 columns=16");
        scene_assign(&scene, explicit[m]);
        Simulation *simulation = create(&scene);
        while (simulation->now.time < 8.0) run_steps(simulation, 1);
        EnergyBalance before = simulation_readings(simulation).balance;
        while (simulation->now.time < 12.0) run_steps(simulation, 1);
        EnergyBalance after = simulation_readings(simulation).balance;
        double work = after.contact - before.contact;
        print_message("%s: %.2g J of work\n", explicit[m], work);
        assert_near(work, 0.0, 0.02);
        simulation_destroy(simulation);
    }
}

// It has no triangles, so it looks for none. Copying nothing from nowhere is undefined.
static void a_rope_does_not_search(void **state)
{
    (void)state;
    Simulation *simulation = simulation_with("rows=1 columns=9 self_contact=on step=1e-3");
    run_steps(simulation, 20);
    assert_true(simulation->now.self.reach == 0.0);
    simulation_destroy(simulation);
}

int main(int count, char **words)
{
    if (count > 2) return look(count, words);
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
        cmocka_unit_test(heap_does_not_cross_itself),
        cmocka_unit_test(long_steps_gain_nothing),
        cmocka_unit_test(layers_at_rest_do_no_work),
        cmocka_unit_test(layers_at_rest_give_no_alarm),
        cmocka_unit_test(a_fast_collapse_is_listed),
        cmocka_unit_test(hand_does_not_pull_through),
        cmocka_unit_test(momentum_is_conserved),
        cmocka_unit_test(one_block_does_not_cross_itself),
        cmocka_unit_test(restored_runs_have_the_same_bits),
        cmocka_unit_test(a_corner_comes_back),
        cmocka_unit_test(a_tangle_does_not_explode),
        cmocka_unit_test(a_heap_at_rest_does_no_work),
        cmocka_unit_test(a_rope_does_not_search),
    };
    if (count > 1) cmocka_set_test_filter(words[1]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
