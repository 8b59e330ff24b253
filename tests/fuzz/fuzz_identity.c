// Save then load is the identity, for every scene that a file can hold.
#include "fuzz.h"

#include "random_scene.h"
#include "runtime/scene_file.h"
#include "runtime/scene_parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Scene scene = {.name = "fuzz"}, again = {.name = "fuzz"};
    Error error = {0};
    char *text = fuzz_text(data, size);
    Status status = scene_parse("/folder/fuzz.ini", text, size, &scene, &error);
    free(text);
    if (status != STATUS_OK) return 0;
    char *saved = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&saved, &length);
    if (!file) abort();
    scene_print(&scene, file);
    if (fclose(file) != 0) abort();
    fuzz_require(length <= 64 * 1024, "a scene that was saved is small enough to be loaded");
    status = scene_parse("/elsewhere/fuzz.ini", saved, length, &again, &error);
    if (status != STATUS_OK) fprintf(stderr, "%s\n%s\n", error.text, saved);
    fuzz_require(status == STATUS_OK, "a scene that was saved can be loaded");
    const char *differs = scenes_differ(&scene, &again);
    if (differs) fprintf(stderr, "%s differs\n%s\n", differs, saved);
    fuzz_require(!differs, "a scene that was saved and loaded is the same");
    free(saved);
    return 0;
}
