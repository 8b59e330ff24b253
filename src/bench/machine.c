#include "bench/machine.h"

#include "base/clock.h"
#include "base/cpu.h"

enum { CHAINS = 12, TURNS = 200000 }; // more chains than latency times width, as many as registers

// The loop for one instruction set; `lanes` doubles per vector. a stays near 1.
#define PEAK_LOOP(name, attributes, bytes)                                                         \
    attributes static double name(void)                                                            \
    {                                                                                              \
        typedef double V __attribute__((vector_size(bytes)));                                      \
        V a0 = {0}, a1 = {0}, a2 = {0}, a3 = {0}, a4 = {0}, a5 = {0}, a6 = {0}, a7 = {0};          \
        V a8 = {0}, a9 = {0}, aa = {0}, ab = {0}, s = {0}, t = {0};                                \
        s += 0.999, t += 0.001;                                                                    \
        double start = clock_cpu_seconds();                                                        \
        for (int i = 0; i < TURNS; i++) {                                                          \
            a0 = a0 * s + t, a1 = a1 * s + t, a2 = a2 * s + t, a3 = a3 * s + t;                    \
            a4 = a4 * s + t, a5 = a5 * s + t, a6 = a6 * s + t, a7 = a7 * s + t;                    \
            a8 = a8 * s + t, a9 = a9 * s + t, aa = aa * s + t, ab = ab * s + t;                    \
            __asm__ volatile("" : "+x"(a0), "+x"(a1), "+x"(a2), "+x"(a3), "+x"(a4), "+x"(a5));     \
            __asm__ volatile("" : "+x"(a6), "+x"(a7), "+x"(a8), "+x"(a9), "+x"(aa), "+x"(ab));     \
        }                                                                                          \
        double seconds = clock_cpu_seconds() - start;                                              \
        return 2.0 * CHAINS * TURNS * (bytes / sizeof(double)) / seconds;                          \
    }

#if defined(__x86_64__)
PEAK_LOOP(peak_avx2, __attribute__((target("avx2,fma"), optimize("fp-contract=fast"))), 32)
PEAK_LOOP(peak_sse2, , 16)
#endif

double machine_peak(void)
{
    double best = 0.0;
    for (int i = 0; i < 10; i++) {
#if defined(__x86_64__)
        double now = cpu_has_avx2() ? peak_avx2() : peak_sse2();
        if (now > best) best = now;
#endif
    }
    return best;
}

double machine_triad(double *a, const double *b, const double *c, int count)
{
    double best = 0.0;
    int turns = 1 + (1 << 21) / count;
    for (int i = 0; i < 8; i++) {
        double start = clock_cpu_seconds();
        for (int turn = 0; turn < turns; turn++) {
            double s = 1.0 + turn;
            for (int k = 0; k < count; k++) a[k] = b[k] + s * c[k];
            __asm__ volatile("" ::: "memory");
        }
        double now = 24.0 * count * turns / (clock_cpu_seconds() - start);
        if (now > best) best = now;
    }
    return best;
}
