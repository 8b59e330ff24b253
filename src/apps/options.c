#include "apps/options.h"

#include "base/crew.h"
#include "runtime/scene_file.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef enum OptionKind {
    OPTION_FLAG,   // bool
    OPTION_TEXT,   // const char *
    OPTION_NUMBER, // double
    OPTION_COUNT,  // long
    OPTION_SIZE,   // int width, height
    OPTION_THREADS,
    OPTION_PARAM, // an assignment to the parameter with the option's name
    OPTION_SET,   // an assignment that contains the name
    OPTION_LANE,  // the parameters of a lane
    OPTION_OVER,  // an axis of a sweep
} OptionKind;

enum {
    VIEW = 1 << APP_VIEW,
    LIST = 1 << APP_LIST,
    RUN = 1 << APP_RUN,
    ANALYZE = 1 << APP_ANALYZE,
    REGION = 1 << APP_REGION,
    BENCH = 1 << APP_BENCH,
    COMPARE = 1 << APP_COMPARE,
    SWEEP = 1 << APP_SWEEP,
    FIGURE = 1 << APP_FIGURE,
    ALL = VIEW | LIST | RUN | ANALYZE | REGION | BENCH | COMPARE | SWEEP | FIGURE,
};

typedef struct OptionInfo {
    const char *name;
    const char *argument; // NULL for a flag
    unsigned commands;
    OptionKind kind;
    size_t offset; // of the field in Options
    double min, max;
    const char *help;
} OptionInfo;

#define AT(field) .offset = offsetof(Options, field)

// clang-format off
static const OptionInfo option_table[] = {
    {"--integrator", "NAME", VIEW | RUN | ANALYZE | COMPARE | SWEEP, OPTION_PARAM,
     .help = "time integrator; `selvage list` names them"},
    {"--step", "auto|SECONDS", VIEW | RUN | ANALYZE | COMPARE | SWEEP, OPTION_PARAM,
     .help = "time step; auto is a safe share of the largest stable one"},
    {"--set", "NAME=VALUE", VIEW | RUN | ANALYZE | REGION | COMPARE | SWEEP, OPTION_SET,
     .help = "set any parameter; may be repeated"},
    {"--lane", "\"NAME=VALUE ...\"", VIEW | COMPARE, OPTION_LANE,
     .help = "a lane: the scene with these parameters of its own, instead of the scene's lanes; may "
             "be repeated, of view up to four times; of view none: no lanes"},
    {"--reference", "LANE|fine", VIEW | COMPARE, OPTION_TEXT, AT(reference),
     .help = "what errors are distances to; of compare: a lane, by its number or name, or (default) "
             "fine: RK4 at a fifth of its limit, without a filter; of view: a lane by its number, fine, or none for nothing"},
    {"--toggled-pins", "\"NUMBER ...\"", VIEW | RUN | ANALYZE | COMPARE | SWEEP, OPTION_TEXT,
     AT(toggled_pins),
     .help = "pin or free these particles, counted by rows from 0, beside the pins of the scene; "
             "none: not even those that the scene toggles"},

    {"--seconds", "S", RUN | COMPARE | SWEEP, OPTION_NUMBER, AT(seconds), .min = 0.0, .max = 1e6,
     .help = "simulated time, default 5; of run: whole steps until less than half a step is "
             "missing"},
    {"--steps", "N", RUN, OPTION_COUNT, AT(steps), .min = 0, .max = 1e9,
     .help = "steps to take, instead of --seconds"},
    {"--time", "S", ANALYZE | SWEEP, OPTION_NUMBER, AT(time), .min = 0.0, .max = 1e6,
     .help = "simulate so long before; default 0: the state at the start"},
    {"--table", NULL, ANALYZE, OPTION_FLAG, AT(table),
     .help = "instead: the step limits of every method, or of --integrator NAME, three ways, in "
             "Markdown; takes minutes"},
    {"--at", "X,Y", REGION, OPTION_TEXT, AT(at),
     .help = "G, its eigenvalues and the verdict at X = h d, Y = h^2 k"},
    {"--symbol", "F", REGION, OPTION_NUMBER, AT(symbol), .min = -1.0, .max = 1.0,
     .help = "what a filter multiplies the velocity with; where: --set filter_place, filter_on"},
    {"--over", "NAME=FROM:TO:lin|log:COUNT", SWEEP, OPTION_OVER,
     .help = "values of a parameter, in equal steps or equal ratios, or NAME=VALUE,VALUE,...; up to "
             "four times: a grid"},
    {"--measure", "NAME,NAME,...", SWEEP, OPTION_TEXT, AT(measure),
     .help = "what to measure at each point, default verdict,limit; `selvage list measures` names them"},
    {"--shard", "I/N", SWEEP, OPTION_TEXT, AT(shard),
     .help = "compute the part I of N only, for several machines; --merge joins them"},
    {"--merge", NULL, SWEEP, OPTION_FLAG, AT(merge),
     .help = "instead: join FILES of one sweep, to --csv FILE or standard output"},
    {"--out", "DIR", FIGURE, OPTION_TEXT, AT(out),
     .help = "where to write NAME.svg and NAME.csv; it is made if need be"},
    {"--page", "FILE", FIGURE, OPTION_TEXT, AT(page),
     .help = "write a page in Markdown that shows the figures, in the folder that has DIR"},
    {"--json", NULL, LIST | RUN | ANALYZE | REGION | BENCH | COMPARE, OPTION_FLAG, AT(json),
     .help = "print JSON instead of a table"},
    {"--quick", NULL, BENCH | FIGURE, OPTION_FLAG, AT(quick),
     .help = "small cloths and few rounds: a second instead of a minute, rough numbers; of figure: "
             "seconds each"},
    {"--frames", NULL, BENCH, OPTION_FLAG, AT(frames),
     .help = "instead: frames per second of the window with the simulation beside it, half a minute"},
    {"--csv", "FILE", RUN | REGION | COMPARE | SWEEP, OPTION_TEXT, AT(csv),
     .help = "of run and compare: energies, errors, step and cost, at most 60 times a simulated "
             "second; of region: its boundary; of sweep: a row per point, and a sweep that was "
             "interrupted goes on from what is there"},
    {"--svg", "FILE", REGION | COMPARE, OPTION_TEXT, AT(svg),
     .help = "of region: write it as a drawing; of compare: errors over time"},
    {"--png", "FILE", RUN | COMPARE, OPTION_TEXT, AT(png),
     .help = "write a picture of the end, 1280 x 800; of compare: all lanes, in their order"},
    {"--video", "FILE", RUN, OPTION_TEXT, AT(video),
     .help = "write a video, .mp4, .mkv, .mov, .webm or .gif, in simulated time; needs ffmpeg"},
    {"--fps", "N", RUN, OPTION_NUMBER, AT(fps), .min = 1, .max = 240,
     .help = "frames per simulated second of the video, default 30"},
    {"--state-in", "FILE", RUN | ANALYZE, OPTION_TEXT, AT(state_in),
     .help = "start from these particles: CSV with p,mass,pinned,x,y,z,vx,vy,vz"},
    {"--state-out", "FILE", RUN, OPTION_TEXT, AT(state_out),
     .help = "write the particles at the end, in the same form"},

    {"--record", "FILE", VIEW | RUN, OPTION_TEXT, AT(record),
     .help = "write the scene and all that is done to it, as text; a file there is kept as FILE~"},
    {"--replay", "FILE", VIEW | RUN, OPTION_TEXT, AT(replay),
     .help = "play such a file: of run as fast as it can, and check that it ends in the same state; "
             "of view in the window, where you may take over"},

    {"--lesson", "NAME", VIEW | RUN, OPTION_TEXT, AT(lesson),
     .help = "open a lesson, a name that `selvage list lessons` prints or a path; of run: all its steps "
             "without a window, and whether what they promise is true"},

    {"--shaders", "DIR", VIEW, OPTION_TEXT, AT(shaders),
     .help = "take the shaders from here, and again whenever they change"},
    {"--text-size", "PERCENT", VIEW, OPTION_NUMBER, AT(text_size), .min = 100, .max = 300,
     .help = "size of all text, 100 to 300; default: as it was last"},
    {"--light", NULL, VIEW | FIGURE, OPTION_FLAG, AT(light),
     .help = "light theme, instead of the remembered one"},
    {"--dark", NULL, VIEW | FIGURE, OPTION_FLAG, AT(dark),
     .help = "dark theme, likewise"},
    {"--paused", NULL, VIEW, OPTION_FLAG, AT(paused),
     .help = "do not start the simulation yet"},
    {"--size", "WxH", VIEW | RUN, OPTION_SIZE, .min = 320, .max = 16384,
     .help = "size of the window, default as it was last, at first 1280x800; of run: of the picture "
             "and the video, default 1280x800"},

    {"--threads", "auto|N", VIEW | RUN | SWEEP | FIGURE, OPTION_THREADS, .min = 1, .max = CREW_MAX,
     .help = "threads that share a step, 1 to 16: the result is the same, to the bit; auto: as many as "
             "there are processors, less those that the window needs; of sweep and figure: points at a time"},

    {"--help", NULL, ALL, OPTION_FLAG, AT(help), .help = "print this"},
    {"--version", NULL, ALL, OPTION_FLAG, AT(version), .help = "print the version"},
};

static const struct {
    const char *name, *arguments, *summary;
} command_table[] = {
    [APP_VIEW] = {"view", "[SCENE]", "open the viewer; without a display, a picture and a table"},
    [APP_LIST] = {"list", "[TOPIC]", "scenes, lessons, integrators and parameters; TOPIC: lessons, measures, figures, or integrators or corrections for a table in Markdown"},
    [APP_RUN]  = {"run", "[SCENE]", "simulate without a window and print a summary"},
    [APP_ANALYZE] = {"analyze", "[SCENE]", "eigenvalues, largest stable step, growth per step and a verdict"},
    [APP_REGION]  = {"region", "INTEGRATOR", "the stability region of an integrator"},
    [APP_BENCH]   = {"bench", "", "how fast the solver is, against a naive loop and the machine"},
    [APP_COMPARE] = {"compare", "[SCENE]", "one scene under several methods: cost, error, energy and verdict of each"},
    [APP_SWEEP]   = {"sweep", "[SCENE]", "a grid of runs or analyses over parameters, resumable, in shards"},
    [APP_FIGURE]  = {"figure", "NAME|all", "a figure of the sources, recomputed: SVG and CSV"},
};
// clang-format on

enum {
    OPTION_TOTAL = sizeof option_table / sizeof option_table[0],
    COMMAND_TOTAL = sizeof command_table / sizeof command_table[0],
};

static Status read_number(const OptionInfo *info, const char *text, double *out, Error *error)
{
    char *end;
    double value = strtod(text, &end);
    if (end == text || *end || !(value >= info->min && value <= info->max)) { // also fails for NaN
        return error_set(error, STATUS_BAD_PARAMETER, "%s takes a number from %g to %g, not \"%s\"",
                         info->name, info->min, info->max, text);
    }
    *out = value;
    return STATUS_OK;
}

static Status read_threads(const OptionInfo *info, const char *text, int *out, Error *error)
{
    char *end;
    long value = strtol(text, &end, 10);
    bool whole = end != text && !*end && value >= (long)info->min && value <= (long)info->max;
    if (!whole && strcmp(text, "auto") != 0)
        return error_set(error, STATUS_BAD_PARAMETER,
                         "%s takes auto or a whole number from %.0f to %.0f, not \"%s\"",
                         info->name, info->min, info->max, text);
    *out = whole ? (int)value : 0;
    return STATUS_OK;
}

static Status read_count(const OptionInfo *info, const char *text, long *out, Error *error)
{
    char *end;
    errno = 0;
    long value = strtol(text, &end, 10);
    if (end == text || *end || errno || value < (long)info->min || value > (long)info->max) {
        return error_set(error, STATUS_BAD_PARAMETER,
                         "%s takes a whole number from %.0f to %.0f, not \"%s\"", info->name,
                         info->min, info->max, text);
    }
    *out = value;
    return STATUS_OK;
}

static Status read_size(const OptionInfo *info, const char *text, Options *out, Error *error)
{
    int length = 0;
    int width, height;
    // at least three digits and at most five, so that neither can overflow
    if (sscanf(text, "%5dx%5d%n", &width, &height, &length) != 2 || text[length] ||
        fmin(width, height) < info->min || fmax(width, height) > info->max) {
        return error_set(error, STATUS_BAD_PARAMETER,
                         "%s takes width x height, each from %.0f to %.0f, such as 1280x800, "
                         "not \"%s\"",
                         info->name, info->min, info->max, text);
    }
    out->width = width;
    out->height = height;
    return STATUS_OK;
}

static Status read_option(const OptionInfo *info, const char *text, Options *out, Error *error)
{
    void *field = (char *)out + info->offset;
    switch (info->kind) {
    case OPTION_FLAG:
        *(bool *)field = true;
        break;
    case OPTION_TEXT:
        *(const char **)field = text;
        break;
    case OPTION_NUMBER:
        return read_number(info, text, field, error);
    case OPTION_COUNT:
        return read_count(info, text, field, error);
    case OPTION_SIZE:
        return read_size(info, text, out, error);
    case OPTION_THREADS:
        return read_threads(info, text, &out->threads, error);
    case OPTION_LANE:
        out->lanes[out->lane_count++] = text;
        break;
    case OPTION_OVER:
        out->axes[out->axis_count++] = text;
        break;
    case OPTION_PARAM:
    case OPTION_SET: {
        const ParamInfo *param = info->kind == OPTION_PARAM ? param_find(info->name + 2) : NULL;
        out->assignments[out->assignment_count++] = (Assignment){param, text};
        break;
    }
    }
    return STATUS_OK;
}

// The row of an option written as `--name` or `--name=value`.
static const OptionInfo *find_option(const char *argument, size_t length)
{
    if (strcmp(argument, "-h") == 0) argument = "--help", length = strlen(argument);
    for (int i = 0; i < OPTION_TOTAL; i++) {
        const char *name = option_table[i].name;
        if (strlen(name) == length && memcmp(name, argument, length) == 0) return &option_table[i];
    }
    return NULL;
}

// "run, region and compare"
static void list_commands(unsigned commands, char *text, size_t size)
{
    size_t length = 0;
    text[0] = '\0';
    for (int c = 0; c < COMMAND_TOTAL && length < size; c++) {
        if (!(commands & (1u << c))) continue;
        const char *joint = length == 0 ? "" : commands >> (c + 1) ? ", " : " and ";
        length +=
            (size_t)snprintf(text + length, size - length, "%s%s", joint, command_table[c].name);
    }
}

static Status check_option(const OptionInfo *info, const char *argument, AppCommand command,
                           Error *error)
{
    const char *name = command_table[command].name;
    char owners[64];
    if (!info) {
        return error_set(error, STATUS_BAD_PARAMETER,
                         "there is no option \"%.80s\"; see selvage %s --help", argument, name);
    }
    if (!(info->commands & (1u << command))) {
        list_commands(info->commands, owners, sizeof owners);
        return error_set(error, STATUS_BAD_PARAMETER,
                         "%s is no option of selvage %s, but of %s; see selvage %s --help",
                         info->name, name, owners, name);
    }
    return STATUS_OK;
}

// argv[i] is an option; its value may be argv[i + 1]. `used` gets how many arguments were consumed.
static Status parse_option(char **argument, int left, Options *out, int *used, Error *error)
{
    const char *text = argument[0];
    size_t length = strcspn(text, "=");
    const OptionInfo *info = find_option(text, length);
    Status status = check_option(info, text, out->command, error);
    if (status != STATUS_OK) return status;

    const char *value = text[length] == '=' ? text + length + 1 : NULL;
    *used = 1;
    if (!info->argument && value) {
        return error_set(error, STATUS_BAD_PARAMETER, "%s takes no value", info->name);
    }
    if (info->argument && !value && left > 1) {
        value = argument[1];
        *used = 2;
    }
    if (info->argument && (!value || !*value)) {
        return error_set(error, STATUS_BAD_PARAMETER, "%s needs a value: %s %s", info->name,
                         info->name, info->argument);
    }
    return read_option(info, value, out, error);
}

// Files may stand before and after --merge; without it there is one scene.
static Status check_files(Options *options, Error *error)
{
    if (!options->merge && options->file_count > 0)
        return error_set(error, STATUS_BAD_PARAMETER,
                         "sweep takes one scene, but got \"%.80s\" and \"%.80s\"; --merge takes "
                         "files",
                         options->scene, options->files[0]);
    if (!options->merge || !options->scene) return STATUS_OK;
    options->files[options->file_count++] = options->scene;
    options->scene = NULL;
    return STATUS_OK;
}

static Status parse_scene(const char *text, Options *out, Error *error)
{
    const char *name = command_table[out->command].name;
    if (out->command == APP_LIST && strcmp(text, "integrators") != 0 &&
        strcmp(text, "lessons") != 0 && strcmp(text, "measures") != 0 &&
        strcmp(text, "figures") != 0 && strcmp(text, "corrections") != 0) {
        return error_set(error, STATUS_BAD_PARAMETER,
                         "list takes nothing, \"integrators\", \"lessons\", \"measures\", "
                         "\"figures\" or \"corrections\", but got \"%.80s\"",
                         text);
    }
    if (out->command == APP_SWEEP && (out->merge || out->scene)) {
        out->files[out->file_count++] = text;
        return STATUS_OK;
    }
    if (out->command == APP_BENCH) {
        return error_set(error, STATUS_BAD_PARAMETER, "bench takes no scene, but got \"%.80s\"",
                         text);
    }
    if (out->scene) {
        return error_set(error, STATUS_BAD_PARAMETER,
                         "%s takes one %s, but got \"%.80s\" and \"%.80s\"", name,
                         out->command == APP_REGION   ? "integrator"
                         : out->command == APP_FIGURE ? "figure"
                                                      : "scene",
                         out->scene, text);
    }
    out->scene = text;
    return STATUS_OK;
}

// A recording says everything about its run.
static Status check_replay(const Options *options, Error *error)
{
    const char *other = options->scene                  ? options->scene
                        : options->assignment_count > 0 ? "a parameter"
                        : options->steps >= 0           ? "--steps"
                        : !isnan(options->seconds)      ? "--seconds"
                        : options->state_in             ? "--state-in"
                        : options->lane_count > 0       ? "--lane"
                        : options->reference            ? "--reference"
                        : options->toggled_pins         ? "--toggled-pins"
                                                        : NULL;
    if (!options->replay || !other) return STATUS_OK;
    return error_set(error, STATUS_BAD_PARAMETER,
                     "--replay has its scene, parameters and length from the recording, so it does "
                     "not go with %.80s",
                     other);
}

// So does a lesson.
static Status check_lesson(const Options *options, Error *error)
{
    const char *other = options->scene                  ? options->scene
                        : options->assignment_count > 0 ? "a parameter"
                        : options->steps >= 0           ? "--steps"
                        : !isnan(options->seconds)      ? "--seconds"
                        : options->state_in             ? "--state-in"
                        : options->state_out            ? "--state-out"
                        : options->csv                  ? "--csv"
                        : options->png                  ? "--png"
                        : options->json                 ? "--json"
                        : options->lane_count > 0       ? "--lane"
                        : options->reference            ? "--reference"
                        : options->replay               ? "--replay"
                        : options->video                ? "--video"
                        : options->paused               ? "--paused"
                                                        : NULL;
    bool records = options->record && options->command == APP_RUN;
    if (!options->lesson || (!other && !records)) return STATUS_OK;
    return error_set(
        error, STATUS_BAD_PARAMETER,
        "--lesson has its scenes, parameters and times from the lesson, so it does not "
        "go with %.80s",
        other ? other : "--record");
}

Status options_parse(int argc, char **argv, Options *out, Error *error)
{
    *out = (Options){.command = APP_VIEW,
                     .seconds = NAN,
                     .steps = -1,
                     .symbol = 1.0,
                     .fps = NAN,
                     .text_size = NAN};
    out->assignments = calloc((size_t)argc, sizeof *out->assignments); // at least one for argv[0]
    out->lanes = calloc((size_t)argc, sizeof *out->lanes);
    out->axes = calloc((size_t)argc, sizeof *out->axes);
    out->files = calloc((size_t)argc, sizeof *out->files);
    if (!out->assignments || !out->lanes || !out->axes || !out->files) {
        options_finish(out);
        return error_set(error, STATUS_OUT_OF_MEMORY, "out of memory");
    }

    int i = 1;
    for (int c = 0; c < COMMAND_TOTAL && argc > 1 && !out->command_given; c++) {
        if (strcmp(argv[1], command_table[c].name) == 0) {
            out->command = (AppCommand)c;
            out->command_given = true;
            i = 2;
        }
    }
    Status status = STATUS_OK;
    bool options_end = false; // `--` was seen
    while (i < argc && status == STATUS_OK) {
        int used = 1;
        if (!options_end && strcmp(argv[i], "--") == 0) {
            options_end = true;
        } else if (!options_end && argv[i][0] == '-' && argv[i][1]) {
            status = parse_option(&argv[i], argc - i, out, &used, error);
        } else {
            status = parse_scene(argv[i], out, error);
        }
        i += used;
    }
    if (status == STATUS_OK && out->steps >= 0 && !isnan(out->seconds)) {
        status = error_set(error, STATUS_BAD_PARAMETER, "give --seconds or --steps, not both");
    }
    if (status == STATUS_OK) status = check_lesson(out, error);
    if (status == STATUS_OK) status = check_files(out, error);
    if (status == STATUS_OK && out->light && out->dark) {
        status = error_set(error, STATUS_BAD_PARAMETER, "give --light or --dark, not both");
    }
    if (status == STATUS_OK && !isnan(out->fps) && !out->video) {
        status = error_set(error, STATUS_BAD_PARAMETER, "--fps is for --video FILE");
    }
    if (status == STATUS_OK) status = check_replay(out, error);
    if (isnan(out->seconds)) out->seconds = 5.0;
    if (status != STATUS_OK) options_finish(out);
    return status;
}

void options_finish(Options *options)
{
    free(options->assignments);
    free(options->lanes);
    free(options->axes);
    free(options->files);
    options->assignments = NULL;
    options->lanes = options->axes = options->files = NULL;
    options->assignment_count = options->lane_count = options->axis_count = options->file_count = 0;
}

void options_print_help(const Options *options, FILE *file)
{
    if (options->command_given) {
        const char *arguments = command_table[options->command].arguments;
        fprintf(file, "selvage %s%s%s [OPTION]...: %s\n", command_table[options->command].name,
                *arguments ? " " : "", arguments, command_table[options->command].summary);
    } else {
        fputs("Selvage: why a simulated cloth stays together, or flies apart.\n\n", file);
        for (int c = 0; c < COMMAND_TOTAL; c++) {
            fprintf(file, "  selvage %-7s %-10s %s\n", command_table[c].name,
                    command_table[c].arguments, command_table[c].summary);
        }
        fputs("\n`selvage COMMAND --help` explains one of them; without a command it is view.\n",
              file);
    }
    if (options->command == APP_REGION) {
        fputs("INTEGRATOR is a name that `selvage list` prints.\n\n", file);
    } else if (options->command != APP_BENCH) {
        fputs("SCENE is a name that `selvage list` prints (default " DEFAULT_SCENE
              ") or a path to an .ini or .obj file.\n\n",
              file);
    }
    fprintf(file, "Options of %s:\n", command_table[options->command].name);
    for (int i = 0; i < OPTION_TOTAL; i++) {
        const OptionInfo *info = &option_table[i];
        if (!(info->commands & (1u << options->command))) continue;
        char left[40];
        snprintf(left, sizeof left, "%s %s", info->name, info->argument ? info->argument : "");
        fprintf(file, "  %-23s  %s\n", left, info->help);
    }
    fputs("\nExit codes: 0 done, 1 failed, 2 usage, 3 the simulation diverged.\n", file);
}

const char *options_command_name(const Options *options)
{
    return command_table[options->command].name;
}
