// selvage run --lesson: all steps without a window, and whether what they promise is true.
#include "apps/commands.h"
#include "apps/report.h"
#include "lesson/lesson_check.h"
#include "lesson/lesson_file.h"

static void print_step(void *user, int step, const StageSnapshot *stage, const char *broken)
{
    const Lesson *lesson = user;
    int promises = lesson->steps[step].promise_count;
    printf("step %d, line %d:", step + 1, lesson->steps[step].line);
    for (int lane = 0; lane < stage->count; lane++)
        printf("%s %s", lane > 0 ? "," : "", verdict_of(stage, lane));
    printf(" at %.4g s; ", stage->time);
    if (broken)
        printf("not as promised\n");
    else
        printf("%d promise%s kept\n", promises, promises == 1 ? "" : "s");
}

int command_lesson(const Options *options)
{
    Lesson *lesson;
    Error error;
    if (lesson_load(options->lesson, &lesson, &error) != STATUS_OK) return report_error(&error);
    printf("%s\n", lesson->title);
    Status status = lesson_check(lesson, print_step, lesson, &error);
    lesson_destroy(lesson);
    if (status == STATUS_OK) return EXIT_DONE;
    fflush(stdout);
    report_error(&error);
    return EXIT_FAILED; // also for a promise, which is no wrong usage
}
