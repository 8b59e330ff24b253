// Commands for the simulation thread, kept in order and applied between two steps.
#ifndef RUNTIME_COMMAND_QUEUE_H
#define RUNTIME_COMMAND_QUEUE_H

#include "simulation/command.h"

#include <pthread.h>
#include <stdatomic.h>

// A dragged slider sends one command per frame, and those merge, so this is seconds of clicking.
enum { COMMAND_CAPACITY = 256 };

typedef struct CommandQueue {
    pthread_mutex_t mutex;
    pthread_cond_t not_empty; // waits on the monotonic clock
    // guarded by mutex:
    int count;
    Command items[COMMAND_CAPACITY];
    // Written with the mutex held, read without: whether a command waits for which a step is ended
    // in the middle. `urgent`: it pauses, or what is computed is not wanted any more.
    // `starts_over`: of those, a new start, another scene or QUIT.
    atomic_bool urgent, starts_over;
} CommandQueue;

Status command_queue_init(CommandQueue *queue, Error *error);
void command_queue_finish(CommandQueue *queue); // no thread may use it any more; frees the rest

// Any thread. Copies the command and what it points to. False when the queue is full or there is no
// memory; the command is then not taken. QUIT is always taken. A command that makes the one before
// it superfluous (the same parameter, the same hand) replaces it.
bool command_queue_push(CommandQueue *queue, const Command *command);

// One thread. Take all commands, oldest first. If there are none, wait for one until `deadline`
// (monotonic clock, s): INFINITY waits forever, 0 not at all. Returns their number; the caller must
// command_finish each.
int command_queue_drain(CommandQueue *queue, Command out[COMMAND_CAPACITY], double deadline);

// Whether there is one after which nothing is left of the present motion: another scene, QUIT, or
// RESET, which keeps parameters and pins.
bool commands_start_over(const Command *commands, int count);
// Whether there is one after which nothing at all is left: another scene, or QUIT.
bool commands_end_scene(const Command *commands, int count);

#endif
