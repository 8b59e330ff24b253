// Processor features, detected at run time.
#ifndef BASE_CPU_H
#define BASE_CPU_H

#include <stdbool.h>

// True if the processor has AVX2 and FMA and the environment does not set SELVAGE_NO_SIMD=1.
bool cpu_has_avx2(void);
int cpu_count(void); // processors that this program may use, at least 1

#endif
