#include "ui/history.h"

#include <string.h>

static HistoryValue value_now(const StageSnapshot *now, int param, int lane)
{
    const ParamInfo *info = &param_table[param];
    if (lane < 1 || lane > now->count || now->scene.lane_count == 0)
        return (HistoryValue){param_get(&now->scene.params, info), false};
    const Snapshot *one = &now->lanes[lane - 1];
    return (HistoryValue){param_get(&one->scene.params, info), lane_owns(&one->lane, info)};
}

static bool same(HistoryValue a, HistoryValue b)
{
    return a.value == b.value && a.own == b.own;
}

static HistoryEntry *append(History *history)
{
    if (history->count == HISTORY_ENTRIES) {
        memmove(history->entries, history->entries + 1,
                (HISTORY_ENTRIES - 1) * sizeof history->entries[0]);
        history->count--;
    }
    return &history->entries[history->count++];
}

// Does this command make the past the present?
static bool resumes(const Command *command)
{
    switch (command->kind) {
    case COMMAND_SET_PARAM:
    case COMMAND_SHARE_PARAM:
    case COMMAND_GRAB:
    case COMMAND_GRAB_BODY:
    case COMMAND_TOGGLE_PIN:
    case COMMAND_REWIND:
    case COMMAND_EXCITE:
    case COMMAND_RUN:
        return true;
    default:
        return false;
    }
}

static unsigned group_of(History *history, unsigned gesture, unsigned action)
{
    bool goes_on = gesture == history->gesture && (gesture > 0 || action == history->action);
    if (!goes_on || history->group == 0) history->group++;
    history->gesture = gesture;
    history->action = action;
    return history->group;
}

void history_note(History *history, const Command *command, const StageSnapshot *now,
                  unsigned gesture, unsigned action)
{
    bool sets = command->kind == COMMAND_SET_PARAM || command->kind == COMMAND_SHARE_PARAM;
    if (command->kind == COMMAND_LOAD_SCENE) history_forget(history);
    bool resumed = now->lanes[0].in_past && resumes(command);
    if (!sets && !resumed) return;
    if (sets && (command->param.index < 0 || command->param.index >= param_count)) return;
    unsigned group = group_of(history, gesture, action);
    HistoryEntry *last = history->done > 0 ? &history->entries[history->done - 1] : NULL;
    history->count = history->done; // what was undone cannot be redone after another change
    if (last && last->group == group && last->resumed) return; // that takes all of it back
    if (resumed) {
        *append(history) = (HistoryEntry){.group = group, .resumed = true};
    } else {
        int lane = now->scene.lane_count > 0 ? command->lane : COMMAND_ALL_LANES;
        HistoryEntry entry = {.group = group,
                              .param = command->param.index,
                              .lane = lane,
                              .before = value_now(now, command->param.index, lane),
                              .after = {command->param.value, lane > 0}};
        if (command->kind == COMMAND_SHARE_PARAM)
            entry.after = value_now(now, entry.param, COMMAND_ALL_LANES);
        for (int i = history->done - 1; i >= 0 && history->entries[i].group == group; i--) {
            HistoryEntry *earlier = &history->entries[i];
            if (earlier->resumed || earlier->param != entry.param || earlier->lane != entry.lane)
                continue;
            earlier->after = entry.after;
            return;
        }
        if (same(entry.before, entry.after)) return;
        *append(history) = entry;
    }
    history->done = history->count;
}

void history_forget(History *history)
{
    *history = (History){.group = history->group + 1};
}

static Command command_to(const HistoryEntry *entry, HistoryValue to)
{
    if (entry->resumed) return (Command){.kind = COMMAND_RECALL};
    bool share = entry->lane > 0 && !to.own;
    return (Command){.kind = share ? COMMAND_SHARE_PARAM : COMMAND_SET_PARAM,
                     .lane = entry->lane,
                     .param = {entry->param, to.value}};
}

static bool has_effect(const HistoryEntry *entry, HistoryValue to, const StageSnapshot *now)
{
    if (entry->resumed) return now->lanes[0].can_recall;
    if (entry->lane > now->count) return false;
    return !same(value_now(now, entry->param, entry->lane), to);
}

int history_undo(History *history, const StageSnapshot *now, Command *commands, int size,
                 HistoryEntry *shown)
{
    int count = 0;
    while (history->done > 0 && count == 0) {
        unsigned group = history->entries[history->done - 1].group;
        while (history->done > 0 && history->entries[history->done - 1].group == group) {
            const HistoryEntry *entry = &history->entries[--history->done];
            if (count == size || !has_effect(entry, entry->before, now)) continue;
            commands[count++] = command_to(entry, entry->before);
            if (shown) *shown = *entry;
        }
    }
    // what came after the past cannot be had twice
    if (count > 0 && commands[count - 1].kind == COMMAND_RECALL) history->count = history->done;
    return count;
}

int history_redo(History *history, const StageSnapshot *now, Command *commands, int size,
                 HistoryEntry *shown)
{
    int count = 0;
    while (history->done < history->count && count == 0) {
        unsigned group = history->entries[history->done].group;
        while (history->done < history->count && history->entries[history->done].group == group) {
            const HistoryEntry *entry = &history->entries[history->done++];
            if (count == size || entry->resumed || !has_effect(entry, entry->after, now)) continue;
            commands[count++] = command_to(entry, entry->after);
            if (shown) *shown = *entry;
        }
    }
    return count;
}
