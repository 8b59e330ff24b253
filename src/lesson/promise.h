// What a lesson promises, and the numbers of a running cloth that it may speak of.
//
//   lane 1 verdict is stable        limit = 100 ms within 1 %        lane 2 error < 0.1 lane 1
//   error
#ifndef LESSON_PROMISE_H
#define LESSON_PROMISE_H

#include "stage/stage_snapshot.h"

// The numbers, in the order of value_table. All are of one lane at the moment shown.
typedef struct ValueInfo {
    const char *name; // in promises and in {live values}
    const char *unit;
    const char *help; // one sentence
    double (*get)(const StageSnapshot *stage, int lane);
} ValueInfo;
extern const ValueInfo value_table[];
extern const int value_count;

enum { VALUE_NONE = -1 };
int value_find(const char *name); // index into value_table, or VALUE_NONE
// NaN when it is not known. `lane` counts from 0 and may be too large: NaN as well.
double value_get(const StageSnapshot *stage, int lane, int value);
// "stable", "growing" or "diverged"
const char *verdict_of(const StageSnapshot *stage, int lane);

typedef enum PromiseKind {
    PROMISE_VERDICT,
    PROMISE_BELOW,
    PROMISE_ABOVE,
    PROMISE_ABOUT
} PromiseKind;

typedef struct Promise {
    int line; // of the file
    char text[120];
    PromiseKind kind;
    int lane;         // from 0
    int verdict;      // MonitorState
    int value;        // index into value_table
    double number;    // to compare with, or the factor of
    int other_lane;   // this lane's
    int other_value;  // value, or VALUE_NONE
    double tolerance; // share, for PROMISE_ABOUT
} Promise;

// The sentence says what is allowed. `lane_count` lanes can be spoken of.
Status promise_parse(const char *text, int lane_count, Promise *out, Error *error);

// STATUS_BAD_PARAMETER with what was found if it is not kept.
Status promise_check(const Promise *promise, const StageSnapshot *stage, Error *error);

#endif
