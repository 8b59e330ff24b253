// Design
//   One number says everything about a job: which one it is, and which of its parts are taken.
//   Whoever sets a part's bit does it, the caller too; so a part that a thread has no time to begin
//   is done by the caller, who waits only for parts that are being done. What the parts do stays as
//   it is until all are done, so it can be read after a part was taken.
//
//   Part i is for thread i, if it has time: what it works on is in its processor's cache from the
//   job before. Parts that went to whoever came first moved half of the cloth from cache to cache
//   in many steps.
//
//   Whoever looks reads only the number, and nothing else lies in its cache line: what the caller
//   writes for a job does not wait for the threads that look. Quitting is a job without parts.
//
//   A thread looks for LOOKS rounds, then sleeps. `sleepers` tells the caller that somebody must be
//   woken. It never yields while it looks: on two processors that brought it onto the caller's, and
//   the caller then did 57 to 96 % of the parts instead of half of them.
#include "runtime/worker_crew.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// About 0.2 ms of looking: what a step does between two jobs is shorter, waking takes as long.
enum { LOOKS = 10000 };
// So long the caller waits for the last part before it lets others run: with fewer processors than
// threads, the one that is waited for needs this one's.
enum { SPINS = 2000 };

// Bits of `ticket`, from above: number of the job; per part, whether it is taken or not there.
enum { PART_BITS = CREW_PARTS };
#define ALL_TAKEN ((UINT64_C(1) << PART_BITS) - 1)

enum { CACHE_LINE = 64 };

typedef struct Worker {
    struct WorkerCrew *workers;
    int number; // 0 is the caller
} Worker;

struct WorkerCrew {
    Crew crew;
    pthread_t threads[CREW_MAX];
    Worker members[CREW_MAX];
    int started;
    pthread_mutex_t mutex;
    pthread_cond_t news;
    atomic_int sleepers;

    // of the job; written by the caller while no part is being done
    alignas(CACHE_LINE) CrewWork *work;
    void *job;
    atomic_bool quits;

    alignas(CACHE_LINE) atomic_uint_fast64_t ticket;
    alignas(CACHE_LINE) atomic_int done; // parts
};

static void pause_briefly(void)
{
#if defined __x86_64__ || defined __i386__
    __builtin_ia32_pause();
#elif defined __aarch64__
    __asm__ volatile("yield");
#endif
}

static uint64_t number_of(uint64_t ticket)
{
    return ticket >> PART_BITS;
}

// The part for a thread: its own, or the first one after it that is free; -1: none is.
static int part_for(int thread, uint64_t ticket)
{
    uint64_t free = ~ticket & ALL_TAKEN, later = free >> thread << thread;
    if (!free) return -1;
    return __builtin_ctzll(later ? later : free);
}

// Do parts until there are none left. Returns the number of the job that was looked at.
static uint64_t do_parts(WorkerCrew *workers, int thread)
{
    uint64_t ticket = atomic_load(&workers->ticket);
    for (;;) {
        int part = part_for(thread, ticket);
        if (part < 0) return number_of(ticket);
        uint64_t taken = ticket | UINT64_C(1) << part;
        if (!atomic_compare_exchange_weak(&workers->ticket, &ticket, taken)) continue;
        workers->work(workers->job, part);
        atomic_fetch_add(&workers->done, 1);
        ticket = atomic_load(&workers->ticket);
    }
}

static bool has_news(WorkerCrew *workers, uint64_t seen)
{
    return number_of(atomic_load(&workers->ticket)) != seen;
}

static void sleep_until_news(WorkerCrew *workers, uint64_t seen)
{
    pthread_mutex_lock(&workers->mutex);
    atomic_fetch_add(&workers->sleepers, 1); // then it looks; the caller writes, then looks here
    while (!has_news(workers, seen)) pthread_cond_wait(&workers->news, &workers->mutex);
    atomic_fetch_sub(&workers->sleepers, 1);
    pthread_mutex_unlock(&workers->mutex);
}

static void wait_for_news(WorkerCrew *workers, uint64_t seen)
{
    for (int i = 0; i < LOOKS; i++) {
        if (has_news(workers, seen)) return;
        pause_briefly();
    }
    sleep_until_news(workers, seen);
}

static void *worker_main(void *argument)
{
    const Worker *worker = argument;
    WorkerCrew *workers = worker->workers;
    // Who has just looked at the last job, the one without parts, would wait for ever for another.
    for (uint64_t seen = 0; !atomic_load(&workers->quits); seen = do_parts(workers, worker->number))
        wait_for_news(workers, seen);
    return NULL;
}

static void wake_sleepers(WorkerCrew *workers)
{
    if (atomic_load(&workers->sleepers) == 0) return;
    pthread_mutex_lock(&workers->mutex);
    pthread_cond_broadcast(&workers->news);
    pthread_mutex_unlock(&workers->mutex);
}

// The next job begins.
static void publish(WorkerCrew *workers, int parts)
{
    uint64_t number = number_of(atomic_load(&workers->ticket)) + 1;
    uint64_t not_there = ALL_TAKEN >> parts << parts;
    atomic_store(&workers->ticket, number << PART_BITS | not_there);
    wake_sleepers(workers);
}

static void run(Crew *crew, int parts, CrewWork *work, void *job)
{
    WorkerCrew *workers = (WorkerCrew *)crew; // its first member
    workers->work = work;
    workers->job = job;
    atomic_store(&workers->done, 0);
    publish(workers, parts);
    do_parts(workers, 0);
    for (int i = 0; atomic_load(&workers->done) < parts; i++) {
        if (i < SPINS) {
            pause_briefly();
        } else {
            sched_yield();
        }
    }
}

Status worker_crew_start(int size, WorkerCrew **out, Error *error)
{
    *out = NULL;
    WorkerCrew *workers = aligned_alloc(CACHE_LINE, sizeof *workers);
    if (!workers) return error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory for threads");
    memset(workers, 0, sizeof *workers);
    atomic_store(&workers->ticket, ALL_TAKEN);
    workers->crew.run = run;
    pthread_mutex_init(&workers->mutex, NULL);
    pthread_cond_init(&workers->news, NULL);
    sigset_t all, before; // signals are for the main thread
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int most = size < CREW_MAX ? size : CREW_MAX;
    while (workers->started < most - 1) {
        Worker *worker = &workers->members[workers->started];
        *worker = (Worker){workers, workers->started + 1};
        if (pthread_create(&workers->threads[workers->started], NULL, worker_main, worker) != 0)
            break;
        workers->started++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    workers->crew.size = workers->started + 1; // the results are the same with fewer
    *out = workers;
    return STATUS_OK;
}

void worker_crew_stop(WorkerCrew *workers)
{
    if (!workers) return;
    atomic_store(&workers->quits, true);
    publish(workers, 0);
    for (int i = 0; i < workers->started; i++) pthread_join(workers->threads[i], NULL);
    pthread_cond_destroy(&workers->news);
    pthread_mutex_destroy(&workers->mutex);
    free(workers);
}

Crew *worker_crew(WorkerCrew *workers)
{
    return workers && workers->crew.size > 1 ? &workers->crew : NULL;
}
