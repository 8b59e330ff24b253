// Keeps a map of two parameters (lab/stability_map.h) up to date, a slice of time after the other.
// For the lab's worker; one thread at a time.
#ifndef RUNTIME_MAP_WORK_H
#define RUNTIME_MAP_WORK_H

#include "lab/stability_map.h"

typedef struct MapWork {
    Mapper *mapper;     // NULL until one is wanted
    bool wanted;        // `request` is valid
    MapRequest request; // the newest
    bool begun;         // the mapper works on that, or has
    Params params;      // of the state that it began with,
    int lane;           // and its lane
    unsigned topology;  // and cloth
    double done_at;     // s, clock, when it was complete
    bool has_shown;
    StabilityMap shown; // to be seen: a complete one stays until the next one is
} MapWork;              // zeroed, it is empty

void map_work_ask(MapWork *work, const MapRequest *request); // NULL: none is wanted
// Go on until `deadline`, if a map is wanted: at the simulation's present state, if other than the
// two parameters have changed. True when `shown` has changed.
bool map_work_go_on(MapWork *work, Simulation *simulation, int lane, double deadline);
bool map_work_is_unfinished(const MapWork *work);
void map_work_finish(MapWork *work);

#endif
