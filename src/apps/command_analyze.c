// selvage analyze: the lab's results for a scene.
#include "apps/commands.h"
#include "apps/headless.h"
#include "apps/json.h"
#include "apps/report.h"
#include "apps/stability_table.h"
#include "lab/analysis.h"
#include "lab/unstable_range.h"

#include <math.h>

static void write_modes(Json *json, const Analysis *a)
{
    json_open_array(json, "modes");
    for (int m = 0; m < a->mode_count; m++) {
        const AnalysisMode *mode = &a->modes[m];
        json_open_object(json, NULL);
        json_number(json, "k", mode->k);
        json_number(json, "residual", mode->residual);
        json_number(json, "symbol", mode->symbol);
        json_number(json, "X", mode->X);
        json_number(json, "Y", mode->Y);
        json_number(json, "rho", mode->rho);
        json_close_object(json);
    }
    json_close_array(json);
}

static void write_json(const Analysis *a, const StableRange *stretch)
{
    Json json = {.file = stdout};
    json_open_object(&json, NULL);
    json_number(&json, "k0", a->k0);
    json_number(&json, "k_min", a->k_min);
    json_number(&json, "omega_max", a->omega_max);
    json_number(&json, "step", a->step);
    json_number(&json, "step_limit", a->limit.step); // null: none
    json_bool(&json, "limit_is_bound", a->limit.is_bound);
    json_bool(&json, "soft_modes_may_grow", a->limit.but_soft);
    json_number(&json, "measured_limit", a->measured_limit); // null: not measured, or none
    json_number(&json, "step_ratio", a->step_ratio);
    json_number(&json, "mu_sigma", a->mu_sigma);
    json_number(&json, "alpha_limit", a->alpha_limit); // null: no limit
    json_bool(&json, "alpha_is_bound", a->alpha_is_bound);
    json_number(&json, "stretch_limit", stretch->high); // N/m; null: none, or the step is automatic
    json_number(&json, "rho_predicted", a->rho_predicted);
    json_number(&json, "rho_measured", a->measured ? a->map.rho.value : NAN);
    json_number(&json, "rho_residual", a->measured ? a->map.rho.residual : NAN);
    json_bool(&json, "rho_is_buckling", a->map.rho.buckling); // of rho_measured: then it is physics
    json_number(&json, "growth_steps", a->growth_steps);      // null: does not grow
    json_text(&json, "verdict", verdict_name(a->verdict));
    write_modes(&json, a);
    if (a->has_filter_limit) {
        json_open_object(&json, "filter");
        json_number(&json, "algorithm1", a->filter.algorithm1);
        json_number(&json, "corrected", a->filter.corrected);
        json_number(&json, "measured", a->measured_limit);
        json_number(&json, "smallest_symbol", a->filter.smallest_symbol);
        json_close_object(&json);
    }
    json_close_object(&json);
}

static void print_limit(const char *name, double value, const char *none, const char *note)
{
    if (isfinite(value)) {
        printf("%-18s%.5g s%s\n", name, value, note);
    } else {
        printf("%-18s%s\n", name, none);
    }
}

static void print_filter(const Analysis *a)
{
    print_limit("filter: paper", a->filter.algorithm1, "none", " by Algorithm 1");
    if (a->filter.negative) {
        printf("%-18sits symbol falls to %.3g: modes that it inverts grow at every step\n",
               "        warning", a->filter.smallest_symbol);
    } else {
        print_limit("        corrected", a->filter.corrected, "none",
                    " before the position update of symplectic Euler");
    }
}

static void print_table(const Scene *scene, const Analysis *a, const StableRange *stretch)
{
    printf("scene             %s at t = %.4g s, %d degrees of freedom\n", scene->name, a->time,
           a->free_count);
    printf("integrator        %s\n", integrator_name(scene->params.integrator));
    printf("k0                %.6g 1/s^2 to within %.1g, omega_max %.5g rad/s\n", a->k0,
           a->k0_residual, a->omega_max);
    printf("k_min             %.5g 1/s^2 to within %.1g%s\n", a->k_min, a->k_min_residual,
           a->buckling ? ": the cloth buckles, which is physics" : "");
    printf("step              %.5g s\n", a->step);
    print_limit(a->limit.is_bound ? "surely stable to" : "largest stable", a->limit.step,
                a->limit.but_soft ? "none" : "none: stable at any step",
                a->limit.is_bound ? "; larger steps may be stable too" : "");
    if (a->limit.but_soft)
        printf("   but             soft modes may grow slowly: the filter's mean is not symmetric, "
               "and no air damps\n");
    if (!isnan(a->measured_limit)) {
        print_limit("   measured", a->measured_limit, "none",
                    ", where rho of the real step crosses 1");
    }
    printf("step / largest    %.4g\n", a->step_ratio);
    if (!isnan(a->mu_sigma)) printf("mu_sigma          %.4g\n", a->mu_sigma);
    if (isnan(a->alpha_limit) || (a->alpha_is_bound && a->alpha_limit == 0.0))
        printf("largest alpha     not known: no 2x2 matrix for each mode describes this step\n");
    else
        print_limit(a->alpha_is_bound ? "alpha, surely to" : "largest alpha", a->alpha_limit,
                    "none: stable at any", " at this step");
    if (isfinite(stretch->high)) printf("largest stretch   %.4g N/m at this step\n", stretch->high);
    if (a->has_filter_limit) print_filter(a);
    if (isnan(a->rho_predicted))
        printf("rho predicted     not: no 2x2 matrix for each mode describes this step\n");
    else
        printf("rho predicted     %.6f\n", a->rho_predicted);
    if (!a->measured) {
        printf("rho measured      a step from here cannot be taken\n");
    } else if (!a->map.rho.buckling) {
        printf("rho measured      %.6f, residual %.1e%s\n", a->map.rho.value, a->map.rho.residual,
               a->map.rho.converged ? "" : " (not converged)");
    } else if (a->map.numerical.value > 0.0) {
        printf("rho measured      %.6f, residual %.1e, without what buckles\n",
               a->map.numerical.value, a->map.numerical.residual);
    } else {
        printf("rho measured      what buckles grows faster than anything else\n");
    }
    if (a->map.rho.buckling)
        printf("growth, buckling  %.6f a step, which is physics\n", a->map.rho.value);
    if (isfinite(a->growth_steps)) {
        printf("thousandfold in   %.0f steps\n", ceil(a->growth_steps));
    }
    printf("verdict           %s\n", verdict_name(a->verdict));
    printf("\nstiffest modes    k 1/s^2      residual   symbol   X          Y          rho\n");
    for (int m = 0; m < a->mode_count; m++) {
        const AnalysisMode *mode = &a->modes[m];
        printf("                  %-11.6g  %-9.1e  %-7.4f  %-9.4g  %-9.4g  %.6f\n", mode->k,
               mode->residual, mode->symbol, mode->X, mode->Y, mode->rho);
    }
}

static Status analyze(Simulation *simulation, const Scene *scene, const Options *options,
                      Analysis *out, StableRange *stretch, Error *error)
{
    // A cloth that diverges before that time is analysed at its last good state.
    HeadlessPlan plan = {.seconds = options->time, .steps = -1};
    HeadlessResult result;
    Status status = headless_simulate(simulation, scene, &plan, &result, error);
    if (status != STATUS_OK) return status;
    Lab lab;
    status = lab_init(&lab, simulation, error);
    if (status == STATUS_OK) {
        lab_analyze(&lab, simulation, &analysis_thorough, out);
        *stretch = unstable_stiffness(&lab, simulation).stretch;
    }
    lab_finish(&lab);
    return status;
}

// Of every method, or of the one that was asked for.
static int write_table(const Options *options)
{
    Params params = params_default();
    Error error;
    Status status = options_assign(options, &params, &error);
    bool all = options->assignment_count == 0;
    const char *only = all ? NULL : integrator_table[params.integrator]->name;
    if (status == STATUS_OK) status = stability_table_write(only, stdout, &error);
    return status == STATUS_OK ? EXIT_DONE : report_error(&error);
}

int command_analyze(const Options *options)
{
    Scene scene;
    Simulation *simulation = NULL;
    Analysis analysis;
    StableRange stretch;
    Error error;
    if (options->table) return write_table(options);
    Status status = options_load_scene(options, &scene, &error);
    if (status == STATUS_OK) status = simulation_create(&scene, &simulation, &error);
    if (status == STATUS_OK) report_notice(simulation_mesh_notice(simulation));
    if (status == STATUS_OK && options->state_in) {
        status = simulation_read_state(simulation, options->state_in, &error);
    }
    if (status == STATUS_OK)
        status = analyze(simulation, &scene, options, &analysis, &stretch, &error);
    simulation_destroy(simulation);
    if (status != STATUS_OK) return report_error(&error);
    if (options->json) {
        write_json(&analysis, &stretch);
    } else {
        print_table(&scene, &analysis, &stretch);
    }
    return EXIT_DONE;
}
