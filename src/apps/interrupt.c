#include "apps/interrupt.h"

#include <time.h>
#include <unistd.h>

enum { LOOK_EVERY = 10000000 }; // ns

static const int polite[] = {SIGINT, SIGTERM, SIGHUP};
enum { POLITE = sizeof polite / sizeof polite[0] };

static sigset_t polite_signals(void)
{
    sigset_t signals;
    sigemptyset(&signals);
    for (int i = 0; i < POLITE; i++) sigaddset(&signals, polite[i]);
    return signals;
}

static void say_and_end(int number)
{
    static const char text[] = "selvage: interrupted before the first step\n";
    ssize_t written = write(STDERR_FILENO, text, sizeof text - 1);
    (void)written;
    raise(number); // SA_RESETHAND: it ends the program on return
}

// From one way of taking the signals to the other; who ignores them, as nohup does, goes on to.
static void take_signals(void (*from)(int), void (*to)(int))
{
    struct sigaction now, next = {.sa_handler = to, .sa_flags = (int)SA_RESETHAND};
    for (int i = 0; i < POLITE; i++) {
        if (sigaction(polite[i], NULL, &now) == 0 && now.sa_handler == from)
            sigaction(polite[i], &next, NULL);
    }
}

void interrupt_announce(void)
{
    take_signals(SIG_DFL, say_and_end);
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
    take_signals(say_and_end, SIG_DFL);
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
