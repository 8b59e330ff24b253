#include "base/output_file.h"

#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    MOST_TRIES = 100,
    SUFFIX_SIZE = 40, // of a temporary name
    LOOK_EVERY = 20,  // ms, between two looks for a signal
};

static Status fail(const char *path, const char *reason, Error *error)
{
    return error_set(error, STATUS_FILE, "%s cannot be written: %s", file_shown(path), reason);
}

// ---- temporary names

typedef enum Occupant {
    OCCUPANT_IN_USE,
    OCCUPANT_LEFT_OVER, // of a run that was killed
    OCCUPANT_STRANGER,
} Occupant;

static Occupant look_at(const char *name)
{
    struct stat there;
    int file = open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) return OCCUPANT_STRANGER;
    Occupant occupant = OCCUPANT_STRANGER;
    if (fstat(file, &there) == 0 && S_ISREG(there.st_mode) && there.st_nlink == 1 &&
        there.st_uid == geteuid()) {
        bool locked = flock(file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
        occupant = locked ? OCCUPANT_IN_USE : OCCUPANT_LEFT_OVER;
    }
    close(file);
    return occupant;
}

// FILE.PID.part, the second time FILE.PID-2.part. Of a name that leaves no room for that only the
// beginning is taken, and a number that stands for all of it.
static bool temporary_name(OutputFile *output, int try)
{
    const char *slash = strrchr(output->path, '/');
    const char *name = slash ? slash + 1 : output->path;
    size_t folder = (size_t)(name - output->path), length = strlen(name);
    char number[16] = "", sum[16] = "";
    if (try > 1) snprintf(number, sizeof number, "-%d", try);
    if (length > NAME_MAX - SUFFIX_SIZE) {
        uint32_t hash = 2166136261u; // FNV-1a
        for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)name[i]) * 16777619u;
        snprintf(sum, sizeof sum, "~%08x", (unsigned)hash);
        length = NAME_MAX - SUFFIX_SIZE;
    }
    int size = snprintf(output->write, sizeof output->write, "%.*s%s.%ld%s.part",
                        (int)(folder + length), output->path, sum, (long)getpid(), number);
    return size > 0 && size < (int)sizeof output->write;
}

static Status take_name(OutputFile *output, Error *error)
{
    for (int try = 1; try <= MOST_TRIES; try++) {
        if (!temporary_name(output, try)) return fail(output->path, strerror(ENAMETOOLONG), error);
        int flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
        output->lock = open(output->write, flags, 0666);
        if (output->lock < 0 && errno == EEXIST) {
            Occupant occupant = look_at(output->write);
            if (occupant == OCCUPANT_IN_USE)
                return fail(output->path, "two outputs would go there", error);
            if (occupant == OCCUPANT_LEFT_OVER && unlink(output->write) == 0)
                output->lock = open(output->write, flags, 0666);
            else
                errno = EEXIST;
        }
        if (output->lock >= 0) {
            flock(output->lock, LOCK_EX | LOCK_NB); // a file system without locks has none to ask
            return STATUS_OK;
        }
        if (errno != EEXIST) return fail(output->path, strerror(errno), error);
    }
    return fail(output->path, "all temporary names are taken", error);
}

// ---- beginning

static Status begin_beside(OutputFile *output, const struct stat *replaced, Error *error)
{
    Status status = take_name(output, error);
    if (status != STATUS_OK) return status;
    output->wanted = true;
    if (!replaced) return STATUS_OK;
    // the owner only if we may; the permissions of the file that was there in any case
    if (fchown(output->lock, replaced->st_uid, replaced->st_gid) != 0) errno = 0;
    if (fchmod(output->lock, replaced->st_mode & 0777) == 0) return STATUS_OK;
    status = fail(output->path, strerror(errno), error);
    output_file_finish(output);
    return status;
}

Status output_file_begin(OutputFile *output, const char *path, Error *error)
{
    *output = (OutputFile){0};
    if (!path) return STATUS_OK;
    struct stat there;
    bool exists = stat(path, &there) == 0;
    if (exists && S_ISDIR(there.st_mode)) return fail(path, "it is a directory", error);
    if (exists && access(path, W_OK) != 0) return fail(path, strerror(errno), error);
    if (strlen(path) >= sizeof output->path) return fail(path, strerror(ENAMETOOLONG), error);
    strcpy(output->path, path);
    if (!exists) return begin_beside(output, NULL, error);
    if (S_ISREG(there.st_mode)) {
        // a link stays a link; the file it points to is replaced
        if (!realpath(path, output->path)) return fail(path, strerror(errno), error);
        return begin_beside(output, &there, error);
    }
    strcpy(output->write, path);
    output->direct = output->wanted = true;
    return STATUS_OK;
}

Status output_file_begin_new(OutputFile *output, const char *path, Error *error)
{
    *output = (OutputFile){.is_new = true};
    struct stat there;
    if (lstat(path, &there) == 0) return fail(path, strerror(EEXIST), error);
    if (strlen(path) >= sizeof output->path) return fail(path, strerror(ENAMETOOLONG), error);
    strcpy(output->path, path);
    return begin_beside(output, NULL, error);
}

// ---- writing

static bool signal_waits(void)
{
    sigset_t waiting;
    sigpending(&waiting);
    return sigismember(&waiting, SIGINT) || sigismember(&waiting, SIGTERM) ||
           sigismember(&waiting, SIGHUP);
}

static ssize_t write_patiently(void *cookie, const char *bytes, size_t size)
{
    int file = (int)(intptr_t)cookie;
    size_t written = 0;
    while (written < size) {
        ssize_t taken = write(file, bytes + written, size - written);
        if (taken > 0) written += (size_t)taken;
        if (taken >= 0 || errno == EINTR) continue;
        if (errno != EAGAIN) break;
        if (signal_waits()) {
            errno = EINTR;
            break;
        }
        poll(&(struct pollfd){.fd = file, .events = POLLOUT}, 1, LOOK_EVERY);
    }
    return (ssize_t)written; // fewer: a failure
}

static int close_file(void *cookie)
{
    return close((int)(intptr_t)cookie);
}

// Waits until somebody reads a pipe, or a signal comes.
static FILE *open_direct(const char *path)
{
    int file;
    while ((file = open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)) < 0) {
        struct stat there;
        bool pipe = errno == ENXIO && stat(path, &there) == 0 && S_ISFIFO(there.st_mode);
        if (!pipe) return NULL;
        if (signal_waits()) {
            errno = EINTR;
            return NULL;
        }
        nanosleep(&(struct timespec){.tv_nsec = LOOK_EVERY * 1000000L}, NULL);
    }
    FILE *stream =
        fopencookie((void *)(intptr_t)file, "w",
                    (cookie_io_functions_t){.write = write_patiently, .close = close_file});
    if (!stream) close(file);
    return stream;
}

FILE *output_file_open(OutputFile *output, Error *error)
{
    errno = 0;
    FILE *file = output->direct ? open_direct(output->write) : fopen(output->write, "w");
    if (!file) fail(output->path, errno ? strerror(errno) : "not enough memory", error);
    return file;
}

Status output_file_close(OutputFile *output, FILE *file, Error *error)
{
    bool failed = ferror(file) != 0;
    int reason = failed ? errno : 0;
    if (fclose(file) != 0) {
        failed = true;
        reason = errno;
    }
    if (!failed) return output_file_commit(output, error);
    return fail(output->path, reason ? strerror(reason) : "not all of it was taken", error);
}

// A link fails where a file is; a file system without links is asked before.
static bool name_new(const OutputFile *output)
{
    struct stat there;
    if (link(output->write, output->path) == 0) return unlink(output->write) == 0;
    if (errno == EEXIST) return false;
    if (lstat(output->path, &there) == 0) {
        errno = EEXIST;
        return false;
    }
    return rename(output->write, output->path) == 0;
}

Status output_file_commit(OutputFile *output, Error *error)
{
    if (!output->wanted) return STATUS_OK;
    if (!output->direct) {
        bool named = output->is_new ? name_new(output) : rename(output->write, output->path) == 0;
        if (!named) return fail(output->path, strerror(errno), error);
        close(output->lock);
    }
    output->wanted = false;
    return STATUS_OK;
}

void output_file_finish(OutputFile *output)
{
    if (output->wanted && !output->direct) {
        unlink(output->write);
        close(output->lock);
    }
    *output = (OutputFile){0};
}

Status output_file_write(const char *path, const char *text, size_t length, Error *error)
{
    OutputFile output;
    Status status = output_file_begin(&output, path, error);
    if (status != STATUS_OK) return status;
    FILE *file = output_file_open(&output, error);
    status = STATUS_FILE;
    if (file) {
        fwrite(text, 1, length, file);
        status = output_file_close(&output, file, error);
    }
    output_file_finish(&output);
    return status;
}
