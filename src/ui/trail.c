#include "ui/trail.h"

#include "stage/film.h"

#include <math.h>

// The finest level that reaches back to the start in so many moments.
static int level_for(const Film *film, int most)
{
    int level = film_level(film, film->first);
    while (level + 1 < FILM_LEVELS && film_count(film, level) > most) level++;
    return level;
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
    if (!film || !film->small || now->particle_count > TRAIL_PARTICLES || film->rows < 1) return 0;
    int most = TRAIL_POINTS / film->rows - 2, level = level_for(film, most);
    int kept = film_count(film, level), first = kept > most ? kept - most : 0;
    for (int row = 0; row < film->rows; row++) {
        int particle = film_particle(film, row);
        if (now->pinned[particle]) continue;
        for (int i = first; i < kept && film_time(film, level, i) <= now->readings.time; i++) {
            const float *at = film_position(film, level, i, row);
            count = add(points, count, at[0], at[1], at[2]);
        }
        const float *end = now->position + 3 * (size_t)particle;
        count = add(points, count, end[0], end[1], end[2]);
        count = add(points, count, NAN, NAN, NAN);
    }
    return count;
}
