#include "apps/interrupt.h"

#include <time.h>

static sigset_t polite_signals(void)
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGHUP);
    return signals;
}

void interrupt_begin(Interrupt *interrupt)
{
    sigset_t signals = polite_signals();
    sigprocmask(SIG_BLOCK, &signals, &interrupt->before);
}

void interrupt_end(Interrupt *interrupt)
{
    sigprocmask(SIG_SETMASK, &interrupt->before, NULL);
}

bool interrupt_pending(void)
{
    const struct timespec at_once = {0};
    sigset_t signals = polite_signals();
    return sigtimedwait(&signals, NULL, &at_once) > 0;
}
