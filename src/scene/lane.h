// A lane: a scene under some parameters of its own. It shares the rest with the other lanes.
#ifndef SCENE_LANE_H
#define SCENE_LANE_H

#include "scene/params.h"

#include <stdint.h>

typedef struct Lane {
    char name[80]; // of what is its own: "rk4", "backward-euler step=0.01"
    uint64_t own;  // bit i: it has its own value of param_table[i]
    Params params; // of which only those count
} Lane;

// "NAME=VALUE NAME=VALUE ...", the parameters of its own. Refuses a parameter that the lanes must
// share, with the reason.
Status lane_parse(const char *text, Lane *out, Error *error);

// Give it one more, from text. Refuses the same, and a parameter that it already has.
Status lane_assign(Lane *lane, const ParamInfo *info, const char *text, Error *error);

// Its own parameters as lane_parse takes them.
void lane_print(const Lane *lane, char *text, size_t size);

bool lane_owns(const Lane *lane, const ParamInfo *info);
// Why all lanes must have the same value of a parameter; NULL when they need not.
const char *lane_shares_because(const ParamInfo *info);
// Give it a value of its own, or share again. The value is in its range, and the parameter need not
// be the same in all lanes.
void lane_own(Lane *lane, const ParamInfo *info, double value);
void lane_share(Lane *lane, const ParamInfo *info);

// What others are compared with when no lane is exact enough: RK4 at a fifth of its limit. Without
// a filter, which is a means of the methods and not of the cloth.
Lane lane_fine(void);

#endif
