#include "lesson/lesson_play.h"

#include <math.h>

static bool asks(const LessonStep *step)
{
    return step->ask[0] != '\0';
}

int lesson_stop_count(const Lesson *lesson)
{
    int count = 0;
    for (int i = 0; i < lesson->step_count; i++) count += asks(&lesson->steps[i]) ? 2 : 1;
    return count;
}

LessonStop lesson_stop(const Lesson *lesson, int stop)
{
    int before = 0;
    for (int i = 0; i < lesson->step_count; i++) {
        int here = asks(&lesson->steps[i]) ? 2 : 1;
        bool is_last = i == lesson->step_count - 1 && stop - before == here - 1;
        if (stop < before + here) return (LessonStop){i, stop - before < here - 1, is_last};
        before += here;
    }
    return (LessonStop){lesson->step_count - 1, false, true};
}

static int fresh_step(const Lesson *lesson, int step)
{
    while (!lesson->steps[step].fresh) step--; // the first one is: lesson_parse
    return step;
}

double lesson_step_ends(const Lesson *lesson, int step)
{
    double time = 0.0;
    for (int i = fresh_step(lesson, step); i <= step; i++) time += lesson->steps[i].run;
    return time;
}

double lesson_step_begins(const Lesson *lesson, int step)
{
    return lesson->steps[step].fresh ? 0.0 : lesson_step_ends(lesson, step - 1);
}

static bool send_settings(const LessonStep *step, LessonSend send, void *user)
{
    for (int i = 0; i < step->setting_count; i++) {
        const LessonSetting *setting = &step->settings[i];
        Command set = {.kind = COMMAND_SET_PARAM,
                       .lane = setting->lane,
                       .param = {setting->param, setting->value}};
        if (!send(user, &set)) return false;
    }
    return true;
}

bool lesson_send(const Lesson *lesson, int stop, LessonSend send, void *user)
{
    LessonStop at = lesson_stop(lesson, stop);
    int first = fresh_step(lesson, at.step);
    Command load = {.kind = COMMAND_LOAD_SCENE, .scene = &lesson->steps[first].scene};
    if (!send(user, &(Command){.kind = COMMAND_PAUSE}) || !send(user, &load)) return false;
    for (int i = first; i < at.step; i++) {
        Command jump = {.kind = COMMAND_JUMP, .until = lesson_step_ends(lesson, i)};
        if (!send_settings(&lesson->steps[i], send, user)) return false;
        if (lesson->steps[i].run > 0.0 && !send(user, &jump)) return false;
    }
    const LessonStep *step = &lesson->steps[at.step];
    if (!send_settings(step, send, user)) return false;
    if (at.asks || !(step->run > 0.0)) return true;
    double end = lesson_step_ends(lesson, at.step);
    return send(user, &(Command){.kind = COMMAND_RUN, .until = isfinite(end) ? end : 0.0});
}
