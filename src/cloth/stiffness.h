// The tangent stiffness K = -df/dx of the springs: linearised once, then multiplied or assembled.
#ifndef CLOTH_STIFFNESS_H
#define CLOTH_STIFFNESS_H

#include "cloth/cloth.h"

// Linearise every spring at x. Clamped: the compression term is cut at zero, so that K is positive
// semi-definite; otherwise the true tangent. The functions below use the result.
void stiffness_linearise(Cloth *cloth, const double *x, bool clamped);
// Kp = K p, spring by spring, over all particles, held ones too.
void stiffness_product(const Cloth *cloth, const double *p, double *Kp);
// cloth->matrix = a M + b K, with the diagonal blocks inverted. Held rows and columns are replaced
// by those of the identity, so a vector that is zero there stays zero there.
void stiffness_assemble(Cloth *cloth, double a, double b);

#endif
