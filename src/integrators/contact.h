// Contacts inside an implicit step (after Baraff & Witkin 1998, section 5).
//
// A surface takes away the motion of a particle across it, and, while the particle sticks, along
// it. With J the impulses of all contacts in the step, A dv = b + J, and for each contact
//   open      J = 0,               n.v' >= least
//   sliding   n.J >= 0,            n.v' = least,   J along the surface = -friction n.J u / |u|
//   sticking  |J along| <= friction n.J,   v' = surface + its part of least,
// with u the velocity relative to the surface, along it. Which of the three holds is found by
// turns: solve, release what pulls, close what would pass, let slide what is pulled too hard.
// Sliding friction is -drag u with drag = friction n.J / |u| of the turn before. It is a part of
// the matrix, so that it slows but never turns back: each turn lowers the energy of the friction
// potential (iteratively reweighted least squares).
#ifndef INTEGRATORS_CONTACT_H
#define INTEGRATORS_CONTACT_H

#include "linalg/pcg.h"
#include "linalg/vec3.h"

typedef enum ContactState { CONTACT_OPEN, CONTACT_SLIDING, CONTACT_STICKING } ContactState;

typedef struct ContactPoint {
    int particle;
    int body; // of the caller
    int first_dof;
    Vec3 normal;  // away from the surface
    double least; // m/s, along the normal, at the end of the step: less would end inside
    Vec3 surface; // m/s, velocity of the surface
    ContactState state;
    double drag;  // kg, of a sliding contact
    Vec3 impulse; // kg m/s, J, of the last solve; 0 where open
    Vec3 total;   // kg m/s, of the whole step, which may be taken in parts
    int changes;  // in this step, to open or back to sticking
} ContactPoint;

typedef struct ContactSet {
    int count;
    ContactPoint *points; // at most one per particle
    int component_stride;
    double friction;    // Coulomb's coefficient
    double speed;       // m/s, that friction of the own weight takes in a step
    int friction_turns; // of this step
    bool fixed;         // the states are given, and stay
} ContactSet;

// Solve A dv = b + J from the velocities v, and find states and impulses. The effort is that of a
// turn; no turn follows when `budget` iterations are spent. In the report, those of all turns.
PcgReport contact_solve(ContactSet *set, const LinearOperator *A, const double *b, const double *v,
                        double *dv, const PcgEffort *effort, int budget, Arena *scratch);
size_t contact_scratch_size(int dofs); // with that of PCG

// A step, or a part of one, was taken with the impulses of the last solve. contact_forget: all
// parts so far are taken back.
void contact_keep(ContactSet *set);
void contact_forget(ContactSet *set);

// Add to a residual the impulses of sliding friction at the velocities v, and leave out what the
// contacts balance.
void contact_filter(const ContactSet *set, const double *v, double *residual);

#endif
