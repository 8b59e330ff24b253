// What the contact of a cloth with itself costs.
#ifndef BENCH_SELF_CONTACT_BENCH_H
#define BENCH_SELF_CONTACT_BENCH_H

#include "base/status.h"

#include <stdbool.h>

// A step with it in terms of a step without it, for a cloth of side x side particles: a curtain,
// which hardly touches itself, and a heap on the floor, which has been falling for `seconds`.
Status bench_curtain_contact(int side, double *times, Error *error);
Status bench_heap_contact(int side, double seconds, double *times, Error *error);

#endif
