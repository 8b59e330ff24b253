// Which part of a spring's tangent a method works with. For a spring along the unit vector u, with
// length l, rest length L and r = 1 - L/l, the block is  B = k [ u u' + t (I - u u') ].
#ifndef LINALG_TANGENT_H
#define LINALG_TANGENT_H

typedef enum Tangent {
    TANGENT_CLAMPED,   // t = max(r, 0): compression cut at zero, positive semi-definite
    TANGENT_FULL,      // t = r: the true -df/dx, indefinite under compression
    TANGENT_LAPLACIAN, // t = 1: B = k I whatever the shape, a constant matrix
    TANGENT_AXIAL,     // t = 0: along the spring only
} Tangent;

#endif
