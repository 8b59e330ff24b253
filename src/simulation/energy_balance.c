#include "simulation/energy_balance.h"

#include "cloth/forces.h"

#include <string.h>

// A sample costs two force evaluations, less than 5 % of this.
enum { SAMPLE_WORK = 50 };

double balance_energy(const Cloth *cloth)
{
    return cloth_kinetic_energy(cloth, cloth->v) + cloth_elastic_energy(cloth, cloth->x) +
           cloth_gravity_energy(cloth, cloth->x);
}

void balance_reset(BalanceMeter *meter, const Cloth *cloth)
{
    *meter = (BalanceMeter){.sum.start = balance_energy(cloth), .due = true};
}

// Work of the hand during the last step, if its force stayed as it was at the start.
static double hand_pending(const BalanceMeter *meter)
{
    return -vec3_dot(meter->force, meter->moved);
}

// End the interval of the samples here, as if nothing had changed since the last one.
static void settle(BalanceMeter *meter)
{
    meter->sum.hand += hand_pending(meter);
    meter->moved = (Vec3){0};
    meter->sum.damping += meter->damping_power * meter->time;
    meter->sum.filter += meter->filter_loss * meter->steps;
    meter->time = 0.0;
    meter->steps = meter->work = 0;
    meter->due = true;
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

void balance_add_contact(BalanceMeter *meter, double work)
{
    meter->sum.contact += work;
}

// v . (d0 M v + D v), from the forces with and without v.
static double damping_power(const Cloth *cloth, Arena *scratch)
{
    int n = cloth->mesh.dofs;
    double *moving = ARENA_ALLOC(scratch, n, double);
    double *resting = ARENA_ALLOC(scratch, n, double);
    double *still = ARENA_ALLOC(scratch, n, double);
    memset(still, 0, (size_t)n * sizeof *still);
    cloth_forces(cloth, cloth->x, cloth->v, moving);
    cloth_forces(cloth, cloth->x, still, resting);
    double power = 0.0;
    for (int i = 0; i < n; i++) power += cloth->v[i] * (resting[i] - moving[i]);
    return power;
}

void balance_before_step(BalanceMeter *meter, ClothSystem *hooks, Arena *scratch)
{
    hooks->filter_metered = meter->due || meter->work >= SAMPLE_WORK;
    if (!hooks->filter_metered) return;
    hooks->filter_loss = 0.0;
    double power = damping_power(hooks->cloth, scratch);
    meter->sum.damping += 0.5 * (meter->damping_power + power) * meter->time;
    meter->damping_power = power;
    meter->time = 0.0;
}

static Vec3 force_on_grabbed(const ClothSystem *hooks, const StepReport *report,
                             const double *old_x, const double *old_v, Arena *scratch)
{
    const Cloth *cloth = hooks->cloth;
    if (report->force) return mesh_vector(&cloth->mesh, report->force, cloth->grabbed);
    double *f = ARENA_ALLOC(scratch, cloth->mesh.dofs, double);
    cloth_forces(cloth, old_x, old_v, f);
    return mesh_vector(&cloth->mesh, f, cloth->grabbed);
}

void balance_after_step(BalanceMeter *meter, ClothSystem *hooks, const StepReport *report, double h,
                        const double *old_x, const double *old_v, Arena *scratch)
{
    if (hooks->filter_metered) {
        meter->sum.filter += 0.5 * (meter->filter_loss + hooks->filter_loss) * meter->steps;
        meter->filter_loss = hooks->filter_loss;
        meter->steps = meter->work = 0;
        meter->due = false;
        hooks->filter_metered = false;
    }
    meter->time += h;
    meter->steps++;
    meter->work += report->force_evaluations + report->pcg.iterations;

    const Cloth *cloth = hooks->cloth;
    if (cloth->grabbed < 0) return;
    Vec3 force = force_on_grabbed(hooks, report, old_x, old_v, scratch);
    meter->sum.hand -= 0.5 * vec3_dot(vec3_add(meter->force, force), meter->moved);
    meter->force = force;
    meter->moved = vec3_sub(mesh_vector(&cloth->mesh, cloth->x, cloth->grabbed),
                            mesh_vector(&cloth->mesh, old_x, cloth->grabbed));
}

EnergyBalance balance_read(const BalanceMeter *meter, double energy)
{
    BalanceMeter now = *meter;
    settle(&now);
    EnergyBalance *sum = &now.sum;
    sum->remainder = energy - sum->start - sum->hand - sum->contact + sum->damping + sum->filter;
    return *sum;
}
