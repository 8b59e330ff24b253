#include "base/cpu.h"
#include "cloth/spring_kernels.h"

const SpringKernels *spring_kernels_best(void)
{
#ifdef HAVE_AVX2_KERNELS
    if (cpu_has_avx2()) return &spring_kernels_avx2;
#endif
    return &spring_kernels_portable;
}
