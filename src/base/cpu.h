// What the processor can do, found out at run time.
#ifndef BASE_CPU_H
#define BASE_CPU_H

#include <stdbool.h>

// AVX2 and FMA are there, and the environment does not say SELVAGE_NO_SIMD=1.
bool cpu_has_avx2(void);

#endif
