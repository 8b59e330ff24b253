// Linked into programs that draw when AddressSanitizer is on, nowhere else.
//
// An OpenGL driver keeps memory for as long as the process lives. Once its module is unloaded,
// LeakSanitizer can no longer tell whose memory that was, and no suppression matches it. So
// modules stay loaded.
#include <dlfcn.h>

int dlclose(void *handle)
{
    (void)handle;
    return 0;
}
