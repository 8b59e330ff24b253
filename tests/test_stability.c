// Largest stable steps by experiment, on a cloth that falls from flat (support/falling_cloth.h),
// compared with the limit from theory for k0 at rest.
#include "support/falling_cloth.h"
#include "support/solver_test.h"

#include "integrators/propagator.h"
#include "simulation/simulation_state.h"
#include "stability/stiffness.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_stable(const char *assignments, double h, double seconds)
{
    return falling_is_bounded(assignments, h, seconds, true);
}

typedef struct Case {
    const char *assignments;
    double air, alpha; // as in the assignments
    double seconds;    // until growth at 1.01 of the limit is visible
} Case;

static const Case cases[] = {
    {"integrator=explicit-euler alpha=2e-3", 0.5, 2e-3, 5.0},
    {"integrator=symplectic-euler", 0.5, 0.0, 1.0},
    {"integrator=symplectic-euler alpha=5e-4", 0.5, 5e-4, 1.0},
    {"integrator=symplectic-euler air=20", 20.0, 0.0, 1.0},
    {"integrator=symplectic-euler-implicit-air air=20", 20.0, 0.0, 1.0},
    {"integrator=velocity-verlet", 0.5, 0.0, 1.0},
    {"integrator=velocity-verlet alpha=5e-4", 0.5, 5e-4, 1.0},
    {"integrator=midpoint alpha=5e-4", 0.5, 5e-4, 5.0},
    {"integrator=rk4", 0.5, 0.0, 5.0},
    {"integrator=rk4 alpha=2.8e-4", 0.5, 2.8e-4, 5.0},
    {"integrator=leu alpha=2e-3 leu_interval=1e-3", 0.5, 2e-3, 5.0},
};

static double predicted(const Case *c)
{
    Scene scene = scene_with(c->assignments);
    Scheme scheme = {.integrator = integrator_table[scene.params.integrator],
                     .options = {.harmonic = HARMONIC_CORRECTED},
                     .coupling = 1.0};
    return step_limit(&scheme, &(Stiffness){.k0 = FALLING_K0}, c->air, c->alpha).step;
}

static void limits_are_within_one_per_cent_of_theory(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double h = predicted(&cases[i]);
        if (!is_stable(cases[i].assignments, 0.99 * h, cases[i].seconds)) {
            fail_msg("%s: unstable at 0.99 of its limit %g s", cases[i].assignments, h);
        }
        if (is_stable(cases[i].assignments, 1.01 * h, cases[i].seconds)) {
            fail_msg("%s: stable at 1.01 of its limit %g s", cases[i].assignments, h);
        }
    }
}

// Summed impulses, linearised about rest: v' = v - A v - B x, x' = x + h v', with one term
// mr (1 - E22) u u' of A and mr Y E12/h u u' of B per spring. Stability ends where
// M^-1 (2 A + h B) reaches 4.
typedef struct SummedImpulses {
    const Simulation *simulation;
    double h;
} SummedImpulses;

static void summed_product(void *self, const double *x, Tangent tangent, const double *p,
                           double *out)
{
    (void)tangent;
    const SummedImpulses *s = self;
    const System *system = &s->simulation->system;
    const Mesh *mesh = &s->simulation->body.cloth.mesh;
    for (int i = 0; i < system->dofs; i++) out[i] = 0.0;
    for (int q = 0; q < system->springs->count; q++) {
        int a = system->springs->ends[q][0], b = system->springs->ends[q][1];
        double wa = system->inverse_mass[mesh->first_dof[a]];
        double wb = system->inverse_mass[mesh->first_dof[b]];
        if (wa + wb == 0.0) continue;
        double mr = 1.0 / (wa + wb), Y = s->h * s->h * system->springs->stiffness[q] / mr;
        Propagator E = propagator(0.0, Y);
        Vec3 d = vec3_sub(mesh_vector(mesh, x, a), mesh_vector(mesh, x, b));
        Vec3 u = vec3_scale(1.0 / vec3_length(d), d);
        Vec3 w = vec3_sub(mesh_vector(mesh, p, a), mesh_vector(mesh, p, b));
        Vec3 f = vec3_scale(mr * (2.0 * E.m22 + Y * E.E12) * vec3_dot(u, w), u);
        mesh_set_vector(mesh, out, a, vec3_add(mesh_vector(mesh, out, a), f));
        mesh_set_vector(mesh, out, b, vec3_sub(mesh_vector(mesh, out, b), f));
    }
}

// The step at which the operator above reaches 4, without damping.
static double summed_limit(const Simulation *simulation)
{
    SummedImpulses summed = {simulation, 0.0};
    System system = simulation->system;
    system.self = &summed;
    system.stiffness_product_at = summed_product;
    double low = 1e-3, high = 2e-3;
    for (int i = 0; i < 14; i++) {
        summed.h = 0.5 * (low + high);
        if (converged_k0(&system, simulation->body.cloth.x) < 4.0) {
            low = summed.h;
        } else {
            high = summed.h;
        }
    }
    return low;
}

static void harmonic_limits(void **state)
{
    (void)state;
    Simulation *simulation = falling_cloth("integrator=harmonic air=0");
    double h = summed_limit(simulation);
    double safe = simulation->limit.step;
    simulation_destroy(simulation);
    assert_true(is_stable("integrator=harmonic air=0", 0.99 * h, 1.0));
    assert_false(is_stable("integrator=harmonic air=0", 1.01 * h, 2.0));
    assert_true(safe < h && safe > 0.95 * h); // the program's bound for any number of springs

    // in sequence: stable beyond symplectic Euler's limit, but not at the paper's large steps
    assert_true(is_stable("integrator=harmonic sequence=on", 2e-3, 1.0));
    assert_false(is_stable("integrator=harmonic sequence=on", 4e-3, 1.0));
    // clamped: stable far beyond, but a softened cloth falls far; at 0.1 s the sequence is too fast
    const char *const clamped[] = {
        "integrator=harmonic harmonic=clamped speed_limit=100",
        "integrator=harmonic harmonic=clamped speed_limit=100 sequence=on",
    };
    const double steps[] = {2e-3, 1e-2, 5e-2};
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 3; i++)
            assert_true(falling_is_bounded(clamped[k], steps[i], 10.0, false));
    }
}

static void implicit_methods_are_stable_at_their_default_steps(void **state)
{
    (void)state;
    for (int i = 0; i < integrator_count; i++) {
        const Integrator *method = integrator_table[i];
        if (!(method->traits & INTEGRATOR_IMPLICIT)) continue;
        char assignments[80];
        snprintf(assignments, sizeof assignments, "integrator=%s alpha=1e-4", method->name);
        assert_true(is_stable(assignments, method->default_step, 2.0));
    }
}

// Two masses on one spring each, of which the second is slack now.
enum { MASSES = 2 };

static void slack_product(void *self, const double *x, Tangent tangent, const double *p, double *Kp)
{
    (void)self, (void)x;
    Kp[0] = 90.0 * p[0];
    Kp[1] = tangent == TANGENT_TAUT ? 20.0 * p[1] : 0.0;
}

static void unequal_filter(void *self, const double *x, double *v)
{
    (void)x;
    v[0] *= *(const double *)self;
}

static FilteredMode decisive_mode(const char *method, SchemeFilter place, double symbol)
{
    enum { STEPS = 8 };
    static const double ones[MASSES] = {1.0, 1.0}, x[MASSES] = {0};
    System system = {.dofs = MASSES,
                     .mass = ones,
                     .inverse_mass = ones,
                     .goes_slack = true,
                     .stiffness_product_at = slack_product};
    Scheme scheme = {
        .integrator = integrator_table[integrator_find(method)], .filter = place, .coupling = 1.0};
    double storage[STIFFNESS_MODES][MASSES] = {0}, *modes[STIFFNESS_MODES];
    for (int m = 0; m < STIFFNESS_MODES; m++) modes[m] = storage[m];
    KrylovEffort effort = {.steps = STEPS, .products = 100, .tolerance = 1e-9};
    Arena scratch;
    Stiffness stiffness = {0};
    assert_int_equal(arena_init(&scratch, 2 * stiffness_scratch_size(MASSES, STEPS), NULL),
                     STATUS_OK);
    stiffness_estimate(
        &system, x, &scheme, (VelocityFilter){.apply = unequal_filter, .self = &symbol},
        &(StiffnessEffort){.first = effort, .again = effort}, modes, &stiffness, &scratch);
    arena_finish(&scratch);
    return stiffness.decisive;
}

// The stiffer one is filtered more: 90 f is less than 20 for f = 0.1, also with f / (1 + f), and
// more for f = -0.5.
static void what_decides_under_a_filter_is_not_the_stiffest(void **state)
{
    (void)state;
    FilteredMode force = decisive_mode("symplectic-euler", SCHEME_FILTER_FORCE, 0.1);
    assert_near(force.k * force.symbol, 20.0, 1e-6);
    FilteredMode velocity = decisive_mode("symplectic-euler", SCHEME_FILTER_BEFORE, 0.1);
    assert_near(velocity.k * velocity.symbol / (1.0 + velocity.symbol), 10.0, 1e-4);
    FilteredMode turned = decisive_mode("symplectic-euler", SCHEME_FILTER_FORCE, -0.5);
    assert_near(turned.k * turned.symbol, -45.0, 1e-6);
}

// A chain of masses of 1 kg on springs of 1 N/m between two walls. Counts its products.
enum { LINKS = 60 };

static void chain_product(void *self, const double *x, Tangent tangent, const double *p, double *Kp)
{
    (void)x, (void)tangent;
    ++*(int *)self;
    for (int i = 0; i < LINKS; i++)
        Kp[i] = 2.0 * p[i] - (i > 0 ? p[i - 1] : 0.0) - (i + 1 < LINKS ? p[i + 1] : 0.0);
}

// Nothing is known of a cloth at first, which takes more than to follow it.
static void the_first_estimate_takes_what_it_needs(void **state)
{
    (void)state;
    double ones[LINKS], x[LINKS] = {0}, storage[STIFFNESS_MODES][LINKS] = {0},
                        *modes[STIFFNESS_MODES], s = sin(0.5 * M_PI * LINKS / (LINKS + 1));
    int products = 0, needed = 0;
    for (int i = 0; i < LINKS; i++) ones[i] = 1.0;
    for (int m = 0; m < STIFFNESS_MODES; m++) modes[m] = storage[m];
    System system = {.self = &products,
                     .dofs = LINKS,
                     .mass = ones,
                     .inverse_mass = ones,
                     .stiffness_product_at = chain_product};
    Scheme scheme = {.integrator = integrator_table[integrator_find("symplectic-euler")],
                     .filter = SCHEME_UNFILTERED,
                     .coupling = 1.0};
    StiffnessEffort effort = {.first = {.steps = 30, .products = 300, .tolerance = 1e-9},
                              .again = {.steps = 2, .products = 2, .tolerance = 1e-9}};
    for (int follow = 0; follow <= 4; follow += 4) {
        effort.follow_least = effort.follow = follow;
        memset(storage, 0, sizeof storage);
        for (int round = 0; round < 2; round++) {
            Arena scratch;
            Stiffness stiffness = {0};
            products = 0;
            assert_int_equal(arena_init(&scratch, 2 * stiffness_scratch_size(LINKS, 30), NULL),
                             STATUS_OK);
            stiffness_estimate(&system, x, &scheme, (VelocityFilter){0}, &effort, modes, &stiffness,
                               &scratch);
            assert_near(stiffness.k0, 4.0 * s * s, round == 0 ? 1e-6 : 1e-3);
            arena_finish(&scratch);
            if (round == 0) needed = products;
        }
        assert_true(products <= 8 && needed > 5 * products);
    }
}

// A step that damping by alpha or air holds, and the share of slow heating without either.
static void slack_springs_take_smaller_steps(void **state)
{
    (void)state;
    const double k = 4e6, w = 2e3;
    const Integrator *leapfrog = integrator_table[integrator_find("velocity-verlet")];
    const Integrator *rk4 = integrator_table[integrator_find("rk4")];
    const Integrator *euler = integrator_table[integrator_find("explicit-euler")];
    Stiffness taut = {.k0 = k, .taut = k}, never_slack = {.k0 = k};
    StepLimit limit = {.step = 2.0 / w, .is_bound = true};
    assert_near(automatic_step(leapfrog, &never_slack, limit, 0.0, 0.0, 0.8) * w, 1.6, 1e-9);
    assert_near(automatic_step(rk4, &taut, limit, 0.0, 0.0, 0.8) * w, 1.6, 1e-9);
    assert_near(automatic_step(leapfrog, &taut, limit, 0.0, 0.0, 0.8) * w, 0.5, 1e-9);
    assert_near(automatic_step(leapfrog, &taut, limit, 0.0, 0.0, 0.1) * w, 0.2, 1e-9);
    assert_near(automatic_step(leapfrog, &taut, limit, 0.0, 1.0, 0.8) * w, 1.6, 1e-9);
    for (double alpha = 5e-5; alpha < 2e-4; alpha *= 1.1) { // no bounce gains
        double s = 0.5 * w * automatic_step(leapfrog, &taut, limit, 0.0, alpha, 1.0);
        assert_near(1.0 - s * s, exp(-M_PI * alpha * w), 1e-9);
    }
    for (double alpha = 5e-4; alpha < 2e-3; alpha *= 1.1) { // not thrown apart: X + Y <= 4
        double h = automatic_step(euler, &taut, limit, 0.3, alpha, 1.0);
        assert_near(h * (0.3 + alpha * k) + h * h * k, 4.0, 1e-9);
    }
    for (double air = 0.05; air < 2.0; air *= 1.5) { // no more than air takes
        double s = 0.5 * w * automatic_step(leapfrog, &taut, limit, air, 0.0, 1.0);
        assert_near(0.006 * w * pow(s, 4.0), 2.0 * air, 1e-9);
    }
}

// Damping along the springs alone is none of the whole stiffness: a bound, however close to what
// that would give.
static void other_damping_is_a_bound(void **state)
{
    (void)state;
    const char *const methods[] = {"explicit-euler", "velocity-verlet", "rk4"};
    for (int m = 0; m < 3; m++) {
        char text[128];
        snprintf(text, sizeof text, "rows=6 columns=6 damping=projected alpha=auto integrator=%s",
                 methods[m]);
        Simulation *simulation = simulation_with(text);
        if (!simulation_readings(simulation).limit.is_bound) fail_msg("%s", methods[m]);
        simulation_destroy(simulation);
    }
}

// Where the first bound on all pairs leaves no alpha, smaller and smaller steps are tried until one
// does: explicit Euler has nothing else that makes it stable.
static void an_alpha_is_found_where_none_fits_at_first(void **state)
{
    (void)state;
    Simulation *simulation = simulation_with("rows=6 columns=6 shear=30 bend=5 gather=0.5 air=0 "
                                             "model=baraff-witkin integrator=explicit-euler "
                                             "alpha=auto");
    run_steps(simulation, 60);
    apply_command(simulation, (Command){.kind = COMMAND_GRAB, .hand = {35, {0.5, -1.0, 0.5}}});
    StepLimit limit = simulation_readings(simulation).limit;
    if (!(limit.step > 1e-3 && limit.step < 1e-2)) fail_msg("limit %g s", limit.step);
    simulation_destroy(simulation);
}

// A run that looks again at a filter whose weights have not changed still knows how stiff the mode
// is that the filter turns most.
static void a_filters_lowest_mode_keeps_its_stiffness(void **state)
{
    (void)state;
    Simulation *simulation = simulation_with("rows=6 columns=6 filter=exponential lambda=1");
    while (simulation_time(simulation) < 1.0) run_steps(simulation, 1);
    double followed = simulation->now.stiffness.lowest.k;
    simulation_refine_stiffness(simulation);
    assert_near(followed, simulation->now.stiffness.lowest.k, 0.2 * followed);
    assert_true(followed > 0.0);
    simulation_destroy(simulation);
}

// Where tension alone decides the limit, it is looked at between two estimates; elsewhere that
// would be in vain.
static void tension_is_followed_where_it_decides(void **state)
{
    (void)state;
    static const struct {
        const char *settings;
        bool follows;
    } methods[] = {{"integrator=harmonic harmonic=clamped", true},
                   {"integrator=harmonic harmonic=corrected", false},
                   {"integrator=imex-axial", true},
                   {"integrator=symplectic-euler", false}};
    for (size_t k = 0; k < sizeof methods / sizeof methods[0]; k++) {
        char text[96];
        snprintf(text, sizeof text, "rows=6 columns=6 %s", methods[k].settings);
        Simulation *simulation = simulation_with(text);
        int looked = 0;
        while (simulation_time(simulation) < 0.5) {
            run_steps(simulation, 1);
            looked += simulation->now.across_time > simulation->now.stiffness_time;
        }
        if ((looked > 0) != methods[k].follows) fail_msg("%s: %d", text, looked);
        simulation_destroy(simulation);
    }
}

// A bound that is as much as C = K gives is the truth, also where no step is stable or every one
// is.
static void an_equal_bound_is_close(void **state)
{
    (void)state;
    const double limits[] = {0.0, 1e-3, INFINITY};
    const Stiffness rayleigh = {.rayleigh = true}, other = {.rayleigh = false};
    for (int i = 0; i < 3; i++) {
        assert_true(bound_is_close(&rayleigh, limits[i], limits[i]));
        assert_false(bound_is_close(&other, limits[i], limits[i]));
    }
    assert_false(bound_is_close(&rayleigh, 0.5e-3, 1e-3));
    assert_false(bound_is_close(&rayleigh, 1e-3, INFINITY));
}

// Where nothing is stiff, drag alone limits a step, to some seconds over it, and the automatic step
// is a method's own.
static void without_stiffness_there_is_a_step(void **state)
{
    (void)state;
    const Stiffness none = {.rayleigh = true};
    const double airs[] = {0.0, 1e-300, 1e-9, 1e-3};
    for (int m = 0; integrator_name(m); m++) {
        const Scheme scheme = {.integrator = integrator_table[m], .coupling = 1.0};
        for (int i = 0; i < 4; i++) {
            StepLimit limit = step_limit(&scheme, &none, airs[i], 0.03);
            if (!(limit.step >= 1.0 / fmax(airs[i], 1e-3)))
                fail_msg("%s, air %g: %g s", integrator_name(m), airs[i], limit.step);
            double h = automatic_step(scheme.integrator, &none, limit, airs[i], 0.03, 0.8);
            assert_true(h == scheme.integrator->default_step);
        }
    }
    const Integrator *euler = integrator_table[integrator_find("explicit-euler")];
    assert_true(automatic_step(euler, &none, (StepLimit){0}, 0.0, 0.0, 0.8) > 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_are_within_one_per_cent_of_theory),
        cmocka_unit_test(harmonic_limits),
        cmocka_unit_test(implicit_methods_are_stable_at_their_default_steps),
        cmocka_unit_test(what_decides_under_a_filter_is_not_the_stiffest),
        cmocka_unit_test(the_first_estimate_takes_what_it_needs),
        cmocka_unit_test(slack_springs_take_smaller_steps),
        cmocka_unit_test(a_filters_lowest_mode_keeps_its_stiffness),
        cmocka_unit_test(tension_is_followed_where_it_decides),
        cmocka_unit_test(other_damping_is_a_bound),
        cmocka_unit_test(an_alpha_is_found_where_none_fits_at_first),
        cmocka_unit_test(an_equal_bound_is_close),
        cmocka_unit_test(without_stiffness_there_is_a_step),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
