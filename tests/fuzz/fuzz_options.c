// A command line, one argument a line: understood, or refused with a sentence. So are the texts
// that its options take: parameters, lanes, pins, a reference, axes and measures of a sweep.
#include "fuzz.h"

#include "apps/options.h"
#include "sweep/sweep.h"

#include <stdlib.h>
#include <string.h>

enum { ARGUMENTS = 64 };

static int split(char *text, char **argv)
{
    int count = 0;
    argv[count++] = "selvage";
    for (char *rest = NULL, *word = strtok_r(text, "\n", &rest); word && count < ARGUMENTS;
         word = strtok_r(NULL, "\n", &rest))
        argv[count++] = word;
    return count;
}

static void check_scene(const Options *options)
{
    Scene scene = scene_default();
    Lane lanes[SCENE_LANES_MAX];
    Error error = {0};
    int count = 0, reference;
    Status status = options_assign(options, &scene.params, &error);
    fuzz_require_sentence(status, &error);
    status = options_lanes(options, &scene, lanes, SCENE_LANES_MAX, &count, &error);
    fuzz_require_sentence(status, &error);
    if (status == STATUS_OK)
        fuzz_require(count >= 0 && count <= SCENE_LANES_MAX, "there are few lanes");
    status = options_reference(options, &scene, &reference, &error);
    fuzz_require_sentence(status, &error);
}

static void check_sweep(const Options *options)
{
    Sweep sweep = {.scene = scene_default(), .shard = 1, .shards = 1};
    Error error = {0};
    Status status = STATUS_OK;
    for (int i = 0; i < options->axis_count && status == STATUS_OK; i++) {
        status = sweep_add_axis(&sweep, options->axes[i], &error);
        fuzz_require_sentence(status, &error);
    }
    if (status == STATUS_OK && options->measure) {
        status = sweep_set_measures(&sweep, options->measure, &error);
        fuzz_require_sentence(status, &error);
    }
    if (status == STATUS_OK && options->shard) {
        status = sweep_set_shard(&sweep, options->shard, &error);
        fuzz_require_sentence(status, &error);
    }
    if (status == STATUS_OK) fuzz_require_sentence(sweep_check(&sweep, &error), &error);
    sweep_finish(&sweep);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size), *argv[ARGUMENTS];
    Options options;
    Error error = {0};
    Status status = options_parse(split(text, argv), argv, &options, &error);
    fuzz_require_sentence(status, &error);
    if (status == STATUS_OK) {
        check_scene(&options);
        if (options.command == APP_SWEEP) check_sweep(&options);
        options_finish(&options);
    }
    free(text);
    return 0;
}
