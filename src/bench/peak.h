// The loop behind machine_peak, once per instruction set; see src/meson.build.
#ifndef BENCH_PEAK_H
#define BENCH_PEAK_H

// Runs `turns` rounds of independent multiply-adds and returns how many these were. `sum` gets the
// sum of the results, so that the compiler cannot remove them.
double peak_portable(int turns, double *sum);
double peak_avx2(int turns, double *sum),
    peak_avx512(int turns, double *sum); // only if HAVE_X86_KERNELS

#endif
