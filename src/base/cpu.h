// Processor features, detected at run time.
#ifndef BASE_CPU_H
#define BASE_CPU_H

// What the loops over springs are compiled for. Each has what stands before it.
typedef enum CpuSimd {
    CPU_PORTABLE,
    CPU_AVX2,   // with FMA
    CPU_AVX512, // foundation, and its parts DQ and VL
} CpuSimd;

// The most that the processor has. The environment may refuse some of it: SELVAGE_NO_SIMD=avx512
// leaves AVX2, SELVAGE_NO_SIMD=1 nothing.
CpuSimd cpu_simd(void);
int cpu_count(void); // processors that this program may use, at least 1

#endif
