#include "apps/headless.h"

#include "apps/json.h"
#include "base/clock.h"

#ifdef HAVE_VIEWER
#include "render/picture.h"
#endif

#include <math.h>
#include <string.h>

static const double SERIES_INTERVAL = 1.0 / 60.0; // s, simulated, between two rows
enum { LOOK = 16 };                               // steps between two checks for a signal
enum { PICTURE_WIDTH = 1280, PICTURE_HEIGHT = 800 };

static void print_row(FILE *file, const Readings *r)
{
    fprintf(file, "%.10g,%.10g,%.10g,%.10g,%.10g,%.10g,%.10g,%.10g,%.4g\n", r->time,
            r->energy.kinetic, r->energy.elastic, r->energy.gravity, energy_total(r->energy),
            r->max_speed, r->max_strain, r->step, r->cost);
}

Status headless_simulate(Simulation *simulation, const Scene *scene, const HeadlessPlan *plan,
                         HeadlessResult *out, Error *error)
{
    *out = (HeadlessResult){.scene = *scene};
    Readings now = simulation_readings(simulation);
    if (plan->series) {
        fputs("time,kinetic,elastic,gravity,total,max_speed,max_strain,step,cost\n", plan->series);
        print_row(plan->series, &now);
    }
    double start = clock_seconds();
    const double begin = simulation_time(simulation);
    double elapsed = 0.0, last_row = 0.0; // s, simulated
    Status status = STATUS_OK;
    Error failure;
    for (long n = 0; plan->steps < 0 || n < plan->steps; n++) {
        out->interrupted = n % LOOK == 0 && plan->is_interrupted && plan->is_interrupted();
        if (out->interrupted) break;
        double h = simulation_next_step(simulation);
        if (plan->steps < 0 && elapsed >= plan->seconds - 0.5 * h) break;
        status = simulation_step(simulation, &failure);
        if (status != STATUS_OK) break;
        elapsed = simulation_time(simulation) - begin; // after a rewind it is less than before
        if (plan->series && elapsed - last_row >= SERIES_INTERVAL - 1e-9) { // 1e-9: rounding of n h
            now = simulation_readings(simulation);
            print_row(plan->series, &now);
            last_row = elapsed;
        }
    }
    double spent = clock_seconds() - start;
    out->readings = simulation_readings(simulation);
    if (plan->series && elapsed > last_row) print_row(plan->series, &out->readings);
    out->real_time_factor = elapsed > 0.0 && spent > 0.0 ? elapsed / spent : 0.0;
    out->scene.params = *simulation_params(simulation);
    if (status == STATUS_DIVERGED) {
        out->diverged = true;
        snprintf(out->message, sizeof out->message, "%s", failure.text);
    } else if (status != STATUS_OK) {
        return error_set(error, status, "%s", failure.text);
    } else if (out->interrupted) {
        snprintf(out->message, sizeof out->message, "at t = %.4g s", out->readings.time);
    }
    return STATUS_OK;
}

void headless_refine(Simulation *simulation, HeadlessResult *result)
{
    simulation_refine_stiffness(simulation);
    Readings refined = simulation_readings(simulation);
    result->readings.k0 = refined.k0;
    result->readings.k0_time = refined.k0_time;
    result->readings.limit = refined.limit;
}

void headless_print_table(const HeadlessResult *result, FILE *file)
{
    const Readings *r = &result->readings;
    char limit[48] = "none";
    if (isfinite(r->limit.step))
        snprintf(limit, sizeof limit, "%s%.5g s", r->limit.is_bound ? "at least " : "",
                 r->limit.step);
    fprintf(file, "scene             %s%s%s\n", result->scene.name,
            *result->scene.title ? ": " : "", result->scene.title);
    fprintf(file, "integrator        %s\n", integrator_name(result->scene.params.integrator));
    fprintf(file, "simulated         %.6g s in %ld steps\n", r->time, r->step_count);
    fprintf(file, "step h            %.5g s (largest stable: %s)\n", r->step, limit);
    fprintf(file, "k0                %.4g 1/s^2, linearised at %.4g s\n", r->k0, r->k0_time);
    fprintf(file, "energy, kinetic   %.4g J\n", r->energy.kinetic);
    fprintf(file, "        elastic   %.4g J\n", r->energy.elastic);
    fprintf(file, "        gravity   %.4g J\n", r->energy.gravity);
    fprintf(file, "        total     %.4g J\n", energy_total(r->energy));
    fprintf(file, "damping took      %.4g J, the filter %.4g J, numerical remainder %.4g J\n",
            r->balance.damping, r->balance.filter, r->balance.remainder);
    fprintf(file, "fastest particle  %.4g m/s\n", r->max_speed);
    fprintf(file, "largest strain    %.3g %%\n", 100.0 * r->max_strain);
    fprintf(file, "cost              %.3g us a step, %.3g times real time\n", 1e6 * r->cost,
            result->real_time_factor);
    fprintf(file, "last step         %d force evaluations, %d PCG iterations\n",
            r->last.force_evaluations, r->last.pcg.iterations);
    fprintf(file, "outcome           %s%s\n",
            result->diverged      ? "diverged: "
            : result->interrupted ? "interrupted "
                                  : "done",
            result->message);
}

void headless_print_json(const HeadlessResult *result, FILE *file)
{
    const Readings *r = &result->readings;
    Json json = {.file = file};
    json_open_object(&json, NULL);
    json_text(&json, "scene", result->scene.name);
    json_text(&json, "integrator", integrator_name(result->scene.params.integrator));
    json_number(&json, "seconds", r->time);
    json_count(&json, "steps", r->step_count);
    json_number(&json, "step", r->step);
    json_number(&json, "step_limit", r->limit.step); // null: none
    json_bool(&json, "limit_is_bound", r->limit.is_bound);
    json_number(&json, "k0", r->k0);
    json_number(&json, "alpha", r->alpha);
    json_open_object(&json, "energy");
    json_number(&json, "kinetic", r->energy.kinetic);
    json_number(&json, "elastic", r->energy.elastic);
    json_number(&json, "gravity", r->energy.gravity);
    json_number(&json, "total", energy_total(r->energy));
    json_close_object(&json);
    json_open_object(&json, "balance");
    json_number(&json, "start", r->balance.start);
    json_number(&json, "hand", r->balance.hand);
    json_number(&json, "contact", r->balance.contact);
    json_number(&json, "damping", r->balance.damping);
    json_number(&json, "filter", r->balance.filter);
    json_number(&json, "remainder", r->balance.remainder);
    json_close_object(&json);
    json_number(&json, "max_speed", r->max_speed);
    json_number(&json, "max_strain", r->max_strain);
    json_number(&json, "cost", r->cost);
    json_count(&json, "force_evaluations", r->last.force_evaluations);
    json_count(&json, "pcg_iterations", r->last.pcg.iterations);
    json_number(&json, "pcg_residual", r->last.pcg.residual);
    json_number(&json, "real_time_factor", result->real_time_factor);
    json_bool(&json, "diverged", result->diverged);
    json_text(&json, "message", result->message);
    json_close_object(&json);
}

#ifdef HAVE_VIEWER
Status headless_write_picture(Simulation *simulation, OutputFile *output, Error *error)
{
    if (!output->wanted) return STATUS_OK;
    Snapshot snapshot = {0};
    Status status = simulation_fill_snapshot(simulation, &snapshot, error);
    if (status == STATUS_OK) {
        status = picture_write(&snapshot, output->write, PICTURE_WIDTH, PICTURE_HEIGHT, error);
    }
    snapshot_finish(&snapshot);
    if (status == STATUS_OK) status = output_file_commit(output, error);
    return status;
}
#else
Status headless_write_picture(Simulation *simulation, OutputFile *output, Error *error)
{
    (void)simulation;
    if (!output->wanted) return STATUS_OK;
    return error_set(error, STATUS_BAD_PARAMETER,
                     "this build has no renderer, so it cannot write pictures");
}
#endif
