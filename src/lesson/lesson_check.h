// Runs a lesson without a window and checks what it promises.
#ifndef LESSON_LESSON_CHECK_H
#define LESSON_LESSON_CHECK_H

#include "lesson/lesson.h"

// Called at the end of each step, and with its number, from 0. `broken` says which promise was not
// kept and what was found instead; NULL when all were.
typedef void (*LessonReport)(void *user, int step, const StageSnapshot *stage, const char *broken);

// Every step is reached as the window does it, see lesson_play.h. A step that runs on and on is run
// for a second. STATUS_BAD_PARAMETER with the first broken promise, its file and line; all steps
// are run nevertheless. `report` may be NULL.
Status lesson_check(const Lesson *lesson, LessonReport report, void *user, Error *error);

// What can be seen of all lanes at the end of a step, as one number: reached at once (`stride` 0),
// or by way of every stop before it with a clock that moves in strides of so many seconds.
Status lesson_hash(const Lesson *lesson, int step, double stride, uint64_t *out, Error *error);

#endif
