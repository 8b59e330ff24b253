// selvage figure: figures of the sources, recomputed, and a page that shows them.
#include "apps/commands.h"
#include "apps/interrupt.h"
#include "apps/report.h"
#include "base/cpu.h"
#include "base/output_file.h"
#include "figures/corrections.h"
#include "figures/figure.h"
#include "figures/typeset.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static Status make_folder(const char *path, Error *error)
{
    struct stat there;
    if (mkdir(path, 0777) == 0) return STATUS_OK;
    int reason = errno;
    if (reason == EEXIST && stat(path, &there) == 0 && S_ISDIR(there.st_mode)) return STATUS_OK;
    return error_set(error, STATUS_FILE, "cannot make the folder %.250s: %s", path,
                     reason == EEXIST ? "there is a file of that name" : strerror(reason));
}

static Status join_path(const char *folder, const char *name, const char *ending, char *path,
                        size_t size, Error *error)
{
    if (snprintf(path, size, "%s/%s.%s", folder, name, ending) < (int)size) return STATUS_OK;
    return error_set(error, STATUS_FILE, "the name of the folder %.100s is too long", folder);
}

static Status write_files(const Options *options, const Figure *figure, Error *error)
{
    static const char *const endings[] = {"svg", "csv"};
    Status status = STATUS_OK;
    for (int i = 0; i < 2 && status == STATUS_OK; i++) {
        char path[1024];
        OutputFile output = {0};
        status = join_path(options->out, figure->row->name, endings[i], path, sizeof path, error);
        if (status == STATUS_OK) status = output_file_begin(&output, path, error);
        FILE *file = status == STATUS_OK ? output_file_open(&output, error) : NULL;
        if (!file) status = status == STATUS_OK ? STATUS_FILE : status;
        if (file && i == 0 && !figure_write_svg(figure, file, colours_of(!options->dark)))
            status = error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory to draw %s",
                               figure->row->name);
        if (file && i == 1) figure_write_csv(figure, file);
        if (file && status == STATUS_OK)
            status = output_file_close(&output, file, error);
        else if (file)
            fclose(file);
        output_file_finish(&output);
    }
    return status;
}

// ---- the page

static long cache_kilobytes(int level)
{
    long size = level == 2 ? sysconf(_SC_LEVEL2_CACHE_SIZE) : sysconf(_SC_LEVEL3_CACHE_SIZE);
    return size > 0 ? size / 1024 : 0;
}

static void print_head(FILE *page)
{
    static const char *const simd[] = {[CPU_PORTABLE] = "SIMD as the compiler's portable vectors",
                                       [CPU_AVX2] = "SIMD with AVX2 and FMA",
                                       [CPU_AVX512] = "SIMD with AVX-512"};
    fprintf(page,
            "# Results\n\n"
            "Every figure and table of the five sources, recomputed, and some of our own. Each\n"
            "command writes the drawing and its numbers as CSV. This page is written by\n"
            "`tools/results`.\n\n"
            "Times are ratios within one run, measured on a machine with %d %s, %s,\n"
            "%ld KiB of second-level and %ld KiB of third-level cache. Bars at measured points\n"
            "show their spread, as the text beside them says.\n",
            cpu_count(), cpu_count() == 1 ? "core" : "cores", simd[cpu_simd()], cache_kilobytes(2),
            cache_kilobytes(3));
}

static void print_figure(FILE *page, const Options *options, const Figure *figure)
{
    const FigureRow *row = figure->row;
    const char *folder = strrchr(options->out, '/');
    folder = folder ? folder + 1 : options->out;
    fprintf(page, "\n## %s\n\n![%s](%s/%s.svg)\n\n", figure->title, figure->title, folder,
            row->name);
    char claim[1000];
    typeset(row->claim, claim, sizeof claim);
    fprintf(page, "**%s:** %s\n\n", row->source, claim);
    fprintf(page, "%s\n\n**Verdict:** %s\n\n", figure->found, figure->verdict);
    fprintf(page, "    selvage figure %s --out %s%s\n", row->name, folder,
            figure->quick ? " --quick" : "");
}

// ---- all of it

// A figure that was interrupted is not written.
static Status make(const Options *options, const FigureRow *row, const atomic_bool *cancel,
                   FILE *page, Error *error)
{
    Figure *figure = calloc(1, sizeof *figure);
    if (!figure) return error_set(error, STATUS_OUT_OF_MEMORY, "out of memory");
    figure->row = row;
    figure->quick = options->quick;
    figure->threads = options->threads;
    figure->cancel = cancel;
    Status status = figure_make(figure, error);
    if (status == STATUS_OK) status = write_files(options, figure, error);
    if (status == STATUS_OK && page) print_figure(page, options, figure);
    if (status == STATUS_OK) printf("%-18s %s\n", row->name, figure->verdict);
    fflush(stdout);
    figure_finish(figure);
    free(figure);
    return status;
}

static Status tell_interrupted(const char *name, int done, Error *error)
{
    char before[80] = "";
    if (done > 0)
        snprintf(before, sizeof before, "; the %d before it %s complete", done,
                 done == 1 ? "is" : "are");
    return error_set(error, STATUS_INTERRUPTED,
                     "interrupted in the figure %s, which was not "
                     "written%s",
                     name, before);
}

static Status make_all(const Options *options, const atomic_bool *cancel, FILE *page, Error *error)
{
    bool all = strcmp(options->scene, "all") == 0;
    int done = 0;
    Status status = STATUS_OK;
    if (page) print_head(page);
    for (int i = 0; i < figure_count && status == STATUS_OK; i++) {
        if (!all && strcmp(figure_table[i].name, options->scene) != 0) continue;
        status = make(options, &figure_table[i], cancel, page, error);
        done += status == STATUS_OK;
        if (status == STATUS_INTERRUPTED)
            return tell_interrupted(figure_table[i].name, done, error);
        if (interrupt_pending() && status == STATUS_OK) // too late for the flag
            status = error_set(error, STATUS_INTERRUPTED, "interrupted after the figure %s",
                               figure_table[i].name);
    }
    if (page && all && status == STATUS_OK) {
        fputs("\n", page);
        corrections_write(page);
    }
    return status;
}

static Status check(const Options *options, Error *error)
{
    if (!options->scene)
        return error_set(error, STATUS_BAD_PARAMETER,
                         "figure needs the name of one, or all; `selvage list figures` names them");
    if (strcmp(options->scene, "all") != 0 && !figure_find(options->scene))
        return error_set(error, STATUS_BAD_PARAMETER,
                         "there is no figure \"%.40s\"; `selvage list figures` names them, and all "
                         "makes every one",
                         options->scene);
    if (!options->out)
        return error_set(error, STATUS_BAD_PARAMETER, "figure needs --out DIR, where to write it");
    return make_folder(options->out, error);
}

static Status write_page(const Options *options, const atomic_bool *cancel, Error *error)
{
    OutputFile output = {0};
    Status status = output_file_begin(&output, options->page, error);
    FILE *page = status == STATUS_OK && options->page ? output_file_open(&output, error) : NULL;
    if (status == STATUS_OK && options->page && !page) status = STATUS_FILE;
    if (status == STATUS_OK) status = make_all(options, cancel, page, error);
    if (page && status == STATUS_OK)
        status = output_file_close(&output, page, error);
    else if (page)
        fclose(page);
    output_file_finish(&output);
    return status;
}

int command_figure(const Options *options)
{
    Error error;
    Interrupt interrupt;
    Status status = check(options, &error);
    if (status == STATUS_OK) {
        interrupt_begin(&interrupt);
        status = write_page(options, &interrupt.raised, &error);
        interrupt_end(&interrupt);
    }
    return status == STATUS_OK ? EXIT_DONE : report_error(&error);
}
