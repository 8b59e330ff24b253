// The text of a lesson file: read, or refused with a sentence that names the file. Its scenes are
// not looked for in files: there are two, "small" and "lanes".
#include "fuzz.h"

#include "lesson/lesson_parse.h"
#include "runtime/scene_file.h"

#include <stdlib.h>
#include <string.h>

// In place of scene_load (--wrap).
Status __wrap_scene_load(const char *name, Scene *out, Error *error);
Status __wrap_scene_load(const char *name, Scene *out, Error *error)
{
    bool lanes = strcmp(name, "lanes") == 0;
    if (!lanes && strcmp(name, "small") != 0)
        return error_set(error, STATUS_BAD_PARAMETER, "there is no scene \"%.60s\"", name);
    *out = scene_default();
    out->lane_count = lanes ? 2 : 0;
    for (int i = 0; i < out->lane_count; i++) lane_parse("", &out->lanes[i], NULL);
    return STATUS_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static Lesson lesson; // large
    char *text = fuzz_text(data, size);
    Error error = {0};
    memset(&lesson, 0, offsetof(Lesson, steps)); // of a step nothing is known after a failure
    Status status = lesson_parse("fuzz.ini", text, size, &lesson, &error);
    free(text);
    fuzz_require_sentence(status, &error);
    if (status != STATUS_OK) {
        fuzz_require(strstr(error.text, "fuzz.ini"), "the sentence names the file");
        return 0;
    }
    fuzz_require(lesson.step_count >= 1 && lesson.step_count <= LESSON_STEPS_MAX,
                 "a lesson has steps");
    for (int i = 0; i < lesson.step_count; i++)
        fuzz_require(scene_check(&lesson.steps[i].scene, &error) == STATUS_OK,
                     "a step's scene is in range");
    return 0;
}
