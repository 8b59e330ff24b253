// The baseline of the benchmark: arrays of vectors, a list of springs, one loop over each. Like a
// step of the program, it keeps the last good state and checks speed and floor.
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
    double gravity, air, alpha; // Rayleigh damping
} NaiveCloth;

Status naive_init(NaiveCloth *naive, const Cloth *cloth, Error *error);
void naive_finish(NaiveCloth *naive);
void naive_forces(NaiveCloth *naive);
double naive_step(NaiveCloth *naive, double h, double ground); // largest speed, m/s

#endif
