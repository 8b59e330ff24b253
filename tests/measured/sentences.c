#include "measured/sentences.h"

#include "support/falling_cloth.h"
#include "support/solver_test.h"

#include "simulation/simulation_state.h"
#include "stability/limits.h"

#include <math.h>
#include <string.h>

#define OMEGA 1000.0         // rad/s, sqrt(FALLING_K0)
#define LIMIT_SECONDS 10.0   // growth just above a limit is slow
#define REFERENCE_STEP 1e-4  // s, of RK4
#define ALPHA " alpha=1e-4 " // the program's default

bool measured_thorough;

// ---- runs of the falling cloth ----

// The largest stable step by experiment, in 1/omega, near a guess in the same unit.
static double limit_near(const char *assignments, double guess)
{
    double stable = 0.97 * guess, unstable = 1.03 * guess;
    if (!falling_is_bounded(assignments, stable / OMEGA, LIMIT_SECONDS, true) ||
        falling_is_bounded(assignments, unstable / OMEGA, LIMIT_SECONDS, true)) {
        fail_msg("%s: the limit is not near %g / omega", assignments, guess);
    }
    while (unstable - stable > 0.003 * guess) {
        double h = 0.5 * (stable + unstable);
        if (falling_is_bounded(assignments, h / OMEGA, LIMIT_SECONDS, true)) {
            stable = h;
        } else {
            unstable = h;
        }
    }
    return 0.5 * (stable + unstable);
}

// The limit that theory has for k0 at rest, in 1/omega.
static double theory(const char *assignments)
{
    char all[200];
    snprintf(all, sizeof all, "alpha=0 %s", assignments);
    Scene scene = scene_with(all);
    const Params *params = &scene.params;
    Scheme scheme = {.integrator = integrator_table[params->integrator],
                     .options = {.harmonic = HARMONIC_CORRECTED},
                     .coupling = 1.0};
    return OMEGA *
           step_limit(&scheme, &(Stiffness){.k0 = FALLING_K0}, params->air, params->alpha).step;
}

static double limit(const char *assignments)
{
    return limit_near(assignments, theory(assignments));
}

typedef struct Positions {
    Vec3 at[FALLING_PARTICLES]; // m
} Positions;

static Positions positions_after_one_second(const char *assignments, double h)
{
    char all[300];
    snprintf(all, sizeof all, "step=%.17g %s", h, assignments);
    Simulation *simulation = falling_cloth(all);
    run_steps(simulation, (int)lround(1.0 / h));
    Positions positions;
    for (int p = 0; p < FALLING_PARTICLES; p++) positions.at[p] = particle_position(simulation, p);
    simulation_destroy(simulation);
    return positions;
}

// The largest distance of a particle from where RK4 has it, m. `damping` is for both.
static double deviation(const char *assignments, const char *damping, double h)
{
    static char damping_before[40]; // its reference is kept
    static Positions exact;
    char text[200];
    if (strcmp(damping, damping_before) != 0) {
        snprintf(text, sizeof text, "integrator=rk4 %s", damping);
        exact = positions_after_one_second(text, REFERENCE_STEP);
        snprintf(damping_before, sizeof damping_before, "%s", damping);
    }
    snprintf(text, sizeof text, "%s %s", assignments, damping);
    Positions ours = positions_after_one_second(text, h);
    double largest = 0.0;
    for (int p = 0; p < FALLING_PARTICLES; p++)
        largest = fmax(largest, vec3_length(vec3_sub(ours.at[p], exact.at[p])));
    return largest;
}

// Which steps a method survives for 10 s.
typedef struct Survival {
    double to;   // s, with all shorter ones that were tried
    double from; // s, diverges with this one and all longer ones; INFINITY: with none
} Survival;

static Survival survival(const char *assignments)
{
    // 1 over these. Between 60 and 40 chance may decide.
    static const double rungs[] = {1000.0, 480.0, 240.0, 120.0, 60.0, 40.0, 30.0, 20.0, 15.0, 10.0};
    enum { RUNGS = sizeof rungs / sizeof rungs[0], FIRST_QUICK = 3 };
    Survival result = {.to = 0.0, .from = INFINITY};
    bool all = true;
    for (int i = measured_thorough ? 0 : FIRST_QUICK; i < RUNGS; i++) {
        double h = 1.0 / rungs[i];
        bool bounded = falling_is_bounded(assignments, h, 10.0, false);
        all = all && bounded;
        if (all) result.to = h;
        if (bounded) {
            result.from = INFINITY;
        } else if (isinf(result.from)) {
            result.from = h;
        }
    }
    return result;
}

// What a step of a run needs on average.
typedef struct Work {
    double iterations; // of Newton's method
    double fallbacks;  // share of the steps
} Work;

static Work work(const char *assignments, double h, double seconds)
{
    char all[300];
    snprintf(all, sizeof all, "step=%.17g %s", h, assignments);
    Simulation *simulation = falling_cloth(all);
    int steps = (int)lround(seconds / h);
    Work sum = {0};
    for (int i = 0; i < steps; i++) {
        run_steps(simulation, 1);
        StepReport last = simulation_readings(simulation).last;
        sum.iterations += last.newton_iterations;
        sum.fallbacks += last.fallbacks > 0;
    }
    simulation_destroy(simulation);
    return (Work){sum.iterations / steps, sum.fallbacks / steps};
}

// ---- the sentences ----

static const char *step_text(double h, char text[24])
{
    if (h < 0.05) {
        snprintf(text, 24, "1/%.0f s", 1.0 / h);
    } else {
        snprintf(text, 24, "%.2g s", h);
    }
    return text;
}

static const char *survives(const char *assignments, char text[100])
{
    char to[24], from[24];
    Survival result = survival(assignments);
    int used = snprintf(text, 100, "no divergence in 10 s up to h = %s", step_text(result.to, to));
    if (isfinite(result.from))
        snprintf(text + used, (size_t)(100 - used), ", divergence from %s on",
                 step_text(result.from, from));
    return text;
}

static void about_explicit_euler(FILE *out)
{
    static const char damped[] = "integrator=explicit-euler alpha=2e-3";
    fprintf(out,
            "%.2f/omega with alpha = 2 ms, where theory has %.2f for the cloth at rest; without "
            "damping it grows by sqrt(1 + Y) a step, and 2/omega itself is marginal",
            limit(damped), theory(damped));
}

static void about_symplectic_euler(FILE *out)
{
    fprintf(out, "%.2f/omega without damping; damping lowers it, to %.2f/omega with alpha = 0.5 ms",
            limit("integrator=symplectic-euler"), limit("integrator=symplectic-euler alpha=5e-4"));
}

static void about_implicit_air(FILE *out)
{
    fprintf(out, "%.2f/omega with d0 = 20/s, where drag at the old velocity leaves %.2f/omega",
            limit("integrator=symplectic-euler-implicit-air air=20"),
            limit("integrator=symplectic-euler air=20"));
}

static void about_velocity_verlet(FILE *out)
{
    fprintf(out, "%.2f/omega without damping, %.2f/omega with alpha = 0.5 ms",
            limit("integrator=velocity-verlet"), limit("integrator=velocity-verlet alpha=5e-4"));
}

static void about_midpoint(FILE *out)
{
    static const char damped[] = "integrator=midpoint alpha=5e-4";
    fprintf(out,
            "%.2f/omega with alpha = 0.5 ms, theory %.2f; without damping it grows by 1 + Y^2/8 a "
            "step",
            limit(damped), theory(damped));
}

static void about_rk4(FILE *out)
{
    double damped = limit("integrator=rk4 alpha=2.8e-4");
    assert_true(damped / 4.0 < 0.5 * 2.0); // symplectic Euler has 2 with one evaluation
    fprintf(out,
            "%.2f/omega without damping, %.2f/omega with alpha = 0.28 ms: per force evaluation "
            "less than half of what symplectic Euler reaches",
            limit("integrator=rk4"), damped);
}

static void about_backward_euler(FILE *out)
{
    static const char method[] = "integrator=backward-euler";
    char both[100];
    survives("integrator=backward-euler tangent=full" ALPHA, both);
    char text[100];
    assert_string_equal(survives("integrator=backward-euler" ALPHA, text), both);
    fprintf(out,
            "%s, with the full tangent too, which falls back to the clamped one in %.0f %% of the "
            "steps of 0.1 s; after 1 s a particle is off by %.0f cm at h = 1/120 s, by %.1f m at "
            "0.1 s",
            text, 100.0 * work("integrator=backward-euler tangent=full" ALPHA, 0.1, 10.0).fallbacks,
            100.0 * deviation(method, ALPHA, 1.0 / 120.0), deviation(method, ALPHA, 0.1));
}

static void about_newton(FILE *out)
{
    static const char method[] = "integrator=backward-euler-newton" ALPHA;
    char text[100];
    fprintf(
        out,
        "%s; %.1f iterations a step at 0.01 s, %.1f at 0.1 s; after 1 s off by %.0f cm at 0.01 s",
        survives(method, text), work(method, 0.01, 10.0).iterations,
        work(method, 0.1, 10.0).iterations, 100.0 * deviation(method, ALPHA, 0.01));
}

static void about_imex(FILE *out)
{
    char text[100];
    fprintf(out, "%s, but after 1 s off by %.1f m already at 1 ms",
            survives("integrator=imex" ALPHA, text), deviation("integrator=imex", ALPHA, 1e-3));
}

static void about_imex_axial(FILE *out)
{
    char text[100];
    fprintf(out, "%s; after 1 s off by %.0f cm at 1/240 s, where backward Euler is off by %.0f cm",
            survives("integrator=imex-axial" ALPHA, text),
            100.0 * deviation("integrator=imex-axial", ALPHA, 1.0 / 240.0),
            100.0 * deviation("integrator=backward-euler", ALPHA, 1.0 / 240.0));
}

static void about_leu(FILE *out)
{
    static const char alpha[] = "alpha=2e-3";
    fprintf(out,
            "%.2f/omega with alpha = 2 ms; after 1 s with h = 1 ms off by %.0f "
            "cm if it linearises every 10 ms, by %.0f cm on automatic, and explicit Euler by %.0f "
            "cm",
            limit("integrator=leu alpha=2e-3"),
            100.0 * deviation("integrator=leu leu_interval=0.01", alpha, 1e-3),
            100.0 * deviation("integrator=leu", alpha, 1e-3),
            100.0 * deviation("integrator=explicit-euler", alpha, 1e-3));
}

// s until the run at Kang's steps has diverged, the longest of them.
static double time_to_diverge(const char *assignments)
{
    static const double half_periods[] = {2.06, 6.06, 8.06};
    double longest = 0.0;
    for (int i = 0; i < 3; i++) {
        Simulation *simulation = falling_cloth(assignments);
        const Params *params = simulation_params(simulation);
        double mass = params->density / FALLING_PARTICLES; // kg, on 1 m^2
        double h = half_periods[i] * M_PI / sqrt(2.0 * params->stretch / mass);
        apply_command(simulation, command_set("step", h));
        while (simulation_step(simulation, NULL) == STATUS_OK && simulation_time(simulation) < 10.0)
            continue;
        longest = fmax(longest, simulation_time(simulation) + h);
        simulation_destroy(simulation);
    }
    return longest;
}

// m that the lowest particle is below the pins after 10 s
static double depth(const char *assignments, double h)
{
    char all[300];
    snprintf(all, sizeof all, "step=%.17g %s", h, assignments);
    Simulation *simulation = falling_cloth(all);
    run_steps(simulation, (int)lround(10.0 / h));
    double lowest = 0.0;
    for (int p = 0; p < FALLING_PARTICLES; p++)
        lowest = fmin(lowest, particle_position(simulation, p).y);
    simulation_destroy(simulation);
    return -lowest;
}

static void about_harmonic(FILE *out)
{
    double longest = 0.0;
    static const char *const kinds[] = {"harmonic=printed", "harmonic=corrected"};
    for (int k = 0; k < 4; k++) {
        char text[100];
        snprintf(text, sizeof text, "integrator=harmonic %s sequence=%s", kinds[k / 2],
                 k % 2 ? "on" : "off");
        longest = fmax(longest, time_to_diverge(text));
    }
    static const char clamped[] = "integrator=harmonic harmonic=clamped speed_limit=100";
    char text[100], damped[100];
    fprintf(
        out,
        "corrected: %.2f/omega summed, %.2f/omega in sequence; at those three steps printed and "
        "corrected diverge within %.1f s; clamped, without alpha: %s, but the cloth hangs %.0f m "
        "down at 1/60 s; "
        "with alpha = 0.1 ms %s",
        limit_near("integrator=harmonic air=0", 1.46),
        limit_near("integrator=harmonic sequence=on", 2.55), longest, survives(clamped, text),
        depth(clamped, 1.0 / 60.0),
        survives("integrator=harmonic harmonic=clamped speed_limit=100" ALPHA, damped));
}

const Sentence measured_sentences[] = {
    {"explicit-euler", about_explicit_euler},
    {"symplectic-euler", about_symplectic_euler},
    {"symplectic-euler-implicit-air", about_implicit_air},
    {"velocity-verlet", about_velocity_verlet},
    {"midpoint", about_midpoint},
    {"rk4", about_rk4},
    {"backward-euler", about_backward_euler},
    {"backward-euler-newton", about_newton},
    {"imex", about_imex},
    {"imex-axial", about_imex_axial},
    {"leu", about_leu},
    {"harmonic", about_harmonic},
};
const int measured_sentence_count = (int)(sizeof measured_sentences / sizeof measured_sentences[0]);

void measured_write_sentences(FILE *out)
{
    for (int i = 0; i < measured_sentence_count; i++) {
        fprintf(out, "%s: ", measured_sentences[i].method);
        measured_sentences[i].write(out);
        fprintf(out, "\n");
        fflush(out);
    }
}
