#include "base/cpu.h"

#include <sched.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static CpuSimd of_processor(void)
{
#if defined(__x86_64__)
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return CPU_PORTABLE;
    bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                __builtin_cpu_supports("avx512vl");
    return wide ? CPU_AVX512 : CPU_AVX2;
#else
    return CPU_PORTABLE;
#endif
}

CpuSimd cpu_simd(void)
{
    const char *refused = getenv("SELVAGE_NO_SIMD");
    CpuSimd all = of_processor();
    if (!refused || !*refused || strcmp(refused, "0") == 0) return all;
    if (strcmp(refused, "avx512") == 0) return all < CPU_AVX2 ? all : CPU_AVX2;
    return CPU_PORTABLE;
}

int cpu_count(void)
{
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 1;
    int count = CPU_COUNT(&allowed);
    return count > 0 ? count : 1;
}
