#include "simulation/cloth_system.h"

#include "cloth/springs.h"
#include "cloth/stiffness.h"

static void forces(void *self, const double *x, const double *v, double *f)
{
    ClothSystem *hooks = self;
    springs_force(hooks->cloth, x, v, f);
}

static void filter(void *self, const double *x, double *v)
{
    ClothSystem *hooks = self;
    if (hooks->distance == FILTER_CURRENT) filter_weights_at(hooks->cloth, hooks->lambda, x);
    filter_apply(hooks->cloth, v);
}

static void linearise(void *self, const double *x, Tangent tangent)
{
    ClothSystem *hooks = self;
    stiffness_linearise(hooks->cloth, x, tangent == TANGENT_CLAMPED);
}

static void product(void *self, const double *p, double *Kp)
{
    ClothSystem *hooks = self;
    stiffness_product(hooks->cloth, p, Kp);
}

static void multiply(void *self, const double *p, double *out)
{
    block_matrix_multiply(self, p, out);
}

static void precondition(void *self, const double *r, double *z)
{
    block_matrix_precondition(self, r, z);
}

static LinearOperator assemble(void *self, double a, double b)
{
    ClothSystem *hooks = self;
    stiffness_assemble(hooks->cloth, a, b);
    return (LinearOperator){.self = &hooks->cloth->matrix,
                            .dofs = hooks->cloth->mesh.dofs,
                            .multiply = multiply,
                            .precondition = precondition};
}

System cloth_system_init(ClothSystem *hooks, Cloth *cloth, const Params *params)
{
    *hooks = (ClothSystem){.cloth = cloth,
                           .lambda = params->lambda,
                           .distance = (FilterDistance)params->filter_distance};
    cloth->material = (Material){
        .stiffness = {[SPRING_STRETCH] = params->stretch,
                      [SPRING_SHEAR] = params->shear,
                      [SPRING_BEND] = params->bend},
        .air = params->air,
        .alpha = params->alpha,
        .gravity = params->gravity,
    };
    bool filtered = params->filter != FILTER_OFF;
    if (filtered && hooks->distance == FILTER_REST) filter_weights_at_rest(cloth, params->lambda);
    return (System){
        .dofs = cloth->mesh.dofs,
        .mass = cloth->mass,
        .inverse_mass = cloth->inverse_mass,
        .air = params->air,
        .alpha = params->alpha,
        .self = hooks,
        .forces = forces,
        .filter = filtered ? filter : NULL,
        .linearise = linearise,
        .stiffness_product = product,
        .assemble = assemble,
    };
}
