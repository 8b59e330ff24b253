#include "sweep/sweep_table.h"

#include "base/file.h"
#include "base/output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_LIMIT = 1 << 30 };

static Status fail(const SweepTable *table, const char *what, Error *error)
{
    return error_set(error, STATUS_FILE,
                     "cannot write %.250s: %s; %ld points are in it, and the same command goes on "
                     "from there",
                     table->path, what, table->count);
}

static Status make_rows(SweepTable *table, long points, Error *error)
{
    table->points = points;
    table->rows = calloc((size_t)points, sizeof *table->rows);
    if (table->rows) return STATUS_OK;
    return error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory for %ld points", points);
}

void sweep_table_finish(SweepTable *table)
{
    for (long i = 0; i < table->points && table->rows; i++) free(table->rows[i]);
    free(table->rows);
    free(table->definition);
    if (table->file > 0) close(table->file);
    *table = (SweepTable){.file = -1};
}

static Status keep(SweepTable *table, long point, const char *row, size_t length, Error *error)
{
    if (table->rows[point]) return STATUS_OK;
    char *copy = malloc(length + 1);
    if (!copy) return error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory for a row");
    memcpy(copy, row, length);
    copy[length] = '\0';
    table->rows[point] = copy;
    table->count++;
    return STATUS_OK;
}

// ---- reading

static int columns_of(const char *line, size_t length)
{
    int columns = 1;
    for (size_t i = 0; i < length; i++) columns += line[i] == ',';
    return columns;
}

// A whole row of a point that there is.
static bool is_row(const SweepTable *table, int columns, const char *line, size_t length,
                   long *point)
{
    char *end;
    if (length == 0 || line[0] < '0' || line[0] > '9' || memchr(line, '\0', length)) return false;
    *point = strtol(line, &end, 10);
    return *end == ',' && *point < table->points && columns_of(line, length) == columns;
}

// Rows after the definition. What follows the last whole one is left out.
static Status take_rows(SweepTable *table, const char *text, size_t size, size_t start,
                        Error *error)
{
    const char *names = table->definition + strlen(table->definition) - 1;
    while (names > table->definition && names[-1] != '\n') names--;
    int columns = columns_of(names, strlen(names));
    size_t at = start;
    for (;;) {
        const char *end = memchr(text + at, '\n', size - at);
        size_t length = end ? (size_t)(end - text) - at : 0;
        long point;
        if (!end || !is_row(table, columns, text + at, length, &point)) break;
        Status status = keep(table, point, text + at, length, error);
        if (status != STATUS_OK) return status;
        at += length + 1;
    }
    table->length = (long)at;
    return STATUS_OK;
}

static Status resume(SweepTable *table, const char *text, size_t size, Error *error)
{
    size_t length = strlen(table->definition);
    size_t common = size < length ? size : length;
    if (memcmp(text, table->definition, common) != 0)
        return error_set(error, STATUS_BAD_PARAMETER,
                         "%.250s is there and is not of this sweep: its first lines differ; choose "
                         "another --csv FILE, or remove it",
                         table->path);
    if (size <= length) return STATUS_OK; // it ends in the definition: begin anew
    Status status = take_rows(table, text, size, length, error);
    if (status == STATUS_OK && table->length < (long)size)
        snprintf(table->notice, sizeof table->notice,
                 "%.160s ends in the middle of a row, which is computed again", table->path);
    return status;
}

// ---- writing

static Status write_all(SweepTable *table, const char *text, size_t size, Error *error)
{
    size_t written = 0;
    while (written < size) {
        ssize_t n = write(table->file, text + written, size - written);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) {
            int reason = errno;
            if (ftruncate(table->file, table->length) != 0) reason = errno; // a cut row is no harm
            return fail(table, strerror(reason), error);
        }
        written += (size_t)n;
    }
    table->length += (long)size;
    return STATUS_OK;
}

static Status begin_file(SweepTable *table, Error *error)
{
    if (ftruncate(table->file, table->length) != 0 ||
        lseek(table->file, table->length, SEEK_SET) < 0)
        return fail(table, strerror(errno), error);
    return table->length > 0
               ? STATUS_OK
               : write_all(table, table->definition, strlen(table->definition), error);
}

static Status open_journal(SweepTable *table, Error *error)
{
    table->file = open(table->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (table->file < 0)
        return error_set(error, STATUS_FILE, "cannot write %.250s: %s", table->path,
                         strerror(errno));
    if (flock(table->file, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
        return error_set(error, STATUS_FILE, "%.250s is being written by another sweep",
                         table->path);
    FileText text = {0};
    Status status = file_read(table->path, FILE_LIMIT, &text, error);
    if (status == STATUS_OK) status = resume(table, text.data, text.size, error);
    if (status == STATUS_OK) status = begin_file(table, error);
    file_text_finish(&text);
    return status;
}

Status sweep_table_open(SweepTable *table, const Sweep *sweep, const char *path, Error *error)
{
    *table = (SweepTable){.path = path, .file = -1};
    struct stat there;
    bool other = path && stat(path, &there) == 0 && !S_ISREG(there.st_mode);
    if (other && S_ISDIR(there.st_mode))
        return error_set(error, STATUS_FILE, "cannot write %.250s: it is a directory", path);
    Status status = make_rows(table, sweep_points(sweep), error);
    table->definition = status == STATUS_OK ? sweep_definition(sweep, error) : NULL;
    if (!table->definition) return error ? error->status : STATUS_OUT_OF_MEMORY;
    return path && !other ? open_journal(table, error) : STATUS_OK;
}

Status sweep_table_add(SweepTable *table, long point, const char *row, Error *error)
{
    char line[SWEEP_ROW_SIZE + 2];
    size_t length = strlen(row);
    Status status = STATUS_OK;
    if (table->file >= 0) {
        snprintf(line, sizeof line, "%s\n", row);
        status = write_all(table, line, length + 1, error);
    }
    return status == STATUS_OK ? keep(table, point, row, length, error) : status;
}

void sweep_table_print(const SweepTable *table, FILE *file)
{
    fputs(table->definition, file);
    for (long i = 0; i < table->points; i++) {
        if (table->rows[i]) fprintf(file, "%s\n", table->rows[i]);
    }
}

Status sweep_table_write(const SweepTable *table, const char *path, Error *error)
{
    OutputFile output = {0};
    Status status = output_file_begin(&output, path, error);
    FILE *file = status == STATUS_OK ? output_file_open(&output, error) : NULL;
    if (file) {
        sweep_table_print(table, file);
        status = output_file_close(&output, file, error);
    }
    output_file_finish(&output);
    return file || status != STATUS_OK ? status : STATUS_FILE;
}

Status sweep_table_complete(SweepTable *table, Error *error)
{
    return table->path ? sweep_table_write(table, table->path, error) : STATUS_OK;
}

// ---- merging

// A definition and what differs between shards of one sweep.
typedef struct Head {
    size_t length; // of the definition
    long points;   // of the sweep
    char *common;  // the definition as of shard 1/1; malloc'ed
} Head;

static Status read_head(const FileText *text, const char *path, Head *head, Error *error)
{
    static const char shard[] = "\n# shard ", count[] = "\n# points ";
    const char *at = strstr(text->data, shard), *points = strstr(text->data, count);
    const char *names = at ? strchr(at + 1, '\n') : NULL;
    const char *end = names ? strchr(names + 1, '\n') : NULL;
    *head = (Head){0};
    if (strncmp(text->data, "# selvage sweep ", 16) != 0 || !points || !end)
        return error_set(error, STATUS_FILE,
                         "%.250s is not a file that `selvage sweep` has written", path);
    head->points = strtol(points + strlen(count), NULL, 10);
    if (head->points < 1 || head->points > SWEEP_POINTS_MAX)
        return error_set(error, STATUS_FILE, "%.250s says that it has %ld points", path,
                         head->points);
    head->length = (size_t)(end - text->data) + 1;
    head->common = malloc(head->length + 8);
    if (!head->common) return error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory to merge");
    sprintf(head->common, "%.*s\n# shard 1/1%.*s\n", (int)(at - text->data), text->data,
            (int)(end - names), names);
    return STATUS_OK;
}

// A point that two files have must be the same in both.
static Status check_rows(const SweepTable *a, const SweepTable *b, const char *path, Error *error)
{
    for (long i = 0; i < a->points; i++) {
        if (a->rows[i] && b->rows[i] && strcmp(a->rows[i], b->rows[i]) != 0)
            return error_set(error, STATUS_FILE,
                             "%.250s has another row for point %ld than a file before it", path, i);
    }
    return STATUS_OK;
}

static Status merge_one(SweepTable *table, const char *path, Error *error)
{
    FileText text = {0};
    Head head = {0};
    SweepTable part = {.file = -1};
    Status status = file_read(path, FILE_LIMIT, &text, error);
    if (status == STATUS_OK) status = read_head(&text, path, &head, error);
    if (status == STATUS_OK && !table->definition) {
        status = make_rows(table, head.points, error);
        table->definition = strdup(head.common);
        if (!table->definition)
            status = error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory to merge");
    } else if (status == STATUS_OK && strcmp(table->definition, head.common) != 0) {
        status = error_set(error, STATUS_BAD_PARAMETER,
                           "%.250s is of another sweep than the files before it: its first lines "
                           "differ",
                           path);
    }
    if (status == STATUS_OK) status = make_rows(&part, head.points, error);
    if (status == STATUS_OK) {
        part.definition = head.common;
        head.common = NULL;
        status = take_rows(&part, text.data, text.size, head.length, error);
    }
    if (status == STATUS_OK) status = check_rows(table, &part, path, error);
    for (long i = 0; status == STATUS_OK && i < part.points; i++) {
        if (part.rows[i]) status = keep(table, i, part.rows[i], strlen(part.rows[i]), error);
    }
    sweep_table_finish(&part);
    free(head.common);
    file_text_finish(&text);
    return status;
}

Status sweep_table_merge(SweepTable *table, const char *const *paths, int count, Error *error)
{
    *table = (SweepTable){.file = -1};
    Status status = STATUS_OK;
    for (int i = 0; i < count && status == STATUS_OK; i++)
        status = merge_one(table, paths[i], error);
    return status;
}
