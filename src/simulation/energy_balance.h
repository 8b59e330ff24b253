// Where the energy goes: works and losses since the last reset. With the numerical remainder they
// close the balance
//   energy now - energy at the start = hand + contact - damping - filter + remainder.
//
// Cheap enough for every step:
//   hand     exact forces on the grabbed particle, which the method computes anyway, times its
//            displacement, by the trapezoidal rule;
//   contact  kinetic and gravity energy that colliders give to the particles they touch; their
//            effect on the springs' energy is in the remainder;
//   damping, filter   sampled about once per SAMPLE_WORK units of work (force evaluations and PCG
//            iterations), trapezoidal in between: right to a few per cent for motion that lasts
//            longer than that. The loss of a stiff mode that dies within a few steps is missed
//            and appears in the remainder, like the effect of a force filter.
#ifndef SIMULATION_ENERGY_BALANCE_H
#define SIMULATION_ENERGY_BALANCE_H

#include "simulation/cloth_system.h"
#include "simulation/snapshot.h"

typedef struct BalanceMeter {
    EnergyBalance sum;
    // for the hand: the last step, whose final force is known only in the next one
    Vec3 force, moved; // N on the particle, m
    // for the samples
    bool due;             // sample before the next step
    double time;          // s, since the last sample
    int steps, work;      // since then
    double damping_power; // W, at the last sample
    double filter_loss;   // J per step, at the last sample
} BalanceMeter;

double balance_energy(const Cloth *cloth); // J: kinetic, elastic and gravity

void balance_reset(BalanceMeter *meter, const Cloth *cloth);
// Before a step: sample if due. After it: add the work of the hand.
void balance_before_step(BalanceMeter *meter, ClothSystem *hooks, Arena *scratch);
void balance_after_step(BalanceMeter *meter, ClothSystem *hooks, const StepReport *report, double h,
                        const double *old_x, const double *old_v, Arena *scratch);
void balance_add_contact(BalanceMeter *meter, double work);
// The state changed without a step: by the hand (or a pin), or by new parameters, whose change of
// energy does not count as work.
void balance_jump_by_hand(BalanceMeter *meter, double gained);
void balance_jump_by_parameter(BalanceMeter *meter, double gained);

EnergyBalance balance_read(const BalanceMeter *meter, double energy);

#endif
