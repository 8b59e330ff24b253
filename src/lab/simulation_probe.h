// The steps of a simulation as a map, for step_map: the lab's view of what runs.
//
// The map is linearised about the present shape, at rest and in balance: v = 0, and a constant
// force on everything that is not on the floor keeps it there. Stability is a matter of the
// stiffness where the cloth is. Linearised about its motion, J also holds how the stiffness changes
// within the step, and has eigenvalues above 1 (1.9 under backward Euler on a falling patch) that
// last for a step or two and lead nowhere.
//
// The simulation must be the caller's own (a copy, when another one is running): while probed it is
// stepped from many states. simulation_probe_end puts everything back.
#ifndef LAB_SIMULATION_PROBE_H
#define LAB_SIMULATION_PROBE_H

#include "analysis/stable_step.h"
#include "lab/region.h"
#include "lab/step_map.h"
#include "simulation/simulation_state.h"

typedef struct SimulationProbe {
    Simulation *simulation;
    Params params; // these as they were
    BalanceMeter balance;
    StepReport last;
    Vec3 hand;
    double *x, *v; // flat, the state: the caller's memory, copied from the simulation
    double *extra; // flat, N, what keeps x in balance: likewise
} SimulationProbe;

// Steps of size h from the present shape. `x`, `v` and `extra` have room for a flat array each.
SimulationProbe simulation_probe_begin(Simulation *simulation, double h, double *x, double *v,
                                       double *extra);
void simulation_probe_set_step(SimulationProbe *probe, double h);
void simulation_probe_end(SimulationProbe *probe);

// For step_map_measure, about probe->x; `shift` and what the simulation does not know is the
// caller's.
StepMapProblem simulation_probe_problem(SimulationProbe *probe);

// What the lab reads of a simulation.
typedef struct SimulationView {
    const System *system;
    const double *x;      // flat
    double time;          // s
    double step;          // s, the one in use now
    Scheme scheme;        // the method and where its filter acts
    double lowest_symbol; // that a filter after the step may have; 1 without one
    const Params *params;
    double stiffest_spring; // 1/s^2, k (1/m_i + 1/m_j); 0 when the model has no springs
} SimulationView;
SimulationView simulation_view(Simulation *simulation);

// What tension across springs says of a method that is explicit there; see stable_step_across.
// `mode` is flat, a start on entry.
AcrossMode simulation_across(Simulation *simulation, double share, double *mode);

// A flat array as 3 numbers per particle.
void simulation_particles(const Simulation *simulation, const double *flat, float *out);

// v = what the simulation's velocity filter makes of v at x, wherever in the step it is used;
// `self` is the Simulation. Leaves v as it is without a filter. For free_dofs_filter.
void simulation_filter(void *self, const double *x, double *v);

#endif
