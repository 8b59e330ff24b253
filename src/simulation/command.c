#include "simulation/command.h"

#include <stdlib.h>
#include <string.h>

// A queue holds hundreds of commands, so a command only points to large data.
_Static_assert(sizeof(Command) <= 64, "a command stays small");

Command command_set(const char *name, double value)
{
    return (Command){.kind = COMMAND_SET_PARAM,
                     .param = {(int)(param_find(name) - param_table), value}};
}

static void *copy_bytes(const void *bytes, size_t size)
{
    void *copy = malloc(size);
    if (copy) memcpy(copy, bytes, size);
    return copy;
}

Status command_copy(const Command *command, Command *out, Error *error)
{
    *out = *command;
    bool copied = true;
    if (command->kind == COMMAND_LOAD_SCENE) {
        out->scene = copy_bytes(command->scene, sizeof *command->scene);
        copied = out->scene != NULL;
    } else if (command->kind == COMMAND_EXCITE) {
        size_t count = 3 * (size_t)command->excite.particle_count;
        out->excite.shape = copy_bytes(command->excite.shape, count * sizeof(float));
        copied = out->excite.shape != NULL;
    }
    if (copied) return STATUS_OK;
    *out = (Command){.kind = COMMAND_RELEASE}; // owns no memory
    return error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory for a command");
}

void command_finish(Command *command)
{
    if (command->kind == COMMAND_LOAD_SCENE) {
        free((Scene *)command->scene);
        command->scene = NULL;
    } else if (command->kind == COMMAND_EXCITE) {
        free((float *)command->excite.shape);
        command->excite.shape = NULL;
    }
}
