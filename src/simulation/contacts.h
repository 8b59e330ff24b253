// Private to simulation/. The contacts that an implicit method solves for with its step.
#ifndef SIMULATION_CONTACTS_H
#define SIMULATION_CONTACTS_H

#include "simulation/simulation_state.h"

// Before a step of length h, with the bodies at its end: every particle that may meet a surface in
// it. Nothing for explicit methods, which meet surfaces after their step.
void contacts_gather(Simulation *simulation, double h);
// After it: free balls get their impulses.
void contacts_settle(Simulation *simulation);
// When surfaces have also moved out what is left inside, with an impulse that stops what arrives
// there: the work of the contacts on the particles in the step of length h, J. They are counted,
// and the next step starts from their impulses.
double contacts_book(Simulation *simulation, double h);

// For the lab: what touches now is held, whatever happens. Until contacts_release.
void contacts_hold(Simulation *simulation);
void contacts_release(Simulation *simulation);

#endif
