// A state file: taken, and then the run goes on from it; or refused with a sentence, and nothing is
// changed.
#include "fuzz.h"
#include "small_cloth.h"

#include "simulation/state.h"

#include <stdlib.h>

// One cloth for all inputs, and the state in which each input meets it.
static Simulation *simulation;
static State *start;

static void begin(void)
{
    Scene scene = scene_default();
    scene.params.rows = scene.params.columns = 2;
    if (simulation_create(&scene, &simulation, NULL) != STATUS_OK) abort();
    for (int i = 0; i < 5; i++) simulation_step(simulation, NULL);
    if (state_create(&start, NULL) != STATUS_OK) abort();
    if (state_save(simulation, start, NULL) != STATUS_OK) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Error error = {0};
    if (!simulation) begin();
    char *text = fuzz_text(data, size);
    Status status = simulation_read_state_text(simulation, "fuzz.csv", 0, text, size, &error);
    free(text);
    fuzz_require_sentence(status, &error);
    fuzz_require_finite(simulation);
    if (status != STATUS_OK) {
        fuzz_require(simulation_hash(simulation) == state_hash(start),
                     "a refused state changes nothing");
        return 0;
    }
    for (int i = 0; i < 2 && status == STATUS_OK; i++) {
        status = simulation_step(simulation, &error);
        fuzz_require_sentence(status, &error);
        fuzz_require_finite(simulation);
    }
    fuzz_require(state_restore(start, simulation, &error) == STATUS_OK, "a state can be restored");
    fuzz_require(simulation_hash(simulation) == state_hash(start),
                 "a restored state is what was saved");
    return 0;
}
