// Ctrl-C, and requests to end: blocked and asked for. Then a long command ends with what it has
// computed, and leaves no partial file under a temporary name.
#ifndef APPS_INTERRUPT_H
#define APPS_INTERRUPT_H

#include <signal.h>
#include <stdbool.h>

typedef struct Interrupt {
    sigset_t before;
} Interrupt;

void interrupt_begin(Interrupt *interrupt);
void interrupt_end(Interrupt *interrupt); // signals end the program again, also a pending one

bool interrupt_pending(void); // true once for each signal

#endif
