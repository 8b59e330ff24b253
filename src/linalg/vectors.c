#include "linalg/vectors.h"

#include <math.h>

// Two doubles: one register on every 64-bit processor. Memory limits these loops, so wider vectors
// would not be faster.
typedef double V2 __attribute__((vector_size(16)));
typedef double V2AnyAddress __attribute__((vector_size(16), aligned(8)));
typedef long long V2Mask __attribute__((vector_size(16))); // per lane: all bits or none

static inline V2 load(const double *from)
{
    return *(const V2AnyAddress *)from;
}

static inline void store(double *to, V2 a)
{
    *(V2AnyAddress *)to = a;
}

double vector_dot(int n, const double *a, const double *b)
{
    V2 s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
    int i = 0;
    for (; i + 8 <= n; i += 8) {
        s0 += load(a + i) * load(b + i);
        s1 += load(a + i + 2) * load(b + i + 2);
        s2 += load(a + i + 4) * load(b + i + 4);
        s3 += load(a + i + 6) * load(b + i + 6);
    }
    V2 s = (s0 + s1) + (s2 + s3);
    double sum = s[0] + s[1];
    for (; i < n; i++) sum += a[i] * b[i];
    return sum;
}

void vector_add_scaled(int n, double *y, double s, const double *x)
{
    int i = 0;
    for (; i + 2 <= n; i += 2) store(y + i, load(y + i) + s * load(x + i));
    for (; i < n; i++) y[i] += s * x[i];
}

// One pair: updates y and returns its square.
static inline V2 add_scaled_square(double *y, V2 s, const double *x)
{
    V2 sum = load(y) + s * load(x);
    store(y, sum);
    return sum * sum;
}

double vector_add_scaled_square(int n, double *y, double s, const double *x)
{
    V2 s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0}, both = {s, s};
    int i = 0;
    for (; i + 8 <= n; i += 8) {
        s0 += add_scaled_square(y + i, both, x + i);
        s1 += add_scaled_square(y + i + 2, both, x + i + 2);
        s2 += add_scaled_square(y + i + 4, both, x + i + 4);
        s3 += add_scaled_square(y + i + 6, both, x + i + 6);
    }
    V2 squares = (s0 + s1) + (s2 + s3);
    double sum = squares[0] + squares[1];
    for (; i < n; i++) {
        y[i] += s * x[i];
        sum += y[i] * y[i];
    }
    return sum;
}

void vector_turn(int n, double s, double t, const double *z, double *x, double *p)
{
    int i = 0;
    for (; i + 2 <= n; i += 2) {
        V2 a = load(p + i);
        store(x + i, load(x + i) + s * a);
        store(p + i, load(z + i) + t * a);
    }
    for (; i < n; i++) {
        x[i] += s * p[i];
        p[i] = z[i] + t * p[i];
    }
}

// The largest |a| so far. A comparison with NaN is false, so NaN would be lost; `sum` therefore
// adds up 0 a, which becomes NaN at the first infinity or NaN.
typedef struct Largest {
    V2 value, sum;
} Largest;

static inline Largest larger(Largest largest, V2 a)
{
    V2 size = (V2)((V2Mask)a & 0x7fffffffffffffffLL); // |a|
    V2Mask more = size > largest.value;
    return (Largest){(V2)(((V2Mask)size & more) | ((V2Mask)largest.value & ~more)),
                     largest.sum + 0.0 * a};
}

static double largest_of(Largest a, Largest b)
{
    Largest both = larger(a, b.value);
    V2 sum = a.sum + b.sum;
    if (sum[0] + sum[1] != 0.0) return INFINITY; // also true for NaN
    return fmax(both.value[0], both.value[1]);
}

double vector_largest(int n, const double *a)
{
    Largest l0 = {0}, l1 = {0};
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        l0 = larger(l0, load(a + i));
        l1 = larger(l1, load(a + i + 2));
    }
    for (; i < n; i++) l0 = larger(l0, (V2){a[i], 0.0});
    return largest_of(l0, l1);
}

double vector_largest_difference(int n, const double *a, const double *b)
{
    Largest l0 = {0}, l1 = {0};
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        l0 = larger(l0, load(a + i) - load(b + i));
        l1 = larger(l1, load(a + i + 2) - load(b + i + 2));
    }
    for (; i < n; i++) l0 = larger(l0, (V2){a[i] - b[i], 0.0});
    return largest_of(l0, l1);
}
