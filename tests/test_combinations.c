// Every scene with every combination of model, damping, method, variant, filter and alpha at the
// automatic step: either it is refused with a reason, or it runs without a divergence.
//
// usage: test_combinations                        a seeded share, as a test
//        test_combinations FILE [FIRST [EVERY]]   combinations FIRST, FIRST + EVERY, ... for ten
//                                                 simulated seconds each, as rows of a CSV file.
//                                                 Rows that it already has are not computed again.
#include "support/solver_test.h"

#include "cloth/force_model.h"
#include "runtime/scene_file.h"
#include "simulation/simulation_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LONG 10.0  // s, simulated
#define SHORT 0.25 // s, in the test
// Every so manieth combination in the test: prime to the number of values of each choice.
enum { SHARE = 61 };
enum { SIDE = 8 }; // particles along a side, at most

static const char *const filters[] = {
    "filter=off",
    "filter=exponential filter_place=before",
    "filter=exponential filter_form=half filter_place=before",
    "filter=exponential filter_form=conserving filter_place=before",
    "filter=gaussian lambda=1 filter_place=before",
    "filter=exponential filter_place=after",
    "filter=exponential filter_on=force filter_form=conserving",
};
static const char *const dampings[] = {"rayleigh", "projected", "difference"};
static const char *const alphas[] = {"0.0001", "0.001", "auto"};

#define COUNT(list) ((int)(sizeof(list) / sizeof(list)[0]))

static SceneList scenes;
static char mesh[] = "/tmp/selvage-combinations-XXXXXX.obj"; // for scenes with a mesh

static int combination_count(void)
{
    return scenes.count * FORCE_MODEL_COUNT * method_variant_count * COUNT(dampings) *
           COUNT(filters) * COUNT(alphas);
}

static int take(int *number, int count)
{
    int digit = *number % count;
    *number /= count;
    return digit;
}

static Scene scene_of(int combination, char text[400])
{
    int rest = combination;
    int alpha = take(&rest, COUNT(alphas)), filter = take(&rest, COUNT(filters));
    int damping = take(&rest, COUNT(dampings)), method = take(&rest, method_variant_count);
    int model = take(&rest, FORCE_MODEL_COUNT);
    Scene scene = scenes.items[take(&rest, scenes.count)];
    if (scene.params.rows > SIDE) scene.params.rows = SIDE;
    if (scene.params.columns > SIDE) scene.params.columns = SIDE + 1;
    if (scene.mesh[0] != '\0') snprintf(scene.mesh, sizeof scene.mesh, "%s", mesh);
    char assignments[300];
    snprintf(assignments, sizeof assignments, "model=%s integrator=%s damping=%s alpha=%s %s",
             force_model_name(model), method_variants[method], dampings[damping], alphas[alpha],
             filters[filter]);
    snprintf(text, 400, "%s %s", scene.name, assignments);
    scene_assign(&scene, assignments);
    return scene;
}

typedef struct Result {
    const char *outcome; // "refused", "no stable step", "done", "diverged"
    double time, step, limit;
    long steps;
    Error error;
} Result;

static Result run(const Scene *scene, double duration)
{
    Result result = {.outcome = "done"};
    Simulation *simulation;
    if (simulation_create(scene, &simulation, NULL) != STATUS_OK)
        return (Result){.outcome = "refused"};
    // a method that is unstable at every step with this damping, or at all that are of use, is
    // shown as such
    bool hopeless = simulation->limit.step == 0.0;
    while (!hopeless && simulation_time(simulation) < duration) {
        bool surely = simulation_next_step(simulation) <= simulation->limit.step;
        if (simulation_step(simulation, &result.error) != STATUS_OK) {
            result.outcome = surely ? "diverged" : "no stable step";
            break;
        }
        hopeless = simulation->limit.step == 0.0;
    }
    if (hopeless) result.outcome = "no stable step";
    Readings r = simulation_readings(simulation);
    result.time = r.time, result.step = r.step, result.limit = r.limit.step;
    result.steps = r.step_count;
    simulation_destroy(simulation);
    return result;
}

static int write_file(const char *path, int first, int every)
{
    bool *done = calloc((size_t)combination_count(), sizeof *done);
    assert_non_null(done);
    char line[1024];
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        int combination = atoi(line);
        if (strchr(line, '\n') && combination >= 0 && combination < combination_count())
            done[combination] = line[0] >= '0' && line[0] <= '9';
    }
    if (file) fclose(file);
    file = fopen(path, "a");
    if (!file) {
        fprintf(stderr, "%s cannot be written\n", path);
        return 1;
    }
    for (int i = first; i < combination_count(); i += every) {
        if (done[i]) continue;
        char text[400];
        Scene scene = scene_of(i, text);
        Result r = run(&scene, LONG);
        fprintf(file, "%d,%s,%s,%.4g,%ld,%.4g,%.4g,%s\n", i, text, r.outcome, r.time, r.steps,
                r.step, r.limit, r.error.text);
        fflush(file);
    }
    free(done);
    return fclose(file) == 0 ? 0 : 1;
}

static void automatic_steps_do_not_diverge(void **state)
{
    (void)state;
    int tried = 0, refused = 0, hopeless = 0, diverged = 0;
    for (int i = 0; i < combination_count(); i += SHARE) {
        char text[400];
        Scene scene = scene_of(i, text);
        Result r = run(&scene, SHORT);
        tried++;
        refused += strcmp(r.outcome, "refused") == 0;
        hopeless += strcmp(r.outcome, "no stable step") == 0;
        if (strcmp(r.outcome, "diverged") != 0) continue;
        diverged++;
        print_message("%d: %s: h = %g, limit %g: %s\n", i, text, r.step, r.limit, r.error.text);
    }
    print_message("%d combinations: %d refused, %d without a stable step, %d diverged\n", tried,
                  refused, hopeless, diverged);
    assert_int_equal(diverged, 0);
    assert_true(hopeless < tried / 20);
}

int main(int argc, char **argv)
{
    Error error;
    int file = mkstemps(mesh, 4);
    if (file < 0 || scene_list(&scenes, &error) != STATUS_OK) return 1;
    close(file);
    int kept = 0; // what has lanes shows the cloth of another scene
    for (int i = 0; i < scenes.count; i++) {
        if (scenes.items[i].lane_count == 0) scenes.items[kept++] = scenes.items[i];
    }
    scenes.count = kept;
    write_irregular_mesh(1, SIDE, mesh);
    int code = 0;
    if (argc > 1) {
        code = write_file(argv[1], argc > 2 ? atoi(argv[2]) : 0, argc > 3 ? atoi(argv[3]) : 1);
    } else {
        const struct CMUnitTest tests[] = {cmocka_unit_test(automatic_steps_do_not_diverge)};
        code = cmocka_run_group_tests(tests, NULL, NULL);
    }
    scene_list_finish(&scenes);
    unlink(mesh);
    return code;
}
