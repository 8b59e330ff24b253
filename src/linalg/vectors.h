// Long vectors: the loops that PCG, Lanczos and LEU share. Sums are formed in eight parts, so that
// an addition does not wait for the previous one. The order is the same on every processor.
#ifndef LINALG_VECTORS_H
#define LINALG_VECTORS_H

double vector_dot(int n, const double *a, const double *b);
// y += s x
void vector_add_scaled(int n, double *y, double s, const double *x);
// y += s x;  returns y'y
double vector_add_scaled_square(int n, double *y, double s, const double *x);
// x += s p,  then p = z + t p
void vector_turn(int n, double s, double t, const double *z, double *x, double *p);
// The largest |a|, or |a - b|; infinity if an entry is infinite or NaN.
double vector_largest(int n, const double *a);
double vector_largest_difference(int n, const double *a, const double *b);

#endif
