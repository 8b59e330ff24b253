// Preloaded beside heap_count.so: all requests for memory of the main thread fail, each in a child
// of its own, in one run.
//
// HEAP_FORK=FOLDER: at each request that could be refused the process forks. The child gets the
// refusal and goes on to its end, with FOLDER/N.1 and N.2 as its output and errors; the parent
// waits for it and goes on with the memory. FOLDER/ended has the number of each such request and
// the status with which its child ended, as two long longs. FOLDER/beside has the numbers of the
// requests that were left out because a thread beside the main one had asked for memory: it may be
// in the middle of what the child would tidy up. FOLDER/others has those of such threads.
//
// A child has one thread and gets no other. The locks of threads that it does not have are no
// hindrance to it, and it waits for none of them. If it hangs, an alarm ends it. It writes where
// its parent does, so this is for commands that write no files.
#include "heap_fork.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 100, FILES = 64 }; // of a child; that may be open

static char folder[4096]; // empty: nothing is forked
static pthread_t main_thread;
static int ended_file, beside_file, others_file;
static bool is_child;
static atomic_bool others_ask; // a thread that has not been joined has asked for memory

static int open_in_folder(const char *name)
{
    char path[sizeof folder + 64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

__attribute__((constructor)) static void start(void)
{
    const char *wanted = getenv("HEAP_FORK");
    if (!wanted) return;
    snprintf(folder, sizeof folder, "%s", wanted);
    main_thread = pthread_self();
    ended_file = open_in_folder("ended");
    beside_file = open_in_folder("beside");
    others_file = open_in_folder("others");
    unsetenv("HEAP_FORK");
}

static void note(int file, const long long *numbers, size_t size)
{
    if (write(file, numbers, size) != (ssize_t)size) abort();
}

static void become_child(long long number)
{
    is_child = true;
    for (int stream = STDOUT_FILENO; stream <= STDERR_FILENO; stream++) {
        char name[64];
        snprintf(name, sizeof name, "%lld.%d", number, stream);
        int file = open_in_folder(name);
        if (dup2(file, stream) < 0) abort();
        close(file);
    }
    sigset_t alarms;
    sigemptyset(&alarms);
    sigaddset(&alarms, SIGALRM);
    sigprocmask(SIG_UNBLOCK, &alarms, NULL);
    signal(SIGALRM, SIG_DFL);
    alarm(SECONDS);
}

// Where a file is read goes on for both when the child reads. -1: nowhere.
static void find_places(off_t *places)
{
    for (int file = 0; file < FILES; file++) places[file] = lseek(file, 0, SEEK_CUR);
}

static void go_back(const off_t *places)
{
    for (int file = 0; file < FILES; file++) {
        if (places[file] >= 0) lseek(file, places[file], SEEK_SET);
    }
}

bool heap_fork(long long number)
{
    if (!folder[0] || is_child) return false;
    bool is_main = pthread_equal(pthread_self(), main_thread);
    if (!is_main) atomic_store(&others_ask, true);
    if (atomic_load(&others_ask)) {
        note(is_main ? beside_file : others_file, &number, sizeof number);
        return false;
    }
    off_t places[FILES];
    find_places(places);
    pid_t child = fork();
    if (child < 0) abort();
    if (child == 0) {
        become_child(number);
        return true;
    }
    int status;
    while (waitpid(child, &status, 0) < 0) {
        if (errno != EINTR) abort();
    }
    go_back(places);
    note(ended_file, (long long[]){number, status}, 2 * sizeof number);
    return false;
}

// ---- what a child does without

int pthread_create(pthread_t *out, const pthread_attr_t *attributes, void *(*run)(void *),
                   void *user)
{
    if (is_child) return EAGAIN;
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
        dlsym(RTLD_NEXT, "pthread_create");
    return create(out, attributes, run, user);
}

int pthread_join(pthread_t thread, void **result)
{
    if (is_child) return 0;
    int (*join)(pthread_t, void **) = dlsym(RTLD_NEXT, "pthread_join");
    int code = join(thread, result);
    atomic_store(&others_ask, false);
    return code;
}

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
    if (is_child) return 0;
    static int (*_Atomic lock)(pthread_mutex_t *);
    if (!lock) lock = dlsym(RTLD_NEXT, "pthread_mutex_lock");
    return lock(mutex);
}

// It would wait for the threads that wait; the program has joined these before.
int pthread_cond_destroy(pthread_cond_t *news)
{
    (void)news;
    return 0;
}
