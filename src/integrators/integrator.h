// A time integrator advances  M a = f(x, v)  by one step of size h.
//
// It sees a System: flat arrays of degrees of freedom and a few functions, never a cloth. So a test
// can pass an oscillator, and the cloth is free to choose its memory layout. An inverse mass of 0
// holds a degree of freedom: its velocity is prescribed (0 for a pin, the hand's for a grabbed
// particle), its position still follows  x' = x + h v.
#ifndef INTEGRATORS_INTEGRATOR_H
#define INTEGRATORS_INTEGRATOR_H

#include "base/arena.h"
#include "base/crew.h"
#include "integrators/contact.h"
#include "linalg/pcg.h"
#include "linalg/tangent.h"

#include <stdbool.h>

// The springs of a system made of springs, for methods that treat each one by itself.
typedef struct SpringList {
    int count;
    const int (*ends)[2];      // particles
    const double *stiffness;   // N/m
    const double *rest_length; // m
} SpringList;

// What damping takes, v.(D v + d0 M v), a filter, the wind, and muscles: W, or J over some time.
// Wind and muscles give where that is negative. What the wind's drag takes belongs to damping.
typedef struct Losses {
    double damping, filter, wind, muscle;
} Losses;

// v' = v + kick M^-1 f(x, v),   v' = F v' if there is a filter,   x' = x + h v',  into other arrays
// than x and v are in
typedef struct KickDrift {
    double kick, h; // s
    const double *x, *v;
    double *new_x, *new_v;
    double *force; // f; NULL: not wanted
} KickDrift;

typedef struct System {
    int dofs;
    const double *mass;         // kg, per degree of freedom, > 0 even where held
    const double *inverse_mass; // 1/kg, 0 = held
    double air;                 // d0, 1/s     damping force: -d0 M v - D v
    double alpha;               // s
    bool alpha_follows;         // alpha is chosen for the step, from the stiffness
    bool rayleigh;              // D = alpha K, with the K of `linearise`
    bool own_damping;           // D has other modes than K, also where nothing is compressed
    bool damping_exceeds;       // p'D p >= alpha p'K p for every p
    bool clamp_is_bound;        // p'K p of the clamped tangent is never less than that of the full
    bool goes_slack; // springs exert no force when shortened: TANGENT_TAUT is a bound of K
    double length;   // m, of the shortest spring: K changes when particles move this far
    Crew *crew;      // for passes over all numbers beside the functions below; NULL: nobody
    void *self;

    // From now on, forces and linearisations are those at this time, s. NULL: they are always the
    // same. A method calls step_at before it evaluates them.
    void (*at)(void *self, double time);

    // f = all forces, N, including damping; held degrees of freedom too. Returns the powers, W,
    // that damping, a filter of forces, wind and muscles take there.
    Losses (*forces)(void *self, const double *x, const double *v, double *f);

    // The forces and a step with them in as few passes as can be. Returns false, with nothing done,
    // where that is not better than one by one. The powers are those of `forces`, `filtered` what a
    // filter took, J; `speed` is the largest of a free particle at the end, m/s, NaN if one is not
    // finite. NULL: never.
    bool (*kick_drift)(void *self, const KickDrift *step, Losses *power, double *filtered,
                       double *speed);

    // f = external forces: gravity, air drag, wind. The rest of `forces` comes from the springs.
    // Returns the powers that damping and wind take among them and muscles take, W.
    Losses (*external_forces)(void *self, const double *x, const double *v, double *f);

    // f += the forces of the wind, which are among the ones above: they are linear in v, and their
    // D has other modes than K and a net force. NULL: there is no wind.
    void (*add_wind)(void *self, const double *x, const double *v, double *f);

    // f += what has changed of the forces since the last linearisation because time has passed, at
    // that shape, without the wind. NULL: nothing ever does.
    void (*add_change)(void *self, double *f);

    // v = filtered v, in place, at positions x; NULL when there is no filter between the velocity
    // and the position update. Returns the energy that it took, J.
    double (*filter)(void *self, const double *x, double *v);

    // Linearise at x: K = -df/dx of the elastic forces, D = -df/dv without air drag. How the wind's
    // force changes with x is not in K: that part is not symmetric. The functions below use that K
    // and D until the next call.
    void (*linearise)(void *self, const double *x, Tangent tangent);
    void (*stiffness_product)(void *self, const double *p, double *Kp); // for all, held ones too
    void (*damping_product)(void *self, const double *p, double *Dp);   // without the wind's part
    // The matrix a M + b K + c D, with the wind's part of D, with held rows and columns removed,
    // ready for PCG.
    LinearOperator (*assemble)(void *self, double a, double b, double c);

    // Kp = K(x) p, without changing the linearisation above.
    void (*stiffness_product_at)(void *self, const double *x, Tangent tangent, const double *p,
                                 double *Kp);

    // Cp = C(x) p, where D = alpha C, without touching the linearisation; `taut`: as if slack
    // springs were pulled. `work` has room for a flat array. NULL: C = K.
    void (*damping_product_at)(void *self, const double *x, bool taut, const double *p,
                               double *work, double *Cp);

    // NULL unless the system is made of springs. Component c (0, 1, 2) of particle p is degree of
    // freedom first_dof[p] + c * component_stride.
    const SpringList *springs;
    int particle_count; // 0 when what follows is not there
    const int *first_dof;
    int component_stride;
    ContactSet *contacts; // for methods that solve linear systems; NULL or empty: none
} System;

// The integrators' own parameters.
typedef enum Harmonic {
    HARMONIC_PRINTED,   // the impulse as printed in the paper: an eighth of the right one
    HARMONIC_CORRECTED, // the right impulse
    HARMONIC_CLAMPED,   // the right impulse of a spring made soft enough for the step
    HARMONIC_KINDS,
} Harmonic;

const char *harmonic_name(int harmonic); // NULL outside the enumeration

#define LEU_AUTO (-1.0) // leu_interval: as long as the cloth stays close to the linearised shape

typedef struct StepOptions {
    Tangent tangent;
    double pcg_tolerance;    // relative residual at which PCG stops
    double newton_tolerance; // residual of Newton's method, relative to the first
    double leu_interval;     // s between two linearisations, or LEU_AUTO
    double leu_speed;        // m/s: a faster particle is a sign that the linearisation is too old
    Harmonic harmonic;
    bool sequence; // springs one after the other, not summed
} StepOptions;

// When the power of StepLosses is that of the system.
typedef enum PowerTime { POWER_UNKNOWN, POWER_AT_START, POWER_AT_END } PowerTime;

// What a step took from the energy. The methods evaluate the forces anyway and report the power of
// one end of the step; the caller, who has it step by step, integrates it.
typedef struct StepLosses {
    Losses power; // W
    PowerTime at;
    bool has_whole;
    Losses whole;    // J, the integral of the power over the step as the method's own rule has it
    double filtered; // J, what a filter of velocities took
} StepLosses;

typedef struct StepReport {
    int force_evaluations;
    int newton_iterations;
    int linearisations; // K and D evaluated
    int fallbacks;      // solves repeated with the clamped tangent, after negative curvature
    int retries;        // times the step was taken back and repeated: refreshed, or in halves
    bool unconverged;   // the smallest parts of the step did not converge either, or `spent`
    bool spent;         // the step's PCG iterations were used up: it was ended as it was
    bool cancelled;     // by Step.cancel: x, v and the memory are as before the step
    PcgReport pcg;      // iterations of all solves, the rest of the last; zero without a solve
    // f at the start of the step, N, or NULL; in the scratch, so invalid after its reset.
    const double *force;
    bool knows_speed;
    double speed; // m/s, the largest of a free particle at the end, NaN if one is not finite
    StepLosses losses;
} StepReport;

// What a method remembers from one step to the next. The caller clears `valid` whenever x, v or the
// system changes without a step of that method.
typedef struct StepMemory {
    bool valid;
    double age;        // s, of the linearisation
    double time;       // s, when it was made
    double speed_then; // m/s, the largest when it was made
    double speed;      // m/s, the largest now
    double moved;      // m, a bound on how far a coordinate has moved since
    double *values;    // the method's memory_size of them
} StepMemory;

typedef struct Step {
    const System *system;
    double time; // s, at the start of the step
    double h;    // s
    const StepOptions *options;
    StepMemory *memory; // needed only by methods with a memory_size
    Arena *scratch;     // reset by the caller after every step
    StepReport *report;
    PcgTrace *trace; // of the solves of this step; NULL: nobody wants it
    // Methods that solve linear systems look at it in every iteration, and end when it is set.
    // Another thread may set it at any time. NULL: nobody cancels.
    const atomic_bool *cancel;
    bool wants_force; // in the report
} Step;

// The forces are wanted a share c of the step after its start.
static inline void step_at(const Step *step, double c)
{
    if (step->system->at) step->system->at(step->system->self, step->time + c * step->h);
}

enum {
    INTEGRATOR_IMPLICIT = 1,            // solves linear systems
    INTEGRATOR_SYMPLECTIC = 2,          // while the forces ignore v
    INTEGRATOR_POSITION_LAST = 4,       // x' = x + h v' with a final v': a filter fits in between
    INTEGRATOR_POSITION_FIRST = 4096,   // x' = x + h v: a velocity moves in the next step only
    INTEGRATOR_NEEDS_SPRINGS = 8,       // uses System.springs
    INTEGRATOR_USES_LINEARISATION = 16, // needs `linearise` and the functions below it
    INTEGRATOR_ORDER_UNDAMPED = 32,     // its order is 1 when the forces depend on v
    INTEGRATOR_EXPLICIT_ACROSS = 64,    // implicit along springs only: see stability/stiffness.h
    INTEGRATOR_CONVERGES = 128,         // solves its implicit equations, by Newton's method
    INTEGRATOR_AIR_APART = 512,         // air drag acts otherwise than the rest of the damping
    INTEGRATOR_NEEDS_DAMPING = 2048,    // unstable at every step without it
    INTEGRATOR_PARTLY_IMPLICIT = 1024,  // solves with another matrix than the K of its forces
    INTEGRATOR_SEPARABLE = 256,         // stable iff a X + b Y < 1: K and D need not share modes
};

// One mode of a system under a step h, dimensionless (theory of linear stability):
// x'' = -k x - d v becomes X = h d, Y = h^2 k.
typedef struct Mode {
    double X;
    double air; // the part of X that is air drag
    double Y;
    double filter;   // f: factor of v from a filter between velocity and position update
    double coupling; // stiffness of the mode / that of one spring alone; 1 along a single spring,
                     // less across it
} Mode;

typedef struct Integrator {
    const char *name;        // stable: integrator = NAME
    const char *label;       // shown in the window
    const char *short_label; // the same where there is little room: "RK4"
    const char *summary;     // one sentence: the scheme and its main property
    const char *reference;   // where the scheme comes from
    const char *claim;       // what the sources claim
    const char *measured;    // our result on a 16 x 16 cloth; written and checked by test_measured
    int order;               // global order; test_integrators measures it
    const char *order_proviso; // when that holds, or what it is otherwise; NULL: always
    int forces_per_step;       // evaluations of f
    unsigned traits;
    double default_step; // s, the step of `step = auto` when the method has no limit
    void (*advance)(const Step *step, double *x, double *v);
    // The same step in one pass over memory, from (old_x, old_v) to (x, v). Returns false, with
    // nothing done, where that is not possible. NULL: never.
    bool (*sweep)(const Step *step, const double *old_x, const double *old_v, double *x, double *v);
    // G of one step in the scaled state (x, h v); NULL when no 2x2 matrix describes the method.
    void (*amplification)(const StepOptions *options, const Mode *mode, double G[2][2]);
    // Largest stable h for x'' = -k x - (air + alpha k) v with 0 < k <= k0 (1/s^2): INFINITY if all
    // are, 0 if none is. NULL or a negative result: stability/limits.h searches those modes with G.
    double (*step_limit)(const StepOptions *options, double k0, double air, double alpha);
    // A method that needs damping, or gains from it, says where `alpha = auto` should put the
    // stiffest mode: its X, given Y = h^2 k0 and the X0 of air drag alone. `printed`: as in the
    // sources. NULL: stability/automatic_alpha.h takes half of the largest stable alpha.
    double (*wanted_tip)(bool printed, double X0, double Y);
    double largest_Y;                 // the largest Y that is stable with such a tip
    size_t (*scratch_size)(int dofs); // bytes `advance` takes from the arena
    size_t (*memory_size)(int dofs);  // doubles it keeps between steps; NULL: none
    // Rebuild the system's part of a valid memory, which a copy lacks; NULL: there is none
    void (*resume)(const System *system, const StepOptions *options, const StepMemory *memory);
} Integrator;

// Evaluations of f and products with K that a step took: a product costs about as much as f. A
// solve takes one per iteration, a method that steps on a linearisation one per step, and K itself
// counts as one.
int step_evaluations(const Integrator *method, const StepReport *report);

// In the order of the window's list. A new method is one file, a line in integrator_table.c and one
// in src/meson.build.
extern const Integrator *const integrator_table[];
extern const int integrator_count;
enum { INTEGRATOR_COUNT = 12, INTEGRATOR_DEFAULT = 1 }; // symplectic Euler

const char *integrator_name(int index); // NULL outside the table
int integrator_find(const char *name);  // -1 when there is none

#endif
