// The debt grows by speed * elapsed and shrinks by h with each step; a step is due while debt >= h.
// The remainder below one step is kept, so no time is lost to rounding.
#include "runtime/pacer.h"

#include <limits.h>
#include <math.h>

static const double LONGEST_DEBT = 0.1; // s, real
static const double LATE_DEBT = 0.03;   // s, real
static const double WINDOW = 0.5;       // s, real, over which the real-time factor is measured

// Simulated progress, including the part of the next step that is already due: at a hundredth of
// real time there is a step every few tenths of a second, and the factor must not flicker.
static double progress(const Pacer *pacer, double h)
{
    return pacer->done + fmin(pacer->debt, h);
}

static void add_sample(Pacer *pacer, double h)
{
    pacer->newest = (pacer->newest + 1) % PACER_SAMPLES;
    if (pacer->sample_count < PACER_SAMPLES) pacer->sample_count++;
    pacer->samples[pacer->newest].real = pacer->now;
    pacer->samples[pacer->newest].done = progress(pacer, h);
}

void pacer_start(Pacer *pacer, double now, double speed)
{
    *pacer = (Pacer){.speed = speed, .now = now};
    add_sample(pacer, 0.0);
}

void pacer_advance(Pacer *pacer, double now, double h)
{
    if (isfinite(pacer->speed)) {
        pacer->debt += pacer->speed * (now - pacer->now);
        pacer->debt = fmin(pacer->debt, pacer->speed * LONGEST_DEBT + h);
    } else {
        pacer->debt = 0.0; // nothing is due without a schedule
    }
    pacer->now = now;
}

int pacer_due(const Pacer *pacer, double h)
{
    if (!isfinite(pacer->speed)) return INT_MAX;
    return (int)fmin(pacer->debt / h, INT_MAX);
}

double pacer_next_due(const Pacer *pacer, double h)
{
    return pacer->now + fmax(0.0, h - pacer->debt) / pacer->speed;
}

bool pacer_is_late(const Pacer *pacer, double h)
{
    return isfinite(pacer->speed) && pacer->debt > h + pacer->speed * LATE_DEBT;
}

void pacer_stepped(Pacer *pacer, double h)
{
    pacer->done += h;
    pacer->debt = fmax(0.0, pacer->debt - h);
}

double pacer_real_time_factor(Pacer *pacer, double h)
{
    double sample_age = pacer->now - pacer->samples[pacer->newest].real;
    if (sample_age >= WINDOW / (PACER_SAMPLES - 1)) add_sample(pacer, h);
    // back to the first sample that is half a second old, or to the oldest
    int sample = pacer->newest;
    for (int i = 1; i < pacer->sample_count; i++) {
        if (pacer->now - pacer->samples[sample].real >= WINDOW) break;
        sample = (sample + PACER_SAMPLES - 1) % PACER_SAMPLES;
    }
    double elapsed = pacer->now - pacer->samples[sample].real;
    return elapsed > 0.0 ? (progress(pacer, h) - pacer->samples[sample].done) / elapsed : 0.0;
}
