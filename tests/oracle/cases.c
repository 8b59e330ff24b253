#include "oracle/cases.h"

#include "cloth/forces.h"
#include "simulation/simulation_state.h"
#include "support/solver_test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const models[] = {"springs", "baraff-witkin", "choi-ko"};
static const char *const dampings[] = {"rayleigh", "projected", "difference"};
static const char *const filters[] = {
    "off",
    "on filter_form=plain filter_place=before",
    "on filter_form=half filter_place=before",
    "on filter_form=conserving filter_place=before",
    "on filter_form=plain filter_place=after",
    "on filter_form=half filter_place=after",
    "on filter_form=conserving filter_place=after",
    "on filter_form=plain filter_on=force", // refused, as the next
    "on filter_form=half filter_on=force",
    "on filter_form=conserving filter_on=force",
};
enum { FIXED_ALPHA, AUTOMATIC_ALPHA, ALPHAS };

#define COUNT(list) ((int)(sizeof(list) / sizeof(list)[0]))

const char *case_state_name(CaseState state)
{
    static const char *const names[] = {"rest", "moving", "folded", "floor", "dragged"};
    return names[state];
}

bool case_is_still(CaseState state)
{
    return state == CASE_REST || state == CASE_FLOOR;
}

int combination_count(void)
{
    return method_variant_count * COUNT(models) * COUNT(dampings) * COUNT(filters) * ALPHAS;
}

// The next digit of a mixed number.
static int take(int *number, int count)
{
    int digit = *number % count;
    *number /= count;
    return digit;
}

Case case_of(int combination, CaseState state)
{
    int rest = combination;
    int alpha = take(&rest, ALPHAS), damping = take(&rest, COUNT(dampings));
    int filter = take(&rest, COUNT(filters)), model = take(&rest, COUNT(models));
    int method = take(&rest, method_variant_count);
    // A filter after the step sees velocities that the floor stops; growth there cannot be told
    // from buckling by counting. Filters are tried elsewhere.
    if (state == CASE_FLOOR && filter > 0) state = CASE_REST;
    Case c = {.combination = combination, .state = state};
    uint32_t seed = 7919u * (uint32_t)(combination * CASE_STATES + (int)state) + 17u;
    for (int i = 0; i < 8; i++) noise(&seed);
    c.mesh = noise_choice(&seed, 4) == 0;
    int rows = 3 + noise_choice(&seed, 3), columns = 3 + noise_choice(&seed, 3);
    if (noise_choice(&seed, 24) == 0) rows = 6, columns = 9;
    double stretch = noise_scaled(&seed, 30.0, 600.0);
    // A filter that follows the cloth is tried only where nothing moves within the step, and one
    // that inverts modes not on the floor, where it mixes with what the floor stops.
    bool in_sequence = strstr(method_variants[method], "sequence=on") != NULL;
    bool of_forces = strstr(filters[filter], "force") != NULL;
    bool is_current =
        noise_choice(&seed, 3) == 0 && !in_sequence && !(of_forces && !case_is_still(state));
    char of_filter[120] = "off";
    if (filter > 0) {
        snprintf(of_filter, sizeof of_filter, "%s%s filter_distance=%s lambda=%g",
                 noise_choice(&seed, 3) ? "exponential" : "gaussian", filters[filter] + 2,
                 is_current ? "current" : "rest", noise_scaled(&seed, 0.7, 3.0));
    }
    char of_alpha[60];
    if (alpha == FIXED_ALPHA)
        snprintf(of_alpha, sizeof of_alpha, "%g",
                 noise_choice(&seed, 5) ? noise_scaled(&seed, 2e-5, 2e-3) : 0.0);
    else
        snprintf(of_alpha, sizeof of_alpha, "auto alpha_rule=%s",
                 noise_choice(&seed, 3) ? "corrected" : "paper");
    snprintf(c.text, sizeof c.text,
             "integrator=%s model=%s damping=%s alpha=%s filter=%s air=%.3g rows=%d columns=%d "
             "stretch=%.4g shear=%.4g bend=%.4g ground=%g",
             method_variants[method], models[model], dampings[damping], of_alpha, of_filter,
             noise_choice(&seed, 4) ? noise_scaled(&seed, 0.1, 3.0) : 0.0, rows, columns, stretch,
             noise_scaled(&seed, 0.2, 1.0) * stretch, noise_scaled(&seed, 0.03, 0.3) * stretch,
             state == CASE_FLOOR ? -0.5 : -100.0);
    c.seed = seed;
    return c;
}

Case case_in_wind(Case c)
{
    uint32_t seed = c.seed;
    double strong = noise_scaled(&seed, 1.0, 20.0), density = noise_scaled(&seed, 0.02, 0.15);
    const double airs[][4] = {{strong, 0.0, 0.0, 0.0}, // wind, gust, drag across and along
                              {strong, 0.7, 0.5, 0.5},
                              {0.0, 0.0, strong, 0.3},
                              {2.0, 0.0, 0.1, strong}};
    const double *air = airs[noise_choice(&seed, COUNT(airs))];
    size_t used = strlen(c.text);
    snprintf(c.text + used, sizeof c.text - used,
             " density=%.3g wind=%.3g gust=%g drag_normal=%.3g drag_tangent=%.3g wind_direction=%d",
             density, air[0], air[1], air[2], air[3], noise_choice(&seed, 360));
    return c;
}

static void run(Simulation *simulation, int steps)
{
    for (int s = 0; s < steps; s++) assert_int_equal(simulation_step(simulation, NULL), STATUS_OK);
}

static void set(Simulation *simulation, const char *name, double value)
{
    apply_command(simulation, command_set(name, value));
}

// Until nothing moves any more, or for a minute of simulated time.
static void settle(Simulation *simulation)
{
    set(simulation, "air", 8.0);
    for (int i = 0; i < 60; i++) {
        run(simulation, 100);
        if (simulation_readings(simulation).max_speed < 1e-11) return;
    }
}

// The cloth of the case, moved by a method that is none of those under test.
static Simulation *prepare(const Case *c, Scene scene)
{
    uint32_t seed = c->seed;
    Params *params = &scene.params;
    params->integrator = integrator_find("backward-euler");
    params->tangent = TANGENT_CLAMPED;
    params->filter = 0;
    params->damping = 0;
    params->wind = params->drag_normal = params->drag_tangent = 0.0;
    params->alpha = 2e-3;
    params->step = case_is_still(c->state) ? 0.01 : 0.002;
    params->pcg_tolerance = 1e-12;
    Simulation *simulation;
    Error error;
    if (simulation_create(&scene, &simulation, &error) != STATUS_OK) fail_msg("%s", error.text);
    int count = simulation->body.cloth.mesh.particle_count;
    switch (c->state) {
    case CASE_REST:
    case CASE_FLOOR:
        settle(simulation);
        break;
    case CASE_MOVING:
    case CASE_FOLDED:
        run(simulation, 20 + noise_choice(&seed, 300));
        break;
    case CASE_DRAGGED:
        run(simulation, 20 + noise_choice(&seed, 100));
        int particle = noise_choice(&seed, count);
        apply_command(simulation,
                      (Command){.kind = COMMAND_GRAB,
                                .hand = {particle, {noise(&seed), noise(&seed), noise(&seed)}}});
        run(simulation, 10 + noise_choice(&seed, 150));
        break;
    case CASE_STATES:
        break;
    }
    return simulation;
}

Simulation *case_simulation(const Case *c)
{
    Scene scene = scene_with(c->text);
    char path[] = "/tmp/selvage-oracle-XXXXXX.obj";
    if (c->mesh) {
        int file = mkstemps(path, 4);
        assert_true(file >= 0);
        close(file);
        write_irregular_mesh(c->seed, 4, path);
        snprintf(scene.mesh, sizeof scene.mesh, "%s", path);
        scene.mass_spread = scene.stiffness_spread = 0.3;
    } else if (c->state == CASE_FOLDED) {
        scene.params.gather = 0.75;
        scene.params.folds = 1;
    }
    scene.params.pcg_tolerance = 1e-13;
    scene.params.newton_tolerance = 1e-7;
    Simulation *simulation;
    Status status = simulation_create(&scene, &simulation, NULL);
    if (status == STATUS_OK) {
        Simulation *moved = prepare(c, scene);
        size_t bytes = (size_t)simulation->system.dofs * sizeof(double);
        memcpy(simulation->body.cloth.x, moved->body.cloth.x, bytes);
        memcpy(simulation->body.cloth.v, moved->body.cloth.v, bytes);
        cloth_set_grabbed(&simulation->body.cloth, moved->body.cloth.grabbed);
        simulation->now.hand = moved->now.hand;
        simulation_destroy(moved);
        simulation_restart_clock(simulation);
    }
    if (c->mesh) unlink(path);
    return simulation;
}
