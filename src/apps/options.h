// The command line, parsed by one table for all commands.
#ifndef APPS_OPTIONS_H
#define APPS_OPTIONS_H

#include "scene/scene.h"

#include <stdio.h>

#define DEFAULT_SCENE "drape"

typedef enum AppCommand {
    APP_VIEW,
    APP_LIST,
    APP_RUN,
    APP_ANALYZE,
    APP_REGION,
    APP_BENCH,
    APP_COMPARE,
    APP_SWEEP,
    APP_FIGURE,
} AppCommand;

// A parameter to change, from --set, --integrator or --step.
typedef struct Assignment {
    const ParamInfo *info; // NULL: `text` is "name=value"
    const char *text;
} Assignment;

// Strings point into argv.
typedef struct Options {
    AppCommand command;
    bool command_given; // false: `view` by default
    bool help, version;
    // NULL: the default scene; for `region` the integrator, for `figure` the figure, for `list` the
    // topic
    const char *scene;
    int assignment_count;
    Assignment *assignments; // in the order given; the last one wins
    bool json;
    bool quick, frames; // bench; figure: quick
    // run, view
    const char *record, *replay;
    const char *lesson;
    // run
    double seconds; // s
    long steps;     // -1: until `seconds`
    const char *csv, *png, *state_in, *state_out;
    const char *video;
    double fps;               // NaN: not given
    const char *toggled_pins; // NULL: as the scene has them
    // compare, view
    int lane_count;
    const char **lanes;    // the text of each --lane
    const char *reference; // NULL: of compare the hidden fine one, of view what the scene says
    // sweep
    int axis_count;
    const char **axes; // the text of each --over
    const char *measure, *shard;
    bool merge;
    int file_count;
    const char **files; // to merge
    // figure
    const char *out, *page;
    // analyze, sweep
    double time; // s, simulated before the analysis
    bool table;
    // region
    const char *svg;
    const char *at; // "X,Y", or NULL
    double symbol;  // of the filter
    // view
    const char *shaders;
    double text_size; // percent; NaN: as it was last
    bool light, dark; // neither: as it was last
    bool paused;
    int threads; // 0: auto; of run, sweep and figure too
    // run, view
    int width, height; // 0: not given
} Options;

Status options_parse(int argc, char **argv, Options *out, Error *error);
void options_finish(Options *options);

// What --help prints, for the given command or for the program.
void options_print_help(const Options *options, FILE *file);

const char *options_command_name(const Options *options);

// Apply the assignments to the parameters.
Status options_assign(const Options *options, Params *params, Error *error);

// Load the scene and apply the assignments to it. Commands that simulate one lane get it without
// lanes; for view, --lane and --reference are part of it.
Status options_load_scene(const Options *options, Scene *out, Error *error);

// Of view: the lane that --reference names, from 0; -1 if it names none. `scene` has its lanes.
Status options_reference(const Options *options, const Scene *scene, int *lane, Error *error);

// The lanes given with --lane, or else those of the scene: `most` or fewer, each of which makes
// sense with what the scene shares.
Status options_lanes(const Options *options, const Scene *scene, Lane *lanes, int most, int *count,
                     Error *error);

#endif
