// A mutex held during a copy, and a condition to sleep on. The last slot is reserved for QUIT. Once
// it is used, the last command is a QUIT, and another QUIT merges with it.
#include "runtime/command_queue.h"

#include <errno.h>
#include <string.h>
#include <time.h>

Status command_queue_init(CommandQueue *queue, Error *error)
{
    queue->count = 0;
    atomic_init(&queue->urgent, false);
    atomic_init(&queue->starts_over, false);
    int code = pthread_mutex_init(&queue->mutex, NULL);
    if (code == 0) {
        pthread_condattr_t attributes;
        pthread_condattr_init(&attributes);
        // monotonic, so that a change of the wall clock neither stalls nor rushes the simulation
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
        code = pthread_cond_init(&queue->not_empty, &attributes);
        pthread_condattr_destroy(&attributes);
        if (code != 0) pthread_mutex_destroy(&queue->mutex);
    }
    if (code != 0) {
        return error_set(error, STATUS_OUT_OF_MEMORY, "cannot make a command queue: %s",
                         strerror(code));
    }
    return STATUS_OK;
}

void command_queue_finish(CommandQueue *queue)
{
    for (int i = 0; i < queue->count; i++) command_finish(&queue->items[i]);
    pthread_cond_destroy(&queue->not_empty);
    pthread_mutex_destroy(&queue->mutex);
}

// Only for commands that point to nothing: the replaced one is dropped without being freed.
static bool supersedes(const Command *next, const Command *last)
{
    if (next->kind != last->kind) return false;
    switch (next->kind) {
    case COMMAND_SET_PARAM:
        return next->param.index == last->param.index && next->lane == last->lane;
    case COMMAND_SEEK: // a relative one (step back) depends on the one before
        return next->seek.kind == last->seek.kind && next->seek.kind == 0;
    case COMMAND_MOVE_HAND:
    case COMMAND_QUIT:
        return true;
    default:
        return false;
    }
}

static bool is_urgent(const Command *command)
{
    return command->kind == COMMAND_PAUSE || command->kind == COMMAND_SEEK ||
           commands_start_over(command, 1);
}

bool command_queue_push(CommandQueue *queue, const Command *command)
{
    Command copy; // made before locking
    if (command_copy(command, &copy, NULL) != STATUS_OK) return false;
    pthread_mutex_lock(&queue->mutex);
    int room = COMMAND_CAPACITY - (copy.kind == COMMAND_QUIT ? 0 : 1);
    bool merges = queue->count > 0 && supersedes(&copy, &queue->items[queue->count - 1]);
    bool taken = merges || queue->count < room;
    if (taken) {
        if (!merges) queue->count++;
        queue->items[queue->count - 1] = copy;
        if (is_urgent(&copy)) atomic_store(&queue->urgent, true);
        if (commands_start_over(&copy, 1)) atomic_store(&queue->starts_over, true);
        pthread_cond_signal(&queue->not_empty);
    }
    pthread_mutex_unlock(&queue->mutex);
    if (!taken) command_finish(&copy);
    return taken;
}

// Wait until a command arrives or the deadline passes. The mutex is held before and after.
static void wait_for_command(CommandQueue *queue, double deadline)
{
    if (isinf(deadline)) {
        while (queue->count == 0) pthread_cond_wait(&queue->not_empty, &queue->mutex);
        return;
    }
    struct timespec until = {.tv_sec = (time_t)deadline};
    until.tv_nsec = (long)((deadline - (double)until.tv_sec) * 1e9);
    int code = 0;
    while (queue->count == 0 && code != ETIMEDOUT) {
        code = pthread_cond_timedwait(&queue->not_empty, &queue->mutex, &until);
    }
}

int command_queue_drain(CommandQueue *queue, Command out[COMMAND_CAPACITY], double deadline)
{
    pthread_mutex_lock(&queue->mutex);
    if (deadline > 0.0) wait_for_command(queue, deadline);
    int count = queue->count;
    memcpy(out, queue->items, (size_t)count * sizeof *out);
    queue->count = 0;
    atomic_store(&queue->urgent, false);
    atomic_store(&queue->starts_over, false);
    pthread_mutex_unlock(&queue->mutex);
    return count;
}

static bool has_kind(const Command *commands, int count, CommandKind kind)
{
    for (int i = 0; i < count; i++) {
        if (commands[i].kind == kind) return true;
    }
    return false;
}

bool commands_start_over(const Command *commands, int count)
{
    return commands_end_scene(commands, count) || has_kind(commands, count, COMMAND_RESET);
}

bool commands_end_scene(const Command *commands, int count)
{
    return has_kind(commands, count, COMMAND_LOAD_SCENE) || has_kind(commands, count, COMMAND_QUIT);
}
