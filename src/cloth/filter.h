// A velocity filter: each particle takes a weighted mean of its own and its neighbours' velocities.
//
//   v_i = sum_j w_ij v_j / sum_j w_ij,   w_ij = exp(-lambda d_ij / dx),   d_ii = 0,
// over the particles that springs join to i (Ahmad et al.). d in units of the rest spacing dx makes
// lambda = 1 mean the same on every grid. Held particles keep their velocity and are heard.
#ifndef CLOTH_FILTER_H
#define CLOTH_FILTER_H

#include "cloth/cloth.h"

typedef enum FilterKind { FILTER_OFF, FILTER_EXPONENTIAL, FILTER_KINDS } FilterKind;

typedef enum FilterDistance {
    FILTER_REST,    // d from rest lengths: weights are constant, cheap
    FILTER_CURRENT, // d from positions: weights follow the cloth
    FILTER_DISTANCES,
} FilterDistance;

const char *filter_kind_name(int kind);         // NULL outside the enumeration
const char *filter_distance_name(int distance); // likewise

// Weights into cloth->filter_weights. From rest lengths: once per lambda.
void filter_weights_at_rest(Cloth *cloth, double lambda);
void filter_weights_at(Cloth *cloth, double lambda, const double *x);
// v = filtered v with those weights, in place.
void filter_apply(Cloth *cloth, double *v);

#endif
