#include "base/cpu.h"
#include "cloth/spring_kernels.h"

int spring_kernels_all(const SpringKernels *sets[SPRING_KERNEL_SETS])
{
    int count = 0;
    sets[count++] = &spring_kernels_portable;
#ifdef HAVE_X86_KERNELS
    if (cpu_simd() >= CPU_AVX2) sets[count++] = &spring_kernels_avx2;
    if (cpu_simd() >= CPU_AVX512) sets[count++] = &spring_kernels_avx512;
#endif
    return count;
}

const SpringKernels *spring_kernels_best(void)
{
    const SpringKernels *sets[SPRING_KERNEL_SETS];
    return sets[spring_kernels_all(sets) - 1];
}
