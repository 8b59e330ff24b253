// The scenes and commands of a recording, each by its name.
#include "runtime/recording_reader.h"

#include "runtime/scene_parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_PARTICLES = 1 << 20 };

#define COMMANDS                                                                                   \
    "set NAME VALUE, grab PARTICLE X Y Z, take BODY X Y Z, move X Y Z, release, pin PARTICLE, "    \
    "reset, rewind "                                                                               \
    "SECONDS, back TICK, recall, resume, excite SPEED COUNT, load NAME and end HASH; of lanes "    \
    "also "                                                                                        \
    "lane NUMBER COMMAND, share NAME, retry and back TIME s"

bool reader_scene_name(Reader *reader, int words, Scene *scene)
{
    char name[sizeof scene->name] = "";
    size_t length = 0;
    for (int i = words; i < reader->word_count && length < sizeof name; i++)
        length += (size_t)snprintf(name + length, sizeof name - length, "%s%s",
                                   i > words ? " " : "", reader->words[i]);
    if (length == 0 || length >= sizeof name)
        return reader_fail(reader, "a scene has a name of 1 to %zu bytes", sizeof name - 1);
    if (strchr(name,
               '/')) // what is saved is named after it, and belongs into the working directory
        return reader_fail(reader, "a scene's name has no \"/\", as \"%s\" has", name);
    memcpy(scene->name, name, sizeof name);
    return true;
}

bool reader_scene(Reader *reader, Scene *scene, uint64_t *mesh)
{
    const char *text;
    size_t size;
    int before = reader->line;
    if (!reader_block(reader, "end scene", &text, &size)) return false;
    if (scene_parse_after(reader->whole_path, before, text, size, scene, reader->error) !=
        STATUS_OK)
        return false;
    *mesh = 0;
    if (scene->mesh[0] == '\0') return true;
    LineResult result = reader_next_line(reader);
    if (result == LINE_NONE) reader->out->cut = true;
    if (result != LINE_READ) return false;
    if (reader->word_count != 2 || strcmp(reader->words[0], "mesh") != 0)
        return reader_fail(reader, "after a scene with a mesh file stands `mesh FINGERPRINT`");
    return reader_hash(reader, reader->words[1], mesh);
}

static bool read_set(Reader *reader, char **words, Command *command)
{
    const ParamInfo *info = param_find(words[0]);
    Params params = params_default();
    Error error;
    if (!info)
        return reader_fail(reader, "there is no parameter \"%.60s\"; selvage list names them",
                           words[0]);
    if (param_parse(&params, info, words[1], &error) != STATUS_OK)
        return reader_fail(reader, "%s", error.text);
    command->param.index = (int)(info - param_table);
    command->param.value = param_get(&params, info);
    return true;
}

static bool read_share(Reader *reader, char **words, Command *command)
{
    const ParamInfo *info = param_find(words[0]);
    if (!info)
        return reader_fail(reader, "there is no parameter \"%.60s\"; selvage list names them",
                           words[0]);
    command->param.index = (int)(info - param_table);
    return true;
}

static bool read_particle(Reader *reader, const char *word, int *out)
{
    long particle;
    if (!reader_count(reader, word, MOST_PARTICLES, &particle)) return false;
    *out = (int)particle;
    return true;
}

static bool read_vector(Reader *reader, char **words, Vec3 *out)
{
    return reader_number(reader, words[0], &out->x) && reader_number(reader, words[1], &out->y) &&
           reader_number(reader, words[2], &out->z);
}

static bool read_grab(Reader *reader, char **words, Command *command)
{
    return read_particle(reader, words[0], &command->hand.particle) &&
           read_vector(reader, words + 1, &command->hand.target);
}

static bool read_take(Reader *reader, char **words, Command *command)
{
    long body;
    if (!reader_count(reader, words[0], COLLIDERS_MAX - 1, &body)) return false;
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
    return reader_number(reader, words[0], &command->rewind.seconds);
}

static bool read_shape(Reader *reader, float *shape, int count)
{
    for (int p = 0; p < count; p++) {
        LineResult result = reader_next_line(reader);
        Vec3 row;
        if (result == LINE_NONE) reader->out->cut = true;
        if (result != LINE_READ) return false;
        if (reader->word_count != 3)
            return reader_fail(reader,
                               "a row of a shape has three numbers, X Y Z; %d more are missing",
                               count - p);
        if (!read_vector(reader, reader->words, &row)) return false;
        shape[3 * p] = (float)row.x;
        shape[3 * p + 1] = (float)row.y;
        shape[3 * p + 2] = (float)row.z;
    }
    return true;
}

static bool read_excite(Reader *reader, char **words, Command *command)
{
    int count;
    if (!reader_number(reader, words[0], &command->excite.amplitude) ||
        !read_particle(reader, words[1], &count))
        return false;
    float *shape = malloc((3 * (size_t)count + 1) * sizeof *shape);
    if (!shape) return reader_out_of_memory(reader);
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
    if (!scene) return reader_out_of_memory(reader);
    out->command = (Command){.kind = COMMAND_LOAD_SCENE, .scene = scene};
    return reader_scene_name(reader, at, scene) && reader_scene(reader, scene, &out->mesh);
}

// `lane NUMBER` before a command: it is for that one alone.
static bool read_lane(Reader *reader, int *at, RecordedCommand *out)
{
    if (*at >= reader->word_count || strcmp(reader->words[*at], "lane") != 0) return true;
    long lane;
    if (*at + 1 >= reader->word_count)
        return reader_fail(reader, "lane takes its number and a command");
    if (!reader_count(reader, reader->words[*at + 1], SCENE_LANES_MAX, &lane)) return false;
    if (lane == 0) return reader_fail(reader, "lanes are numbered from 1");
    out->command.lane = (int)lane;
    *at += 2;
    return true;
}

bool reader_command(Reader *reader, int at, RecordedCommand *out)
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
            return reader_fail(reader, "%s takes %d words and got %d; the commands are " COMMANDS,
                               name, form->words, words);
        return form->read(reader, reader->words + at + 1, &out->command);
    }
    return reader_fail(reader, "there is no command \"%.60s\"; the commands are " COMMANDS, name);
}
