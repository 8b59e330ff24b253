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

// Our time at a stretch, between two runs of the sweep: time against stretch is a straight line in
// logarithms.
static double our_seconds(const CurtainRun *ours, int count, double stretch)
{
    for (int i = 1; i < count; i++) {
        if (ours[i].stretch > stretch) continue;
        double t = log(stretch / ours[i - 1].stretch) / log(ours[i].stretch / ours[i - 1].stretch);
        return ours[i - 1].seconds * pow(ours[i].seconds / ours[i - 1].seconds, fmax(t, 0.0));
    }
    return INFINITY;
}

static void compare_curtains(void)
{
    enum { OURS = 7, ITERATIONS = 4, STEPS = 5 };
    static const int iterations[ITERATIONS] = {1, 2, 4, 8},
                     rates[STEPS] = {120, 240, 480, 960, 1920};
    CurtainRun ours[OURS], bullet[ITERATIONS][STEPS];
    long steps[OURS];
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < OURS; i++) {
            CurtainRun run = curtain_selvage(CURTAIN, 0.02 * pow(4.0, i), &steps[i]);
            if (round == 0 || run.seconds < ours[i].seconds) ours[i] = run;
        }
        for (int i = 0; i < ITERATIONS; i++)
            for (int s = 0; s < STEPS; s++) {
                CurtainRun run = curtain_bullet(CURTAIN, iterations[i], rates[s]);
                if (round == 0 || run.seconds < bullet[i][s].seconds) bullet[i][s] = run;
            }
    }
    printf("A curtain of %d x %d, one simulated second; ms of computing, largest stretch\n\n",
           CURTAIN, CURTAIN);
    for (int i = 0; i < OURS; i++)
        printf("  Selvage, symplectic Euler, %6ld steps   %9.1f ms %9.3f %%\n", steps[i],
               1e3 * ours[i].seconds, 100.0 * ours[i].stretch);
    double least = INFINITY;
    for (int i = 0; i < ITERATIONS; i++)
        for (int s = 0; s < STEPS; s++) {
            double ratio = bullet[i][s].seconds / our_seconds(ours, OURS, bullet[i][s].stretch);
            printf("  Bullet, %d iterations, %5d steps        %9.1f ms %9.3f %%", iterations[i],
                   rates[s], 1e3 * bullet[i][s].seconds, 100.0 * bullet[i][s].stretch);
            if (ratio > 0.0)
                printf("  %6.1f x ours\n", ratio);
            else
                printf("  less than our sweep reaches\n");
            if (ratio > 0.0) least = fmin(least, ratio);
        }
    printf("\n  Bullet's best at equal stretch");
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
