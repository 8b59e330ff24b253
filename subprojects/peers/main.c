// One table: others' programs and ours on the same work, one thread, in turns, best of several.
#include "peers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CURTAIN = 32, SYSTEM = 128, ROUNDS = 3 };
#define TOLERANCE 1e-4

static void print_goal(double ratio, double goal)
{
    printf("  %6.1f x   at least %g: %s\n", ratio, goal, ratio >= goal ? "reached" : "missed");
}

// Our methods, each with springs from soft to stiff. Bullet corrects positions, which damps as
// backward Euler does. Bullet's best setting is searched, so ours may go nearer to their limit too.
static const CurtainMethod methods[] = {
    {"symplectic Euler, 0.8 of its limit", "symplectic-euler", 0.0, 0.8}, // as by default
    {"symplectic Euler, 0.95 of its limit", "symplectic-euler", 0.0, 0.95},
    {"backward Euler, 1/60 s", "backward-euler", 1 / 60.0, 0.8},
    {"backward Euler, 1/120 s", "backward-euler", 1 / 120.0, 0.8},
};
enum { METHODS = sizeof methods / sizeof methods[0], STIFFNESSES = 9, ITERATIONS = 4, STEPS = 5 };

// A method's time at a stretch, between two runs of its sweep: time against stretch is a straight
// line in logarithms. Infinite beyond the sweep.
static double time_at(const CurtainRun *runs, double stretch)
{
    double best = INFINITY;
    for (int i = 1; i < STIFFNESSES; i++) {
        const CurtainRun *soft = &runs[i - 1], *stiff = &runs[i];
        if (stretch > soft->stretch || stretch < stiff->stretch) continue;
        double t = log(stretch / soft->stretch) / log(stiff->stretch / soft->stretch);
        best = fmin(best, soft->seconds * pow(stiff->seconds / soft->seconds, t));
    }
    return best;
}

static void keep_faster(CurtainRun *best, CurtainRun run, int round)
{
    if (round == 0 || run.seconds < best->seconds) *best = run;
}

static void print_ours(CurtainRun ours[METHODS][STIFFNESSES], long steps[METHODS][STIFFNESSES])
{
    for (int m = 0; m < METHODS; m++)
        for (int i = 0; i < STIFFNESSES; i++)
            printf("  Selvage, %-36s %6ld steps %9.1f ms %9.4f %%\n", methods[m].name, steps[m][i],
                   1e3 * ours[m][i].seconds, 100.0 * ours[m][i].stretch);
}

// By Bullet's time by that of each of our methods at its stretch. Returns the least of those by our
// fastest: Bullet's best setting.
static double print_bullet(CurtainRun bullet[ITERATIONS][STEPS], const int *iterations,
                           const int *rates, CurtainRun ours[METHODS][STIFFNESSES])
{
    double least = INFINITY;
    for (int i = 0; i < ITERATIONS; i++)
        for (int s = 0; s < STEPS; s++) {
            const CurtainRun *run = &bullet[i][s];
            printf("  Bullet, %d iterations, %5d steps %21.1f ms %9.4f %%", iterations[i], rates[s],
                   1e3 * run->seconds, 100.0 * run->stretch);
            double most = 0.0;
            for (int m = 0; m < METHODS; m++) {
                double ratio = run->seconds / time_at(ours[m], run->stretch);
                printf("  %6.1f", ratio);
                most = fmax(most, ratio);
            }
            printf("\n");
            if (most > 0.0) least = fmin(least, most);
        }
    return least;
}

static void compare_curtains(void)
{
    static const int iterations[ITERATIONS] = {1, 2, 4, 8},
                     rates[STEPS] = {120, 240, 480, 960, 1920};
    CurtainRun ours[METHODS][STIFFNESSES], bullet[ITERATIONS][STEPS];
    long steps[METHODS][STIFFNESSES];
    for (int round = 0; round < 3; round++) {
        for (int m = 0; m < METHODS; m++)
            for (int i = 0; i < STIFFNESSES; i++)
                keep_faster(&ours[m][i],
                            curtain_selvage(CURTAIN, &methods[m], 0.005 * pow(4.0, i), &steps[m][i]),
                            round);
        for (int i = 0; i < ITERATIONS; i++)
            for (int s = 0; s < STEPS; s++)
                keep_faster(&bullet[i][s], curtain_bullet(CURTAIN, iterations[i], rates[s]), round);
    }
    printf("A curtain of %d x %d, one simulated second; ms of computing, largest stretch\n\n",
           CURTAIN, CURTAIN);
    print_ours(ours, steps);
    printf(
        "\n  The last columns: Bullet's time by that of each of our methods at the same stretch; "
        "0: beyond its sweep\n");
    double least = print_bullet(bullet, iterations, rates, ours);
    printf("\n  Bullet's best setting against our fastest method at equal stretch");
    print_goal(least, 10.0);
}

static void keep_best(SolveRun *best, SolveRun run, int round)
{
    SolveRun was = *best;
    *best = run;
    if (round == 0) return;
    if (was.prepare < run.prepare) best->prepare = was.prepare;
    if (was.solve < run.solve) best->solve = was.solve;
}

static void compare_solvers(double k0)
{
    enum { US, BLOCK, CHOLESKY, FACTOR, AGAIN, WAYS };
    static const char *const names[WAYS] = {"Selvage, PCG", "Eigen, CG, 3 x 3 blocks",
                                            "Eigen, CG, incomplete Cholesky", "CHOLMOD, new factor",
                                            "CHOLMOD, kept factor"};
    LinearSystem system;
    SolveRun best[WAYS];
    if (!selvage_system(SYSTEM, k0, &system)) return;
    for (int round = 0; round < ROUNDS; round++) {
        keep_best(&best[US], solve_selvage(TOLERANCE), round);
        keep_best(&best[BLOCK], solve_eigen_block(&system, TOLERANCE), round);
        keep_best(&best[CHOLESKY], solve_eigen_cholesky(&system, TOLERANCE), round);
        keep_best(&best[FACTOR], solve_cholmod(&system, 0), round);
        keep_best(&best[AGAIN], solve_cholmod(&system, 1), round);
    }
    printf("\n(M + h^2 K) x = b, %d x %d, h = 1/60 s, k0 = %.0e: %d unknowns, %d entries\n\n",
           SYSTEM, SYSTEM, k0, system.n, system.start[system.n]);
    printf("  %-32s %10s %10s %8s %10s\n", "", "prepare", "solve", "steps", "residual");
    for (int i = 0; i < WAYS; i++)
        printf("  %-32s %7.1f ms %7.1f ms %8d %10.1e\n", names[i], 1e3 * best[i].prepare,
               1e3 * best[i].solve, best[i].iterations, best[i].residual);
    double cg = fmin(best[BLOCK].solve, best[CHOLESKY].solve) / best[US].solve;
    double direct =
        (best[FACTOR].prepare + best[FACTOR].solve) / (best[US].prepare + best[US].solve);
    printf("\n  Eigen's faster CG, solve alone");
    print_goal(cg, 8.0);
    printf("  CHOLMOD, factor and solve against prepare and solve");
    print_goal(direct, 4.0);
    selvage_system_finish(&system);
}

int main(int argc, char **argv)
{
    setvbuf(stdout, NULL, _IOLBF, 0);
    const char *only = argc > 1 ? argv[1] : "";
    if (*only && strcmp(only, "curtain") != 0 && strcmp(only, "solvers") != 0) {
        fprintf(stderr, "peers: \"%s\" is none of: curtain, solvers\n", only);
        return 2;
    }
    if (strcmp(only, "solvers") != 0) compare_curtains();
    if (strcmp(only, "curtain") != 0) {
        compare_solvers(1e7);
        compare_solvers(1e8);
    }
    return 0;
}
