// Decides after which steps of a run its energies are measured for the plots, and keeps them.
//
// Measuring costs about as much as a step, so it is done every so many steps: as often as makes it
// SAMPLER_SHARE of the computing, but after every step if the cloth is so small that it takes
// almost no time, and at least SAMPLER_RATE times per simulated second. When the monitor sees
// growth, every step is measured for a while, so that even a divergence within 20 steps has its
// curve. Reading never changes a simulation: its bits do not depend on this.
#ifndef STAGE_SAMPLER_H
#define STAGE_SAMPLER_H

#include "stage/film.h"
#include "stage/series.h"

#define SAMPLER_SHARE 0.02
#define SAMPLER_RATE 40.0 // 1/s

typedef struct Sampler {
    Series series;
    Series forgotten;              // as it was at the last sampler_forget
    Film *film, *forgotten_film;   // the same for the motion of particles; NULL without memory
    int waited;                    // steps since the last sample
    double credit;                 // samples that may be taken beyond the share
    double step_cost, sample_cost; // s, smoothed; 0: not known yet
} Sampler;

Status sampler_create(Sampler **out, Error *error);
void sampler_destroy(Sampler *sampler); // accepts NULL

// A step was tried, which took so many seconds of computing.
void sampler_step(Sampler *sampler, const Simulation *simulation, double seconds);
// The state changed without a step, perhaps to an earlier time: a start, or a command. Allocates if
// the cloth has another size than before.
void sampler_jump(Sampler *sampler, const Simulation *simulation);
// m, of the present particles to the lane that it is compared with.
void sampler_distance(Sampler *sampler, double rms);
void sampler_forget_distance(Sampler *sampler); // it is compared with another from now on

// The future is about to be forgotten (timeline_resume) or was brought back (timeline_recall); each
// is followed by sampler_jump.
void sampler_forget(Sampler *sampler);
void sampler_recall(Sampler *sampler);

#endif
