// A recording: read and, if its cloths are small, played for some moves; or refused with a
// sentence.
#include "fuzz.h"
#include "small_cloth.h"

#include "runtime/replay.h"

#include <stdlib.h>
#include <string.h>

enum { MOVES = 12 };
#define STRIDE 1e-3 // s, simulated, in one move

static bool stays_small(const Recording *recording)
{
    bool small = fuzz_is_small(&recording->scene);
    for (int i = 0; i < recording->command_count && small; i++) {
        const Command *command = &recording->commands[i].command;
        if (command->kind == COMMAND_LOAD_SCENE) small = fuzz_is_small(command->scene);
        if (command->kind == COMMAND_SET_PARAM && param_table[command->param.index].rebuilds)
            small = command->param.value <= 5.0;
    }
    return small;
}

static void play(const Recording *recording)
{
    Session *session;
    Error error = {0};
    Replay replay = {.recording = recording};
    Status status = replay_start_session(recording, 1 << 20, &session, &error);
    fuzz_require_sentence(status, &error);
    if (status != STATUS_OK) return;
    for (int i = 0; i < MOVES && status == STATUS_OK; i++) {
        ReplayMove move = replay_move(&replay, session_time(session));
        if (move == REPLAY_OVER) break;
        status = move == REPLAY_COMMAND ? replay_apply_to(&replay, session, NULL, &error)
                                        : replay_move_on(&replay, session, STRIDE, &error);
        fuzz_require_sentence(status, &error);
        for (int k = 0; k < session_lane_count(session); k++)
            fuzz_require_finite(session_simulation(session, k));
    }
    session_destroy(session);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FileText text = {fuzz_text(data, size), size};
    Recording recording;
    Error error = {0};
    Status status = recording_parse("fuzz.rec", text, &recording, &error);
    fuzz_require_sentence(status, &error);
    if (status != STATUS_OK) return 0;
    if (stays_small(&recording)) play(&recording);
    recording_finish(&recording);
    return 0;
}
