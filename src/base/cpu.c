#include "base/cpu.h"

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
