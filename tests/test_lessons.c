// Every lesson that comes along keeps its promises, and every step is the same to the bit however
// one came to it. What is wrong in a lesson file is refused with its line.
//
//   test_lessons [WORD]     also prints the values at the end of each step of lessons named so
#include "lesson/lesson_check.h"
#include "lesson/lesson_file.h"
#include "lesson/lesson_parse.h"
#include "lesson/lesson_play.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const char *word; // of the command line

static void print_step(void *user, int step, const StageSnapshot *stage, const char *broken)
{
    const Lesson *lesson = user;
    if (broken) print_message("# %s, step %d: %s\n", lesson->name, step + 1, broken);
    if (!word || !strstr(lesson->name, word)) return;
    for (int lane = 0; lane < stage->count; lane++) {
        printf("%s %d lane %d: %s", lesson->name, step + 1, lane + 1, verdict_of(stage, lane));
        for (int i = 0; i < value_count; i++)
            printf(" %s=%.4g", value_table[i].name, value_get(stage, lane, i));
        printf("\n");
    }
}

static void lessons_keep_their_promises(void **state)
{
    (void)state;
    LessonList list;
    Error error;
    int failed = 0;
    assert_int_equal(lesson_list(&list, &error), STATUS_OK);
    for (int i = 0; i < list.count; i++) {
        Lesson *lesson;
        if (word && !strstr(list.items[i].name, word)) continue;
        assert_int_equal(lesson_load(list.items[i].name, &lesson, &error), STATUS_OK);
        if (lesson_check(lesson, print_step, lesson, &error) != STATUS_OK) {
            print_message("# %s\n", error.text);
            failed++;
        }
        lesson_destroy(lesson);
    }
    lesson_list_finish(&list);
    assert_int_equal(failed, 0);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lessons_keep_their_promises),
    };
    word = count > 1 ? arguments[1] : NULL;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
