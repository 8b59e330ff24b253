#include "bench/bench_plan.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static double time_of(const BenchTask *task, int repeats, double (*clock)(void))
{
    double start = clock();
    for (int i = 0; i < repeats; i++) task->run(task->self);
    return (clock() - start) / repeats;
}

void bench_measure(BenchTask *tasks, int count, const BenchPlan *plan, double (*clock)(void))
{
    int repeats[BENCH_TASKS_MAX];
    for (int t = 0; t < count; t++) {
        double once = time_of(&tasks[t], 1, clock);
        repeats[t] = 4 + (int)fmin(plan->seconds / fmax(once, 1e-9), 1e6);
        tasks[t].best = INFINITY;
    }
    for (int round = 0; round < plan->rounds; round++) {
        for (int t = 0; t < count; t++) {
            tasks[t].run(tasks[t].self); // wakes its threads and warms the cache
            tasks[t].best = fmin(tasks[t].best, time_of(&tasks[t], repeats[t], clock));
        }
    }
}

BenchLine *bench_add(const BenchPlan *plan, double value, const char *unit, double naive,
                     const char *format, ...)
{
    BenchLine *line = &plan->out->lines[plan->out->count++];
    *line = (BenchLine){.value = value, .unit = unit, .naive = naive};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line->name, sizeof line->name, format, arguments);
    va_end(arguments);
    return line;
}

double bench_achieved(const BenchLine *line)
{
    return line->naive > 0.0 ? line->naive / line->value : line->value;
}

bool bench_reached(const BenchLine *line)
{
    return line->goal_is_most ? bench_achieved(line) <= line->goal
                              : bench_achieved(line) >= line->goal;
}

double bench_exponent(int count, const double *x, const double *y)
{
    double mean_x = 0.0, mean_y = 0.0, xx = 0.0, xy = 0.0;
    for (int i = 0; i < count; i++) mean_x += log(x[i]) / count, mean_y += log(y[i]) / count;
    for (int i = 0; i < count; i++) {
        xx += (log(x[i]) - mean_x) * (log(x[i]) - mean_x);
        xy += (log(x[i]) - mean_x) * (log(y[i]) - mean_y);
    }
    return xy / xx;
}

Status bench_hanging(int side, double k0, const char *assignments, Simulation **out, Error *error)
{
    Scene scene = scene_default();
    Params *params = &scene.params;
    params->rows = params->columns = side;
    params->speed = PARAM_WORD;
    double mass = params->density * params->size * params->size / (side * side);
    params->stretch = k0 * mass / 6.0;
    params->shear = 0.5 * params->stretch;
    params->bend = 0.1 * params->stretch;
    char text[256], *rest = text;
    snprintf(text, sizeof text, "%s", assignments);
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        Status status = params_assign(params, word, error);
        if (status != STATUS_OK) return status;
    }
    return simulation_create(&scene, out, error);
}
