// What this processor can do at best, measured: the yardsticks of the benchmark.
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

double machine_peak(void); // flop/s of one core in double: independent multiply-adds
// byte/s of a[i] = b[i] + s c[i] over arrays of `count` doubles, the write-allocate not counted.
// The arrays are the caller's and hold finite numbers.
double machine_triad(double *a, const double *b, const double *c, int count);

#endif
