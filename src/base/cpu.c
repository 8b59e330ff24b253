#include "base/cpu.h"

#include <sched.h>
#include <stdlib.h>
#include <string.h>

bool cpu_has_avx2(void)
{
    const char *refused = getenv("SELVAGE_NO_SIMD");
    if (refused && *refused && strcmp(refused, "0") != 0) return false;
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return false;
#endif
}

int cpu_count(void)
{
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return 1;
    int count = CPU_COUNT(&allowed);
    return count > 0 ? count : 1;
}
