// The verdicts of figures that are measured, from their numbers alone.
#ifndef FIGURES_VERDICTS_H
#define FIGURES_VERDICTS_H

#include "figures/figure.h"

// A power law holds when its exponent is within a tenth of the claimed one.
bool exponent_holds(double measured, double claimed);

// Time against n or sqrt(k0), claimed proportional for all methods. `of` names the quantity.
typedef struct Exponents {
    double implicit_low, implicit_high; // over all models
    double explicit_low, explicit_high; // over all explicit methods and models
    bool unclear;                       // each explicit method is within a tenth of 1 in some round
} Exponents;
void verdict_proportional(Figure *figure, const char *of, Exponents e);
// The same, and that the linearised method takes half of the implicit one's time: the implicit
// one's time in units of LEU's, with Baraff-Witkin forces and with springs.
void verdict_particles(Figure *figure, Exponents e, double triangles, double springs);

// Implicit Euler against its step: exponents of h, of iterations per step and of the whole time.
void verdict_iterations(Figure *figure, double per_step, double time);

// The largest growth of k0 in each of `count` cloths, and a factor that is claimed to be enough.
typedef struct Growth {
    double k0, most; // at rest, 1/s^2; in units of that
} Growth;
void verdict_safety(Figure *figure, double factor, const Growth *growth, int count);

// Largest steps with the filter, in units of the one without it.
typedef struct FilteredSteps {
    double before, after;  // a chain at lambda = 1, filter before x and after the step
    double most;           // a chain, filter before x, at the best lambda
    double cloth, printed; // a cloth at lambda = 1: measured, and what Algorithm 1 says
    double none;           // a chain at lambda = 10
} FilteredSteps;
void verdict_filter(Figure *figure, FilteredSteps steps);

// Simulated seconds per second of computing: with the source's method at best, and with the fastest
// of the others.
void verdict_real_time(Figure *figure, int particles, double his, const char *other,
                       double fastest);

// In how many of `cases` (an error to reach on a model) an implicit method is the cheapest.
void verdict_precision(Figure *figure, int implicit, int cases);

// Energy that the methods create or destroy: how many there are, how many keep it within 5 % of the
// fall all the time, and how many of the others create it, destroy it, or diverge.
typedef struct EnergyCount {
    int methods, kept, created, destroyed, diverged;
    int symplectic, symplectic_kept;     // those that are symplectic, and how many of them keep it
    double most_created, most_destroyed; // at the end, in units of the fall, > 0
    const char *creator, *destroyer;     // which method that is
} EnergyCount;
void verdict_energy(Figure *figure, EnergyCount automatic, EnergyCount quarter);

#endif
