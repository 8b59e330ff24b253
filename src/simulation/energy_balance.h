// Where the energy goes: works and losses since the last reset. With the numerical remainder they
// close the balance
//   energy now - energy at the start = hand + contact + wind + muscle - damping - filter
//                                      + remainder.
//
// Known at every step, at next to no cost:
//   hand     exact forces on the grabbed particle, which the method computes anyway, times its
//            displacement, by the trapezoidal rule;
//   contact  the impulses of floor and bodies and of the cloth on itself: what of an impulse stops
//            the velocity that came, times the mean of the velocities at both ends of the step, the
//            rest times the way over h (collide_work); of the cloth on itself after an explicit
//            step, all of it times the way over h. A free ball's surface has the mean of its
//            velocities at both ends. Moving a particle out of a body also changes its potential
//            energy. While it rests there, its step just before changed it by the opposite; what is
//            left is of first order, from landings, and in the remainder;
//   filter   of velocities: the kinetic energy that each application takes; of forces: as damping;
//   damping  the integral of the power P that the method's own evaluations of the forces give at
//            one end of each step. `leu` evaluates no force in most steps: its power is sampled;
//   wind     the work of the force that the wind would exert on the cloth if it stood still, with
//            its sign. What the motion of the cloth loses to the air, v.(D_w v), is damping.
//            Integrated as damping is;
//   muscle   the work of changing rest lengths, -k (l - L) dL: see cloth/muscle.h. Integrated so
//            too; under `leu` by the trapezoidal rule, from every step.
//
// A remainder of order h^4 needs an integral of a higher order than the method's own: integrated
// with the weights of Runge-Kutta, the power has an error as large as the remainder itself. With P0
// and P1 at the ends of an interval of length dt and P-1, P2 beside them it is
//   dt/24 (-P-1 + 13 P0 + 13 P1 - P2) = dt/2 (P0 + P1) - dt/24 (bend0 + bend1),
//   bend0 = dt^2 P'' = P1 - 2 P0 + P-1.
// Inside a run the bends cancel: the sum is the trapezoidal rule with corrections at its two ends.
// So power that jumps from step to step does not spoil it. bend1 counts as bend0 until it is known,
// and an interval that has not ended is extrapolated, or taken from the method's own integral.
// Velocities that a filter changes between the steps end the run of a method that has an own
// integral. The others take the power after the jump for that before it: an error of first order,
// as these methods have. So do all after a contact: the stages of a step include motion that the
// contact stops.
//
// EnergyBalance.error says how far to trust the digits. It adds up
//   - the difference of two rules: the one above, and the method's own integral, if it has one.
//   Else
//     what bend1 changed, which is the next order, and the swing: at the mean of two velocities the
//     power is less than the mean of their powers, so much less where a mode turns within a few
//     steps that one may argue what damping took. The swing is sampled;
//   - of sampled powers: SCATTER times the root of the sum of the squares of such changes;
//   - at the end: the last correction, and what an interval that has not ended is extrapolated by;
//   - of the hand: the second difference of its force;
//   - of rounding: an ulp of all that was added up, and the root of the number of steps.
#ifndef SIMULATION_ENERGY_BALANCE_H
#define SIMULATION_ENERGY_BALANCE_H

#include "simulation/cloth_system.h"
#include "simulation/snapshot.h"

typedef struct BalanceMeter {
    EnergyBalance sum;
    double taken; // J, of sum.contact: what the cloth lost to contact with itself, at most 0
    long steps;   // since the reset
    // for the hand: the last step, whose final force is known only in the next one
    Vec3 force, moved; // N on the particle, m
    Vec3 force_before; // N, a step earlier
    int forces_known;  // 0, 1: `force`, 2: `force_before` too
    // for the power: the last time when it was known
    Losses power;       // W
    Losses slope;       // W/s, from the time before
    Losses bend;        // W/s^2, P'' between the last three
    int powers_known;   // in a row, at most 4
    double time_before; // s, from the time before to the last
    double time;        // s, since the last
    bool own;           // the method has its own integral since then
    Losses pending;     // J, which it is
    // for the muscles under a method that does not know its power
    double muscle_power; // W, at the end of the last step
    bool muscle_known;
    // for the error
    int unsampled;    // steps since the last sample
    double deviation; // J, sum over the intervals
    double scatter2;  // J^2, the same of sampled powers, squares
    double swing;     // J
} BalanceMeter;

double balance_energy(const Cloth *cloth); // J: kinetic, elastic and gravity

void balance_reset(BalanceMeter *meter, const Cloth *cloth);
// A step of length h, and where it came from.
typedef struct BalanceStep {
    double h;                    // s
    const double *old_x, *old_v; // flat
    Air old_air;
} BalanceStep;
// Add up what a step took, and the works of the hand and the wind. The cloth has not met the floor,
// and cloth->air is that at the end of the step.
void balance_after_step(BalanceMeter *meter, const Cloth *cloth, const StepReport *report,
                        const BalanceStep *step, Arena *scratch);
// After a step that met something: the works of floor and bodies, and of the cloth on itself.
void balance_add_contact(BalanceMeter *meter, double work, double layers);
// The state changed without a step: by the hand (or a pin), or by new parameters, whose change of
// energy does not count as work.
void balance_jump_by_hand(BalanceMeter *meter, double gained);
void balance_jump_by_parameter(BalanceMeter *meter, double gained);

EnergyBalance balance_read(const BalanceMeter *meter, double energy);

#endif
