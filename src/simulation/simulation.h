// One cloth with its parameters, method and hand. Owns everything it needs; two can run side by
// side. Not thread-safe: one thread at a time. A step allocates nothing.
#ifndef SIMULATION_SIMULATION_H
#define SIMULATION_SIMULATION_H

#include "base/crew.h"
#include "simulation/command.h"
#include "simulation/snapshot.h"

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

typedef struct Simulation Simulation;

Status simulation_create(const Scene *scene, Simulation **out, Error *error);
void simulation_destroy(Simulation *simulation);
// From now on these threads help, or nobody if NULL. The results stay the same, to the bit.
void simulation_set_crew(Simulation *simulation, Crew *crew);

// Another thread may set this flag to end a step in the middle: see simulation_step. It is looked
// at before each step, and within those that can be long, which solve linear systems. It is never
// written here.
void simulation_set_cancel(Simulation *simulation, const atomic_bool *cancel);

// Advance by one step. When the monitor reports a divergence, params.on_divergence decides: keep
// the state before the step and return STATUS_DIVERGED with a message; or go back to an older state
// with a safer step; or go on while the numbers are finite. A step that was cancelled was not
// tried: everything is as before, to the bit, and the status is STATUS_INTERRUPTED.
Status simulation_step(Simulation *simulation, Error *error);

// The step that simulation_step would take now, s.
double simulation_next_step(const Simulation *simulation);
double simulation_time(const Simulation *simulation); // s, simulated
// Length of the step that led here, s; 0 when none did: a start, a state restored or gone back to.
double simulation_last_step(const Simulation *simulation);
int simulation_particle_count(const Simulation *simulation);
// Particles from top to bottom and from left to right; 0 and 0 if the mesh is not a grid.
void simulation_grid(const Simulation *simulation, int *rows, int *columns);
// Velocity of a particle, m/s, and its position, m; x may be NULL.
void simulation_motion(const Simulation *simulation, int particle, float v[3], float x[3]);
// Positions at a time within the last step, m, 3 per particle: the cubic through both ends of the
// step with their velocities, whose error is of the fourth power of the step. Outside of it, or
// when there was none (a start, a state restored or gone back to), the present positions.
void simulation_positions_at(const Simulation *simulation, double time, double *positions);

// Apply one command. A refused command changes nothing. Scene, commands and the steps between them
// decide every bit of what follows: reading never changes a simulation, and it uses no clock.
Status simulation_apply(Simulation *simulation, const Command *command, Error *error);
// Would it refuse a command that another simulation of the scene, in another lane, may accept,
// because of its own past or its own parameters?
Status simulation_check_own(const Simulation *simulation, const Command *command, Error *error);

const Params *simulation_params(const Simulation *simulation);
PinToggles simulation_toggled_pins(const Simulation *simulation); // clicked since the start
// The snapshots' topology_version. A simulation that replaces another one takes the next number.
unsigned simulation_topology(const Simulation *simulation);
void simulation_set_topology(Simulation *simulation, unsigned version);
const StepReport *simulation_last_report(const Simulation *simulation); // of the last step
double simulation_step_cost(const Simulation *simulation);              // s of computing, smoothed
// Estimate the stiffness at the present shape until it is exact. Afterwards the automatic steps
// differ slightly from those of a run without this call.
void simulation_refine_stiffness(Simulation *simulation);
// Of the present divergence; NULL when there is none.
const Autopsy *simulation_autopsy(const Simulation *simulation);
unsigned simulation_divergences(const Simulation *simulation); // so far: the last one's serial
const Monitor *simulation_monitor(const Simulation *simulation);
Readings simulation_readings(const Simulation *simulation); // measures energy, speed, strain now
Energy simulation_energy(const Simulation *simulation);     // the energy only
// J, measured now: kinetic energy in v - F v, F the mean over neighbours. It is what a stiff mode
// that grows adds to, and of a smooth motion it holds little.
double simulation_ripple(const Simulation *simulation);

// Copy everything that may be shown into `snapshot`, growing its arrays where needed.
Status simulation_fill_snapshot(const Simulation *simulation, Snapshot *snapshot, Error *error);

// Particles as CSV, columns p,mass,pinned,x,y,z,vx,vy,vz; columns s1, s2, ... hold the rest of the
// state. With the same scene and parameters a run continues to the last bit as if it had not
// stopped. With others, or without the s columns, it starts from these particles at time 0. Reading
// demands one row per particle, in order, finite, mass > 0; otherwise nothing changes.
Status simulation_read_state(Simulation *simulation, const char *path, Error *error);
// The same inside another file: `path` and `lines_before` are for error messages. The caller checks
// the file for write errors.
Status simulation_read_state_text(Simulation *simulation, const char *path, int lines_before,
                                  const char *text, size_t size, Error *error);
Status simulation_print_state(const Simulation *simulation, FILE *file, Error *error);

// What was left out of the mesh's file, one sentence for the user; "" if nothing was.
const char *simulation_mesh_notice(const Simulation *simulation);
// Of the mesh it was built with: equal fingerprints mean equal meshes.
uint64_t simulation_mesh_fingerprint(const Simulation *simulation);

#endif
