// Every lesson that comes along keeps its promises, and every step is the same to the bit however
// one came to it. What is wrong in a lesson file is refused with its line.
//
//   test_lessons [WORD]     also prints the values at the end of each step of lessons named so
#include "base/file.h"
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

// By every stop before it, with a clock that moves in odd strides, or at once. A step that starts
// afresh is the same for that alone, so the first one of each lesson stands for those.
static void steps_are_the_same_however_reached(void **state)
{
    (void)state;
    LessonList list;
    Error error;
    int compared = 0;
    assert_int_equal(lesson_list(&list, &error), STATUS_OK);
    for (int i = 0; i < list.count; i++) {
        Lesson *lesson;
        assert_int_equal(lesson_load(list.items[i].name, &lesson, &error), STATUS_OK);
        for (int step = 0; step < lesson->step_count; step++) {
            uint64_t at_once, in_strides;
            if (step > 0 && lesson->steps[step].fresh) continue;
            assert_int_equal(lesson_hash(lesson, step, 0.0, &at_once, &error), STATUS_OK);
            assert_int_equal(lesson_hash(lesson, step, 0.0037, &in_strides, &error), STATUS_OK);
            if (at_once != in_strides) fail_msg("%s, step %d", lesson->name, step + 1);
            compared += step > 0;
        }
        lesson_destroy(lesson);
    }
    lesson_list_finish(&list);
    assert_true(compared >= 4);
}

#define HEAD "[lesson]\ntitle = T\n[step]\nscene = spring\ncaption = C\n"

static Lesson *parse(const char *text)
{
    Lesson *lesson = calloc(1, sizeof *lesson);
    Error error = {0};
    if (lesson_parse("dir/l.ini", text, strlen(text), lesson, &error) != STATUS_OK)
        fail_msg("%s", error.text);
    return lesson;
}

static void expect_refused(const char *text, const char *part)
{
    Lesson *lesson = calloc(1, sizeof *lesson);
    Error error = {0};
    if (lesson_parse("dir/l.ini", text, strlen(text), lesson, &error) == STATUS_OK)
        fail_msg("not refused: %s", text);
    if (!strstr(error.text, part)) fail_msg("\"%s\" instead of \"%s\"", error.text, part);
    free(lesson);
}

static void mistakes_are_refused_with_their_line(void **state)
{
    (void)state;
    expect_refused("", "dir/l.ini, line 1: a lesson has at least one [step]");
    expect_refused("title = T\n", "line 1: \"title\" stands before the first [section]");
    expect_refused("[leson]\n", "line 1: there is no section [leson]; the sections are");
    expect_refused("[lesson]\nname = x\n", "line 2: [lesson] has no \"name\"; it takes title");
    expect_refused("[lesson]\ntitle = x\ntitle = y\n", "line 3: title is given twice");
    expect_refused("[step]\ncaption = x\n", "line 1: the first step needs a scene");
    expect_refused("[step]\nscene = spring\n", "line 1: this step has no caption");
    expect_refused("[step]\nscene = sprnig\n", "line 2: there is no scene \"sprnig\"; there are");
    expect_refused("[step]\nscene = again\n", "line 2: the first step has no scene to start");
    expect_refused(HEAD "capton = x\n", "line 6: [step] has no \"capton\"; it takes ask, caption");
    expect_refused(HEAD "caption = x\n", "line 6: caption is given twice");
    expect_refused(HEAD "set = stretch\n", "line 6: set takes NAME=VALUE");
    expect_refused(HEAD "set = strech=1\n", "line 6: there is no parameter \"strech\"");
    expect_refused(HEAD "set = stretch=-1\n", "line 6: stretch");
    expect_refused(HEAD "set 2 = stretch=1\n", "line 6: there is no lane 2; this step has 0");
    expect_refused(HEAD "lane = integrator=rk5\n", "line 6: integrator");
    expect_refused(HEAD "lane = rows=5\n", "line 6: ");
    expect_refused(HEAD "set = air=1\nscene = spring\n", "line 7: scene is given twice");
    expect_refused("[step]\nset = air=1\nscene = spring\n", "line 3: scene must stand before");
    expect_refused(HEAD "run = soon\n", "line 6: run = soon is not allowed: it takes");
    expect_refused(HEAD "run = -1 s\n", "line 6: run = -1 s is not allowed");
    expect_refused(HEAD "panels = all\n", "line 6: panels = all is not allowed: it takes one of");
    expect_refused(HEAD "camera = 1\n", "line 6: camera takes frame, or yaw and pitch");
    expect_refused(HEAD "equation = \\frac{1\n",
                   "line 6: column 6 of the formula: this { has no }");
    expect_refused(HEAD "equation = \\value{limmit}\n", "line 6: \\value{limmit} is no number");
    expect_refused(HEAD "ask = {limmit}\n", "line 6: {limmit} is no number of the cloth");
    expect_refused(HEAD "ask = {2.limit}\n", "line 6: {2.limit}: this step has 1 lane");
    expect_refused(HEAD "ask = {limit\n", "line 6: {limit... has no }");
    expect_refused(HEAD "run = on\npromise = rho > 1\n", "line 7: a step that promises");
    expect_refused(HEAD "run = on\n[step]\ncaption = x\n", "line 7: this step goes on after one");
    expect_refused(HEAD "[step]\ncaption = x\nlane = air=1\n", "line 8: lane needs a scene");
    expect_refused(HEAD "[step]\ncaption = x\nset = columns=3\n",
                   "line 8: columns starts the cloth");
    expect_refused(HEAD " goes on\nrun = 1 s\n 2\n", "line 8: a line that begins with a blank");
    expect_refused(HEAD "promise = rho\n", "line 6: promise: <, > or = was expected at the end");
    expect_refused(HEAD "promise = roh > 1\n", "line 6: promise: there is no value \"roh\"");
    expect_refused(HEAD "promise = verdict is fine\n", "stable, growing or diverged was expected");
    expect_refused(HEAD "promise = lane 2 rho > 1\n", "lane takes a number from 1 to 1");
    expect_refused(HEAD "promise = rho = 1\n", "within and a share, such as within 1 %,");
    expect_refused(HEAD "promise = rho > much\n", "a number with its unit, or lane N VALUE");
    expect_refused(HEAD "promise = rho > 1 2\n", "nothing more was expected, not \"2\"");
    expect_refused(HEAD "lane = integrator=rk4 filter=gaussian filter_on=force step=x\n", "line 6");
}

static void a_broken_promise_is_found(void **state)
{
    (void)state;
    Error error = {0};
    Lesson *lesson = parse(HEAD "run = 0.2 s\n"
                                "promise = omega = 20 rad/s within 0.1 %\n"
                                "promise = limit = 0.1 s within 0.1 %\n"
                                "promise = limit = 100 ms within 0.1 %\n"
                                "promise = energy > 999 J\n");
    snprintf(lesson->name, sizeof lesson->name, "l");
    assert_int_equal(lesson_check(lesson, NULL, NULL, &error), STATUS_BAD_PARAMETER);
    if (!strstr(error.text, "l.ini, line 10: \"energy > 999 J\" is promised, but energy is"))
        fail_msg("%s", error.text);
    free(lesson);
    lesson = parse(HEAD "set = integrator=explicit-euler\nrun = 0.2 s\n"
                        "promise = verdict is stable\n");
    assert_int_equal(lesson_check(lesson, NULL, NULL, &error), STATUS_BAD_PARAMETER);
    assert_non_null(strstr(error.text, "is promised, but it is"));
    free(lesson);
}

static bool count_kinds(void *user, const Command *command)
{
    ((int *)user)[command->kind]++;
    return true;
}

static void questions_come_before_answers(void **state)
{
    (void)state;
    Lesson *lesson = parse(HEAD "run = 1 s\n[step]\nask = Q\ncaption = A\nset = air=1\nrun = 2 s\n"
                                "[step]\ncaption = E\nscene = again\n");
    assert_int_equal(lesson_stop_count(lesson), 4);
    assert_true(lesson_stop(lesson, 1).asks && lesson_stop(lesson, 1).step == 1);
    assert_true(!lesson_stop(lesson, 2).asks && lesson_stop(lesson, 2).step == 1);
    assert_true(!lesson_stop(lesson, 2).last && lesson_stop(lesson, 3).last);
    assert_true(lesson_step_begins(lesson, 1) == 1.0 && lesson_step_ends(lesson, 1) == 3.0);
    assert_true(lesson_step_begins(lesson, 2) == 0.0);
    assert_true(lesson->steps[2].scene.params.air == 1.0); // again: as it was set
    int asked[COMMAND_QUIT + 1] = {0}, answered[COMMAND_QUIT + 1] = {0};
    assert_true(lesson_send(lesson, 1, count_kinds, asked));
    assert_true(lesson_send(lesson, 2, count_kinds, answered));
    assert_int_equal(asked[COMMAND_RUN], 0);
    assert_int_equal(asked[COMMAND_JUMP], 1);
    assert_int_equal(asked[COMMAND_SET_PARAM], 1);
    assert_int_equal(answered[COMMAND_RUN], 1);
    free(lesson);
}

// The lesson in docs/lessons.md, which is indented, and its table of values.
static void the_document_tells_the_truth(void **state)
{
    (void)state;
    FileText text;
    Error error;
    assert_int_equal(file_read(SOURCE_DIRECTORY "/docs/lessons.md", 1 << 20, &text, &error),
                     STATUS_OK);
    char example[4000] = "";
    const char *line = strstr(text.data, "## A first lesson"), *end;
    for (line = strchr(line, '\n') + 1; (end = strchr(line, '\n')); line = end + 1) {
        bool indented = strncmp(line, "    ", 4) == 0;
        if (!indented && line != end && example[0]) break;
        size_t used = strlen(example), skip = indented ? 4 : 0;
        snprintf(example + used, sizeof example - used, "%.*s\n", (int)(end - line - (int)skip),
                 line + skip);
    }
    Lesson *lesson = parse(example);
    assert_int_equal(lesson->step_count, 2);
    if (lesson_check(lesson, NULL, NULL, &error) != STATUS_OK) fail_msg("%s", error.text);
    free(lesson);
    for (int i = 0; i < value_count; i++) {
        char row[200];
        snprintf(row, sizeof row, "| `%s` | %s | %s |\n", value_table[i].name, value_table[i].unit,
                 value_table[i].help);
        if (!strstr(text.data, row)) fail_msg("docs/lessons.md lacks the row %s", row);
    }
    file_text_finish(&text);
}

// Every lesson is worth a lecture: a question or lanes somewhere, and each step promises something.
static void lessons_are_complete(void **state)
{
    (void)state;
    LessonList list;
    Error error;
    assert_int_equal(lesson_list(&list, &error), STATUS_OK);
    assert_true(list.count >= 12);
    int with_lanes = 0;
    for (int i = 0; i < list.count; i++) {
        Lesson *lesson;
        bool lanes = false;
        assert_int_equal(lesson_load(list.items[i].name, &lesson, &error), STATUS_OK);
        assert_true(lesson->title[0] && lesson->about[0]);
        for (int step = 0; step < lesson->step_count; step++) {
            if (lesson->steps[step].promise_count == 0)
                fail_msg("%s, step %d promises nothing", lesson->name, step + 1);
            lanes = lanes || lesson->steps[step].scene.lane_count > 1;
        }
        with_lanes += lanes;
        lesson_destroy(lesson);
    }
    lesson_list_finish(&list);
    assert_true(with_lanes >= 6);
}

int main(int count, char **arguments)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lessons_keep_their_promises),
        cmocka_unit_test(steps_are_the_same_however_reached),
        cmocka_unit_test(mistakes_are_refused_with_their_line),
        cmocka_unit_test(a_broken_promise_is_found),
        cmocka_unit_test(questions_come_before_answers),
        cmocka_unit_test(lessons_are_complete),
        cmocka_unit_test(the_document_tells_the_truth),
    };
    word = count > 1 ? arguments[1] : NULL;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
