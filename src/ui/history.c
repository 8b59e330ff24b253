#include "ui/history.h"

#include <string.h>

static void drop_oldest(History *history, int drop)
{
    float *const columns[] = {history->time,    history->kinetic, history->elastic,
                              history->gravity, history->total,   history->ripple};
    history->count -= drop;
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        memmove(columns[i], columns[i] + drop, sizeof *columns[i] * (size_t)history->count);
}

void history_add(History *history, const Snapshot *snapshot)
{
    const Readings *readings = &snapshot->readings;
    float time = (float)readings->time;
    if (snapshot->in_past) return; // it has passed here before
    while (history->count > 0 && history->time[history->count - 1] > time) history->count--;
    // evenly spaced: the plot holds HISTORY_SECONDS at any frame rate and speed
    if (history->count > 0 &&
        time - history->time[history->count - 1] < (float)(HISTORY_SECONDS / HISTORY_CAPACITY))
        return;
    int drop = 0;
    while (drop < history->count && history->time[drop] < time - (float)HISTORY_SECONDS) drop++;
    if (history->count - drop == HISTORY_CAPACITY) drop++;
    if (drop > 0) drop_oldest(history, drop);

    int i = history->count++;
    history->time[i] = time;
    history->kinetic[i] = (float)readings->energy.kinetic;
    history->elastic[i] = (float)readings->energy.elastic;
    history->gravity[i] = (float)readings->energy.gravity;
    history->ripple[i] = (float)snapshot->monitor.ripple;
    history->total[i] = (float)energy_total(readings->energy);
}
