#include "stage/film.h"

#include "base/clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { LEVEL_NUMBERS = 131072 }; // in the columns of a level, at most

static size_t column_doubles(const Film *film)
{
    return 1 + ((size_t)film->width + 1) / 2;
}

// The time, then the numbers as floats.
static double *column(const Film *film, int level, long i)
{
    size_t index = (size_t)level * (size_t)film->capacity + (size_t)(i % film->capacity);
    return (double *)film->block + index * column_doubles(film);
}

static Film shape_of(const Simulation *simulation)
{
    Film film = {.particle_count = simulation_particle_count(simulation)};
    simulation_grid(simulation, &film.grid_rows, &film.grid_columns);
    film.small = film.particle_count <= FILM_SMALL;
    film.rows = film.particle_count;
    if (film.rows > FILM_ROWS) {
        bool whole_rows = film.grid_rows > 0 && film.grid_columns <= FILM_ROWS;
        film.rows = whole_rows ? FILM_ROWS / film.grid_columns * film.grid_columns : FILM_ROWS;
    }
    film.width = (film.small ? 6 : 3) * film.rows;
    film.capacity = LEVEL_NUMBERS / film.width;
    if (film.capacity > FILM_COLUMNS_MAX) film.capacity = FILM_COLUMNS_MAX;
    return film;
}

static Film *create(const Film *shape)
{
    size_t columns = (size_t)FILM_LEVELS * (size_t)shape->capacity;
    Film *film = malloc(sizeof *film + columns * column_doubles(shape) * sizeof(double));
    if (!film) return NULL;
    *film = *shape;
    return film;
}

Film *film_create(const Simulation *simulation)
{
    Film shape = shape_of(simulation);
    Film *film = create(&shape);
    if (film) film_clear(film);
    return film;
}

static bool same_shape(const Film *a, const Film *b)
{
    return a->particle_count == b->particle_count && a->grid_rows == b->grid_rows &&
           a->grid_columns == b->grid_columns;
}

bool film_fits(const Film *film, const Simulation *simulation)
{
    Film shape = shape_of(simulation);
    return same_shape(film, &shape);
}

static void touch(Film *film, bool rewritten)
{
    film->serial++;
    if (rewritten) film->rewritten = clock_seconds();
}

void film_clear(Film *film)
{
    for (int k = 0; k < FILM_LEVELS; k++) film->begin[k] = film->end[k] = 0;
    film->first = film->last = NAN;
    film->samples = 0;
    touch(film, true);
}

// Particles of whole rows of the grid, so that neighbours stay neighbours; or every so manieth.
int film_particle(const Film *film, int row)
{
    if (film->rows == film->particle_count) return row;
    if (film->grid_rows > 0 && film->grid_columns <= FILM_ROWS) {
        int lines = film->rows / film->grid_columns, line = row / film->grid_columns;
        int grid_row = (2 * line + 1) * film->grid_rows / (2 * lines);
        return grid_row * film->grid_columns + row % film->grid_columns;
    }
    return (int)((long)row * film->particle_count / film->rows);
}

static void add(Film *film, const Simulation *simulation)
{
    double time = simulation_time(simulation), *first = NULL;
    long every = 1;
    for (int k = 0; k < FILM_LEVELS && film->samples % every == 0; k++, every *= 4) {
        if (film->end[k] - film->begin[k] == film->capacity) film->begin[k]++;
        double *to = column(film, k, film->end[k]++);
        if (first) {
            memcpy(to, first, column_doubles(film) * sizeof *to);
            continue;
        }
        first = to;
        *to = time;
        float *v = (float *)(to + 1), *x = film->small ? v + 3 * film->rows : NULL;
        for (int row = 0; row < film->rows; row++)
            simulation_motion(simulation, film_particle(film, row), v + 3 * row,
                              x ? x + 3 * row : NULL);
    }
    film->samples++;
    if (isnan(film->first)) film->first = time;
    film->last = time;
    touch(film, false);
}

void film_step(Film *film, const Simulation *simulation)
{
    double time = simulation_time(simulation);
    if (film->last > time) film_cut(film, time);
    if (film->last == time) return;
    // a step may end a little before the moment
    if (!film->small && time < film->last + 0.999 * FILM_INTERVAL) return;
    add(film, simulation);
}

void film_jump(Film *film, const Simulation *simulation)
{
    double time = simulation_time(simulation);
    if (time == 0.0)
        film_clear(film);
    else if (film->last >= time)
        film_cut(film, nextafter(time, 0.0)); // the moment itself is taken again
    add(film, simulation);
}

void film_cut(Film *film, double time)
{
    film->last = NAN;
    for (int k = FILM_LEVELS - 1; k >= 0; k--) { // finer levels may be empty
        while (film->end[k] > film->begin[k] && *column(film, k, film->end[k] - 1) > time)
            film->end[k]--;
        if (film->end[k] > film->begin[k])
            film->last = fmax(film->last, *column(film, k, film->end[k] - 1));
    }
    if (isnan(film->last)) film->first = NAN;
    touch(film, true);
}

void film_restore(Film *film, const Film *copy)
{
    if (!same_shape(film, copy)) return;
    size_t columns = (size_t)FILM_LEVELS * (size_t)film->capacity;
    memcpy(film, copy, sizeof *film + columns * column_doubles(film) * sizeof(double));
    touch(film, true);
}

Status film_show(const Film *film, Film **copy, Error *error)
{
    if (*copy && !same_shape(film, *copy)) {
        free(*copy);
        *copy = NULL;
    }
    bool made = !*copy;
    if (made) *copy = create(film);
    if (!*copy) return error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory for the plots");
    Film *to = *copy;
    bool grew = !made && to->rewritten == film->rewritten;
    if (grew && to->serial == film->serial) return STATUS_OK;
    for (int k = 0; k < FILM_LEVELS; k++) {
        long known = grew ? to->end[k] : 0;
        for (long i = known > film->begin[k] ? known : film->begin[k]; i < film->end[k]; i++)
            memcpy(column(to, k, i), column(film, k, i), column_doubles(film) * sizeof(double));
    }
    *to = *film; // without the block
    return STATUS_OK;
}

// ---- for readers

int film_count(const Film *film, int level)
{
    return (int)(film->end[level] - film->begin[level]);
}

double film_time(const Film *film, int level, int i)
{
    return *column(film, level, film->begin[level] + i);
}

const float *film_velocity(const Film *film, int level, int i, int row)
{
    return (const float *)(column(film, level, film->begin[level] + i) + 1) + 3 * row;
}

const float *film_position(const Film *film, int level, int i, int row)
{
    return film->small ? film_velocity(film, level, i, film->rows + row) : NULL;
}

int film_level(const Film *film, double time)
{
    int best = 0;
    double reach = INFINITY;
    for (int k = 0; k < FILM_LEVELS && reach > time; k++) {
        if (film_count(film, k) == 0) continue;
        double from = film_time(film, k, 0);
        if (from < reach) {
            reach = from;
            best = k;
        }
    }
    return best;
}

int film_find(const Film *film, int level, double time)
{
    int low = -1, high = film_count(film, level);
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (film_time(film, level, middle) <= time)
            low = middle;
        else
            high = middle;
    }
    return low;
}
