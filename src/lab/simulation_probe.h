// The steps of a simulation as a map, for step_map: the lab's view of what runs.
//
// The simulation must be the caller's own (a copy, when another one is running): while probed it is
// stepped from many states. simulation_probe_end puts everything back.
#ifndef LAB_SIMULATION_PROBE_H
#define LAB_SIMULATION_PROBE_H

#include "lab/step_map.h"
#include "simulation/simulation.h"

typedef struct SimulationProbe {
    Simulation *simulation;
    Params params; // as they were
    double time;
    long step_count;
    double k0_time;
    bool diverged;
    double *x, *v; // flat, the state: the caller's memory, copied from the simulation
} SimulationProbe;

// Steps of size h from the present state. `x` and `v` have room for a flat array each.
SimulationProbe simulation_probe_begin(Simulation *simulation, double h, double *x, double *v);
void simulation_probe_set_step(SimulationProbe *probe, double h);
void simulation_probe_end(SimulationProbe *probe);

// For step_map_measure; `shift` and what the simulation does not know is the caller's.
StepMapProblem simulation_probe_problem(SimulationProbe *probe);

// What the lab reads of a simulation.
const System *simulation_probe_system(const Simulation *simulation);
const double *simulation_probe_positions(const Simulation *simulation);

#endif
