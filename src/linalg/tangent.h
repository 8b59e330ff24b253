// Which part of a spring's tangent a method uses. For a spring along the unit vector u, with length
// l, rest length L and r = 1 - L/l, the block is  B = k [ u u' + t (I - u u') ].
#ifndef LINALG_TANGENT_H
#define LINALG_TANGENT_H

typedef enum Tangent {
    TANGENT_CLAMPED,   // t = max(r, 0): compression clamped to zero, positive semi-definite
    TANGENT_FULL,      // t = r: the true -df/dx, indefinite under compression
    TANGENT_LAPLACIAN, // t = 1: B = k I for every shape, a constant matrix
    TANGENT_AXIAL,     // t = 0: along the spring only
    TANGENT_TAUT,      // clamped, and springs that are slack count as if they were pulled
} Tangent;

#endif
