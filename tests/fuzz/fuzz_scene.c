// The text of a scene file: read, or refused with a sentence that names the file. What is read can
// be built or is refused by scene_check, so it holds no number outside its range.
#include "fuzz.h"

#include "runtime/scene_parse.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    Scene scene = {.name = "fuzz"};
    Error error = {0};
    Status status = scene_parse("folder/fuzz.ini", text, size, &scene, &error);
    free(text);
    fuzz_require_sentence(status, &error);
    if (status != STATUS_OK) {
        fuzz_require(strstr(error.text, "fuzz.ini"), "the sentence names the file");
        fuzz_require(scene.title[0] == '\0', "a refused file changes nothing");
        return 0;
    }
    fuzz_require(scene_check(&scene, &error) == STATUS_OK, "a scene that was read is in range");
    for (int i = 0; i < param_count; i++) {
        double value = param_get(&scene.params, &param_table[i]);
        Params copy = scene.params;
        fuzz_require(param_set(&copy, &param_table[i], value, &error) == STATUS_OK,
                     "a parameter that was read is in range");
    }
    for (int i = 0; i < scene.lane_count; i++)
        fuzz_require(lane_check(&scene.lanes[i], &scene, &error) == STATUS_OK,
                     "a lane that was read makes sense");
    return 0;
}
