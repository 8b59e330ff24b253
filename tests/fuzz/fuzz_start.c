// Every small scene that can be read can be built and moved, or is refused with a sentence.
#include "fuzz.h"
#include "small_cloth.h"

#include "runtime/scene_parse.h"

#include <stdlib.h>

enum { STEPS = 3 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Scene scene = {.name = "fuzz"};
    Error error = {0};
    char *text = fuzz_text(data, size);
    Status status = scene_parse("fuzz.ini", text, size, &scene, &error);
    free(text);
    if (status != STATUS_OK || !fuzz_is_small(&scene)) return 0;
    Simulation *simulation;
    status = simulation_create(&scene, &simulation, &error);
    fuzz_require_sentence(status, &error);
    if (status != STATUS_OK) return 0;
    fuzz_require_finite(simulation);
    for (int i = 0; i < STEPS && status == STATUS_OK; i++) {
        status = simulation_step(simulation, &error);
        fuzz_require_sentence(status, &error);
        fuzz_require_finite(simulation);
    }
    simulation_destroy(simulation);
    return 0;
}
