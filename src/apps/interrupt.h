// Ctrl-C, and requests to end: blocked and asked for. Then a long command ends with what it has
// computed, and leaves no partial file under a temporary name.
#ifndef APPS_INTERRUPT_H
#define APPS_INTERRUPT_H

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>

typedef struct Interrupt {
    sigset_t before;
    atomic_bool raised; // a signal has come: for simulation_set_cancel
    atomic_bool over;
    pthread_t watcher; // sets `raised`
    bool watched;
} Interrupt;

// Until interrupt_begin a signal still ends the program at once, but with a sentence. For commands
// that take a while to build what they begin with.
void interrupt_announce(void);
void interrupt_begin(Interrupt *interrupt);
// Signals end the program again. A pending one has ended the command, or comes too late for it.
void interrupt_end(Interrupt *interrupt);

bool interrupt_pending(void); // true once for each signal

#endif
