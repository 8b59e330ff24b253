#include "ui/trail.h"

#include "stage/film.h"

#include <math.h>

// The moments of a trail: of this level of the film, from the first on.
typedef struct Moments {
    int level, first, end;
} Moments;

// The finest level that reaches back far enough in so many moments.
static Moments moments_for(const Film *film, double from, double to, int most)
{
    for (int level = film_level(film, from);; level++) {
        int first = film_find(film, level, from), end = film_find(film, level, to) + 1;
        if (first < 0) first = 0;
        if (end - first <= most) return (Moments){level, first, end};
        if (level + 1 == FILM_LEVELS) return (Moments){level, end - most, end};
    }
}

bool trail_exists(const Snapshot *now)
{
    return now->film && now->film->small && now->film->rows > 0;
}

static int add(float *points, int count, float x, float y, float z)
{
    float *point = points + 3 * (size_t)count;
    point[0] = x;
    point[1] = y;
    point[2] = z;
    return count + 1;
}

int trail_points(const Snapshot *now, float *points)
{
    const Film *film = now->film;
    int count = 0;
    if (!trail_exists(now)) return 0;
    bool all = film->rows <= TRAIL_PARTICLES;
    int lines = all ? film->rows : TRAIL_PARTICLES;
    double time = now->readings.time, from = all ? film->first : time - TRAIL_SECONDS;
    Moments moments = moments_for(film, from, time, TRAIL_POINTS / lines - 2);
    for (int line = 0; line < lines; line++) {
        int row = all ? line : line * (film->rows - 1) / (lines - 1); // the last is among them
        int particle = film_particle(film, row);
        if (now->pinned[particle]) continue;
        for (int i = moments.first; i < moments.end; i++) {
            const float *at = film_position(film, moments.level, i, row);
            count = add(points, count, at[0], at[1], at[2]);
        }
        const float *end = now->position + 3 * (size_t)particle;
        count = add(points, count, end[0], end[1], end[2]);
        count = add(points, count, NAN, NAN, NAN);
    }
    return count;
}
