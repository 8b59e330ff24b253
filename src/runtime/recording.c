// Reads recordings line by line. The text is not changed: a line is copied to be split into words,
// and blocks (scenes, particles) are parsed in place.
#include "runtime/recording.h"

#include "runtime/recording_reader.h"

#include <stdlib.h>
#include <string.h>

enum { LARGEST_FILE = 256 << 20 }; // bytes: days of dragging
// As far as a run can come: one mass on a spring takes 3 million steps a second at speed=max, which
// are 20,000 s.
#define LAST_TICK (1L << 53)
#define LAST_TIME 1e12 // s

static bool read_particles(Reader *reader)
{
    Recording *out = reader->out;
    out->particles_line = reader->line;
    return reader_block(reader, "end particles", &out->particles, &out->particles_size);
}

// `TICK TIME s` or `TIME s`. Returns the words used, 0 when it is neither.
static int read_moment(Reader *reader, RecordedCommand *out)
{
    int at = reader->word_count > 1 && strcmp(reader->words[1], "s") == 0 ? 0 : 1;
    out->tick = -1;
    out->line = reader->line;
    if (reader->word_count < at + 2 || strcmp(reader->words[at + 1], "s") != 0) {
        reader_fail(reader, "a command begins with its moment, `TICK TIME s` or `TIME s`");
        return 0;
    }
    if (at == 1 && !reader_count(reader, reader->words[0], LAST_TICK, &out->tick)) return 0;
    if (!reader_number(reader, reader->words[at], &out->time)) return 0;
    if (out->time < 0.0 || out->time > LAST_TIME) {
        reader_fail(reader, "the time %g s is not allowed: it takes 0 to %g s", out->time,
                    LAST_TIME);
        return 0;
    }
    return at + 2;
}

static bool keep(Reader *reader, const RecordedCommand *command)
{
    Recording *out = reader->out;
    if (out->command_count == reader->capacity) {
        int capacity = reader->capacity ? 2 * reader->capacity : 64;
        RecordedCommand *commands = realloc(out->commands, (size_t)capacity * sizeof *commands);
        if (!commands) return reader_out_of_memory(reader);
        out->commands = commands;
        reader->capacity = capacity;
    }
    out->commands[out->command_count++] = *command;
    return true;
}

static bool read_end(Reader *reader, int at, const RecordedCommand *moment)
{
    Recording *out = reader->out;
    out->end_tick = moment->tick;
    out->end_time = moment->time;
    out->hash_count = reader->word_count - at;
    if (out->hash_count > SCENE_LANES_MAX)
        return reader_fail(reader, "end takes a hash for each lane, or nothing");
    for (int i = 0; i < out->hash_count; i++) {
        if (!reader_hash(reader, reader->words[at + i], &out->hashes[i])) return false;
    }
    out->has_end = true;
    return true;
}

// The clock is 0 after it: no way leads back before it.
static bool starts_over(const Command *command)
{
    return command->kind == COMMAND_LOAD_SCENE || command->kind == COMMAND_RESET ||
           (command->kind == COMMAND_SET_PARAM && param_table[command->param.index].rebuilds);
}

static void drop_taken(Reader *reader)
{
    for (int i = 0; i < reader->taken_count; i++) command_finish(&reader->taken[i].command);
    free(reader->taken);
    reader->taken = NULL;
    reader->taken_count = 0;
    reader->has_back = false;
}

// The commands from `kept` on are void, unless `recall` follows.
static bool take_away(Reader *reader, int kept, long now)
{
    Recording *out = reader->out;
    drop_taken(reader);
    int count = out->command_count - kept;
    reader->taken = malloc(((size_t)count + 1) * sizeof *reader->taken);
    if (!reader->taken) return reader_out_of_memory(reader);
    if (count > 0)
        memcpy(reader->taken, out->commands + kept, (size_t)count * sizeof *out->commands);
    reader->taken_count = count;
    reader->has_back = true;
    reader->back_from = now;
    reader->back_kept = out->command_count = kept;
    return true;
}

// To a tick.
static bool read_back(Reader *reader, int at, long now, long *last_tick)
{
    Recording *out = reader->out;
    long tick;
    if (reader->word_count != at + 1) return reader_fail(reader, "back takes a tick");
    if (!reader_count(reader, reader->words[at], LAST_TICK, &tick)) return false;
    int kept = out->command_count;
    for (int i = kept - 1; i >= 0 && now >= 0; i--) { // since the scene began; lanes have no ticks
        if (out->commands[i].command.kind == COMMAND_LOAD_SCENE) break;
        if (out->commands[i].tick < 0) now = -1;
    }
    if (now < 0) return reader_fail(reader, "back needs a file in which every command has a tick");
    if (tick > now)
        return reader_fail(reader, "back goes to an earlier tick, not from %ld to %ld", now, tick);
    while (kept > 0 && out->commands[kept - 1].tick > tick) kept--;
    *last_tick = tick;
    return take_away(reader, kept, now);
}

// To a time of the lanes' clock.
static bool read_back_to(Reader *reader, int at, double now)
{
    Recording *out = reader->out;
    double time;
    if (!reader_number(reader, reader->words[at], &time)) return false;
    if (!(time >= 0.0 && time <= now))
        return reader_fail(reader, "back goes to an earlier time, not from %g s to %g s", now,
                           time);
    int kept = out->command_count;
    while (kept > 0 && out->commands[kept - 1].time > time &&
           !starts_over(&out->commands[kept - 1].command))
        kept--;
    return take_away(reader, kept, -1);
}

static bool read_recall(Reader *reader, int at, long *last_tick)
{
    Recording *out = reader->out;
    if (reader->word_count != at) return reader_fail(reader, "recall takes nothing");
    if (!reader->has_back) return reader_fail(reader, "recall needs a back before it");
    while (out->command_count > reader->back_kept)
        command_finish(&out->commands[--out->command_count].command);
    int moved = 0;
    while (moved < reader->taken_count && keep(reader, &reader->taken[moved])) moved++;
    bool all = moved == reader->taken_count;
    reader->taken_count -= moved; // what was moved belongs to the recording
    memmove(reader->taken, reader->taken + moved,
            (size_t)reader->taken_count * sizeof *reader->taken);
    if (!all) return false;
    if (reader->back_from >= 0) *last_tick = reader->back_from;
    drop_taken(reader);
    return true;
}

// The next line with a command, or the end. False at the end of the text or on an error.
static bool read_moment_line(Reader *reader, long *last_tick)
{
    RecordedCommand next = {0};
    int at = read_moment(reader, &next);
    if (at == 0) return false;
    if (next.tick >= 0 && next.tick < *last_tick)
        return reader_fail(reader, "tick %ld comes after tick %ld above", next.tick, *last_tick);
    if (next.tick >= 0) *last_tick = next.tick;
    if (at < reader->word_count && strcmp(reader->words[at], "end") == 0)
        return read_end(reader, at + 1, &next);
    if (at < reader->word_count && strcmp(reader->words[at], "back") == 0) {
        bool to_time =
            reader->word_count == at + 3 && strcmp(reader->words[reader->word_count - 1], "s") == 0;
        return to_time ? read_back_to(reader, at + 1, next.time)
                       : read_back(reader, at + 1, next.tick, last_tick);
    }
    if (at < reader->word_count && strcmp(reader->words[at], "recall") == 0)
        return read_recall(reader, at + 1, last_tick);
    bool read = reader_command(reader, at, &next) && keep(reader, &next);
    if (!read) command_finish(&next.command);
    return read;
}

static bool read_commands(Reader *reader, bool line_read)
{
    long last_tick = 0;
    while (line_read) {
        if (reader->out->has_end) return reader_fail(reader, "something stands after the end");
        if (!read_moment_line(reader, &last_tick)) return reader->out->cut;
        LineResult result = reader_next_line(reader);
        if (result == LINE_BAD) return false;
        line_read = result == LINE_READ;
    }
    return true;
}

// ---- the header

static bool read_version(Reader *reader)
{
    LineResult result = reader_next_line(reader);
    if (result == LINE_BAD) return false;
    long version;
    if (result == LINE_NONE || reader->word_count != 2 ||
        strcmp(reader->words[0], "selvage-record") != 0) {
        if (reader->line == 0) reader->line = 1;
        return reader_fail(reader, "this is not a recording: it begins with `selvage-record %d`",
                           RECORDING_VERSION);
    }
    if (!reader_count(reader, reader->words[1], 1000, &version)) return false;
    if (version == RECORDING_VERSION) return true;
    return reader_fail(reader, "this recording has version %ld; this program reads version %d",
                       version, RECORDING_VERSION);
}

static bool read_start(Reader *reader)
{
    Recording *out = reader->out;
    LineResult result = reader_next_line(reader);
    if (result == LINE_BAD) return false;
    if (result == LINE_NONE || strcmp(reader->words[0], "scene") != 0)
        return reader_fail(reader, "after the first line stands `scene NAME`, then its text");
    out->scene_line = reader->line;
    if (!reader_scene_name(reader, 1, &out->scene)) return false;
    if (reader_scene(reader, &out->scene, &out->mesh)) return true;
    return reader->out->cut ? reader_fail(reader, "the file ends before its scene does") : false;
}

static bool read_all(Reader *reader)
{
    if (!read_version(reader) || !read_start(reader)) return false;
    LineResult result = reader_next_line(reader);
    if (result == LINE_READ && reader->word_count == 1 &&
        strcmp(reader->words[0], "particles") == 0) {
        if (!read_particles(reader))
            return reader_fail(reader, "the file ends before its particles do");
        result = reader_next_line(reader);
    }
    if (result == LINE_BAD) return false;
    return read_commands(reader, result == LINE_READ);
}

Status recording_read(const char *path, Recording *out, Error *error)
{
    *out = (Recording){.path = path};
    FileText text;
    Status status = file_read(path, LARGEST_FILE, &text, error);
    return status == STATUS_OK ? recording_parse(path, text, out, error) : status;
}

Status recording_parse(const char *path, FileText text, Recording *out, Error *error)
{
    *out = (Recording){.path = path, .text = text};
    Error local;
    if (!error) error = &local;
    Reader reader = {.path = file_shown_briefly(path),
                     .whole_path = path,
                     .next = out->text.data,
                     .end = out->text.data + out->text.size,
                     .out = out,
                     .error = error};
    bool read;
    if (strlen(out->text.data) != out->text.size) {
        error_set(error, STATUS_BAD_PARAMETER,
                  "%s is not a recording: it holds bytes that are not text", reader.path);
        read = false;
    } else {
        read = read_all(&reader);
        drop_taken(&reader);
    }
    if (read) return STATUS_OK;
    recording_finish(out);
    return error->status;
}

void recording_finish(Recording *recording)
{
    for (int i = 0; i < recording->command_count; i++)
        command_finish(&recording->commands[i].command);
    free(recording->commands);
    file_text_finish(&recording->text);
    *recording = (Recording){0};
}
