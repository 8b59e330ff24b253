#include "bench/machine.h"

#include "base/clock.h"
#include "base/cpu.h"
#include "bench/peak.h"

double machine_peak(void)
{
    double (*run)(int, double *) = peak_portable;
#ifdef HAVE_X86_KERNELS
    if (cpu_simd() >= CPU_AVX2) run = peak_avx2;
    if (cpu_simd() >= CPU_AVX512) run = peak_avx512;
#endif
    double best = 0.0;
    for (int i = 0; i < 10; i++) {
        double sum, start = clock_cpu_seconds();
        double now = 2.0 * run(200000, &sum) / (clock_cpu_seconds() - start);
        if (sum > 0.0 && now > best) best = now;
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
