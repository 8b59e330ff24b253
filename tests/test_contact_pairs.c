// Pairs inside an implicit solve against dense matrices. Without friction they are a linear
// complementarity problem, whose only solution is found by trying all sets of closed pairs; the
// solve agrees to 1e-8. With friction the reference repeats the drag of each pair to rounding; the
// solve agrees to a share of what friction does, as contact_pairs.c knows it to 0.05 only.
#include "support/solver_test.h"

#include "integrators/contact.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PARTICLES = 6, DOFS = 3 * PARTICLES, PAIRS = 4, SIZE = DOFS + PAIRS };
#define CLOSE 1e-8
// To which contact_pairs.c knows the friction of a pair; several of them may add up.
#define FRICTION_SHARE 0.05

typedef struct Problem {
    double A[DOFS][DOFS], b[DOFS], v[DOFS];
    ContactPair pairs[PAIRS];
    ContactSet set;
} Problem;

static void multiply(void *self, const double *p, double *out)
{
    const Problem *problem = self;
    for (int i = 0; i < DOFS; i++) {
        out[i] = 0.0;
        for (int j = 0; j < DOFS; j++) out[i] += problem->A[i][j] * p[j];
    }
}

// Positive definite: masses, and springs of which some are stiff.
static void random_matrix(Problem *problem, uint32_t *seed)
{
    for (int i = 0; i < DOFS; i++) problem->A[i][i] = 1.0 + 0.5 * noise(seed);
    for (int k = 0; k < 12; k++) {
        double along[DOFS], stiffness = pow(10.0, 2.0 * noise(seed));
        for (int i = 0; i < DOFS; i++) along[i] = noise(seed);
        for (int i = 0; i < DOFS; i++)
            for (int j = 0; j < DOFS; j++) problem->A[i][j] += stiffness * along[i] * along[j];
    }
}

// Four of the particles: one and a triangle, or two edges.
static ContactPair random_pair(int index, uint32_t *seed)
{
    Vec3 normal = {noise(seed), noise(seed), noise(seed)};
    double s = 0.5 + 0.4 * noise(seed), t = 0.5 + 0.4 * noise(seed);
    double triangle[4] = {1.0, -s * t, -s * (1.0 - t), s - 1.0};
    double edges[4] = {1.0 - s, s, t - 1.0, -t};
    ContactPair pair = {.normal = vec3_scale(1.0 / vec3_length(normal), normal),
                        .least = 0.3 * noise(seed)};
    for (int i = 0; i < 4; i++) {
        pair.first_dof[i] = (index + i * (1 + index % 2)) % PARTICLES;
        if (index % 2 && i == 3) pair.first_dof[i] = (index + 1) % PARTICLES;
        pair.weight[i] = pair.given[i] = index % 2 ? edges[i] : triangle[i];
    }
    return pair;
}

static void random_problem(Problem *problem, double friction, uint32_t *seed)
{
    memset(problem, 0, sizeof *problem);
    random_matrix(problem, seed);
    for (int i = 0; i < DOFS; i++) {
        problem->v[i] = noise(seed);
        problem->b[i] = noise(seed);
    }
    for (int i = 0; i < PAIRS; i++) problem->pairs[i] = random_pair(i, seed);
    problem->set.component_stride = PARTICLES;
    problem->set.pairs = (ContactPairs){.count = PAIRS,
                                        .items = problem->pairs,
                                        .component_stride = PARTICLES,
                                        .friction = friction,
                                        .slack = 1e-11,
                                        .creep = 1e-6};
}

static void solve(Problem *problem, double *dv)
{
    Arena scratch;
    LinearOperator A = {.self = problem, .dofs = DOFS, .multiply = multiply};
    PcgEffort effort = {.tolerance = 1e-13, .max_iterations = 1000};
    assert_int_equal(arena_init(&scratch, contact_scratch_size(DOFS), NULL), STATUS_OK);
    contact_solve(&problem->set, &A, problem->b, problem->v, dv, &effort, 1000000, &scratch);
    arena_finish(&scratch);
}

// ---- the reference

static void eliminate(double M[SIZE][SIZE + 1], int n)
{
    for (int c = 0; c < n; c++) {
        int pivot = c;
        for (int r = c; r < n; r++)
            if (fabs(M[r][c]) > fabs(M[pivot][c])) pivot = r;
        for (int k = 0; k <= n; k++) {
            double kept = M[c][k];
            M[c][k] = M[pivot][k], M[pivot][k] = kept;
        }
        for (int r = 0; r < n; r++) {
            double factor = M[r][c] / M[c][c];
            for (int k = c; k <= n && r != c; k++) M[r][k] -= factor * M[c][k];
        }
    }
    for (int r = 0; r < n; r++) M[r][n] /= M[r][r];
}

// A row of n.u = row . v
static void row_of(const ContactPair *pair, double row[DOFS])
{
    const double n[3] = {pair->normal.x, pair->normal.y, pair->normal.z};
    memset(row, 0, DOFS * sizeof *row);
    for (int i = 0; i < 4; i++)
        for (int c = 0; c < 3; c++)
            row[pair->first_dof[i] + c * PARTICLES] += pair->weight[i] * n[c];
}

static Vec3 velocity_of(const ContactPair *pair, const double *v)
{
    double u[3] = {0};
    for (int i = 0; i < 4; i++)
        for (int c = 0; c < 3; c++) u[c] += pair->weight[i] * v[pair->first_dof[i] + c * PARTICLES];
    return (Vec3){u[0], u[1], u[2]};
}

// B = A with drag d on what pairs move along their surfaces: d w w' (I - n n').
static void add_drag(const ContactPair *pair, double drag, double B[DOFS][DOFS])
{
    const double n[3] = {pair->normal.x, pair->normal.y, pair->normal.z};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            for (int c = 0; c < 3; c++)
                for (int d = 0; d < 3; d++)
                    B[pair->first_dof[i] + c * PARTICLES][pair->first_dof[j] + d * PARTICLES] +=
                        drag * pair->weight[i] * pair->weight[j] * ((c == d) - n[c] * n[d]);
}

// The velocities and impulses with a set of closed pairs, of the matrix B. True if they satisfy
// all conditions.
static bool try_set(const Problem *problem, double B[DOFS][DOFS], const double *b, int closed,
                    double v[DOFS], double push[PAIRS])
{
    static double M[SIZE][SIZE + 1];
    int n = DOFS, of[PAIRS];
    memset(M, 0, sizeof M);
    for (int p = 0; p < PAIRS; p++)
        if (closed >> p & 1) of[n++ - DOFS] = p;
    for (int i = 0; i < DOFS; i++) {
        memcpy(M[i], B[i], DOFS * sizeof(double));
        M[i][n] = b[i];
    }
    for (int k = DOFS; k < n; k++) {
        double row[DOFS];
        row_of(&problem->pairs[of[k - DOFS]], row);
        for (int i = 0; i < DOFS; i++) M[k][i] = row[i], M[i][k] = -row[i];
        M[k][n] = problem->pairs[of[k - DOFS]].least;
    }
    eliminate(M, n);
    memset(push, 0, PAIRS * sizeof *push);
    for (int i = 0; i < DOFS; i++) v[i] = M[i][n];
    for (int k = DOFS; k < n; k++) push[of[k - DOFS]] = M[k][n];
    for (int p = 0; p < PAIRS; p++) {
        const ContactPair *pair = &problem->pairs[p];
        if (push[p] < 0.0) return false;
        if (vec3_dot(velocity_of(pair, v), pair->normal) < pair->least - 1e-12) return false;
    }
    return true;
}

// B v = A v0 + b + impulses along the normals: the end velocities. Returns the set of closed pairs.
static int find_set(const Problem *problem, const double drag[PAIRS], double v[DOFS],
                    double push[PAIRS])
{
    double B[DOFS][DOFS], b[DOFS];
    memcpy(B, problem->A, sizeof B);
    for (int i = 0; i < DOFS; i++) {
        b[i] = problem->b[i];
        for (int j = 0; j < DOFS; j++) b[i] += problem->A[i][j] * problem->v[j];
    }
    for (int p = 0; p < PAIRS; p++) add_drag(&problem->pairs[p], drag[p], B);
    for (int closed = 0; closed < 1 << PAIRS; closed++)
        if (try_set(problem, B, b, closed, v, push)) return closed;
    fail_msg("no set of closed pairs satisfies the conditions");
    return 0;
}

static double distance(const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < DOFS; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum);
}

// ---- tests

static void without_friction_they_are_exact(void **state)
{
    (void)state;
    uint32_t seed = 4;
    const double zero[PAIRS] = {0};
    double worst = 0.0;
    int closed[PAIRS + 1] = {0};
    for (int n = 0; n < 300; n++) {
        Problem problem;
        double dv[DOFS], v[DOFS], push[PAIRS], solved[DOFS];
        random_problem(&problem, 0.0, &seed);
        solve(&problem, dv);
        int set = find_set(&problem, zero, v, push), count = 0;
        for (int p = 0; p < PAIRS; p++) count += set >> p & 1;
        closed[count]++;
        for (int i = 0; i < DOFS; i++) solved[i] = problem.v[i] + dv[i];
        worst = fmax(worst, distance(solved, v));
    }
    print_message("off by %.2g m/s; %d, %d, %d, %d and %d times 0 to 4 pairs closed\n", worst,
                  closed[0], closed[1], closed[2], closed[3], closed[4]);
    assert_true(worst < CLOSE);
    for (int k = 0; k <= PAIRS; k++) assert_true(closed[k] > 3);
}

// Coulomb's drag, at most the stiffness, repeated until it no longer changes.
static bool rub(const Problem *problem, double v[DOFS], double push[PAIRS], double drag[PAIRS])
{
    const ContactPairs *pairs = &problem->set.pairs;
    double before[DOFS] = {0};
    for (int turn = 0; turn < 2000; turn++) {
        find_set(problem, drag, v, push);
        if (turn > 0 && distance(v, before) < 1e-11) return true;
        memcpy(before, v, sizeof before);
        for (int p = 0; p < PAIRS; p++) {
            const ContactPair *pair = &pairs->items[p];
            Vec3 u = velocity_of(pair, v);
            u = vec3_add_scaled(u, -vec3_dot(u, pair->normal), pair->normal);
            double speed = fmax(vec3_length(u), pairs->creep);
            double wanted = fmin(pairs->friction * push[p] / speed, pair->stiffness);
            drag[p] += 0.5 * (wanted - drag[p]);
        }
    }
    return false;
}

static void with_friction_they_are_near(void **state)
{
    (void)state;
    const double frictions[] = {0.05, 0.5};
    for (int f = 0; f < 2; f++) {
        uint32_t seed = 9;
        int slides = 0, sticks = 0, count = 0;
        double worst = 0.0, sum = 0.0;
        for (int n = 0; n < 200; n++) {
            Problem problem;
            double dv[DOFS], v[DOFS], free[DOFS], push[PAIRS], drag[PAIRS] = {0}, solved[DOFS];
            random_problem(&problem, frictions[f], &seed);
            solve(&problem, dv);
            find_set(&problem, drag, free, push);
            assert_true(rub(&problem, v, push, drag));
            for (int p = 0; p < PAIRS; p++) {
                bool at_most = drag[p] > 0.999 * problem.pairs[p].stiffness;
                slides += push[p] > 0.0 && !at_most;
                sticks += push[p] > 0.0 && at_most;
            }
            for (int i = 0; i < DOFS; i++) solved[i] = problem.v[i] + dv[i];
            double done = distance(v, free), off = distance(solved, v);
            if (done < 1e-6) continue;
            worst = fmax(worst, off / done);
            sum += off / done;
            count++;
        }
        print_message(
            "friction %g: off by %.3f of what it does at most, %.4f in the mean; %d slide, "
            "%d stick\n",
            frictions[f], worst, sum / count, slides, sticks);
        assert_true(slides > 100 && (f == 0 || sticks > 20));
        assert_true(worst < 2.5 * FRICTION_SHARE && sum / count < FRICTION_SHARE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_friction_they_are_exact),
        cmocka_unit_test(with_friction_they_are_near),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
