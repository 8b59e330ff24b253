// Private to simulation/. Contact of the cloth with itself, as a part of a step. Off unless the
// parameter self_contact is on.
#ifndef SIMULATION_SELF_CONTACTS_H
#define SIMULATION_SELF_CONTACTS_H

#include "simulation/simulation_state.h"

// Memory for it, if the parameters want it and there is none yet.
Status self_contacts_prepare(Body *body, const Params *params, Error *error);

// Before a step of an implicit method, of length h, from good_x and good_v: pairs that may meet in
// it become part of the contacts that it solves for. Uses cloth->x.
void self_contacts_gather(Simulation *simulation, double h);

// After the method's step of length h, and after floor and bodies. Both return their work on
// the particles, J.
double self_contacts_push(Simulation *simulation, double h);
double self_contacts_hold(Simulation *simulation, double h);

#endif
