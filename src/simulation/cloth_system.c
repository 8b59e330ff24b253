#include "simulation/cloth_system.h"

#include "cloth/forces.h"

#include <math.h>
#include <string.h>

static void add_extra(const ClothSystem *hooks, double *f)
{
    if (!hooks->extra) return;
    for (int i = 0; i < hooks->cloth->mesh.dofs; i++) f[i] += hooks->extra[i];
}

void cloth_system_at(void *self, double time)
{
    ClothSystem *hooks = self;
    if (hooks->holds_still) return;
    if (hooks->windy) hooks->cloth->air = wind_at(&hooks->cloth->wind, time);
    muscles_at(hooks->cloth, time);
}

void cloth_system_hold_still(ClothSystem *hooks, const double *x)
{
    hooks->holds_still = true;
    wind_linearise(hooks->cloth, hooks->cloth->air, x);
}

static void book_wind(const ClothSystem *hooks, const double *x, const double *v, double *f,
                      Losses *power)
{
    const Cloth *cloth = hooks->cloth;
    if (hooks->holds_still) {
        wind_add_drag(cloth, WIND_ON_ALL, -1.0, v, f);
        return;
    }
    WindPower wind = wind_add_forces(cloth, cloth->air, x, v, f);
    power->wind -= wind.work;
    power->damping += wind.drag;
}

static void add_change(void *self, double *f)
{
    ClothSystem *hooks = self;
    muscles_add_change(hooks->cloth, f);
}

static void add_wind(void *self, const double *x, const double *v, double *f)
{
    Losses unused = {0};
    book_wind(self, x, v, f, &unused);
}

static Losses forces(void *self, const double *x, const double *v, double *f)
{
    ClothSystem *hooks = self;
    const Cloth *cloth = hooks->cloth;
    Losses power = {.damping = cloth_forces(cloth, x, v, f), .muscle = -muscles_power(cloth, x)};
    book_wind(hooks, x, v, f, &power);
    if (hooks->filters_forces) power.filter = filter_forces(hooks->cloth, x, v, f);
    add_extra(hooks, f);
    return power;
}

// The filter and the drift of a step whose kick is done. Returns the energy that the filter took.
static double filter_and_move(ClothSystem *hooks, const ForceStep *step, ForceSums *sums)
{
    Cloth *cloth = hooks->cloth;
    double loss;
    hooks->holds_input = true;
    if (filter_and_drift(cloth, step, sums, &loss)) return loss;
    loss = filter_velocities(cloth, step->x, step->new_v);
    for (int i = 0; i < cloth->mesh.dofs; i++)
        step->new_x[i] = step->x[i] + step->h * step->new_v[i];
    *sums = (ForceSums){.speed = cloth_max_speed(cloth, step->new_v), .lowest = -INFINITY};
    return loss;
}

static bool kick_drift(void *self, const KickDrift *step, Losses *power, double *filtered,
                       double *speed)
{
    ClothSystem *hooks = self;
    const Cloth *cloth = hooks->cloth;
    bool only_model = !hooks->windy && !hooks->filters_forces && !hooks->extra;
    if (!only_model || !cloth->model->step) return false;
    ForceStep pass = {step->kick, step->h, step->x, step->v, step->new_x, step->new_v, step->force};
    ForceStep kick = pass;
    if (hooks->filters_velocities) kick.new_x = NULL;
    ForceSums sums;
    if (!cloth->model->step(cloth, &kick, &sums)) return false;
    *power = (Losses){.damping = sums.power};
    *filtered = hooks->filters_velocities ? filter_and_move(hooks, &pass, &sums) : 0.0;
    *speed = sums.speed;
    hooks->lowest = sums.lowest;
    return true;
}

static Losses external_forces(void *self, const double *x, const double *v, double *f)
{
    ClothSystem *hooks = self;
    const Cloth *cloth = hooks->cloth;
    Losses power = {.damping = cloth_external_forces(cloth, v, f),
                    .muscle = -muscles_power(cloth, x)};
    book_wind(hooks, x, v, f, &power);
    if (hooks->damps_across) power.damping += cloth_add_damping_across(hooks->cloth, x, v, f);
    add_extra(hooks, f);
    return power;
}

static double filter(void *self, const double *x, double *v)
{
    ClothSystem *hooks = self;
    hooks->holds_input = true;
    return filter_velocities(hooks->cloth, x, v);
}

void cloth_system_filter(void *hooks, const double *x, double *v)
{
    filter(hooks, x, v);
    ((ClothSystem *)hooks)->holds_input = false; // this was no step
}

double cloth_system_filter_step(ClothSystem *hooks, const double *x, double *v)
{
    return hooks->filters_afterwards ? filter(hooks, x, v) : 0.0;
}

static void linearise(void *self, const double *x, Tangent tangent)
{
    ClothSystem *hooks = self;
    hooks->cloth->model->linearise(hooks->cloth, x, tangent);
    muscles_linearise(hooks->cloth, x);
    if (hooks->windy && !hooks->holds_still) wind_linearise(hooks->cloth, hooks->cloth->air, x);
}

static void product(void *self, const double *p, double *Kp)
{
    ClothSystem *hooks = self;
    hooks->cloth->model->product(hooks->cloth, p, Kp);
}

static void damping_product(void *self, const double *p, double *Dp)
{
    ClothSystem *hooks = self;
    hooks->cloth->model->damping_product(hooks->cloth, p, Dp);
}

static void product_at(void *self, const double *x, Tangent tangent, const double *p, double *Kp)
{
    ClothSystem *hooks = self;
    hooks->cloth->model->product_at(hooks->cloth, x, tangent, p, Kp);
}

static Tangent tangent_of_damping(DampingKind kind)
{
    return kind == DAMPING_DIFFERENCE  ? TANGENT_LAPLACIAN
           : kind == DAMPING_PROJECTED ? TANGENT_AXIAL
                                       : TANGENT_CLAMPED;
}

// Springs damp by a part of their tangent. Elsewhere: the damping force is linear in v, so
// C p = (f(x, 0) - f(x, p)) / alpha without air drag. A slack spring does not damp now, but does
// when it is pulled.
static void damping_product_at(void *self, const double *x, bool taut, const double *p,
                               double *work, double *Cp)
{
    ClothSystem *hooks = self;
    Cloth *cloth = hooks->cloth;
    const Material material = cloth->material;
    if (taut && cloth->model->goes_slack) {
        bool difference = material.damping == DAMPING_DIFFERENCE;
        cloth->model->product_at(cloth, x, difference ? TANGENT_LAPLACIAN : TANGENT_TAUT, p, Cp);
        return;
    }
    if (cloth->model->made_of_springs) {
        cloth->model->product_at(cloth, x, tangent_of_damping(material.damping), p, Cp);
        return;
    }
    cloth->material.alpha = 1.0;
    cloth->material.air = 0.0;
    int n = cloth->mesh.dofs;
    memset(Cp, 0, (size_t)n * sizeof *Cp);
    cloth_forces(cloth, x, Cp, work); // v = 0
    cloth_forces(cloth, x, p, Cp);
    for (int i = 0; i < n; i++) Cp[i] = work[i] - Cp[i];
    cloth->material = material;
}

// The model's matrix and c D_w without the rows and columns of held particles. D_w is small beside
// a M where a step can follow the wind, so the model's preconditioner serves.
static void multiply_in_wind(void *self, const double *p, double *out)
{
    ClothSystem *hooks = self;
    hooks->matrix.multiply(hooks->matrix.self, p, out);
    wind_add_drag(hooks->cloth, WIND_ON_FREE, hooks->drag_factor, p, out);
}

static void precondition_in_wind(void *self, const double *r, double *z)
{
    ClothSystem *hooks = self;
    hooks->matrix.precondition(hooks->matrix.self, r, z);
}

static LinearOperator assemble(void *self, double a, double b, double c)
{
    ClothSystem *hooks = self;
    LinearOperator matrix = hooks->cloth->model->assemble(hooks->cloth, a, b, c);
    if (!hooks->windy) return matrix;
    hooks->matrix = matrix;
    hooks->drag_factor = c;
    return (LinearOperator){.self = hooks,
                            .dofs = matrix.dofs,
                            .multiply = multiply_in_wind,
                            .precondition = precondition_in_wind};
}

System cloth_system_init(ClothSystem *hooks, Cloth *cloth, const Params *params)
{
    bool has_filter = params->filter != FILTER_OFF;
    bool of_forces = params->filter_on == FILTER_FORCE;
    bool afterwards = params->filter_place == FILTER_AFTER;
    bool filtered = has_filter && !of_forces && !afterwards; // inside the method's step
    *hooks = (ClothSystem){.cloth = cloth,
                           .filters_forces = has_filter && of_forces,
                           .filters_velocities = filtered,
                           .filters_afterwards = has_filter && !of_forces && afterwards};
    // Methods that treat single springs damp along the springs only. What Rayleigh damping has
    // across them is a force from outside.
    bool along_springs = integrator_table[params->integrator]->traits & INTEGRATOR_NEEDS_SPRINGS;
    double alpha = params->alpha == PARAM_WORD ? 0.0 : params->alpha; // computed later
    Material material = {
        .stiffness = {[SPRING_STRETCH] = params->stretch,
                      [SPRING_SHEAR] = params->shear,
                      [SPRING_BEND] = params->bend},
        .damping = (DampingKind)params->damping,
        .air = params->air,
        .alpha = alpha,
        .gravity = params->gravity,
        .friction = params->friction,
        .restitution = params->restitution,
    };
    cloth->wind = (Wind){.speed = params->wind,
                         .direction = params->wind_direction,
                         .gust = params->gust,
                         .seed = params->gust_seed,
                         .drag_normal = params->drag_normal,
                         .drag_tangent = params->drag_tangent};
    cloth->air = wind_at(&cloth->wind, 0.0);
    hooks->windy = wind_is_felt(wind_strongest(&cloth->wind));
    bool gusty = params->wind > 0.0 && params->gust > 0.0, muscular = cloth->muscle_count > 0;
    cloth->tempo.amplitude = params->muscle_amplitude;
    cloth->tempo.slowness = params->muscle_period;
    hooks->damps_across = along_springs && material.damping == DAMPING_RAYLEIGH;
    cloth_set_material(cloth, material);
    bool of_springs = cloth->model->made_of_springs || cloth->model->goes_slack;
    const Mesh *mesh = &cloth->mesh;
    hooks->springs = (SpringList){mesh->spring_count, (const int(*)[2])mesh->springs,
                                  cloth->spring_stiffness, cloth->rest_length};
    if (has_filter) {
        filter_prepare(cloth, (Filter){.kind = (FilterKind)params->filter,
                                       .form = (FilterForm)params->filter_form,
                                       .distance = (FilterDistance)params->filter_distance,
                                       .lambda = params->lambda});
    }
    return (System){
        .dofs = cloth->mesh.dofs,
        .mass = cloth->mass,
        .inverse_mass = cloth->inverse_mass,
        .air = params->air,
        .alpha = alpha,
        .alpha_follows = params->alpha == PARAM_WORD,
        .rayleigh = cloth->model->made_of_springs && material.damping == DAMPING_RAYLEIGH,
        .own_damping = material.damping != DAMPING_RAYLEIGH && !along_springs,
        // of each spring: across it, the clamped and the whole tangent are never less than the full
        .damping_exceeds = of_springs && material.damping != DAMPING_PROJECTED,
        .clamp_is_bound = of_springs,
        .length = cloth->mesh.spacing,
        .crew = cloth->crew,
        .self = hooks,
        .at = gusty || muscular ? cloth_system_at : NULL,
        .forces = forces,
        .kick_drift = kick_drift,
        .external_forces = external_forces,
        .add_wind = hooks->windy ? add_wind : NULL,
        .add_change = muscular ? add_change : NULL,
        .filter = filtered ? filter : NULL,
        .linearise = linearise,
        .stiffness_product = product,
        .damping_product = damping_product,
        .assemble = assemble,
        .stiffness_product_at = product_at,
        .damping_product_at = along_springs ? NULL : damping_product_at,
        .goes_slack = cloth->model->goes_slack,
        .springs = cloth->model->made_of_springs ? &hooks->springs : NULL,
        .particle_count = mesh->particle_count,
        .first_dof = mesh->first_dof,
        .component_stride = mesh->component_stride,
    };
}
