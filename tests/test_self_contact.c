// Contact of a cloth with itself. Crossings are counted here by a search of its own.
#include "support/solver_test.h"

#include "cloth/boxes.h"
#include "cloth/forces.h"
#include "cloth/nearest.h"
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
    if (determinant == 0.0) return false;
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
                const uint32_t *of = mesh->triangles[pair[k]], *other = mesh->triangles[pair[1 - k]];
                for (int e = 0; e < 3; e++) {
                    uint32_t p = of[e], q = of[(e + 1) % 3];
                    bool shares = false;
                    for (int c = 0; c < 3; c++) shares = shares || other[c] == p || other[c] == q;
                    if (!shares) crossings += passes(corner[pair[k]][e], corner[pair[k]][(e + 1) % 3],
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
               r.time, r.step, crossings_of(simulation), simulation->now.self.crossings, simulation->now.self.pairs,
               simulation->body.self.count, most, held, full, simulation->body.self.searches - searches, steps,
               energy_total(r.energy), r.balance.remainder, r.balance.contact, r.max_speed,
               1e6 * (double)(clock() - spent) / CLOCKS_PER_SEC / (double)steps);
        searches = simulation->body.self.searches, steps = 0;
        spent = clock();
    }
    simulation_destroy(simulation);
    return 0;
}

int main(int count, char **words)
{
    if (count > 2) return look(count, words);
    return 0;
}
