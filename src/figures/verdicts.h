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
} Exponents;
void verdict_proportional(Figure *figure, const char *of, Exponents e);
// The same, and that the linearised method takes half of the implicit one's time: the implicit
// one's time in units of LEU's, with Baraff-Witkin forces and with springs.
void verdict_particles(Figure *figure, Exponents e, double triangles, double springs);

// Implicit Euler against its step: exponents of h, of iterations per step and of the whole time.
void verdict_iterations(Figure *figure, double per_step, double time);

// In how many of `cases` (an error to reach on a model) an implicit method is the cheapest.
void verdict_precision(Figure *figure, int implicit, int cases);

// Energy at the end: how many methods there are, how many keep it, gain or lose it, and diverge.
typedef struct EnergyCount {
    int methods, kept, gained, lost, diverged;
    int symplectic, symplectic_kept; // those that are symplectic, and how many of them keep it
    double most_lost;                // in m g H, > 0
    const char *loser;               // who loses most
} EnergyCount;
void verdict_energy(Figure *figure, EnergyCount count);

#endif
