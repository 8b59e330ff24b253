// Reads recordings line by line. The text is not changed: a line is copied to be split into words,
// and blocks (scenes, particles) are parsed in place.
#include "runtime/recording.h"

#include "runtime/scene_parse.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { LARGEST_FILE = 256 << 20 }; // bytes: days of dragging
enum { LONGEST_LINE = 400, MOST_WORDS = 12 };
enum { MOST_PARTICLES = 1 << 20 };
#define LAST_TICK 1000000000L // as --steps takes
#define LAST_TIME 1e6         // s, as --seconds takes

#define COMMANDS                                                                                   \
    "set NAME VALUE, grab PARTICLE X Y Z, take BODY X Y Z, move X Y Z, release, pin PARTICLE, "    \
    "reset, rewind "                                                                               \
    "SECONDS, back TICK, recall, resume, excite SPEED COUNT, load NAME and end HASH; of lanes "    \
    "also "                                                                                        \
    "lane NUMBER COMMAND, share NAME, retry and back TIME s"

typedef struct Reader {
    const char *path;       // end of the path, for error messages
    const char *whole_path; // a mesh is searched for beside it
    const char *next, *end; // text not yet read
    int line;               // number of the last line read
    const char *start;      // of that line, in the text
    char copy[LONGEST_LINE];
    char *words[MOST_WORDS];
    int word_count;
    Recording *out;
    int capacity; // of out->commands
    // what the last `back` took away
    bool has_back;
    long back_from; // the tick at which it stood
    int back_kept;  // commands before it
    int taken_count;
    RecordedCommand *taken;
    Error *error;
} Reader;

// Returns false, so that a reader can `return fail(...)`.
__attribute__((format(printf, 2, 3))) static bool fail(Reader *reader, const char *format, ...)
{
    char what[sizeof reader->error->text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    error_set(reader->error, STATUS_BAD_PARAMETER, "%s, line %d: %.500s", reader->path,
              reader->line, what);
    return false;
}

// The next line, unchanged, without its line end. False at the end of the text. A last line without
// a line end may be incomplete, so it does not count.
static bool raw_line(Reader *reader, size_t *length)
{
    size_t left = (size_t)(reader->end - reader->next);
    const char *newline = memchr(reader->next, '\n', left);
    if (!newline) {
        reader->out->cut = reader->out->cut || left > 0;
        reader->next = reader->end;
        return false;
    }
    reader->start = reader->next;
    reader->next = newline + 1;
    reader->line++;
    *length = (size_t)(newline - reader->start);
    if (*length > 0 && newline[-1] == '\r') --*length;
    return true;
}

static bool split(Reader *reader, size_t length)
{
    if (length >= sizeof reader->copy)
        return fail(reader, "the line is longer than %d characters", LONGEST_LINE - 1);
    memcpy(reader->copy, reader->start, length);
    reader->copy[length] = '\0';
    reader->word_count = 0;
    char *rest = NULL;
    for (char *word = strtok_r(reader->copy, " \t", &rest); word;
         word = strtok_r(NULL, " \t", &rest)) {
        if (reader->word_count == MOST_WORDS)
            return fail(reader, "there are more than %d words", MOST_WORDS);
        reader->words[reader->word_count++] = word;
    }
    return true;
}

typedef enum LineResult { LINE_READ, LINE_NONE, LINE_BAD } LineResult;

// The next line that is not empty or a comment, in words.
static LineResult next_line(Reader *reader)
{
    size_t length;
    while (raw_line(reader, &length)) {
        const char *first = reader->start;
        while (first < reader->start + length && (*first == ' ' || *first == '\t')) first++;
        if (first == reader->start + length || *first == ';' || *first == '#') continue;
        return split(reader, length) ? LINE_READ : LINE_BAD;
    }
    return LINE_NONE;
}

static bool is_line(const Reader *reader, size_t length, const char *text)
{
    return length == strlen(text) && memcmp(reader->start, text, length) == 0;
}

// All lines up to the line `last`. False when the text ends before it.
static bool block(Reader *reader, const char *last, const char **text, size_t *size)
{
    size_t length;
    *text = reader->next;
    while (raw_line(reader, &length)) {
        *size = (size_t)(reader->start - *text);
        if (is_line(reader, length, last)) return true;
    }
    reader->out->cut = true;
    return false;
}

static bool read_number(Reader *reader, const char *word, double *out)
{
    char *end;
    *out = strtod(word, &end);
    if (end != word && *end == '\0' && isfinite(*out)) return true;
    return fail(reader, "\"%.60s\" is not a number", word);
}

static bool read_count(Reader *reader, const char *word, long most, long *out)
{
    char *end;
    errno = 0;
    *out = strtol(word, &end, 10);
    if (end != word && *end == '\0' && errno == 0 && *out >= 0 && *out <= most) return true;
    return fail(reader, "\"%.60s\" is not a whole number from 0 to %ld", word, most);
}

static bool read_hash(Reader *reader, const char *word, uint64_t *out)
{
    char *end;
    *out = strtoull(word, &end, 16);
    if (strlen(word) == 16 && strspn(word, "0123456789abcdef") == 16) return true;
    return fail(reader, "\"%.60s\" is not a hash: it has 16 digits from 0 to f", word);
}

// The rest of the line after its first `words` words: a scene's name.
static bool read_name(Reader *reader, int words, Scene *scene)
{
    char name[sizeof scene->name] = "";
    size_t length = 0;
    for (int i = words; i < reader->word_count; i++)
        length += (size_t)snprintf(name + length, length < sizeof name ? sizeof name - length : 0,
                                   "%s%s", i > words ? " " : "", reader->words[i]);
    if (length == 0 || length >= sizeof name)
        return fail(reader, "a scene has a name of 1 to %zu bytes", sizeof name - 1);
    if (strchr(name,
               '/')) // what is saved is named after it, and belongs into the working directory
        return fail(reader, "a scene's name has no \"/\", as \"%s\" has", name);
    memcpy(scene->name, name, sizeof name);
    return true;
}

// The block after `scene NAME` or `load NAME`, and its mesh. False with `cut` when the text ends.
static bool read_scene(Reader *reader, Scene *scene, uint64_t *mesh)
{
    const char *text;
    size_t size;
    int before = reader->line;
    if (!block(reader, "end scene", &text, &size)) return false;
    if (scene_parse_after(reader->whole_path, before, text, size, scene, reader->error) !=
        STATUS_OK)
        return false;
    *mesh = 0;
    if (scene->mesh[0] == '\0') return true;
    LineResult result = next_line(reader);
    if (result == LINE_NONE) reader->out->cut = true;
    if (result != LINE_READ) return false;
    if (reader->word_count != 2 || strcmp(reader->words[0], "mesh") != 0)
        return fail(reader, "after a scene with a mesh file stands `mesh FINGERPRINT`");
    return read_hash(reader, reader->words[1], mesh);
}

static bool read_particles(Reader *reader)
{
    Recording *out = reader->out;
    out->particles_line = reader->line;
    return block(reader, "end particles", &out->particles, &out->particles_size);
}

// ---- commands

static bool read_set(Reader *reader, char **words, Command *command)
{
    const ParamInfo *info = param_find(words[0]);
    Params params = params_default();
    Error error;
    if (!info)
        return fail(reader, "there is no parameter \"%.60s\"; selvage list names them", words[0]);
    if (param_parse(&params, info, words[1], &error) != STATUS_OK)
        return fail(reader, "%s", error.text);
    command->param.index = (int)(info - param_table);
    command->param.value = param_get(&params, info);
    return true;
}

static bool read_share(Reader *reader, char **words, Command *command)
{
    const ParamInfo *info = param_find(words[0]);
    if (!info)
        return fail(reader, "there is no parameter \"%.60s\"; selvage list names them", words[0]);
    command->param.index = (int)(info - param_table);
    return true;
}

static bool read_particle(Reader *reader, const char *word, int *out)
{
    long particle;
    if (!read_count(reader, word, MOST_PARTICLES, &particle)) return false;
    *out = (int)particle;
    return true;
}

static bool read_vector(Reader *reader, char **words, Vec3 *out)
{
    return read_number(reader, words[0], &out->x) && read_number(reader, words[1], &out->y) &&
           read_number(reader, words[2], &out->z);
}

static bool read_grab(Reader *reader, char **words, Command *command)
{
    return read_particle(reader, words[0], &command->hand.particle) &&
           read_vector(reader, words + 1, &command->hand.target);
}

static bool read_take(Reader *reader, char **words, Command *command)
{
    long body;
    if (!read_count(reader, words[0], COLLIDERS_MAX - 1, &body)) return false;
    command->body.number = (int)body;
    return read_vector(reader, words + 1, &command->body.target);
}

static bool read_move(Reader *reader, char **words, Command *command)
{
    command->hand.particle = -1;
    return read_vector(reader, words, &command->hand.target);
}

static bool read_nothing(Reader *reader, char **words, Command *command)
{
    (void)reader, (void)words, (void)command;
    return true;
}

static bool read_pin(Reader *reader, char **words, Command *command)
{
    return read_particle(reader, words[0], &command->particle);
}

static bool read_rewind(Reader *reader, char **words, Command *command)
{
    return read_number(reader, words[0], &command->rewind.seconds);
}

static bool read_shape(Reader *reader, float *shape, int count)
{
    for (int p = 0; p < count; p++) {
        LineResult result = next_line(reader);
        Vec3 row;
        if (result == LINE_NONE) reader->out->cut = true;
        if (result != LINE_READ) return false;
        if (reader->word_count != 3)
            return fail(reader, "a row of a shape has three numbers, X Y Z; %d more are missing",
                        count - p);
        if (!read_vector(reader, reader->words, &row)) return false;
        shape[3 * p] = (float)row.x;
        shape[3 * p + 1] = (float)row.y;
        shape[3 * p + 2] = (float)row.z;
    }
    return true;
}

static bool out_of_memory(Reader *reader)
{
    error_set(reader->error, STATUS_OUT_OF_MEMORY, "%s does not fit into memory", reader->path);
    return false;
}

static bool read_excite(Reader *reader, char **words, Command *command)
{
    int count;
    if (!read_number(reader, words[0], &command->excite.amplitude) ||
        !read_particle(reader, words[1], &count))
        return false;
    float *shape = malloc((3 * (size_t)count + 1) * sizeof *shape);
    if (!shape) return out_of_memory(reader);
    command->excite.shape = shape;
    command->excite.particle_count = count;
    return read_shape(reader, shape, count);
}

// Each command with its number of words after the name; `load` takes the rest of the line.
static const struct CommandForm {
    const char *name;
    CommandKind kind;
    int words;
    bool (*read)(Reader *reader, char **words, Command *command);
} command_forms[] = {
    {"set", COMMAND_SET_PARAM, 2, read_set},       {"grab", COMMAND_GRAB, 4, read_grab},
    {"take", COMMAND_GRAB_BODY, 4, read_take},     {"move", COMMAND_MOVE_HAND, 3, read_move},
    {"release", COMMAND_RELEASE, 0, read_nothing}, {"pin", COMMAND_TOGGLE_PIN, 1, read_pin},
    {"reset", COMMAND_RESET, 0, read_nothing},     {"rewind", COMMAND_REWIND, 1, read_rewind},
    {"excite", COMMAND_EXCITE, 2, read_excite},    {"resume", COMMAND_RESUME, 0, read_nothing},
    {"share", COMMAND_SHARE_PARAM, 1, read_share}, {"retry", COMMAND_RETRY, 0, read_nothing},
};
enum { COMMAND_FORMS = sizeof command_forms / sizeof command_forms[0] };

static bool read_load(Reader *reader, int at, RecordedCommand *out)
{
    Scene *scene = calloc(1, sizeof *scene);
    if (!scene) return out_of_memory(reader);
    out->command = (Command){.kind = COMMAND_LOAD_SCENE, .scene = scene};
    return read_name(reader, at, scene) && read_scene(reader, scene, &out->mesh);
}

// `lane NUMBER` before a command: it is for that one alone.
static bool read_lane(Reader *reader, int *at, RecordedCommand *out)
{
    if (*at >= reader->word_count || strcmp(reader->words[*at], "lane") != 0) return true;
    long lane;
    if (*at + 1 >= reader->word_count) return fail(reader, "lane takes its number and a command");
    if (!read_count(reader, reader->words[*at + 1], SCENE_LANES_MAX, &lane)) return false;
    if (lane == 0) return fail(reader, "lanes are numbered from 1");
    out->command.lane = (int)lane;
    *at += 2;
    return true;
}

static bool read_command(Reader *reader, int at, RecordedCommand *out)
{
    if (!read_lane(reader, &at, out)) return false;
    const char *name = at < reader->word_count ? reader->words[at] : "";
    if (strcmp(name, "load") == 0) return read_load(reader, at + 1, out);
    for (int i = 0; i < COMMAND_FORMS; i++) {
        const struct CommandForm *form = &command_forms[i];
        if (strcmp(name, form->name) != 0) continue;
        out->command.kind = form->kind;
        int words = reader->word_count - at - 1;
        if (words != form->words)
            return fail(reader, "%s takes %d words and got %d; the commands are " COMMANDS, name,
                        form->words, words);
        return form->read(reader, reader->words + at + 1, &out->command);
    }
    return fail(reader, "there is no command \"%.60s\"; the commands are " COMMANDS, name);
}

// `TICK TIME s` or `TIME s`. Returns the words used, 0 when it is neither.
static int read_moment(Reader *reader, RecordedCommand *out)
{
    int at = reader->word_count > 1 && strcmp(reader->words[1], "s") == 0 ? 0 : 1;
    out->tick = -1;
    out->line = reader->line;
    if (reader->word_count < at + 2 || strcmp(reader->words[at + 1], "s") != 0) {
        fail(reader, "a command begins with its moment, `TICK TIME s` or `TIME s`");
        return 0;
    }
    if (at == 1 && !read_count(reader, reader->words[0], LAST_TICK, &out->tick)) return 0;
    if (!read_number(reader, reader->words[at], &out->time)) return 0;
    if (out->time < 0.0 || out->time > LAST_TIME) {
        fail(reader, "the time %g s is not allowed: it takes 0 to %g s", out->time, LAST_TIME);
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
        if (!commands) return out_of_memory(reader);
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
        return fail(reader, "end takes a hash for each lane, or nothing");
    for (int i = 0; i < out->hash_count; i++) {
        if (!read_hash(reader, reader->words[at + i], &out->hashes[i])) return false;
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
    if (!reader->taken) return out_of_memory(reader);
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
    if (reader->word_count != at + 1) return fail(reader, "back takes a tick");
    if (!read_count(reader, reader->words[at], LAST_TICK, &tick)) return false;
    int kept = out->command_count;
    for (int i = kept - 1; i >= 0 && now >= 0; i--) { // since the scene began; lanes have no ticks
        if (out->commands[i].command.kind == COMMAND_LOAD_SCENE) break;
        if (out->commands[i].tick < 0) now = -1;
    }
    if (now < 0) return fail(reader, "back needs a file in which every command has a tick");
    if (tick > now)
        return fail(reader, "back goes to an earlier tick, not from %ld to %ld", now, tick);
    while (kept > 0 && out->commands[kept - 1].tick > tick) kept--;
    *last_tick = tick;
    return take_away(reader, kept, now);
}

// To a time of the lanes' clock.
static bool read_back_to(Reader *reader, int at, double now)
{
    Recording *out = reader->out;
    double time;
    if (!read_number(reader, reader->words[at], &time)) return false;
    if (!(time >= 0.0 && time <= now))
        return fail(reader, "back goes to an earlier time, not from %g s to %g s", now, time);
    int kept = out->command_count;
    while (kept > 0 && out->commands[kept - 1].time > time &&
           !starts_over(&out->commands[kept - 1].command))
        kept--;
    return take_away(reader, kept, -1);
}

static bool read_recall(Reader *reader, int at, long *last_tick)
{
    Recording *out = reader->out;
    if (reader->word_count != at) return fail(reader, "recall takes nothing");
    if (!reader->has_back) return fail(reader, "recall needs a back before it");
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
        return fail(reader, "tick %ld comes after tick %ld above", next.tick, *last_tick);
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
    bool read = read_command(reader, at, &next) && keep(reader, &next);
    if (!read) command_finish(&next.command);
    return read;
}

static bool read_commands(Reader *reader, bool line_read)
{
    long last_tick = 0;
    while (line_read) {
        if (reader->out->has_end) return fail(reader, "something stands after the end");
        if (!read_moment_line(reader, &last_tick)) return reader->out->cut;
        LineResult result = next_line(reader);
        if (result == LINE_BAD) return false;
        line_read = result == LINE_READ;
    }
    return true;
}

// ---- the header

static bool read_version(Reader *reader)
{
    LineResult result = next_line(reader);
    if (result == LINE_BAD) return false;
    long version;
    if (result == LINE_NONE || reader->word_count != 2 ||
        strcmp(reader->words[0], "selvage-record") != 0) {
        if (reader->line == 0) reader->line = 1;
        return fail(reader, "this is not a recording: it begins with `selvage-record %d`",
                    RECORDING_VERSION);
    }
    if (!read_count(reader, reader->words[1], 1000, &version)) return false;
    if (version == RECORDING_VERSION) return true;
    return fail(reader, "this recording has version %ld; this program reads version %d", version,
                RECORDING_VERSION);
}

static bool read_start(Reader *reader)
{
    Recording *out = reader->out;
    LineResult result = next_line(reader);
    if (result == LINE_BAD) return false;
    if (result == LINE_NONE || strcmp(reader->words[0], "scene") != 0)
        return fail(reader, "after the first line stands `scene NAME`, then its text");
    out->scene_line = reader->line;
    if (!read_name(reader, 1, &out->scene)) return false;
    if (read_scene(reader, &out->scene, &out->mesh)) return true;
    return reader->out->cut ? fail(reader, "the file ends before its scene does") : false;
}

static bool read_all(Reader *reader)
{
    if (!read_version(reader) || !read_start(reader)) return false;
    LineResult result = next_line(reader);
    if (result == LINE_READ && reader->word_count == 1 &&
        strcmp(reader->words[0], "particles") == 0) {
        if (!read_particles(reader)) return fail(reader, "the file ends before its particles do");
        result = next_line(reader);
    }
    if (result == LINE_BAD) return false;
    return read_commands(reader, result == LINE_READ);
}

Status recording_read(const char *path, Recording *out, Error *error)
{
    *out = (Recording){.path = path};
    Status status = file_read(path, LARGEST_FILE, &out->text, error);
    if (status != STATUS_OK) return status;
    Error local;
    if (!error) error = &local;
    // the end of a long path says more than its start, and the message must fit too
    size_t length = strlen(path);
    Reader reader = {.path = length > 120 ? path + length - 120 : path,
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
