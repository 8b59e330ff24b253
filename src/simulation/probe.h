// A simulation as the lab sees it: what the lab reads, and its steps as a map.
//
// The map is linearised about the present shape, at rest and in balance: v = 0, and a constant
// force keeps everything that touches nothing in place. Stability depends on the stiffness at
// the present shape. Linearised about its motion, J also contains the change of the stiffness
// within the step, and has eigenvalues above 1 (1.9 under backward Euler on a falling patch) that
// last for a step or two and lead nowhere.
//
// The simulation must be the caller's own (a copy, when another one is running): the probe steps it
// from many states. simulation_probe_end restores everything.
#ifndef SIMULATION_PROBE_H
#define SIMULATION_PROBE_H

#include "cloth/collide.h"
#include "simulation/state.h"
#include "stability/stiffness.h"

// What the lab reads from a simulation. Pointers are valid until the simulation changes.
typedef struct SimulationView {
    const System *system;
    const double *x;     // flat
    double time;         // s
    double step;         // s, the one in use now
    Scheme scheme;       // the method and where its filter acts
    Stiffness stiffness; // latest estimate; the limit follows from it
    StepLimit limit;
    VelocityFilter filter; // wherever the step uses it; apply is NULL without a filter
    const Params *params;
    double spacing; // m, of the mesh
    // flat, in coordinates scaled by M^1/2: the mode of stiffness.across, and the decisive mode
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
    State *saved;        // restored by simulation_probe_end
    const double *x;     // flat, the probed shape
    double *extra;       // flat, N, keeps the shape in balance: the caller's memory
    Surroundings around; // what the cloth touches
    double h;            // s
} SimulationProbe;

// Steps of size h from the present shape. The caller owns `saved` and `extra`, which holds a flat
// array. Fails when there is no memory for the state.
Status simulation_probe_begin(Simulation *simulation, double h, State *saved, double *extra,
                              SimulationProbe *probe, Error *error);
// Less accurate solves than the 1e-12 of the beginning, where the map need not be that exact.
void simulation_probe_set_tolerance(SimulationProbe *probe, double pcg, double newton);
// Another step size; the damping stays.
void simulation_probe_set_step(SimulationProbe *probe, double h);
// One step of the map: x and v, flat, hold the state before and after. False when it is not finite,
// or the flag of simulation_set_cancel is set.
bool simulation_probe_step(SimulationProbe *probe, double *x, double *v);
void simulation_probe_end(SimulationProbe *probe);

#endif
