// A time integrator advances  M a = f(x, v)  by one step of size h.
//
// It sees a System: flat arrays of degrees of freedom and a few functions, never a cloth, so a
// test can hand it an oscillator and the cloth may lay out its memory as it likes. An inverse mass
// of 0 holds a degree of freedom: its velocity is prescribed (0 for a pin, the hand's for a grabbed
// particle), its position still follows  x' = x + h v.
#ifndef INTEGRATORS_INTEGRATOR_H
#define INTEGRATORS_INTEGRATOR_H

#include "base/arena.h"
#include "linalg/pcg.h"
#include "linalg/tangent.h"

#include <stdbool.h>

// The springs of a system that is made of them, for methods that treat each one by itself.
typedef struct SpringList {
    int count;
    const int (*ends)[2];      // particles
    const double *stiffness;   // N/m
    const double *rest_length; // m
} SpringList;

typedef struct System {
    int dofs;
    const double *mass;         // kg, per degree of freedom, > 0 also where held
    const double *inverse_mass; // 1/kg, 0 = held
    double air;                 // d0, 1/s     damping force: -d0 M v - D v
    double alpha;               // s
    bool rayleigh;              // D = alpha K, with the K of `linearise`
    double length;              // m, of the shortest spring: K changes when particles move so far
    void *self;

    // f = all forces, N, damping included. Held degrees of freedom get their force too.
    void (*forces)(void *self, const double *x, const double *v, double *f);

    // f = what acts from outside: gravity, air drag, wind. The rest of `forces` are the springs.
    void (*external_forces)(void *self, const double *x, const double *v, double *f);

    // v = filtered v, in place, at positions x; NULL when there is no filter between the velocity
    // and the position update.
    void (*filter)(void *self, const double *x, double *v);

    // Linearise at x: K = -df/dx of the elastic forces, D = -df/dv without air drag. What follows
    // uses that K and D, until the next call.
    void (*linearise)(void *self, const double *x, Tangent tangent);
    void (*stiffness_product)(void *self, const double *p, double *Kp); // over all, held ones too
    void (*damping_product)(void *self, const double *p, double *Dp);
    // The matrix a M + b K + c D with held rows and columns removed, ready for PCG.
    LinearOperator (*assemble)(void *self, double a, double b, double c);

    // Kp = K(x) p, without touching the linearisation above.
    void (*stiffness_product_at)(void *self, const double *x, Tangent tangent, const double *p,
                                 double *Kp);

    // NULL unless the system is made of springs. Component c (0, 1, 2) of particle p is degree of
    // freedom first_dof[p] + c * component_stride.
    const SpringList *springs;
    const int *first_dof;
    int component_stride;
} System;

// The integrators' own parameters.
typedef enum Harmonic {
    HARMONIC_PRINTED,   // the impulse as the paper prints it: an eighth of the right one
    HARMONIC_CORRECTED, // the right impulse
    HARMONIC_CLAMPED,   // the right impulse of a spring made soft enough for the step
    HARMONIC_KINDS,
} Harmonic;

const char *harmonic_name(int harmonic); // NULL outside the enumeration

#define LEU_AUTO (-1.0) // leu_interval: as long as the cloth stays near where it was linearised

typedef struct StepOptions {
    Tangent tangent;
    double pcg_tolerance;    // relative residual at which PCG stops
    double newton_tolerance; // residual of Newton's method, relative to the first
    double leu_interval;     // s between two linearisations, or LEU_AUTO
    double leu_speed;        // m/s: a faster particle is a sign that the linearisation is too old
    Harmonic harmonic;
    bool sequence; // springs one after the other instead of summed
} StepOptions;

typedef struct StepReport {
    int force_evaluations;
    int newton_iterations;
    int linearisations; // K and D evaluated
    int fallbacks;      // solves repeated with the clamped tangent, after negative curvature
    int retries;        // times the step was taken back and repeated: refreshed, or in halves
    bool unconverged;   // the smallest parts of the step did not converge either
    PcgReport pcg;      // iterations of all solves, the rest of the last; zero without a solve
    // f at the start of the step, N, or NULL; in the scratch, so gone when that is reset.
    const double *force;
} StepReport;

// What a method remembers from one step to the next. The caller clears `valid` whenever x, v or the
// system changed by other means than a step of that method.
typedef struct StepMemory {
    bool valid;
    double age;        // s, of the linearisation
    double speed_then; // m/s, the largest when it was made
    double speed;      // m/s, the largest now
    double moved;      // m, no coordinate went farther since
    double *values;    // as many as the method's memory_size says
} StepMemory;

typedef struct Step {
    const System *system;
    double h; // s
    const StepOptions *options;
    StepMemory *memory; // needed only by methods with a memory_size
    Arena *scratch;     // reset by the caller after every step
    StepReport *report;
} Step;

enum {
    INTEGRATOR_IMPLICIT = 1,            // solves linear systems
    INTEGRATOR_SYMPLECTIC = 2,          // while the forces ignore v
    INTEGRATOR_POSITION_LAST = 4,       // x' = x + h v' with a finished v': a filter fits between
    INTEGRATOR_NEEDS_SPRINGS = 8,       // works on System.springs
    INTEGRATOR_USES_LINEARISATION = 16, // needs `linearise` and what follows it
    INTEGRATOR_ORDER_UNDAMPED = 32,     // its order is 1 where the forces depend on v
    INTEGRATOR_EXPLICIT_ACROSS = 64,    // implicit along springs only: see stability/stiffness.h
    INTEGRATOR_CONVERGES = 128,         // solves its implicit equations, by Newton's method
};

// One mode of a system under a step h, without units (theory of linear stability):
// x'' = -k x - d v becomes X = h d, Y = h^2 k.
typedef struct Mode {
    double X;
    double air; // the part of X that is air drag
    double Y;
    double filter;   // f: what a filter between velocity and position update multiplies v with
    double coupling; // stiffness of the mode / that of one spring by itself; 1 for a single spring
} Mode;

typedef struct Integrator {
    const char *name;      // stable: integrator = NAME
    const char *label;     // shown in the window
    const char *summary;   // one sentence: the scheme and what it is known for
    const char *reference; // where the scheme comes from
    const char *claim;     // what the sources say about it
    const char *measured;  // what we measured: a 16 x 16 cloth with k0 = 1e6/s^2, as test_stability
    int order;             // global order; test_integrators measures it
    int forces_per_step;   // evaluations of f
    unsigned traits;
    double default_step; // s, what `step = auto` takes when the method has no limit
    void (*advance)(const Step *step, double *x, double *v);
    // G of one step in the scaled state (x, h v); NULL when no 2x2 matrix describes the method.
    void (*amplification)(const StepOptions *options, const Mode *mode, double G[2][2]);
    // Largest stable h for x'' = -k x - (air + alpha k) v with 0 < k <= k0 (1/s^2): INFINITY if any
    // is, 0 if none is. NULL, or a negative answer: stability/limits.h searches those modes with G.
    double (*step_limit)(const StepOptions *options, double k0, double air, double alpha);
    // A method that needs damping, or gains from it, says where `alpha = auto` should put the
    // stiffest mode: its X, for Y = h^2 k0 and the X0 of air drag alone. `printed`: as the sources
    // have it. NULL: stability/automatic_alpha.h takes half of what fits.
    double (*wanted_tip)(bool printed, double X0, double Y);
    double largest_Y;                 // the largest Y that such a tip makes stable
    size_t (*scratch_size)(int dofs); // bytes `advance` takes from the arena
    size_t (*memory_size)(int dofs);  // doubles it keeps between steps; NULL: none
    // Make the system's part of a valid memory again, which a copy does not have; NULL: no such
    // part
    void (*resume)(const System *system, const StepOptions *options, const StepMemory *memory);
} Integrator;

// In the order the window shows them. A new method is one file, a line in integrator_table.c and
// one in src/meson.build.
extern const Integrator *const integrator_table[];
extern const int integrator_count;
enum { INTEGRATOR_COUNT = 12, INTEGRATOR_DEFAULT = 1 }; // symplectic Euler

const char *integrator_name(int index); // NULL outside the table
int integrator_find(const char *name);  // -1 when there is none

#endif
