#include "simulation/energy_balance.h"

#include "cloth/forces.h"

#include <float.h>
#include <math.h>

// Steps between two samples, each an evaluation of the forces: 1 to 4 % of the steps in between.
enum { SAMPLE_STEPS = 32, SWING_STEPS = 128 };
// The change of bend of independent samples of deviation s is sqrt(20) s: over 24, a fifth of the
// error that such samples make.
#define SCATTER 5.0

double balance_energy(const Cloth *cloth)
{
    return cloth_kinetic_energy(cloth, cloth->v) + cloth_elastic_energy(cloth, cloth->x) +
           cloth_gravity_energy(cloth, cloth->x);
}

void balance_reset(BalanceMeter *meter, const Cloth *cloth)
{
    *meter = (BalanceMeter){.sum.start = balance_energy(cloth)};
}

static Losses scaled(double s, Losses a)
{
    return (Losses){s * a.damping, s * a.filter, s * a.wind, s * a.muscle};
}

// a + s b
static Losses add_scaled(Losses a, double s, Losses b)
{
    return (Losses){a.damping + s * b.damping, a.filter + s * b.filter, a.wind + s * b.wind,
                    a.muscle + s * b.muscle};
}

static double all(Losses losses)
{
    return losses.damping + losses.filter + losses.wind + losses.muscle;
}

static void book(BalanceMeter *meter, Losses taken)
{
    meter->sum.damping += taken.damping;
    meter->sum.filter += taken.filter;
    meter->sum.wind -= taken.wind;
    meter->sum.muscle -= taken.muscle;
}

// Work of the hand during the last step, if its force stayed as it was at the start.
static double hand_pending(const BalanceMeter *meter)
{
    return -vec3_dot(meter->force, meter->moved);
}

// J, since the power was last known: the method's own integral, or a straight line.
static Losses power_pending(const BalanceMeter *meter)
{
    if (meter->own) return meter->pending;
    double dt = meter->time;
    return scaled(dt, add_scaled(meter->power, 0.5 * dt, meter->slope));
}

// End the interval here. The power jumps, so that what comes starts anew.
static void settle_power(BalanceMeter *meter)
{
    book(meter, power_pending(meter));
    meter->power = meter->slope = meter->bend = meter->pending = (Losses){0};
    meter->powers_known = meter->unsampled = 0;
    meter->muscle_known = false;
    meter->time = meter->time_before = 0.0;
    meter->own = false;
}

static void settle(BalanceMeter *meter)
{
    settle_power(meter);
    meter->sum.hand += hand_pending(meter);
    meter->force = meter->force_before = meter->moved = (Vec3){0};
    meter->forces_known = 0;
}

void balance_jump_by_hand(BalanceMeter *meter, double gained)
{
    settle(meter);
    meter->sum.hand += gained;
}

void balance_jump_by_parameter(BalanceMeter *meter, double gained)
{
    settle(meter);
    meter->sum.start += gained;
}

void balance_add_contact(BalanceMeter *meter, double work, double layers)
{
    meter->sum.contact += work + layers;
    meter->taken += fmin(layers, 0.0);
    meter->own = false;
}

// The power is known again, at the end of an interval of length dt. With so many known in a row
// before, that adds to the integral
//   1   dt/2 (P0 + P1)
//   2   the same less dt^3/12 bend, and less as much for the interval before
//   3   the same less dt^3/12 bend: the two intervals before would change by opposite amounts
//   4   the same less dt^3/12 bend, and less dt^3/24 (bend - bend before) for the interval before.
// Motion that starts from rest has P(-t) = P(t), so that its first bend is known at once. Not so
// where wind or muscles set it in motion: their power grows otherwise.
static void add_power(BalanceMeter *meter, Losses power, bool sampled)
{
    double dt = meter->time, dt3 = dt * dt * dt;
    int known = meter->powers_known;
    bool from_rest =
        known == 1 && all(meter->power) == 0.0 && power.wind == 0.0 && power.muscle == 0.0;
    Losses slope = {0}, bend = {0}, change = {0}, taken;
    taken = scaled(0.5 * dt, add_scaled(power, 1.0, known > 0 ? meter->power : power));
    if (known > 0 && dt > 0.0) slope = scaled(1.0 / dt, add_scaled(power, -1.0, meter->power));
    if (from_rest) {
        if (dt > 0.0) bend = scaled(2.0 / dt, slope);
        taken = add_scaled(taken, -dt3 / 12.0, bend);
    } else if (known > 1) {
        double mean = 0.5 * (dt + meter->time_before);
        bend = scaled(1.0 / mean, add_scaled(slope, -1.0, meter->slope));
        taken = add_scaled(taken, (known == 2 ? -2.0 : -1.0) * dt3 / 12.0, bend);
    }
    if (known > 2) change = scaled(dt3 / 24.0, add_scaled(bend, -1.0, meter->bend));
    if (known > 3) taken = add_scaled(taken, -1.0, change);
    book(meter, taken);
    if (meter->own) {
        meter->deviation += all(meter->pending) - all(taken);
    } else if (sampled) {
        meter->scatter2 += all(change) * all(change);
    } else {
        meter->deviation += all(change);
    }
    meter->slope = slope;
    meter->bend = bend;
    meter->power = power;
    meter->powers_known = from_rest || known > 2 ? 4 : known + 1;
    meter->time_before = dt;
    meter->time = 0.0;
    meter->own = false;
}

// Of a method that does not know its power: that at the end of the step.
static void sample_power(BalanceMeter *meter, const Cloth *cloth, double *f)
{
    if (meter->unsampled < SAMPLE_STEPS && meter->powers_known > 0) return;
    Losses power = {.damping = cloth_forces(cloth, cloth->x, cloth->v, f)};
    WindPower wind = wind_add_forces(cloth, cloth->air, cloth->x, cloth->v, f);
    power.damping += wind.drag;
    power.wind = -wind.work;
    add_power(meter, power, true);
    meter->unsampled = 0;
}

// The power at the mean of two velocities is less than the mean of their powers, by a quarter of
// the power at their difference. Which of the two the damping took in the step is a matter of
// definition. The exact motion from the start of the step differs by up to 1.4 times that quarter
// (symplectic Euler near its limit), so half is on the safe side.
static void sample_swing(BalanceMeter *meter, const Cloth *cloth, const BalanceStep *step,
                         double *dv, double *f)
{
    long wait = 1 + meter->steps / 4; // a start shakes the stiffest modes, which soon rest
    if (meter->unsampled < (wait < SWING_STEPS ? wait : SWING_STEPS)) return;
    for (int i = 0; i < cloth->mesh.dofs; i++) dv[i] = cloth->v[i] - step->old_v[i];
    double power = cloth_forces(cloth, step->old_x, dv, f);
    Air still = {.normal = step->old_air.normal, .tangent = step->old_air.tangent};
    power += wind_add_forces(cloth, still, step->old_x, dv, f).drag;
    meter->swing += 0.5 * meter->unsampled * step->h * power;
    meter->unsampled = 0;
}

// Of such a method, the work of the muscles: their power at the end of each step costs little.
static void add_muscles(BalanceMeter *meter, const Cloth *cloth, double h)
{
    if (cloth->muscle_count == 0) return;
    double power = muscles_power(cloth, cloth->x);
    double before = meter->muscle_known ? meter->muscle_power : power;
    meter->sum.muscle += 0.5 * h * (before + power);
    meter->muscle_power = power;
    meter->muscle_known = true;
}

static void add_losses(BalanceMeter *meter, const Cloth *cloth, const StepLosses *losses,
                       const BalanceStep *step, Arena *scratch)
{
    bool damped =
        cloth->material.alpha > 0.0 || cloth->material.air > 0.0 || wind_is_felt(step->old_air);
    if (losses->at == POWER_AT_START) add_power(meter, losses->power, false);
    meter->time += step->h;
    meter->unsampled++;
    meter->own = losses->has_whole;
    meter->pending = losses->whole;
    if (losses->at == POWER_AT_END) add_power(meter, losses->power, false);
    if (losses->at == POWER_UNKNOWN) add_muscles(meter, cloth, step->h);
    if (damped && !meter->own) {
        double *f = ARENA_ALLOC(scratch, cloth->mesh.dofs, double);
        double *dv = ARENA_ALLOC(scratch, cloth->mesh.dofs, double);
        if (losses->at == POWER_UNKNOWN) {
            sample_power(meter, cloth, f);
        } else {
            sample_swing(meter, cloth, step, dv, f);
        }
    }
    meter->sum.filter += losses->filtered;
    if (losses->filtered != 0.0 && meter->own) settle_power(meter);
}

static Vec3 force_on_grabbed(const Cloth *cloth, const StepReport *report, const BalanceStep *step,
                             Arena *scratch)
{
    if (report->force) return mesh_vector(&cloth->mesh, report->force, cloth->grabbed);
    double *f = ARENA_ALLOC(scratch, cloth->mesh.dofs, double);
    cloth_forces(cloth, step->old_x, step->old_v, f);
    wind_add_forces(cloth, step->old_air, step->old_x, step->old_v, f);
    return mesh_vector(&cloth->mesh, f, cloth->grabbed);
}

static void add_hand(BalanceMeter *meter, Vec3 force, Vec3 moved)
{
    meter->sum.hand -= 0.5 * vec3_dot(vec3_add(meter->force, force), meter->moved);
    if (meter->forces_known == 2) {
        Vec3 bend = vec3_add(vec3_add_scaled(force, -2.0, meter->force), meter->force_before);
        meter->deviation += vec3_dot(bend, meter->moved) / 12.0;
    }
    meter->force_before = meter->force;
    meter->force = force;
    meter->forces_known = meter->forces_known > 0 ? 2 : 1;
    meter->moved = moved;
}

void balance_after_step(BalanceMeter *meter, const Cloth *cloth, const StepReport *report,
                        const BalanceStep *step, Arena *scratch)
{
    meter->steps++;
    add_losses(meter, cloth, &report->losses, step, scratch);
    if (cloth->grabbed < 0) return;
    add_hand(meter, force_on_grabbed(cloth, report, step, scratch),
             vec3_sub(mesh_vector(&cloth->mesh, cloth->x, cloth->grabbed),
                      mesh_vector(&cloth->mesh, step->old_x, cloth->grabbed)));
}

static double error_of(const BalanceMeter *meter, double energy)
{
    const EnergyBalance *sum = &meter->sum;
    double pending = 0.0;
    if (!meter->own) pending += 0.5 * meter->time * meter->time * fabs(all(meter->slope));
    if (meter->forces_known == 2) {
        pending += 0.5 * fabs(vec3_dot(vec3_sub(meter->force, meter->force_before), meter->moved));
    }
    double added = fabs(energy) + fabs(sum->start) + fabs(sum->hand) + fabs(sum->contact) +
                   fabs(sum->wind) + fabs(sum->muscle) + fabs(sum->damping) + fabs(sum->filter);
    double dt = meter->time_before, last = dt * dt * dt / 12.0 * fabs(all(meter->bend));
    return fabs(meter->deviation) + meter->swing + SCATTER * sqrt(meter->scatter2) + last +
           pending + DBL_EPSILON * added * sqrt(1.0 + (double)meter->steps);
}

EnergyBalance balance_read(const BalanceMeter *meter, double energy)
{
    BalanceMeter now = *meter;
    settle(&now);
    EnergyBalance *sum = &now.sum;
    sum->remainder = energy - sum->start - sum->hand - sum->contact - sum->wind - sum->muscle +
                     sum->damping + sum->filter;
    sum->error = error_of(meter, energy);
    return *sum;
}
