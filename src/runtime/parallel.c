#include "runtime/parallel.h"

#include "base/cpu.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#define LOOK_NANOSECONDS 150000000L

// The lock protects what is below it.
typedef struct Pool {
    const ParallelJob *job;
    atomic_bool stop;
    atomic_long next; // item to take
    pthread_mutex_t lock;
    pthread_cond_t news; // `finished` has grown, or a thread has ended
    long *finished;      // items, in the order of their completion
    long finished_count;
    int running; // threads
} Pool;

typedef struct Worker {
    Pool *pool;
    int number;
    pthread_t thread;
} Worker;

int parallel_threads(int wanted)
{
    return wanted > 0 ? wanted : cpu_count();
}

static void *work(void *argument)
{
    Worker *self = argument;
    Pool *pool = self->pool;
    const ParallelJob *job = pool->job;
    while (!atomic_load(&pool->stop)) {
        long item = atomic_fetch_add(&pool->next, 1);
        if (item >= job->count) break;
        if (!job->work(job->context, item, self->number, &pool->stop)) break;
        pthread_mutex_lock(&pool->lock);
        pool->finished[pool->finished_count++] = item;
        pthread_cond_signal(&pool->news);
        pthread_mutex_unlock(&pool->lock);
    }
    pthread_mutex_lock(&pool->lock);
    pool->running--;
    pthread_cond_signal(&pool->news);
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

// Until there is something new after the first `told`, or a moment has passed.
static void wait_for_news(Pool *pool, long told)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += LOOK_NANOSECONDS;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    int late = 0;
    while (late == 0 && pool->finished_count == told && pool->running > 0)
        late = pthread_cond_timedwait(&pool->news, &pool->lock, &until);
}

// Tell the caller what is done until all threads have ended.
static long follow(Pool *pool)
{
    const ParallelJob *job = pool->job;
    long told = 0;
    bool going = true, wanted = true;
    while (going) {
        pthread_mutex_lock(&pool->lock);
        wait_for_news(pool, told);
        long count = pool->finished_count;
        going = pool->running > 0;
        pthread_mutex_unlock(&pool->lock);
        while (told < count && wanted) {
            long item = pool->finished[told++]; // entries below the count stay as they are
            wanted = !job->done || job->done(job->context, item);
        }
        if (wanted && job->look) wanted = job->look(job->context);
        if (!wanted) {
            atomic_store(&pool->stop, true);
            told = count;
        }
    }
    return wanted ? told : -1;
}

static int start_threads(Pool *pool, Worker *workers, int count)
{
    int started = 0;
    pool->running = count;
    while (started < count) {
        workers[started] = (Worker){.pool = pool, .number = started};
        if (pthread_create(&workers[started].thread, NULL, work, &workers[started]) != 0) break;
        started++;
    }
    pthread_mutex_lock(&pool->lock);
    pool->running -= count - started;
    pthread_mutex_unlock(&pool->lock);
    return started;
}

Status parallel_run(const ParallelJob *job, bool *complete, Error *error)
{
    int threads = parallel_threads(job->threads);
    if (threads > job->count) threads = job->count > 0 ? (int)job->count : 1;
    Pool pool = {.job = job};
    Worker *workers = calloc((size_t)threads, sizeof *workers);
    pool.finished = calloc((size_t)job->count + 1, sizeof *pool.finished);
    *complete = false;
    Status status = STATUS_OK;
    if (!workers || !pool.finished) {
        status =
            error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory for %ld points", job->count);
    } else {
        pthread_mutex_init(&pool.lock, NULL);
        pthread_cond_init(&pool.news, NULL);
        int started = start_threads(&pool, workers, threads);
        if (started == 0) status = error_set(error, STATUS_FILE, "no thread could be started");
        if (started > 0) *complete = follow(&pool) == job->count;
        for (int i = 0; i < started; i++) pthread_join(workers[i].thread, NULL);
        pthread_cond_destroy(&pool.news);
        pthread_mutex_destroy(&pool.lock);
    }
    free(pool.finished);
    free(workers);
    return status;
}
