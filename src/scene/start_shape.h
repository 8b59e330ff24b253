// The shape a cloth starts in: flat, or gathered along x into even folds, as a curtain is.
//
// The folds are the curve  y = A sin(2 pi n x / W),  0 <= x <= W = gather * width, with A such that
// the curve is as long as the cloth is wide. Particles sit at equal distances along it, so nothing
// is stretched at the start and the folds are there from the first step.
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
// Where a particle of the flat cloth (0 <= rest.x <= width) starts; centred as the flat cloth is.
Vec3 start_shape_place(const StartShape *shape, Vec3 rest);

#endif
