#include "apps/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static Status fail(const char *path, const char *reason, Error *error)
{
    return error_set(error, STATUS_FILE, "cannot write %.250s: %s", path, reason);
}

Status output_file_begin(OutputFile *output, const char *path, Error *error)
{
    *output = (OutputFile){0};
    if (!path) return STATUS_OK;
    struct stat there;
    bool exists = stat(path, &there) == 0;
    if (exists && S_ISDIR(there.st_mode)) return fail(path, "it is a directory", error);
    if (exists && access(path, W_OK) != 0) return fail(path, strerror(errno), error);

    // a link stays a link; the file it points to is replaced
    if (exists && S_ISREG(there.st_mode)) {
        if (!realpath(path, output->path)) return fail(path, strerror(errno), error);
    } else if (strlen(path) < sizeof output->path) {
        strcpy(output->path, path);
    } else {
        return fail(path, strerror(ENAMETOOLONG), error);
    }

    output->direct = exists && !S_ISREG(there.st_mode);
    if (output->direct) {
        strcpy(output->write, output->path);
    } else {
        int length = snprintf(output->write, sizeof output->write, "%s.%ld.part", output->path,
                              (long)getpid());
        if (length >= (int)sizeof output->write) return fail(path, strerror(ENAMETOOLONG), error);
        int file = open(output->write, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file < 0) {
            return fail(path, errno == EEXIST ? "two outputs would go there" : strerror(errno),
                        error);
        }
        close(file);
    }
    output->wanted = true;
    return STATUS_OK;
}

Status output_file_commit(OutputFile *output, Error *error)
{
    if (!output->wanted) return STATUS_OK;
    if (!output->direct && rename(output->write, output->path) != 0) {
        return fail(output->path, strerror(errno), error);
    }
    output->wanted = false;
    return STATUS_OK;
}

void output_file_finish(OutputFile *output)
{
    if (output->wanted && !output->direct) unlink(output->write);
    *output = (OutputFile){0};
}
