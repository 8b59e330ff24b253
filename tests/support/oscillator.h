// A System with known solutions: two masses, each on its own spring from the origin.
//
// With rest length 0 a mass on the x axis is the test equation  x'' = -k x - (air + alpha k) v,
// exactly and for every method; with another rest length it is a pendulum on a spring.
#ifndef TESTS_OSCILLATOR_H
#define TESTS_OSCILLATOR_H

#include "integrators/integrator.h"

enum { OSCILLATOR_DOFS = 9 }; // particles: the origin, mass 1, mass 2; stride 3

typedef struct Oscillator {
    System system;
    double k, rest_length; // N/m, m
    double mass[OSCILLATOR_DOFS], inverse_mass[OSCILLATOR_DOFS];
    double filter_factor;     // factor by which the filter multiplies velocities
    const double *filter_x;   // positions at which the filter was called
    int evaluations;          // of forces
    double drive, drive_rate; // N, rad/s: a force along x on mass 1, drive cos(drive_rate t)
    double push;              // N, that force now
    double time;              // s, at the start of the next step
    StepOptions options;
    StepMemory memory;
    double memory_values[2 * OSCILLATOR_DOFS];
    // of the springs
    SpringList springs;
    int ends[2][2];
    double stiffness[2], rest_lengths[2];
    int first_dof[3];
    // of the linearisation: K_s = k (u u' + t (I - u u')), D_s = alpha k u u'
    double u[2][3], t[2];
    double a, b, c; // of the matrix a M + b K + c D
} Oscillator;

// The hooks point to the oscillator, so it must not move. Masses are 1 kg.
void oscillator_init(Oscillator *o, double k, double rest_length, double air, double alpha);
void oscillator_drive(Oscillator *o, double force, double rate);
void oscillator_filter(Oscillator *o, double factor);
// One step of both masses; x and v have OSCILLATOR_DOFS entries.
StepReport oscillator_step(Oscillator *o, const Integrator *method, double h, double *x, double *v);
// One step of mass 1 on the x axis.
StepReport oscillator_step_on_axis(Oscillator *o, const Integrator *method, double h, double *x,
                                   double *v);
double oscillator_energy(const Oscillator *o, const double *x, const double *v); // J, of mass 1

// G of one real step, in the scaled state (x, h v) with h = 1, k = Y, air = X_air, alpha Y = the
// rest of X.
void measure_amplification(const Integrator *method, const StepOptions *options, const Mode *mode,
                           double G[2][2]);

StepOptions default_options(void); // tight tolerances, LEU refreshed at every step

#endif
