// What the solver is measured against: arrays of vectors, a list of springs, one loop over each.
// It does what a step of the program does: keeps the last good state, checks speed and floor.
#ifndef BENCH_NAIVE_H
#define BENCH_NAIVE_H

#include "cloth/cloth.h"

typedef struct NaiveSpring {
    int a, b;
    double k, rest_length;
} NaiveSpring;

typedef struct NaiveCloth {
    int particle_count, spring_count;
    Vec3 *x, *v, *f;
    Vec3 *good_x, *good_v; // before the step
    double *mass;
    bool *held;
    NaiveSpring *springs;
    double gravity, air, alpha; // damping is Rayleigh's
} NaiveCloth;

Status naive_init(NaiveCloth *naive, const Cloth *cloth, Error *error);
void naive_finish(NaiveCloth *naive);
void naive_forces(NaiveCloth *naive);
double naive_step(NaiveCloth *naive, double h, double ground); // largest speed, m/s

#endif
