// The loop behind machine_peak, once per instruction set; see src/meson.build.
#ifndef BENCH_PEAK_H
#define BENCH_PEAK_H

// Makes `turns` rounds of multiply-adds that do not wait for each other. Returns their number; the
// sum of the results goes to `sum`, so that no compiler leaves them out.
double peak_portable(int turns, double *sum);
double peak_avx2(int turns, double *sum); // only if HAVE_AVX2_KERNELS

#endif
