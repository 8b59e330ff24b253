// What the contact of a cloth with itself costs.
#ifndef BENCH_SELF_CONTACT_BENCH_H
#define BENCH_SELF_CONTACT_BENCH_H

#include "base/status.h"

// Steps with contact in terms of steps without it, both from the same moments.
typedef struct SelfContactBench {
    double worst;    // of these moments
    double worst_ns; // of that step, per particle
    double worst_at; // s, that moment
    double mean;     // all steps with it by all steps without it
    double rest;     // at the end
} SelfContactBench;

// A cloth of side x side particles: a curtain, which hardly touches itself, and a heap on the floor
// at some moments, evenly spread up to `seconds` after it was let go, and when it lies, after
// `rest` seconds.
Status bench_curtain_contact(int side, SelfContactBench *out, Error *error);
typedef struct HeapMoments {
    int count;
    double seconds, rest;
} HeapMoments;
Status bench_heap_contact(int side, HeapMoments moments, SelfContactBench *out, Error *error);

#endif
