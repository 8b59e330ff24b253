#include "apps/open_file.h"

#include "runtime/file_kind.h"
#include "ui/lesson_panel.h"

#include <GLFW/glfw3.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct PlayedFile {
    char path[PATH_MAX];
    Recording recording;
};

void played_file_destroy(PlayedFile *file)
{
    if (file) recording_finish(&file->recording);
    free(file);
}

static Status read_recording(const char *path, PlayedFile **out, Error *error)
{
    PlayedFile *file = calloc(1, sizeof *file);
    if (!file) return error_set(error, STATUS_OUT_OF_MEMORY, "out of memory for a recording");
    snprintf(file->path, sizeof file->path, "%s", path);
    Status status = recording_read(file->path, &file->recording, error);
    if (status == STATUS_OK)
        *out = file;
    else
        free(file);
    return status;
}

static Status play(const char *path, bool records, SimThread **sim, PlayedFile **played,
                   Error *error)
{
    if (records)
        return error_set(error, STATUS_FILE,
                         "This session is being recorded, so nothing can be replayed in it; use "
                         "another window for %.300s.",
                         path);
    PlayedFile *file = NULL;
    SimThread *next = NULL;
    Status status = read_recording(path, &file, error);
    if (status != STATUS_OK) return status;
    SimThreadPlan plan = {.scene = &file->recording.scene,
                          .running = true,
                          .wake = glfwPostEmptyEvent,
                          .replay = &file->recording};
    status = sim_thread_open(&plan, &next, error);
    if (status != STATUS_OK) {
        played_file_destroy(file);
        return status;
    }
    sim_thread_stop(*sim);
    played_file_destroy(*played);
    *sim = next;
    *played = file;
    return STATUS_OK;
}

static Status open_file(Ui *ui, const char *path, bool records, SimThread **sim,
                        PlayedFile **played, Error *error)
{
    FileKind kind;
    Status status = file_kind(path, &kind, error);
    if (status != STATUS_OK) return status;
    if (kind == FILE_RECORDING) return play(path, records, sim, played, error);
    if (kind == FILE_LESSON) return lesson_open(ui, path, error);
    return ui_load_scene(ui, path, error);
}

// The first failure to keep the list is told; the list in memory is right.
static void note_recent(Ui *ui, const char *path, bool opened)
{
    Error error;
    Status status = STATUS_OK;
    if (!ui->recent) return;
    if (opened)
        status = recent_add(ui->recent, path, &error);
    else if (access(path, F_OK) != 0)
        status = recent_remove(ui->recent, path, &error);
    if (status == STATUS_OK || ui->recent_failed) return;
    ui->recent_failed = true;
    if (opened) ui_say(ui, error.text);
}

bool open_wanted_file(Ui *ui, bool records, SimThread **sim, PlayedFile **played)
{
    if (!ui->want_open[0]) return false;
    char path[PATH_MAX];
    Error error;
    strcpy(path, ui->want_open);
    ui->want_open[0] = '\0';
    SimThread *before = *sim;
    Status status = open_file(ui, path, records, sim, played, &error);
    note_recent(ui, path, status == STATUS_OK);
    if (status != STATUS_OK) ui_say(ui, error.text);
    return *sim != before;
}
