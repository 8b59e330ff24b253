// What the figures share: cloths to measure on, schemes, runs, limits, times.
#ifndef FIGURES_CLOTHS_H
#define FIGURES_CLOTHS_H

#include "figures/figure.h"
#include "scene/scene.h"
#include "simulation/simulation.h"
#include "stability/region.h"

// "integrator=rk4 step=0.001": one after the other.
Status assign_all(Params *params, const char *assignments, Error *error);
// A scene that comes along, with changes.
Status scene_with(const char *name, const char *assignments, Scene *out, Error *error);
// A square cloth of side^2 particles that falls from flat and hangs by two corners: 0.2 kg/m^2, 1
// m, shear half and bend a tenth of stretch, air 0.5/s, no other damping, k0 as given at rest. Then
// changes.
Status cloth_with(int side, double k0, const char *assignments, Scene *out, Error *error);
// The largest eigenvalue of M^-1 K at its start, 1/s^2.
Status scene_k0(const Scene *scene, double *out, Error *error);

// A method by itself, for amplification_at.
Scheme scheme_named(const char *integrator);
// The largest Y of its stable region, and the X where.
void region_top(const Scheme *scheme, double x_max, double y_max, double *X, double *Y);
// Largest singular value of G^n.
double norm_of_power(const double (*G)[2], int n);
// The stable region as an area.
Status panel_region(Panel *panel, const char *name, const Scheme *scheme, Error *error);

// Steps until `seconds`, or until it diverges or the figure is cancelled: false then. `sample` (may
// be NULL) is called before the first step and then every `interval` simulated seconds.
typedef void Sample(void *context, const Simulation *simulation);
bool run_until(const Figure *figure, Simulation *simulation, double seconds, double interval,
               Sample *sample, void *context);

// Computing per simulated second.
enum { MOST_ROUNDS = 10 };
typedef struct RunCost {
    // s of processor time: each step in its best round, and the slowest round
    double best, worst;
    double stepping_best, stepping_worst; // of steps that do not estimate k0 anew
    int rounds;
    double stepping[MOST_ROUNDS]; // likewise, of each round
    double estimate; // s: what a step with an estimate takes more than the others, at best
    double products; // iterations of all solves
    double steps, forces;
    bool diverged;
} RunCost;
// Several scenes, timed in turn, so that a slow moment of the machine meets all of them.
Status time_runs(const Figure *figure, const Scene *scenes, int count, double seconds, int rounds,
                 RunCost *out, Error *error);

// The largest stable step: by theory and by real steps at the start of a scene, or after `time`.
typedef struct Limits {
    double k0;     // 1/s^2
    double theory; // s
    bool is_bound;
    double measured;   // s
    double algorithm1; // s, under a filter; NaN without
    double corrected;  // s, likewise
} Limits;
#define LIMIT_PRECISION 0.0005 // of a measured limit, relative: lab/measured_limit.h
Status measure_limits(const Figure *figure, const Scene *scene, double time, Limits *out,
                      Error *error);

#endif
