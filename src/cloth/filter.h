// A filter: each particle takes a weighted mean of its own and its neighbours' velocities or
// forces.
//
// Neighbours are the particles that springs join. With d_ij their distance in units of the mesh's
// spacing, so that lambda = 1 means the same on every grid, w_ii = 1 and W_i = sum_j w_ij:
//   exponential  w_ij = exp(-lambda d_ij)         (Ahmad et al.)
//   Gaussian     w_ij = exp(-(lambda d_ij)^2)
// and the new velocities are v' = F v with one of these forms:
//   plain        v'_i = sum_j w_ij v_j / W_i
//   half         v'_i = (v_i + plain_i) / 2, which the paper calls symmetric
//   conserving   m_i v'_i = m_i v_i + sum_j c_ij (v_j - v_i),   c_ij = min(m_i, m_j) w_ij /
//   max(W_i, W_j)
// Only the last keeps momentum where neighbours are of different number (borders) or mass: c is
// symmetric. Its rows hold sum_j c_ij / m_i < 1, so every v'_i is a mean, with no negative weight.
//
// Held particles keep their velocity and are heard. Forces are filtered per mass, so that a cloth
// of unequal masses still falls as one; a held particle is heard with 0, because its support
// carries its force: a cloth at rest stays at rest. The force on a held particle is left as it is.
#ifndef CLOTH_FILTER_H
#define CLOTH_FILTER_H

#include "cloth/cloth.h"

// What is filtered, and when. The velocity has to be filtered before it moves the particles: after
// the step, as the paper prints it, the largest stable step shrinks instead of growing.
typedef enum FilterTarget { FILTER_VELOCITY, FILTER_FORCE, FILTER_TARGETS } FilterTarget;
typedef enum FilterPlace { FILTER_BEFORE, FILTER_AFTER, FILTER_PLACES } FilterPlace;

// Names for the parameters; NULL outside the enumerations.
const char *filter_kind_name(int kind);
const char *filter_form_name(int form);
const char *filter_distance_name(int distance);
const char *filter_target_name(int target);
const char *filter_place_name(int place);

// Take a filter over and, from rest lengths and masses, its weights; again when masses change. It
// must be one of the kinds other than off.
void filter_prepare(Cloth *cloth, Filter filter);
// v or f filtered in place. Positions x matter only to FILTER_CURRENT, which finds its weights
// anew.
void filter_velocities(Cloth *cloth, const double *x, double *v);
void filter_forces(Cloth *cloth, const double *x, double *f);

// For cloth.c: memory for the filter, once per cloth.
Status filter_init(Cloth *cloth, Error *error);
void filter_finish(Cloth *cloth); // accepts a zeroed one

#endif
