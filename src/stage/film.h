// How particles moved over a run's simulated time, for plots: velocities of up to FILM_ROWS
// particles and, of small cloths, their positions too.
//
// Levels. Level 0 has every sample, level k every 4^k-th. Each level keeps its last `capacity`
// columns, so the end of a run is there in full and its beginning at least now and then. A column
// is what one moment looked like, not a mean.
//
// One block of memory without pointers: free() releases it. Nothing allocates but film_create and
// film_show.
#ifndef STAGE_FILM_H
#define STAGE_FILM_H

#include "simulation/simulation.h"

enum { FILM_LEVELS = 8, FILM_ROWS = 256, FILM_SMALL = 64, FILM_COLUMNS_MAX = 4096 };
#define FILM_INTERVAL 0.01 // s, between two samples of a cloth that is not small

typedef struct Film {
    int particle_count;          // of the cloth
    int grid_rows, grid_columns; // 0: not a grid
    int rows;                    // particles that are filmed; see film_particle
    bool small;                  // after every step, with positions
    int width;                   // numbers per column: 3 velocities per row, then 3 positions
    int capacity;                // columns per level
    double first, last;          // s, of what is kept; NaN: nothing is
    long samples;                // taken so far
    unsigned long serial;        // changes with every change
    double rewritten;            // clock_seconds when more than the newest columns last changed
    long begin[FILM_LEVELS], end[FILM_LEVELS]; // columns begin .. end - 1 are kept
    double block[];
} Film;

// For a cloth of this simulation's size; NULL without memory.
Film *film_create(const Simulation *simulation);
bool film_fits(const Film *film, const Simulation *simulation);
void film_clear(Film *film);
// After a step: a sample, if one is due. Times never fall: an earlier one forgets what came after.
void film_step(Film *film, const Simulation *simulation);
// The state changed without a step: a sample, due or not.
void film_jump(Film *film, const Simulation *simulation);
void film_cut(Film *film, double time); // forget what came after
// Become a copy that was made earlier, of the same shape.
void film_restore(Film *film, const Film *copy);
// Bring a copy for a reader up to date: only what is new is copied. It is made if it does not fit.
Status film_show(const Film *film, Film **copy, Error *error);

// ---- for readers

int film_particle(const Film *film, int row);
// The finest level that reaches back to `time`, or as far back as any.
int film_level(const Film *film, double time);
int film_count(const Film *film, int level);
double film_time(const Film *film, int level, int i); // in order of time
// m/s and m. The latter NULL: the cloth is not small.
const float *film_velocity(const Film *film, int level, int i, int row);
const float *film_position(const Film *film, int level, int i, int row);
// The column of a level at a time, or the last before it; -1: none.
int film_find(const Film *film, int level, double time);

#endif
