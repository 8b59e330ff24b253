#include "lab/point_judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// In units of the spacing: the noise that a run starts with, and where it ends early.
#define NOISE 1e-6
#define FAR 0.1
// Growth from the second quarter to the last.
#define GREW 3.0
#define STAYED 1.5

const char *point_theory_name(int theory)
{
    static const char *const names[] = {"unknown", "stable", "unstable", "beyond", "refused"};
    return names[theory];
}

const char *point_run_name(int run)
{
    static const char *const names[] = {"stayed", "grew", "close", "buckled"};
    return names[run];
}

PointTheory point_theory(const SimulationView *view, double h)
{
    if (h <= view->limit.step) return POINT_STABLE;
    return view->limit.is_bound ? POINT_BEYOND : POINT_UNSTABLE;
}

Status noise_run_init(NoiseRun *self, Error *error)
{
    *self = (NoiseRun){0};
    return state_create(&self->saved, error);
}

void noise_run_finish(NoiseRun *self)
{
    state_destroy(self->saved);
    free(self->extra);
    *self = (NoiseRun){0};
}

static Status make_room(NoiseRun *self, int dofs, Error *error)
{
    if (self->dofs == dofs) return STATUS_OK;
    free(self->extra);
    self->extra = calloc(3 * (size_t)dofs, sizeof(double));
    self->dofs = self->extra ? dofs : 0;
    if (!self->extra)
        return error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory for a run from noise");
    self->x = self->extra + dofs;
    self->v = self->x + dofs;
    return STATUS_OK;
}

static double noise(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / 8388608.0 - 1.0;
}

static double distance(const NoiseRun *self, const SimulationProbe *probe,
                       const double *inverse_mass)
{
    double sum = 0.0;
    for (int i = 0; i < self->dofs; i++) {
        double d = self->x[i] - probe->x[i], w = probe->h * self->v[i];
        if (inverse_mass[i] > 0.0) sum += d * d + w * w;
    }
    return sqrt(sum);
}

// What grew is a direction in which the cloth has negative stiffness.
static bool buckles(NoiseRun *self, Simulation *simulation, const double *shape)
{
    for (int i = 0; i < self->dofs; i++) self->x[i] -= shape[i];
    return simulation_stiffness_quotient(simulation, simulation_params(simulation), self->x,
                                         self->extra) < 0.0;
}

static PointRun run_from(NoiseRun *self, SimulationProbe *probe, double spacing,
                         const double *inverse_mass)
{
    unsigned seed = 1;
    memset(self->v, 0, (size_t)self->dofs * sizeof *self->v);
    for (int i = 0; i < self->dofs; i++)
        self->x[i] = probe->x[i] + (inverse_mass[i] > 0.0 ? NOISE * spacing * noise(&seed) : 0.0);
    double quarter[4] = {0};
    for (int n = 0; n < POINT_RUN_STEPS; n++) {
        if (!simulation_probe_step(probe, self->x, self->v)) return POINT_GREW;
        double d = distance(self, probe, inverse_mass);
        double *largest = &quarter[4 * n / POINT_RUN_STEPS];
        *largest = fmax(*largest, d);
        if (!(d < FAR * spacing)) return POINT_GREW;
    }
    if (quarter[3] > GREW * quarter[1]) return POINT_GREW;
    return quarter[3] < STAYED * quarter[1] ? POINT_STAYED : POINT_CLOSE;
}

Status noise_run_judge(NoiseRun *self, Simulation *simulation, PointRun *out, Error *error)
{
    SimulationView view = simulation_view(simulation);
    const double *inverse_mass = view.system->inverse_mass;
    SimulationProbe probe;
    Status status = make_room(self, view.system->dofs, error);
    if (status == STATUS_OK)
        status =
            simulation_probe_begin(simulation, view.step, self->saved, self->extra, &probe, error);
    if (status != STATUS_OK) return status;
    *out = run_from(self, &probe, view.spacing, inverse_mass);
    const double *shape = state_positions(self->saved);
    simulation_probe_end(&probe);
    if (*out == POINT_GREW && buckles(self, simulation, shape)) *out = POINT_BUCKLED;
    return STATUS_OK;
}
