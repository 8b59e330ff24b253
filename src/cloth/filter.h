// A filter: each particle's velocity or force becomes a weighted mean of its own and its
// neighbours'.
//
// Neighbours are the particles that a spring joins. d_ij is their distance divided by the mesh's
// spacing, so that lambda = 1 means the same on every grid. With w_ii = 1 and W_i = sum_j w_ij:
//   exponential  w_ij = exp(-lambda d_ij)         (Ahmad et al.)
//   Gaussian     w_ij = exp(-(lambda d_ij)^2)
// The new velocities are v' = F v in one of these forms:
//   plain        v'_i = sum_j w_ij v_j / W_i
//   half         v'_i = (v_i + plain_i) / 2, which the paper calls symmetric
//   conserving   m_i v'_i = m_i v_i + sum_j c_ij (v_j - v_i),
//                c_ij = min(m_i, m_j) w_ij / max(W_i, W_j)
// Only the last form conserves momentum where particles differ in mass or in their number of
// neighbours (borders), because c is symmetric. sum_j c_ij / m_i < 1, so every v'_i is a mean
// without negative weights.
//
// Held particles keep their velocity but count in their neighbours' means. Forces are divided by
// the mass before filtering, so that a cloth of unequal masses still falls as a whole. A held
// particle counts with force 0, because its support carries the force: a cloth at rest stays at
// rest. The force on a held particle is not changed.
#ifndef CLOTH_FILTER_H
#define CLOTH_FILTER_H

#include "cloth/cloth.h"

// What is filtered, and when. The velocity must be filtered before it moves the particles:
// filtering after the step, as the paper prints it, makes the largest stable step smaller instead
// of larger.
typedef enum FilterTarget { FILTER_VELOCITY, FILTER_FORCE, FILTER_TARGETS } FilterTarget;
typedef enum FilterPlace { FILTER_BEFORE, FILTER_AFTER, FILTER_PLACES } FilterPlace;

// Names for the parameters; NULL outside the enumerations.
const char *filter_kind_name(int kind);
const char *filter_form_name(int form);
const char *filter_distance_name(int distance);
const char *filter_target_name(int target);
const char *filter_place_name(int place);

// Set the filter and compute its weights from rest lengths and masses; call again when masses
// change. The kind must not be off.
void filter_prepare(Cloth *cloth, Filter filter);
// Filter v or f in place. Positions x matter only to FILTER_CURRENT, which recomputes its weights.
// Returns the kinetic energy that the filter took, J.
double filter_velocities(Cloth *cloth, const double *x, double *v);
// The same for a step's new_v, with  x' = x + h v'  in the same pass. The sums are those of a step;
// their power is 0. Returns false, with nothing done, where that takes more than one.
bool filter_and_drift(const Cloth *cloth, const ForceStep *step, ForceSums *sums, double *loss);
// What the last filter_velocities or filter_forces was given for a particle: its velocity, or its
// force over its mass. Valid until the next one.
Vec3 filter_input(const Cloth *cloth, int particle);
// Returns the power that the filter takes from particles with velocities v, W:  v.(f - F f).
double filter_forces(Cloth *cloth, const double *x, const double *v, double *f);

// For cloth.c: allocate the filter's memory, once per cloth.
Status filter_init(Cloth *cloth, Error *error);
void filter_finish(Cloth *cloth); // accepts a zeroed one

#endif
