// Contacts inside an implicit step (after Baraff & Witkin 1998, section 5).
//
// A surface takes away the motion of a particle across it, and, while the particle sticks, along
// it. With J the impulses of all contacts in the step, A dv = b + J, and for each contact
//   open      J = 0,               n.w >= least
//   sliding   n.J >= 0,            n.w = least,   J along the surface = -friction n.J u / |u|
//   sticking  |J along| <= friction n.J,   n.w = least,   u = 0,
// with w the velocity at the end without what the contacts gave the surface, and u that along the
// surface and relative to it. The surface of a free ball moves with what its contacts give it:
//   M dq = -sum J,   I ds = -sum arm x J
// are solved with the rest. So its push is implicit as the cloth's forces are, and equal and
// opposite.
//
// Which of the three holds is found by turns: solve, release what pulls, close what would pass, let
// slide what is pulled too hard, let stick what friction would turn back. Sliding friction of size
// s = friction n.J in the direction d = u / |u| of the turn before is
//   -s d - s / |u| (u - d (d.u)),
// Newton's linearisation of -s u / |u|: where the direction stays, one turn finds it. A contact
// that keeps changing gets -s / |u| u instead, which slows but never turns back (iteratively
// reweighted least squares).
#ifndef INTEGRATORS_CONTACT_H
#define INTEGRATORS_CONTACT_H

#include "integrators/contact_pairs.h"
#include "linalg/pcg.h"
#include "linalg/vec3.h"

typedef enum ContactState { CONTACT_OPEN, CONTACT_SLIDING, CONTACT_STICKING } ContactState;

typedef struct ContactPoint {
    int particle;
    int body; // of the caller
    int ball; // of the set, which is pushed back; -1: none
    int first_dof;
    double mass;  // kg, of the particle
    Vec3 normal;  // away from the surface
    Vec3 arm;     // m, from the centre of the ball
    double least; // m/s, along the normal, at the end of the step: less would end inside
    Vec3 surface; // m/s, velocity of the surface, as it came
    ContactState state;
    Vec3 direction; // of sliding, d
    double rub;     // kg m/s, friction against d
    double drag;    // kg, friction per velocity across d, or in all directions if `rub` is 0
    Vec3 impulse;   // kg m/s, J, of the last solve; 0 where open
    Vec3 taken;     // kg m/s, of the shares that were taken
    Vec3 total;     // kg m/s, of the whole step, which may be taken in parts
    int changes;    // in this solve, to open or back to sticking
} ContactPoint;

// Velocity of a ball's centre, m/s, and its spin, rad/s.
typedef struct Twist {
    Vec3 velocity, spin;
} Twist;

// A free ball. All changes are those by the contacts of this step, relative to the velocity that it
// falls with at the end. In a step of several parts, with the speed that its weight has yet to
// give.
typedef struct ContactBall {
    int body;       // of the caller
    double mass;    // kg
    double inertia; // kg m2
    Twist start;    // change up to the part of the step that is being solved
    Twist now;      // and up to where the next solve starts
    Twist step;     // what the last solve adds
    Vec3 moved;     // m, by all changes
} ContactBall;

enum { CONTACT_BALLS = 6 };

typedef struct ContactSet {
    int count;
    ContactPoint *points; // at most one per particle
    int ball_count;
    ContactBall balls[CONTACT_BALLS];
    int component_stride;
    double friction;    // Coulomb's coefficient
    double speed;       // m/s, that friction of the own weight takes in a step
    double fall;        // m/s, that gravity gives in a step
    int parts;          // of the step; 0 counts as 1
    int parts_kept;     // of them
    int friction_turns; // of this solve
    bool fixed;         // the states are given, and stay
    ContactPairs pairs; // contacts of the particles with each other
} ContactSet;

bool contact_is_empty(const ContactSet *set);

// Solve A dv = b + J from the velocities v, and find states and impulses. The effort is that of a
// turn; its tolerance is relative to what the contacts leave of b. No turn follows when `budget`
// iterations are spent. In the report, those of all turns, and what is left of b.
PcgReport contact_solve(ContactSet *set, const LinearOperator *A, const double *b, const double *v,
                        double *dv, const PcgEffort *effort, int budget, Arena *scratch);
size_t contact_scratch_size(int dofs); // with that of PCG

// For a method that solves more than once in a step. A part of the step begins.
void contact_begin(ContactSet *set);
// A share of the last solve was taken.
void contact_take(ContactSet *set, double share);
// A residual -F at the velocities v, with a share of the last solve taken by the balls: add the
// impulses of sliding friction, and where contacts balance it, put mass times what the velocity
// lacks of the prescribed one instead. Returns the sum of squares of what the balls lack, divided
// by their masses: that of the particles is the caller's.
double contact_filter(const ContactSet *set, const double *v, double share, double *residual);
// J.dv of the last solve's impulses on the particles and, with their inertia at a share of that
// solve, on the balls; of pairs, with their impulses at the velocities v
double contact_work(const ContactSet *set, const double *v, const double *dv, double share);
// The impulses are those of the shares that were taken. A solve's are from the start of the part of
// the step, so a share s leaves 1 - s of those before: their sum is the change of momentum,
// exactly.
void contact_use_taken(ContactSet *set);

// A step, or a part of it of length h, was taken with these impulses to the velocities v, and the
// balls get theirs.
void contact_keep(ContactSet *set, const double *v, double h);
// All parts so far are taken back. The step is repeated in so many equal ones, and gravity gives
// the balls its share in each: with all of it in the first they would sink.
void contact_divide(ContactSet *set, int parts);

#endif
