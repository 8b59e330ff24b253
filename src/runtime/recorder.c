// Text is built in memory and written with one call, so a line is in the file completely or, after
// a failure, not at all.
#include "runtime/recorder.h"

#include "base/text_stream.h"
#include "runtime/recording.h"
#include "runtime/scene_file.h"
#include "simulation/state.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct Recorder {
    char path[PATH_MAX];
    int file;   // -1: closed
    off_t size; // bytes of whole lines
    long tick;
    Status status;
    Error failure; // the first one
};

static Status fail(Recorder *self, const char *reason, Error *error)
{
    Status status =
        error_set(&self->failure, STATUS_FILE, "cannot record into %.250s: %s", self->path, reason);
    self->status = status;
    if (error) *error = self->failure;
    if (self->file >= 0) close(self->file);
    self->file = -1;
    return status;
}

static bool write_all(int file, const char *text, size_t size)
{
    while (size > 0) {
        ssize_t written = write(file, text, size);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return false;
        text += written;
        size -= (size_t)written;
    }
    return true;
}

static Status put(Recorder *self, const char *text, size_t size, Error *error)
{
    if (write_all(self->file, text, size)) {
        self->size += (off_t)size;
        return STATUS_OK;
    }
    int reason = errno;
    if (ftruncate(self->file, self->size) != 0)
        errno = 0; // a pipe cannot be truncated; readers drop half a line
    return fail(self, strerror(reason), error);
}

// A piece of the file is printed into memory; then it is written to the file.
static Status piece_put(Recorder *self, TextStream *piece, Error *error)
{
    if (!text_stream_close(piece)) return fail(self, "not enough memory", error);
    Status status = put(self, piece->text, piece->size, error);
    free(piece->text);
    return status;
}

static void print_scene(const Scene *scene, const Simulation *simulation, FILE *file)
{
    scene_print(scene, file);
    fprintf(file, "end scene\n");
    if (scene->mesh[0] != '\0')
        fprintf(file, "mesh %016" PRIx64 "\n", simulation_mesh_fingerprint(simulation));
}

// With the fewest digits that read back as the same number.
static void print_number(FILE *file, double value)
{
    char digits[32];
    for (int precision = 6; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, value);
        if (strtod(digits, NULL) == value) break;
    }
    fprintf(file, " %s", digits);
}

static void print_place(FILE *file, Vec3 place)
{
    print_number(file, place.x);
    print_number(file, place.y);
    print_number(file, place.z);
    fprintf(file, "\n");
}

static void print_param(const Command *command, FILE *file)
{
    const ParamInfo *info = &param_table[command->param.index];
    Params params = params_default();
    char value[64];
    param_set(&params, info, command->param.value, NULL); // already accepted: cannot fail
    param_print(&params, info, value, sizeof value);
    fprintf(file, "set %s %s\n", info->name, value);
}

static void print_shape(const Command *command, FILE *file)
{
    int count = command->excite.particle_count;
    const float *shape = command->excite.shape;
    fprintf(file, "excite %.17g %d\n", command->excite.amplitude, count);
    for (int p = 0; p < count; p++)
        fprintf(file, "%.9g %.9g %.9g\n", (double)shape[3 * p], (double)shape[3 * p + 1],
                (double)shape[3 * p + 2]);
}

static void print_command(const Command *command, const Simulation *simulation, FILE *file)
{
    switch (command->kind) {
    case COMMAND_LOAD_SCENE:
        fprintf(file, "load %s\n", command->scene->name);
        print_scene(command->scene, simulation, file);
        break;
    case COMMAND_SET_PARAM:
        print_param(command, file);
        break;
    case COMMAND_GRAB:
        fprintf(file, "grab %d", command->hand.particle);
        print_place(file, command->hand.target);
        break;
    case COMMAND_GRAB_BODY:
        fprintf(file, "take %d", command->body.number);
        print_place(file, command->body.target);
        break;
    case COMMAND_MOVE_HAND:
        fprintf(file, "move");
        print_place(file, command->hand.target);
        break;
    case COMMAND_RELEASE:
        fprintf(file, "release\n");
        break;
    case COMMAND_TOGGLE_PIN:
        fprintf(file, "pin %d\n", command->particle);
        break;
    case COMMAND_RESET:
        fprintf(file, "reset\n");
        break;
    case COMMAND_REWIND:
        fprintf(file, "rewind");
        print_number(file, command->rewind.seconds);
        fprintf(file, "\n");
        break;
    case COMMAND_EXCITE:
        print_shape(command, file);
        break;
    case COMMAND_RESUME:
        fprintf(file, "resume\n");
        break;
    case COMMAND_SHARE_PARAM:
        fprintf(file, "share %s\n", param_table[command->param.index].name);
        break;
    case COMMAND_RETRY:
        fprintf(file, "retry\n");
        break;
    case COMMAND_SELECT:
    case COMMAND_REFERENCE:
    case COMMAND_HOLD:
    case COMMAND_RUN:
    case COMMAND_JUMP:
    case COMMAND_PAUSE:
    case COMMAND_STEP:
    case COMMAND_SEEK:
    case COMMAND_PLAY:
    case COMMAND_RECALL:
    case COMMAND_QUIT:
        break;
    }
}

// An existing file may be as valuable as the new one, so it is renamed. Anything but a regular file
// (a pipe, a device) is written to directly.
static bool keep_old_file(const char *path)
{
    struct stat there;
    if (lstat(path, &there) != 0 || !S_ISREG(there.st_mode) || there.st_size == 0) return true;
    char kept[PATH_MAX + 2];
    snprintf(kept, sizeof kept, "%s~", path);
    return access(path, W_OK) == 0 && rename(path, kept) == 0;
}

static Status begin(Recorder *self, const Scene *scene, bool other_particles,
                    const Simulation *simulation, Error *error)
{
    TextStream piece;
    if (!text_stream_open(&piece)) return fail(self, strerror(errno), error);
    fprintf(piece.file, "selvage-record %d\n; TICK  TIME s  COMMAND: docs/recordings.md\n\n",
            RECORDING_VERSION);
    fprintf(piece.file, "scene %s\n", scene->name);
    print_scene(scene, simulation, piece.file);
    Error reason;
    Status status = STATUS_OK;
    if (other_particles) {
        fprintf(piece.file, "particles\n");
        status = simulation_print_state(simulation, piece.file, &reason);
        fprintf(piece.file, "end particles\n");
    }
    fprintf(piece.file, "\n");
    if (status != STATUS_OK) {
        text_stream_close(&piece);
        free(piece.text);
        return fail(self, reason.text, error);
    }
    return piece_put(self, &piece, error);
}

Status recorder_create(const char *path, const Scene *scene, bool other_particles,
                       const Simulation *simulation, Recorder **out, Error *error)
{
    *out = NULL;
    Recorder *self = calloc(1, sizeof *self);
    if (!self) return error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory for a recording");
    // what a link points to is kept too
    if (!file_is_regular(path) || !realpath(path, self->path))
        snprintf(self->path, sizeof self->path, "%s", path);
    self->file = -1;
    bool opened = false;
    Status status = STATUS_OK;
    if (strlen(path) >= sizeof self->path) {
        status = fail(self, strerror(ENAMETOOLONG), error);
    } else if (!keep_old_file(self->path)) {
        status = fail(self, strerror(errno), error);
    } else {
        self->file = open(self->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        opened = self->file >= 0;
        status = opened ? begin(self, scene, other_particles, simulation, error)
                        : fail(self, strerror(errno), error);
    }
    if (status != STATUS_OK) {
        if (opened && file_is_regular(self->path)) unlink(self->path); // it has no scene
        recorder_destroy(self);
        return status;
    }
    *out = self;
    return STATUS_OK;
}

void recorder_destroy(Recorder *recorder)
{
    if (!recorder) return;
    if (recorder->file >= 0) close(recorder->file);
    free(recorder);
}

void recorder_tick(Recorder *recorder)
{
    recorder->tick++;
}

// `tick` negative: none is written.
static Status add(Recorder *recorder, long tick, double time, const Command *command,
                  const Simulation *simulation, Error *error)
{
    if (recorder->status != STATUS_OK) return STATUS_OK;
    TextStream piece;
    if (!text_stream_open(&piece)) return fail(recorder, strerror(errno), error);
    if (tick >= 0) fprintf(piece.file, "%ld  ", tick);
    fprintf(piece.file, "%.17g s  ", time);
    if (command->lane > 0) fprintf(piece.file, "lane %d ", command->lane);
    print_command(command, simulation, piece.file);
    return piece_put(recorder, &piece, error);
}

Status recorder_add(Recorder *recorder, double time, const Command *command,
                    const Simulation *simulation, Error *error)
{
    return add(recorder, recorder->tick, time, command, simulation, error);
}

Status recorder_add_at(Recorder *recorder, double time, const Command *command,
                       const Simulation *lanes, Error *error)
{
    return add(recorder, -1, time, command, lanes, error);
}

static Status put_line(Recorder *recorder, const char *line, Error *error)
{
    return recorder->status == STATUS_OK ? put(recorder, line, strlen(line), error) : STATUS_OK;
}

Status recorder_back_to(Recorder *recorder, double time, double to, Error *error)
{
    char line[96];
    snprintf(line, sizeof line, "%.17g s  back %.17g s\n", time, to);
    return put_line(recorder, line, error);
}

Status recorder_recall_at(Recorder *recorder, double time, Error *error)
{
    char line[96];
    snprintf(line, sizeof line, "%.17g s  recall\n", time);
    return put_line(recorder, line, error);
}

// A line that moves the run to another tick.
static Status put_move(Recorder *recorder, double time, const char *move, long tick, Error *error)
{
    if (recorder->status != STATUS_OK) return STATUS_OK;
    char line[96];
    int length = snprintf(line, sizeof line, "%ld  %.17g s  %s\n", recorder->tick, time, move);
    recorder->tick = tick;
    return put(recorder, line, (size_t)length, error);
}

Status recorder_back(Recorder *recorder, double time, long tick, Error *error)
{
    char move[32];
    snprintf(move, sizeof move, "back %ld", tick);
    return put_move(recorder, time, move, tick, error);
}

Status recorder_recall(Recorder *recorder, double time, long tick, Error *error)
{
    return put_move(recorder, time, "recall", tick, error);
}

// Close the file, and report the first failure.
static Status finish(Recorder *recorder, Error *error)
{
    if (recorder->file >= 0) {
        int file = recorder->file;
        recorder->file = -1;
        if (close(file) != 0) fail(recorder, strerror(errno), NULL);
    }
    if (recorder->status != STATUS_OK && error) *error = recorder->failure;
    return recorder->status;
}

Status recorder_end(Recorder *recorder, const Simulation *simulation, Error *error)
{
    char line[96];
    snprintf(line, sizeof line, "%ld  %.17g s  end %016" PRIx64 "\n", recorder->tick,
             simulation_time(simulation), simulation_hash(simulation));
    put_line(recorder, line, NULL);
    return finish(recorder, error);
}

Status recorder_end_at(Recorder *recorder, double time, const uint64_t *hashes, int count,
                       Error *error)
{
    char line[32 + 17 * SCENE_LANES_MAX + 32];
    int length = snprintf(line, sizeof line, "%.17g s  end", time);
    for (int i = 0; i < count; i++)
        length += snprintf(line + length, sizeof line - (size_t)length, " %016" PRIx64, hashes[i]);
    snprintf(line + length, sizeof line - (size_t)length, "\n");
    put_line(recorder, line, NULL);
    return finish(recorder, error);
}
