// Where lessons are found. Parsing is lesson_parse's.
#ifndef LESSON_LESSON_FILE_H
#define LESSON_LESSON_FILE_H

#include "lesson/lesson.h"

#include <stddef.h>

// `name` is a lesson's name ("damping") or a path to a file (it ends in .ini or contains a slash).
// Named ones are searched for where scenes are, in lessons/ instead of scenes/. A file that cannot
// be used gives one sentence with file, line and what is allowed. Free with lesson_destroy.
Status lesson_load(const char *name, Lesson **out, Error *error);
void lesson_destroy(Lesson *lesson); // accepts NULL

// All named lessons, in the order of their names. A file that cannot be used is left out.
typedef struct LessonEntry {
    char name[48], title[80], about[384];
    int step_count;
} LessonEntry;
typedef struct LessonList {
    int count;
    LessonEntry *items;
} LessonList;
Status lesson_list(LessonList *out, Error *error);
void lesson_list_finish(LessonList *list);

#endif
