// A simulation as the lab sees it: what it reads, and its steps as a map.
//
// The map is linearised about the present shape, at rest and in balance: v = 0, and a constant
// force on everything that is not on the floor keeps it there. Stability is a matter of the
// stiffness where the cloth is. Linearised about its motion, J also holds how the stiffness changes
// within the step, and has eigenvalues above 1 (1.9 under backward Euler on a falling patch) that
// last for a step or two and lead nowhere.
//
// The simulation must be the caller's own (a copy, when another one is running): while probed it is
// stepped from many states. simulation_probe_end puts everything back.
#ifndef SIMULATION_PROBE_H
#define SIMULATION_PROBE_H

#include "simulation/state.h"
#include "stability/stiffness.h"

// What the lab reads of a simulation. Pointers are valid until the simulation changes.
typedef struct SimulationView {
    const System *system;
    const double *x;     // flat
    double time;         // s
    double step;         // s, the one in use now
    Scheme scheme;       // the method and where its filter acts
    Stiffness stiffness; // as last estimated; the limit follows from it
    StepLimit limit;
    VelocityFilter filter; // wherever in the step it is used; NULL apply without one
    const Params *params;
    double spacing; // m, of the mesh
    // flat, in coordinates scaled by M^1/2: the mode of stiffness.across, and the one that decides
    const double *across, *decisive;
    double stiffest_spring; // 1/s^2, k (1/m_i + 1/m_j); 0 when the model has no springs
} SimulationView;
SimulationView simulation_view(Simulation *simulation);

// p'K p at the present shape, with the stiffness of other parameters; `work` is flat too.
double simulation_stiffness_quotient(Simulation *simulation, const Params *params, const double *p,
                                     double *work);

// A flat array as 3 numbers per particle.
void simulation_particles(const Simulation *simulation, const double *flat, float *out);

typedef struct SimulationProbe {
    Simulation *simulation;
    State *saved;    // what simulation_probe_end puts back
    const double *x; // flat, the shape that is probed
    double *extra;   // flat, N, what keeps it in balance: the caller's memory
    double ground;   // m
    double h;        // s
} SimulationProbe;

// Steps of size h from the present shape. `saved` and `extra`, which has room for a flat array, are
// the caller's. Fails when there is no memory for the state.
Status simulation_probe_begin(Simulation *simulation, double h, State *saved, double *extra,
                              SimulationProbe *probe, Error *error);
// Another step, with the damping as it is.
void simulation_probe_set_step(SimulationProbe *probe, double h);
// One step of the map: x and v, flat, are the state before and after. False when it is not finite.
bool simulation_probe_step(SimulationProbe *probe, double *x, double *v);
void simulation_probe_end(SimulationProbe *probe);

#endif
