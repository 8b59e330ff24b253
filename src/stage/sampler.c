#include "stage/sampler.h"

#include "base/clock.h"

#include <math.h>
#include <stdlib.h>

// A sample that takes no longer than this share of the step's simulated time is taken after every
// step: at the pace of real time that is nothing.
#define SMALL_SHARE 0.002
// Share of the newest measurement in the smoothed costs.
#define NEWNESS 0.05
// Steps in a row that are sampled during growth, and calm steps that earn one of them.
#define BURST 256.0
#define EARNING 64.0

Status sampler_create(Sampler **out, Error *error)
{
    *out = calloc(1, sizeof **out);
    if (!*out) return error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory for the plots");
    (*out)->credit = BURST;
    (*out)->series.every = 1;
    series_clear(&(*out)->series);
    return STATUS_OK;
}

void sampler_destroy(Sampler *sampler)
{
    if (!sampler) return;
    free(sampler->film);
    free(sampler->forgotten_film);
    free(sampler);
}

// A machine that was busy elsewhere for a moment must not count for long.
static void smooth(double *cost, double newest)
{
    *cost += *cost > 0.0 ? NEWNESS * (fmin(newest, 4.0 * *cost) - *cost) : newest;
}

static void take_sample(Sampler *sampler, const Simulation *simulation)
{
    double start = clock_seconds();
    Energy energy = simulation_energy(simulation);
    const double values[SERIES_QUANTITIES] = {
        [SERIES_KINETIC] = energy.kinetic,
        [SERIES_ELASTIC] = energy.elastic,
        [SERIES_GRAVITY] = energy.gravity,
        [SERIES_TOTAL] = energy_total(energy),
        [SERIES_RIPPLE] = simulation_ripple(simulation),
        [SERIES_DISTANCE] = NAN,
    };
    series_add(&sampler->series, simulation_time(simulation), values);
    sampler->waited = 0;
    smooth(&sampler->sample_cost, clock_seconds() - start);
}

// Steps from one sample to the next.
static int wanted_interval(const Sampler *sampler, double h)
{
    double least = ceil(sampler->sample_cost / (SAMPLER_SHARE * sampler->step_cost));
    double most = fmax(floor(1.0 / (SAMPLER_RATE * h)), 1.0);
    if (sampler->sample_cost <= SMALL_SHARE * h) least = 1.0;
    // costs waver: the number shown should not
    int every = sampler->series.every;
    if (least <= every && least > 0.7 * every) least = every;
    return (int)fmax(fmin(least, most), 1.0);
}

// Whether growth is worth a sample out of turn.
static bool spends_credit(Sampler *sampler, const Simulation *simulation)
{
    if (simulation_monitor(simulation)->state == MONITOR_STABLE) {
        sampler->credit = fmin(sampler->credit + 1.0 / EARNING, BURST);
        return false;
    }
    if (sampler->credit < 1.0) return false;
    sampler->credit -= 1.0;
    return true;
}

void sampler_step(Sampler *sampler, const Simulation *simulation, double seconds)
{
    Series *series = &sampler->series;
    double time = simulation_time(simulation), last = series->last;
    smooth(&sampler->step_cost, seconds);
    sampler->waited++;
    if (time < last) { // it went back after a divergence
        sampler_jump(sampler, simulation);
        return;
    }
    if (time == last) return; // refused
    if (sampler->film) film_step(sampler->film, simulation);
    bool grows = spends_credit(sampler, simulation);
    if (!grows && sampler->waited < series->every) return;
    take_sample(sampler, simulation);
    series->every = wanted_interval(sampler, simulation_next_step(simulation));
}

// A film for a cloth of this size.
static void load_film(Sampler *sampler, const Simulation *simulation)
{
    if (sampler->film && film_fits(sampler->film, simulation)) return;
    free(sampler->film);
    free(sampler->forgotten_film);
    sampler->film = film_create(simulation);
    sampler->forgotten_film = film_create(simulation);
}

void sampler_jump(Sampler *sampler, const Simulation *simulation)
{
    load_film(sampler, simulation);
    if (sampler->film) film_jump(sampler->film, simulation);
    double time = simulation_time(simulation);
    if (time == 0.0)
        series_clear(&sampler->series);
    else if (time < sampler->series.last)
        series_cut(&sampler->series, time);
    take_sample(sampler, simulation);
}

void sampler_distance(Sampler *sampler, double rms)
{
    series_note(&sampler->series, SERIES_DISTANCE, rms);
}

void sampler_forget_distance(Sampler *sampler)
{
    series_forget(&sampler->series, SERIES_DISTANCE);
    series_forget(&sampler->forgotten, SERIES_DISTANCE);
}

void sampler_forget(Sampler *sampler)
{
    sampler->forgotten = sampler->series;
    if (sampler->film && sampler->forgotten_film)
        film_restore(sampler->forgotten_film, sampler->film);
}

void sampler_recall(Sampler *sampler)
{
    series_restore(&sampler->series, &sampler->forgotten);
    if (sampler->film && sampler->forgotten_film)
        film_restore(sampler->film, sampler->forgotten_film);
}
