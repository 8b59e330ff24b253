// Commands on their way to the simulation thread, kept in order and applied between two steps.
#ifndef RUNTIME_COMMAND_QUEUE_H
#define RUNTIME_COMMAND_QUEUE_H

#include "simulation/command.h"

#include <pthread.h>

// A dragged slider sends one command a frame and those merge, so this is seconds of clicking.
enum { COMMAND_CAPACITY = 256 };

typedef struct CommandQueue {
    pthread_mutex_t mutex;
    pthread_cond_t not_empty; // waits on the monotonic clock
    // guarded by mutex:
    int count;
    Command items[COMMAND_CAPACITY];
} CommandQueue;

Status command_queue_init(CommandQueue *queue, Error *error);
void command_queue_finish(CommandQueue *queue); // nobody uses it any more; what is left is freed

// Any thread. Copies the command with what it points to. False when the queue is full, or without
// memory, and the command was not taken; a QUIT is always taken. A command that makes the one
// before it superfluous (the same parameter, the same hand) takes its place.
bool command_queue_push(CommandQueue *queue, const Command *command);

// One thread. Take all there is, oldest first; when there is nothing, wait for something until
// `deadline` (monotonic clock, s): INFINITY waits for ever, 0 not at all. Returns how many; they
// are the caller's to command_finish.
int command_queue_drain(CommandQueue *queue, Command out[COMMAND_CAPACITY], double deadline);

#endif
