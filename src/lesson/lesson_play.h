// How a moment of a lesson is reached: as commands, always from the last fresh start. So a step is
// the same to the bit whether one came to it forwards, backwards or at once.
//
// A stop is where the lesson waits for a page key: a step, or a step's question and its answer.
#ifndef LESSON_LESSON_PLAY_H
#define LESSON_LESSON_PLAY_H

#include "lesson/lesson.h"
#include "simulation/command.h"

typedef struct LessonStop {
    int step;  // from 0
    bool asks; // the question; nothing runs yet
    bool last; // of the lesson
} LessonStop;

int lesson_stop_count(const Lesson *lesson);
LessonStop lesson_stop(const Lesson *lesson, int stop);

// Calls `send` for each command that leads to a stop: a scene is loaded, what earlier steps did is
// done again at once (COMMAND_JUMP), then this step's settings and, unless it asks or waits,
// COMMAND_RUN. Ends early, and returns false, when `send` does.
typedef bool (*LessonSend)(void *user, const Command *command);
bool lesson_send(const Lesson *lesson, int stop, LessonSend send, void *user);

// s, of the clock when a step begins and when it has run; INFINITY if it runs on.
double lesson_step_begins(const Lesson *lesson, int step);
double lesson_step_ends(const Lesson *lesson, int step);

#endif
