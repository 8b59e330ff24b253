#include "apps/headless.h"

#include "base/certain.h"
#include "base/clock.h"
#include "simulation/state.h"

#ifdef HAVE_VIEWER
#include "render/picture.h"
#endif

#include <inttypes.h>
#include <math.h>
#include <string.h>

static const double SERIES_INTERVAL = 1.0 / 60.0; // s, simulated, between two rows
enum { LOOK = 16 };                               // steps between two checks for a signal
enum { PICTURE_WIDTH = 1280, PICTURE_HEIGHT = 800 };

static void print_row(FILE *file, const Readings *r)
{
    fprintf(file, "%.10g,%.10g,%.10g,%.10g,%.10g,%.10g,%.10g,%.10g,%.4g,%.10g,%.10g,%d,%.10g\n",
            r->time, r->energy.kinetic, r->energy.elastic, r->energy.gravity,
            energy_total(r->energy), r->max_speed, r->max_strain, r->step, r->cost, r->balance.wind,
            r->balance.muscle, r->contacts, r->balance.contact);
}

// A run under way.
typedef struct Run {
    Simulation *simulation;
    const HeadlessPlan *plan;
    HeadlessResult *out;
    Replay replay;
    long steps;            // tried
    double begin, elapsed; // s, simulated
    double last_row;       // s, likewise, when the last row was written
    double simulated;      // s, in all: also what was taken back
    Status status;         // of the last step
    Error failure;         // likewise
} Run;

static bool is_fulfilled(const Run *run)
{
    const HeadlessPlan *plan = run->plan;
    if (plan->replay)
        return replay_move(&run->replay, simulation_time(run->simulation)) == REPLAY_OVER;
    if (plan->steps >= 0) return run->steps >= plan->steps;
    return run->elapsed >= plan->seconds - 0.5 * simulation_next_step(run->simulation);
}

// The commands that are due before the next step.
static Status obey_replay(Run *run, Error *error)
{
    while (replay_move(&run->replay, simulation_time(run->simulation)) == REPLAY_COMMAND) {
        double time = simulation_time(run->simulation);
        const Command *command;
        Status status = replay_apply(&run->replay, run->simulation, &command, error);
        if (status != STATUS_OK) return status;
        if (command->kind == COMMAND_LOAD_SCENE) run->out->scene = *command->scene;
        if (run->plan->recorder)
            recorder_add(run->plan->recorder, time, command, run->simulation, NULL);
        run->status = STATUS_OK; // a new chance
        run->elapsed = simulation_time(run->simulation) - run->begin;
        run->last_row = fmin(run->last_row, run->elapsed);
    }
    return STATUS_OK;
}

static void take_step(Run *run)
{
    double before = simulation_time(run->simulation);
    run->status = simulation_step(run->simulation, &run->failure);
    if (run->status == STATUS_INTERRUPTED) return; // it was not tried
    run->steps++;
    run->replay.tick++;
    if (run->plan->recorder) recorder_tick(run->plan->recorder);
    double now = simulation_time(run->simulation); // less than before after a rewind
    run->simulated += fmax(0.0, now - before);
    run->elapsed = now - run->begin;
    if (run->plan->series && run->elapsed - run->last_row >= SERIES_INTERVAL - 1e-9) { // rounding
        Readings readings = simulation_readings(run->simulation);
        print_row(run->plan->series, &readings);
        run->last_row = run->elapsed;
    }
}

// Whether a refused step is where it ends. A recorded run went on, if only to its end.
static bool gives_up(const Run *run)
{
    if (run->status == STATUS_OK) return false;
    if (run->status != STATUS_DIVERGED || !run->plan->replay) return true;
    return replay_waits_in_vain(&run->replay);
}

static void judge_replay(Run *run)
{
    HeadlessResult *out = run->out;
    const Recording *recording = run->plan->replay;
    const char *how = "not played to its end";
    if (!out->interrupted && !gives_up(run)) {
        out->replay_checked = recording->has_end && recording->hash_count > 0;
        out->replay_matches = replay_agrees(&run->replay, run->simulation, &out->replay_difference);
        how = !out->replay_checked  ? "played; it has no hash to compare with"
              : out->replay_matches ? "agrees to the last bit"
                                    : "does not agree with what was recorded";
    }
    if (!recording->has_end)
        how = recording->cut ? "played to its last whole command; its end is cut off"
                             : "played to its last command; it has no end";
    snprintf(out->replay_text, sizeof out->replay_text, "%s", how);
}

Status headless_simulate(Simulation *simulation, const Scene *scene, const HeadlessPlan *plan,
                         HeadlessResult *out, Error *error)
{
    *out = (HeadlessResult){.scene = *scene};
    Run run = {.simulation = simulation,
               .plan = plan,
               .out = out,
               .replay = {.recording = plan->replay},
               .begin = simulation_time(simulation)};
    Readings now = simulation_readings(simulation);
    if (plan->series) {
        fputs("time,kinetic,elastic,gravity,total,max_speed,max_strain,step,cost,wind,muscle,"
              "contacts,contact\n",
              plan->series);
        print_row(plan->series, &now);
    }
    if (plan->clip) {
        Status status = clip_follow(plan->clip, simulation, 0.0, error);
        if (status != STATUS_OK) return status;
    }
    double start = clock_seconds();
    for (;;) {
        out->interrupted = run.steps % LOOK == 0 && plan->is_interrupted && plan->is_interrupted();
        if (out->interrupted) break;
        if (plan->replay) {
            Status status = obey_replay(&run, error);
            if (status != STATUS_OK) return status;
        }
        if (is_fulfilled(&run)) break;
        take_step(&run);
        out->interrupted = run.status == STATUS_INTERRUPTED;
        if (out->interrupted) {
            run.status = STATUS_OK;
            break;
        }
        if (plan->clip) {
            double drawing = clock_seconds();
            Status status = clip_follow(plan->clip, simulation, run.simulated, error);
            if (status != STATUS_OK) return status;
            start += clock_seconds() - drawing; // not a cost of simulating
        }
        if (gives_up(&run)) break;
    }
    double spent = clock_seconds() - start;
    out->readings = simulation_readings(simulation);
    if (plan->series && run.elapsed > run.last_row) print_row(plan->series, &out->readings);
    out->real_time_factor = run.simulated > 0.0 && spent > 0.0 ? run.simulated / spent : 0.0;
    out->scene.params = *simulation_params(simulation);
    out->hash = simulation_hash(simulation);
    if (run.status == STATUS_DIVERGED) {
        out->diverged = true;
        snprintf(out->message, sizeof out->message, "%s", run.failure.text);
    } else if (run.status != STATUS_OK) {
        return error_set(error, run.status, "%s", run.failure.text);
    } else if (out->interrupted) {
        snprintf(out->message, sizeof out->message, "at t = %.4g s", out->readings.time);
    }
    if (plan->replay) judge_replay(&run);
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

static const char *outcome_of(const HeadlessResult *result)
{
    return result->diverged ? "diverged" : result->interrupted ? "interrupted" : "done";
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
    fprintf(file, "step h            %.5g s (largest stable: %s%s)\n", r->step, limit,
            r->limit.but_soft ? ", but soft modes may grow slowly" : "");
    fprintf(file, "k0                %.4g 1/s^2, linearised at %.4g s\n", r->k0, r->k0_time);
    fprintf(file, "energy, kinetic   %.4g J\n", r->energy.kinetic);
    fprintf(file, "        elastic   %.4g J\n", r->energy.elastic);
    fprintf(file, "        gravity   %.4g J\n", r->energy.gravity);
    fprintf(file, "        total     %.4g J\n", energy_total(r->energy));
    char damping[32], filter[32], remainder[32];
    certain_print(r->balance.damping, r->balance.error, damping, sizeof damping);
    certain_print(r->balance.filter, r->balance.error, filter, sizeof filter);
    certain_print(r->balance.remainder, r->balance.error, remainder, sizeof remainder);
    fprintf(file, "damping took      %s J, the filter %s J, numerical remainder %s J\n", damping,
            filter, remainder);
    if (r->balance.contact != 0.0 || r->contacts > 0) {
        char contact[32];
        certain_print(r->balance.contact, r->balance.error, contact, sizeof contact);
        fprintf(file, "contacts          %d particles now, work %s J\n", r->contacts, contact);
    }
    if (r->balance.wind != 0.0) {
        char wind[32];
        certain_print(r->balance.wind, r->balance.error, wind, sizeof wind);
        fprintf(file, "wind, work        %s J\n", wind);
    }
    if (result->scene.muscle_count > 0) {
        char muscle[32];
        certain_print(r->balance.muscle, r->balance.error, muscle, sizeof muscle);
        fprintf(file, "muscles, work     %s J\n", muscle);
    }
    fprintf(file, "fastest particle  %.4g m/s\n", r->max_speed);
    fprintf(file, "largest strain    %.3g %%\n", 100.0 * r->max_strain);
    fprintf(file, "cost              %.3g us a step, %.3g times real time\n", 1e6 * r->cost,
            result->real_time_factor);
    fprintf(file, "last step         %d force evaluations, %d PCG iterations\n",
            r->last.force_evaluations, r->last.pcg.iterations);
    fprintf(file, "state             %016" PRIx64 "\n", result->hash);
    if (*result->replay_text) fprintf(file, "replay            %s\n", result->replay_text);
    fprintf(file, "outcome           %s%s%s\n", outcome_of(result),
            result->diverged      ? ": "
            : result->interrupted ? " "
                                  : "",
            result->message);
}

void headless_print_energy(Energy energy, Json *json)
{
    json_open_object(json, "energy");
    json_number(json, "kinetic", energy.kinetic);
    json_number(json, "elastic", energy.elastic);
    json_number(json, "gravity", energy.gravity);
    json_number(json, "total", energy_total(energy));
    json_close_object(json);
}

void headless_print_json(const HeadlessResult *result, FILE *file)
{
    const Readings *r = &result->readings;
    Json json = {.file = file};
    json_open_object(&json, NULL);
    json_text(&json, "scene", result->scene.name);
    json_text(&json, "integrator", integrator_name(result->scene.params.integrator));
    json_number(&json, "time", r->time);
    json_number(&json, "seconds", r->time); // its older name
    json_count(&json, "steps", r->step_count);
    json_number(&json, "step", r->step);
    json_number(&json, "step_limit", r->limit.step); // null: none
    json_bool(&json, "limit_is_bound", r->limit.is_bound);
    json_bool(&json, "soft_modes_may_grow", r->limit.but_soft);
    json_number(&json, "k0", r->k0);
    json_number(&json, "alpha", r->alpha);
    headless_print_energy(r->energy, &json);
    json_open_object(&json, "balance");
    json_number(&json, "start", r->balance.start);
    json_number(&json, "hand", r->balance.hand);
    json_number(&json, "contact", r->balance.contact);
    json_number(&json, "wind", r->balance.wind);
    json_number(&json, "muscle", r->balance.muscle);
    json_number(&json, "damping", r->balance.damping);
    json_number(&json, "filter", r->balance.filter);
    json_number(&json, "remainder", r->balance.remainder);
    json_number(&json, "error", r->balance.error);
    json_close_object(&json);
    json_count(&json, "contacts", r->contacts);
    json_number(&json, "max_speed", r->max_speed);
    json_number(&json, "max_strain", r->max_strain);
    json_number(&json, "cost", r->cost);
    json_count(&json, "force_evaluations", r->last.force_evaluations);
    json_count(&json, "pcg_iterations", r->last.pcg.iterations);
    json_number(&json, "pcg_residual", r->last.pcg.residual);
    json_bool(&json, "pcg_spent", r->last.spent);
    json_number(&json, "real_time_factor", result->real_time_factor);
    char hash[17];
    snprintf(hash, sizeof hash, "%016" PRIx64, result->hash);
    json_text(&json, "hash", hash);
    if (result->replay_checked) {
        json_bool(&json, "replay_matches", result->replay_matches);
    } else if (*result->replay_text) {
        json_number(&json, "replay_matches", NAN); // null: there is nothing to compare with
    }
    json_text(&json, "outcome", outcome_of(result));
    json_bool(&json, "diverged", result->diverged);
    json_text(&json, "message", result->message);
    json_close_object(&json);
}

#ifdef HAVE_VIEWER
Status headless_write_picture(Simulation *simulation, OutputFile *output, int width, int height,
                              Error *error)
{
    if (!output->wanted) return STATUS_OK;
    if (width <= 0) width = PICTURE_WIDTH, height = PICTURE_HEIGHT;
    Snapshot snapshot = {0};
    Status status = simulation_fill_snapshot(simulation, &snapshot, error);
    if (status == STATUS_OK) {
        status = picture_write(&snapshot, 1, output, width, height, error);
    }
    snapshot_finish(&snapshot);
    return status;
}
#else
Status headless_write_picture(Simulation *simulation, OutputFile *output, int width, int height,
                              Error *error)
{
    (void)simulation, (void)width, (void)height;
    if (!output->wanted) return STATUS_OK;
    return error_set(error, STATUS_BAD_PARAMETER,
                     "this build has no renderer, so it cannot write pictures");
}
#endif
