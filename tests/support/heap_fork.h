// What heap_count.so calls of heap_fork.so, if that is there.
#ifndef SUPPORT_HEAP_FORK_H
#define SUPPORT_HEAP_FORK_H

#include <stdbool.h>

// At each request: is this the process in which it is refused?
__attribute__((weak)) bool heap_fork(long long number);

#endif
