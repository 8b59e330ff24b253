// Compiled once per instruction set: PEAK is the function's name, see src/meson.build.
#include "bench/peak.h"

#if defined __AVX512F__
enum { BYTES = 64 };
#elif defined __AVX2__
enum { BYTES = 32 };
#else
enum { BYTES = 16 };
#endif
typedef double V __attribute__((vector_size(BYTES)));

enum { CHAINS = 12 }; // more than latency times issue width; each chain has a register

double PEAK(int turns, double *sum)
{
    V s = {0}, t = {0}, a0 = {0}, a1, a2, a3, a4, a5, a6, a7, a8, a9, aa, ab;
    s += 0.999, t += 0.001;
    // The chains start with different values: a compiler would merge equal ones. All stay near 1.
    a1 = a0 + t, a2 = a1 + t, a3 = a2 + t, a4 = a3 + t, a5 = a4 + t, a6 = a5 + t;
    a7 = a6 + t, a8 = a7 + t, a9 = a8 + t, aa = a9 + t, ab = aa + t;
    for (int i = 0; i < turns; i++) {
        a0 = a0 * s + t, a1 = a1 * s + t, a2 = a2 * s + t, a3 = a3 * s + t;
        a4 = a4 * s + t, a5 = a5 * s + t, a6 = a6 * s + t, a7 = a7 * s + t;
        a8 = a8 * s + t, a9 = a9 * s + t, aa = aa * s + t, ab = ab * s + t;
    }
    V all = a0 + a1 + a2 + a3 + a4 + a5 + a6 + a7 + a8 + a9 + aa + ab;
    *sum = all[0] + all[1];
    return (double)turns * CHAINS * (BYTES / sizeof(double));
}
