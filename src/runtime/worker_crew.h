// A crew of threads for the solver: see base/crew.h.
//
// Its threads wait for work by looking for a short while, then sleep: a step is so short that
// waking a sleeping thread would take longer, and an idle program uses no processor.
#ifndef RUNTIME_WORKER_CREW_H
#define RUNTIME_WORKER_CREW_H

#include "base/crew.h"
#include "base/status.h"

typedef struct WorkerCrew WorkerCrew;

// `size` counts the caller of crew_run, so there are size - 1 threads. Work may be handed out by
// one thread at a time.
Status worker_crew_start(int size, WorkerCrew **out, Error *error);
void worker_crew_stop(WorkerCrew *workers); // accepts NULL
Crew *worker_crew(WorkerCrew *workers);     // NULL: nobody

#endif
