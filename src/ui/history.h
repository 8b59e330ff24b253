// Changes of parameters that were made in the window, to undo and redo. A value: no memory of its
// own.
//
// What is done within one gesture (a drag, a run of arrow keys) or at once is one change, whatever
// the number of commands. Going on from the past is a change too: undone, what came after is there
// again.
#ifndef UI_HISTORY_H
#define UI_HISTORY_H

#include "simulation/command.h"
#include "stage/stage_snapshot.h"

// A parameter of a lane, or of all that share it (lane 0).
typedef struct HistoryValue {
    double value;
    bool own; // of a lane: it is its own
} HistoryValue;

typedef struct HistoryEntry {
    unsigned group;  // entries of one group are one change
    bool resumed;    // the past was gone on from; the rest is unused
    int param, lane; // index into param_table; 1, 2, ..., 0: all that share it
    HistoryValue before, after;
} HistoryEntry;

enum { HISTORY_ENTRIES = 256 };
typedef struct History {
    HistoryEntry entries[HISTORY_ENTRIES]; // the oldest are forgotten first
    int count;                             // those that can be undone come first,
    int done;                              // so many; those after them can be redone
    unsigned group, gesture, action;       // of the last command
} History;

// Note a command before it is sent. One change are those with the same `gesture` or, if that is 0,
// with the same `action`.
void history_note(History *history, const Command *command, const StageSnapshot *now,
                  unsigned gesture, unsigned action);
void history_forget(History *history);

// The commands that undo the last change or make it again; at most `size`. What has no effect any
// more, because it was refused or changed otherwise, is passed over. Returns their number, 0 if
// there is none. The first one's entry is in `shown` (may be NULL): for a message.
int history_undo(History *history, const StageSnapshot *now, Command *commands, int size,
                 HistoryEntry *shown);
int history_redo(History *history, const StageSnapshot *now, Command *commands, int size,
                 HistoryEntry *shown);

#endif
