// What the contact of a cloth with itself costs.
#ifndef BENCH_SELF_CONTACT_BENCH_H
#define BENCH_SELF_CONTACT_BENCH_H

#include "base/status.h"

typedef struct SelfContactBench {
    double times; // a step with it in terms of a step without it, at the worst of the moments
    double ns;    // of that step, per particle
    double time;  // s, that moment
    double last;  // as `times`, at the last moment
} SelfContactBench;

// A cloth of side x side particles: a curtain, which hardly touches itself, and a heap on the floor
// at some moments, evenly spread up to `seconds` after it was let go.
Status bench_curtain_contact(int side, SelfContactBench *out, Error *error);
Status bench_heap_contact(int side, double seconds, int moments, SelfContactBench *out,
                          Error *error);

#endif
