// Muscles: springs whose rest length follows the time, to make a body move by itself.
//
// A spring of rest length L0 in a muscle has at the time t
//   L(t) = L0 [1 + r(t / start) a sin(2 pi c / period + phase)],   c = t / slowness + offset
// with r(s) = s^3 (10 - 15 s + 6 s^2) from 0 to 1 and 1 from there on: a smooth start. `a` is the
// muscle's amplitude times that of all muscles, `slowness` a factor of all periods; `offset` keeps
// c where it was when that factor changes.
//
// With the spring's energy  E = k/2 (l - L)^2  a muscle does the work  dE/dL dL = -k (l - L) dL.
// It is the only way in which it gives or takes energy: forces and tangents are those of a spring
// with the present rest length.
#ifndef CLOTH_MUSCLE_H
#define CLOTH_MUSCLE_H

#include "base/status.h"
#include "linalg/vec3.h"

typedef struct Cloth Cloth;

enum { MUSCLES_MAX = 12, MUSCLE_SPRINGS_MAX = 8 };
#define MUSCLE_AMPLITUDE_MAX 0.4 // either sign
#define MUSCLE_PERIOD_MIN 0.05   // s
#define MUSCLE_PERIOD_MAX 100.0  // s, of `start` too
#define MUSCLE_PHASE_MAX 360.0   // degrees, either sign

typedef struct Muscle {
    int count;
    int ends[MUSCLE_SPRINGS_MAX][2]; // the particles that its springs join
    double amplitude;                // share of the rest length; negative: the opposite phase
    double period;                   // s
    double phase;                    // degrees
    double start;                    // s, until it has its whole amplitude
} Muscle;

// What is common to all muscles of a cloth.
typedef struct MuscleTempo {
    double amplitude; // factor
    double slowness;  // factor of the periods
    double offset;    // s
} MuscleTempo;

// A spring of a muscle.
typedef struct MuscleSpring {
    int spring;
    double amplitude, period, phase, start; // phase in radians
    double rate;                            // m/s, L'
    double linearised;                      // m, L of the last linearisation
    Vec3 u;                                 // then, from its second end to its first
} MuscleSpring;

Muscle muscle_default(void);                             // no springs yet, one second
Status muscle_check(const Muscle *muscle, Error *error); // numbers in their range, some spring

// Sets which springs of the cloth are muscles. Fails, with nothing changed, when one of them is not
// there or is named twice. Call it before cloth_set_model, which then takes springs only.
Status cloth_set_muscles(Cloth *cloth, int count, const Muscle *muscles, Error *error);
// cloth->rest_length from now on is that at this time, s.
void muscles_at(Cloth *cloth, double time);
// The work that the muscles do on the cloth at x, W.
double muscles_power(const Cloth *cloth, const double *x);
// The present rest lengths and x are those of a linearisation which is being made.
void muscles_linearise(Cloth *cloth, const double *x);
// f += what the muscles have changed of the force since then, to first order:  k (L - L_then) u
void muscles_add_change(const Cloth *cloth, double *f);

#endif
