// Linked into programs that draw, only when AddressSanitizer is on.
//
// An OpenGL driver keeps memory until the process ends. Once its module is unloaded, LeakSanitizer
// can no longer attribute that memory, and no suppression matches. So modules stay loaded.
#include <dlfcn.h>

int dlclose(void *handle)
{
    (void)handle;
    return 0;
}
