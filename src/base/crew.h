// Threads that somebody lends. The solver has none of its own: it cuts a loop into parts that do
// not depend on each other, and whoever runs it may do several at a time. Results never depend on
// how many there are.
#ifndef BASE_CREW_H
#define BASE_CREW_H

enum { CREW_MAX = 16, CREW_PARTS = 32 };

typedef void CrewWork(void *job, int part);

typedef struct Crew Crew;
struct Crew {
    int size; // 1 .. CREW_MAX, with the caller
    // Call work(job, part) for part = 0 .. parts - 1, and return when all are done. At most
    // CREW_PARTS.
    void (*run)(Crew *crew, int parts, CrewWork *work, void *job);
};

// How many of them a loop of `count` is worth, with at least `least` for each. NULL: nobody.
static inline int crew_parts(const Crew *crew, int count, int least)
{
    int size = crew ? crew->size : 1, most = count / least;
    if (size > most) size = most;
    return size < 1 ? 1 : size;
}

static inline void crew_run(Crew *crew, int parts, CrewWork *work, void *job)
{
    if (parts > 1 && crew) {
        crew->run(crew, parts, work, job);
        return;
    }
    for (int part = 0; part < parts; part++) work(job, part);
}

// Part `part` of `parts` starts here; it ends where the next one starts.
static inline int crew_start(int count, int parts, int part)
{
    return (int)((long)count * part / parts);
}

// The same of rows where every part but the first also does some work for the rows above it, worth
// `more` rows. The first begins at once and others a little later, so it is the longer one.
static inline int crew_start_below(int count, int parts, int part, double more)
{
    if (part == 0 || part == parts) return part == 0 ? 0 : count;
    double share = (count + more * (parts - 1)) / parts;
    return (int)(share + (part - 1) * (share - more) + 0.5);
}

#endif
