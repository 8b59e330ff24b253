// Names of lanes: what tells them apart, in words that fit. All lanes of a stage have names of one
// form, and no two have the same.
#ifndef UI_LANE_NAMES_H
#define UI_LANE_NAMES_H

#include "stage/stage_snapshot.h"
#include "ui/theme.h"

enum { LANE_TITLE_SIZE = 192 };

// From the longest to the shortest.
typedef enum LaneNameForm {
    LANE_NAME_WHOLE,      // its method, and all that differs: "Runge-Kutta 4 · filter exponential"
    LANE_NAME_DIFFERENCE, // without a method that is the same in all: "filter exponential"
    LANE_NAME_SHORT,      // the same in short words: "exponential"
    LANE_NAME_SHORTEST,   // of those only the first that tell the lane from all others
    LANE_NAME_NUMBER,     // "1"
    LANE_NAME_FORMS,
} LaneNameForm;

typedef enum LaneNameStep {
    LANE_STEP_IF_NEEDED, // h is named if lanes would have one name without it
    LANE_STEP_IF_OTHER,  // if it is not the same in all lanes
} LaneNameStep;

typedef struct LaneNames {
    LaneNameForm form;
    bool has_step; // h is in the names
    char text[SCENE_LANES_MAX][LANE_TITLE_SIZE];
} LaneNames;

void lane_names(const StageSnapshot *stage, LaneNameForm form, LaneNameStep step, LaneNames *out);

// The longest form, `from` or shorter, in which every name fits into `lines` lines of this width.
// LANE_NAME_NUMBER: some fit in none, and those lanes have their number instead.
void lane_names_fit(const StageSnapshot *stage, LaneNameForm from, LaneNameStep step, Font font,
                    float width, int lines, LaneNames *out);

// The part of a name that fits into a line, at least the least; names break between two
// differences, before a bracket and after a comma. Returns the next line, or NULL.
const char *lane_name_line(const char *name, Font font, float width, char *line, size_t size);

#endif
