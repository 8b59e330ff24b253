// The best this processor can do, measured: reference values for the benchmark.
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

double machine_peak(void); // flop/s of one core in double: independent multiply-adds
// byte/s of a[i] = b[i] + s c[i] over arrays of `count` doubles, not counting the write-allocate.
// The caller owns the arrays and fills them with finite numbers.
double machine_triad(double *a, const double *b, const double *c, int count);

#endif
