// The start shape of a cloth: flat, or gathered along x into even folds like a curtain.
//
// The folds are the curve  y = A sin(2 pi n x / W),  0 <= x <= W = gather * width. A makes the
// curve as long as the cloth is wide. Particles sit at equal distances along it, so nothing is
// stretched at the start and the folds exist from the first step.
#ifndef SCENE_START_SHAPE_H
#define SCENE_START_SHAPE_H

#include "linalg/vec3.h"

typedef struct StartShape {
    double width;      // m, of the cloth at rest
    double gathered;   // m, W
    double amplitude;  // m, A; 0 when flat
    double wavenumber; // rad/m, 2 pi n / W
} StartShape;

// gather: 0 < gather <= 1; folds = n >= 1 unless gather is 1.
StartShape start_shape(double width, double gather, int folds);
// Start position of a particle of the flat cloth (0 <= rest.x <= width), centred like that cloth.
Vec3 start_shape_place(const StartShape *shape, Vec3 rest);

#endif
