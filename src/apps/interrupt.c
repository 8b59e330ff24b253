#include "apps/interrupt.h"

#include <time.h>

enum { LOOK_EVERY = 10000000 }; // ns

static sigset_t polite_signals(void)
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    return signals;
}

// Signals stay pending until interrupt_pending takes them.
static void *watch(void *argument)
{
    Interrupt *interrupt = argument;
    sigset_t pending;
    while (!atomic_load(&interrupt->over)) {
        sigpending(&pending);
        if (sigismember(&pending, SIGINT) || sigismember(&pending, SIGTERM) ||
            sigismember(&pending, SIGHUP))
            atomic_store(&interrupt->raised, true);
        nanosleep(&(struct timespec){.tv_nsec = LOOK_EVERY}, NULL);
    }
    return NULL;
}

void interrupt_begin(Interrupt *interrupt)
{
    sigset_t signals = polite_signals();
    sigprocmask(SIG_BLOCK, &signals, &interrupt->before);
    atomic_init(&interrupt->raised, false);
    atomic_init(&interrupt->over, false);
    // without a thread a signal is seen between two steps
    interrupt->watched = pthread_create(&interrupt->watcher, NULL, watch, interrupt) == 0;
}

void interrupt_end(Interrupt *interrupt)
{
    atomic_store(&interrupt->over, true);
    if (interrupt->watched) pthread_join(interrupt->watcher, NULL);
    while (interrupt_pending()) continue;
    sigprocmask(SIG_SETMASK, &interrupt->before, NULL);
}

bool interrupt_pending(void)
{
    const struct timespec at_once = {0};
    sigset_t signals = polite_signals();
    return sigtimedwait(&signals, NULL, &at_once) > 0;
}
