#include "linalg/vectors.h"

#include "linalg/simd4.h"

static double total(V4 a, V4 b)
{
    V4 sum = a + b;
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

double vector_dot(int n, const double *a, const double *b)
{
    V4 even = {0}, odd = {0};
    int i = 0;
    for (; i + 8 <= n; i += 8) {
        even += v4_load(a + i) * v4_load(b + i);
        odd += v4_load(a + i + 4) * v4_load(b + i + 4);
    }
    double sum = total(even, odd);
    for (; i < n; i++) sum += a[i] * b[i];
    return sum;
}

void vector_add_scaled(int n, double *y, double s, const double *x)
{
    int i = 0;
    for (; i + 4 <= n; i += 4) v4_store(y + i, v4_load(y + i) + s * v4_load(x + i));
    for (; i < n; i++) y[i] += s * x[i];
}

void vector_scale_add(int n, double *y, double s, const double *x)
{
    int i = 0;
    for (; i + 4 <= n; i += 4) v4_store(y + i, v4_load(x + i) + s * v4_load(y + i));
    for (; i < n; i++) y[i] = x[i] + s * y[i];
}

double vector_advance(int n, double s, const double *p, const double *Ap, double *x, double *r)
{
    V4 even = {0}, odd = {0};
    int i = 0;
    for (; i + 8 <= n; i += 8) {
        for (int k = i; k < i + 8; k += 4) {
            v4_store(x + k, v4_load(x + k) + s * v4_load(p + k));
            v4_store(r + k, v4_load(r + k) - s * v4_load(Ap + k));
        }
        even += v4_load(r + i) * v4_load(r + i);
        odd += v4_load(r + i + 4) * v4_load(r + i + 4);
    }
    double sum = total(even, odd);
    for (; i < n; i++) {
        x[i] += s * p[i];
        r[i] -= s * Ap[i];
        sum += r[i] * r[i];
    }
    return sum;
}
