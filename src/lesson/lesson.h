// A lesson: steps, each of which sets a scene, says one thing about it, and promises what will be
// seen. Read from assets/lessons/NAME.ini by lesson_file; docs/lessons.md is for those who write
// them. Plain data: lesson_play.h says how a step is reached, ui/panel_lesson.c shows it.
#ifndef LESSON_LESSON_H
#define LESSON_LESSON_H

#include "lesson/promise.h"
#include "scene/scene.h"

enum { LESSON_STEPS_MAX = 24, LESSON_SETTINGS_MAX = 16, LESSON_PROMISES_MAX = 12 };

typedef struct LessonSetting {
    int lane;  // 1, 2, ...; 0: all
    int param; // index into param_table
    double value;
} LessonSetting;

typedef enum LessonLanes { LESSON_LANES_ALL, LESSON_LANES_ONE, LESSON_LANES_OVERLAY } LessonLanes;

typedef enum LessonColour { // in the order of render/cloth_colour.h
    LESSON_COLOUR_NONE,
    LESSON_COLOUR_MODE, // the stiffest one
    LESSON_COLOUR_STRAIN,
    LESSON_COLOUR_SPEED,
    LESSON_COLOUR_VELOCITY,
    LESSON_COLOUR_ENERGY,
    LESSON_COLOUR_ERROR,
} LessonColour;

// What the window shows beside the caption. A step that does not say keeps that of the step before.
typedef struct LessonView {
    bool controls, readouts; // panels
    char plot[32];           // the enlarged one; "" for none
    LessonColour colour;     // on the cloth
    LessonLanes lanes;
    int surface;      // 0 cloth, 1 with its threads, 2 springs
    int selected;     // lane, from 1
    bool has_camera;  // else the cloth is framed from the usual direction
    float yaw, pitch; // degrees
    float zoom;       // 1: the cloth fits
    bool has_target;
    float target[3]; // m, what the camera looks at; else the cloth
} LessonView;

typedef struct LessonStep {
    int line;          // where it begins in the file
    char ask[320];     // a question, shown first; "" for none
    char caption[480]; // may have {live values} and *bold* words
    char equation[320];
    bool fresh;  // starts `scene`; else it goes on where the step before ended
    Scene scene; // with its lanes, as this step has it once `settings` are made
    int setting_count;
    LessonSetting settings[LESSON_SETTINGS_MAX]; // of a step that goes on
    double run;                                  // s, simulated; 0: it waits; INFINITY: on and on
    LessonView view;
    int promise_count;
    Promise promises[LESSON_PROMISES_MAX];
} LessonStep;

typedef struct Lesson {
    char name[48];   // of its file, without .ini
    char title[80];  // for the window
    char about[384]; // a sentence or two
    int step_count;  // at least 1
    LessonStep steps[LESSON_STEPS_MAX];
} Lesson;

#endif
