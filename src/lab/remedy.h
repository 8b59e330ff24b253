// What would have helped after a divergence: changes of one parameter, each tried with real steps
// from the state that the run goes back to. A remedy that fails is never shown.
#ifndef LAB_REMEDY_H
#define LAB_REMEDY_H

#include "simulation/state.h"

enum { REMEDIES_MAX = 6 };

typedef struct Remedy {
    int param; // index into param_table
    double value;
    char label[64]; // for a button: "h = 0.512 ms"
    double tried;   // s, simulated without trouble
} Remedy;

typedef struct Remedies {
    unsigned autopsy; // serial of their autopsy; 0: none
    bool complete;    // no more will come
    int count;
    Remedy remedy[REMEDIES_MAX];
} Remedies;

typedef struct RemedyPlan {
    double seconds; // s, simulated, for each trial
    double budget;  // s of computing per trial, which may cut it short; 0: no limit
    bool (*is_over)(
        void *self); // asked now and then: true when the answer is no longer wanted; may be NULL
    void (*found)(void *self, const Remedies *remedies); // called for each; may be NULL
    void *self;
} RemedyPlan;
extern const RemedyPlan remedy_default; // 10 s each

// `simulation` is the caller's own and has just diverged. It is restored; `saved` is room for its
// state. False when it had not diverged, or when is_over returned true.
bool remedies_find(Simulation *simulation, State *saved, const RemedyPlan *plan, Remedies *out);

// The commands that apply a remedy and go on, as the window's button and the trial do: set the
// parameter, go back, run.
enum { REMEDY_COMMANDS = 2 };
void remedy_commands(const Remedy *remedy, const Autopsy *autopsy, Command out[REMEDY_COMMANDS]);

#endif
