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
    double alpha;               // s           D = alpha K where damping is Rayleigh's
    void *self;

    // f = all forces, N, damping included. Held degrees of freedom get their force too.
    void (*forces)(void *self, const double *x, const double *v, double *f);

    // v = filtered v, in place, at positions x; NULL when there is no filter.
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

typedef struct StepReport {
    int force_evaluations;
    PcgReport pcg; // all zero for a method that solves nothing
} StepReport;

typedef struct Step {
    const System *system;
    double h; // s
    Tangent tangent;
    double pcg_tolerance; // relative residual at which PCG stops
    Arena *scratch;       // reset by the caller after every step
    StepReport *report;
} Step;

enum {
    INTEGRATOR_IMPLICIT = 1,   // needs `linearise` and the rest of a System
    INTEGRATOR_SYMPLECTIC = 2, // while the forces ignore v
};

typedef struct Integrator {
    const char *name;      // stable: integrator = NAME
    const char *label;     // shown in the window
    const char *summary;   // one sentence: the scheme and what it is known for
    const char *reference; // where the scheme comes from
    int order;             // global order; test_integrators measures it
    unsigned traits;
    double default_step; // s, what `step = auto` takes when the method has no limit
    void (*advance)(const Step *step, double *x, double *v);
    // Largest stable h for x'' = -k x - (air + alpha k) v with 0 < k <= k0 (1/s^2); INFINITY if
    // none.
    double (*step_limit)(double k0, double air, double alpha);
    size_t (*scratch_size)(int dofs); // bytes `advance` takes from the arena
} Integrator;

// In the order the window shows them. A new method is one file, a line in integrator_table.c and
// one in src/meson.build.
extern const Integrator *const integrator_table[];
extern const int integrator_count;

const char *integrator_name(int index); // NULL outside the table
int integrator_find(const char *name);  // -1 when there is none

#endif
