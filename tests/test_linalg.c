// Block matrix, PCG and Krylov spaces against dense arithmetic and closed forms.
#include "support/solver_test.h"

#include "linalg/block_matrix.h"
#include "linalg/krylov.h"
#include "linalg/vectors.h"

#include <math.h>
#include <string.h>

enum { ROWS = 5, N = 3 * ROWS };

// A small graph; the pair (3, 1) appears twice.
static const int pairs[][2] = {{0, 1}, {1, 3}, {3, 1}, {4, 0}, {2, 4}};
enum { PAIRS = sizeof pairs / sizeof pairs[0] };

static Sym3 random_block(uint32_t *state)
{
    return (Sym3){noise(state), noise(state), noise(state),
                  noise(state), noise(state), noise(state)};
}

// A random symmetric matrix on the pattern, with `shift` added to its diagonal.
static void fill(BlockMatrix *A, double shift)
{
    uint32_t state = 1;
    block_matrix_clear(A);
    for (int r = 0; r < ROWS; r++) {
        for (int e = A->pattern.start[r]; e < A->pattern.start[r + 1]; e++) {
            int c = A->pattern.column[e];
            if (c < r) continue;
            Sym3 block = random_block(&state);
            A->values[e] = A->values[block_pattern_find(&A->pattern, c, r)] = block;
        }
        Sym3 *diagonal = &A->values[A->pattern.diagonal[r]];
        *diagonal = sym3_add_scaled(*diagonal, shift, sym3_from_axis(1.0, 0.0, (Vec3){0}));
    }
    block_matrix_invert_diagonal(A);
}

// The columns of A, by multiplying with unit vectors.
static void make_dense(const BlockMatrix *A, double dense[N][N])
{
    memset(dense, 0, sizeof(double) * N * N);
    for (int r = 0; r < ROWS; r++) {
        for (int e = A->pattern.start[r]; e < A->pattern.start[r + 1]; e++) {
            Sym3 b = A->values[e];
            double full[3][3] = {{b.xx, b.xy, b.xz}, {b.xy, b.yy, b.yz}, {b.xz, b.yz, b.zz}};
            for (int i = 0; i < 3; i++) {
                for (int j = 0; j < 3; j++) {
                    dense[3 * r + i][3 * A->pattern.column[e] + j] = full[i][j];
                }
            }
        }
    }
}

// Gaussian elimination with row pivoting; destroys its arguments.
static void solve_dense(double A[N][N], double b[N], double x[N])
{
    for (int k = 0; k < N; k++) {
        int pivot = k;
        for (int i = k + 1; i < N; i++) {
            if (fabs(A[i][k]) > fabs(A[pivot][k])) pivot = i;
        }
        for (int j = 0; j < N; j++) {
            double swap = A[k][j];
            A[k][j] = A[pivot][j];
            A[pivot][j] = swap;
        }
        double swap = b[k];
        b[k] = b[pivot];
        b[pivot] = swap;
        for (int i = k + 1; i < N; i++) {
            double factor = A[i][k] / A[k][k];
            for (int j = k; j < N; j++) A[i][j] -= factor * A[k][j];
            b[i] -= factor * b[k];
        }
    }
    for (int i = N - 1; i >= 0; i--) {
        x[i] = b[i];
        for (int j = i + 1; j < N; j++) x[i] -= A[i][j] * x[j];
        x[i] /= A[i][i];
    }
}

typedef struct Fixture {
    BlockPattern pattern;
    BlockMatrix A;
    Arena scratch;
} Fixture;

static Fixture set_up(double shift)
{
    Fixture f;
    assert_int_equal(block_pattern_init(&f.pattern, ROWS, PAIRS, pairs, NULL), STATUS_OK);
    assert_int_equal(block_matrix_init(&f.A, &f.pattern, NULL), STATUS_OK);
    assert_int_equal(arena_init(&f.scratch, pcg_scratch_size(N), NULL), STATUS_OK);
    fill(&f.A, shift);
    return f;
}

static void tear_down(Fixture *f)
{
    arena_finish(&f->scratch);
    block_matrix_finish(&f->A);
    block_pattern_finish(&f->pattern);
}

static void pattern_is_sorted_and_without_repetition(void **state)
{
    (void)state;
    Fixture f = set_up(0.0);
    assert_int_equal(block_pattern_entries(&f.pattern), ROWS + 2 * (PAIRS - 1));
    for (int r = 0; r < ROWS; r++) {
        assert_int_equal(f.pattern.column[f.pattern.diagonal[r]], r);
        for (int e = f.pattern.start[r] + 1; e < f.pattern.start[r + 1]; e++) {
            assert_true(f.pattern.column[e - 1] < f.pattern.column[e]);
        }
    }
    assert_true(block_pattern_find(&f.pattern, 1, 3) >= 0);
    assert_int_equal(block_pattern_find(&f.pattern, 0, 3), -1);
    tear_down(&f);
}

static void product_is_that_of_the_dense_matrix(void **state)
{
    (void)state;
    Fixture f = set_up(0.0);
    double dense[N][N], p[N], out[N];
    uint32_t seed = 7;
    make_dense(&f.A, dense);
    for (int i = 0; i < N; i++) p[i] = noise(&seed);
    block_matrix_multiply(&f.A, p, out);
    for (int i = 0; i < N; i++) {
        double sum = 0.0;
        for (int j = 0; j < N; j++) sum += dense[i][j] * p[j];
        assert_near(out[i], sum, 1e-14);
    }
    tear_down(&f);
}

static void inverse_of_a_block_is_its_inverse(void **state)
{
    (void)state;
    uint32_t seed = 3;
    for (int k = 0; k < 100; k++) {
        Sym3 A = sym3_add_scaled(random_block(&seed), 4.0, sym3_from_axis(1.0, 0.0, (Vec3){0}));
        Vec3 p = {noise(&seed), noise(&seed), noise(&seed)};
        Vec3 q = sym3_multiply(sym3_inverse(A), sym3_multiply(A, p));
        assert_near(vec3_length(vec3_sub(p, q)), 0.0, 1e-14);
    }
}

static void multiply(void *self, const double *p, double *out)
{
    block_matrix_multiply(self, p, out);
}

static void precondition(void *self, const double *r, double *z)
{
    block_matrix_precondition(self, r, z);
}

static void pcg_agrees_with_a_dense_solve(void **state)
{
    (void)state;
    Fixture f = set_up(6.0); // diagonally dominant: positive definite
    double dense[N][N], b[N], copy[N], exact[N], x[N];
    uint32_t seed = 11;
    make_dense(&f.A, dense);
    for (int i = 0; i < N; i++) copy[i] = b[i] = noise(&seed);
    solve_dense(dense, copy, exact);
    for (int with = 0; with < 2; with++) {
        LinearOperator A = {.self = &f.A,
                            .dofs = N,
                            .multiply = multiply,
                            .precondition = with ? precondition : NULL};
        arena_reset(&f.scratch);
        PcgReport report = pcg_solve(&A, b, x, 1e-14, 100, &f.scratch);
        assert_true(report.converged);
        assert_false(report.negative_curvature);
        assert_true(report.residual <= 1e-14);
        assert_true(report.iterations <= N + 2);
        for (int i = 0; i < N; i++) assert_near(x[i], exact[i], 1e-13);
    }
    // fewer iterations: not converged, and reported as such
    LinearOperator A = {
        .self = &f.A, .dofs = N, .multiply = multiply, .precondition = precondition};
    arena_reset(&f.scratch);
    PcgReport report = pcg_solve(&A, b, x, 1e-14, 2, &f.scratch);
    assert_false(report.converged);
    assert_int_equal(report.iterations, 2);
    assert_true(report.residual > 1e-14 && report.residual < 1.0);
    // b = 0
    memset(b, 0, sizeof b);
    arena_reset(&f.scratch);
    report = pcg_solve(&A, b, x, 1e-14, 100, &f.scratch);
    assert_true(report.converged);
    assert_int_equal(report.iterations, 0);
    for (int i = 0; i < N; i++) assert_true(x[i] == 0.0);
    tear_down(&f);
}

static void pcg_reports_negative_curvature(void **state)
{
    (void)state;
    Fixture f = set_up(-6.0);
    double b[N], x[N];
    uint32_t seed = 11;
    for (int i = 0; i < N; i++) b[i] = noise(&seed);
    LinearOperator A = {.self = &f.A, .dofs = N, .multiply = multiply, .precondition = NULL};
    PcgReport report = pcg_solve(&A, b, x, 1e-10, 100, &f.scratch);
    assert_true(report.negative_curvature);
    assert_false(report.converged);
    for (int i = 0; i < N; i++) assert_true(isfinite(x[i]));
    // also ends when b is not finite
    b[0] = NAN;
    arena_reset(&f.scratch);
    report = pcg_solve(&A, b, x, 1e-10, 100, &f.scratch);
    assert_false(report.converged);
    tear_down(&f);
}

// A chain of equal masses and springs with both ends fixed has the eigenvalues
//   2 - 2 cos(q pi / (n + 1)),  q = 1 .. n.
enum { CHAIN = 60 };

static void chain_product(void *self, const double *p, double *out)
{
    (void)self;
    for (int i = 0; i < CHAIN; i++) {
        out[i] = 2.0 * p[i] - (i > 0 ? p[i - 1] : 0.0) - (i < CHAIN - 1 ? p[i + 1] : 0.0);
    }
}

static KrylovReport largest(const LinearOperator *A, int steps, double *vector, Arena *scratch)
{
    return krylov_largest(A, (KrylovEffort){.steps = steps, .products = steps}, vector, scratch);
}

static void a_krylov_space_finds_the_top_of_a_chain(void **state)
{
    (void)state;
    const double pi = acos(-1.0);
    double exact = 2.0 - 2.0 * cos(CHAIN * pi / (CHAIN + 1));
    LinearOperator A = {
        .self = NULL, .dofs = CHAIN, .multiply = chain_product, .precondition = NULL};
    Arena scratch;
    assert_int_equal(arena_init(&scratch, krylov_largest_size(CHAIN, CHAIN), NULL), STATUS_OK);
    double vector[CHAIN], product[CHAIN];
    uint32_t seed = 5;
    for (int i = 0; i < CHAIN; i++) vector[i] = noise(&seed);
    double start[CHAIN];
    memcpy(start, vector, sizeof start);

    KrylovReport all = largest(&A, CHAIN, vector, &scratch);
    assert_near(all.value, exact, 1e-13);
    chain_product(NULL, vector, product);
    for (int i = 0; i < CHAIN; i++) assert_near(product[i], all.value * vector[i], 1e-9);

    // few products: the value is below the largest eigenvalue, and within the bound
    double before = 0.0;
    for (int steps = 1; steps <= 20; steps++) {
        memcpy(vector, start, sizeof start);
        arena_reset(&scratch);
        KrylovReport few = largest(&A, steps, vector, &scratch);
        assert_int_equal(few.products, steps);
        assert_true(few.value <= exact + 1e-13 && few.value >= before);
        // some eigenvalue is within the bound
        double nearest = INFINITY, residual = 0.0;
        for (int q = 1; q <= CHAIN; q++) {
            nearest = fmin(nearest, fabs(2.0 - 2.0 * cos(q * pi / (CHAIN + 1)) - few.value));
        }
        assert_true(nearest <= few.residual + 1e-13);
        // the bound is the residual of the returned vector
        chain_product(NULL, vector, product);
        for (int i = 0; i < CHAIN; i++) residual += pow(product[i] - few.value * vector[i], 2);
        assert_near(sqrt(residual), few.residual, 1e-10);
        before = few.value;
    }
    // a restart from the result improves it
    double restarted = 0.0;
    memcpy(vector, start, sizeof start);
    for (int k = 0; k < 30; k++) {
        arena_reset(&scratch);
        restarted = largest(&A, 10, vector, &scratch).value;
    }
    assert_near(restarted, exact, 1e-6);

    // starting from an eigenvector it stops at once
    for (int i = 0; i < CHAIN; i++) vector[i] = sin(CHAIN * pi * (i + 1) / (CHAIN + 1));
    arena_reset(&scratch);
    KrylovReport exact_start = largest(&A, CHAIN, vector, &scratch);
    assert_near(exact_start.value, exact, 1e-13);
    assert_true(exact_start.residual < 1e-12);
    // without a start vector there is no result
    memset(vector, 0, sizeof vector);
    arena_reset(&scratch);
    assert_true(largest(&A, 5, vector, &scratch).value == 0.0);
    arena_finish(&scratch);
}

// D^-1 A with D a diagonal: not symmetric, the same eigenvalues as D^-1/2 A D^-1/2.
static void scaled_chain_product(void *self, const double *p, double *out)
{
    chain_product(self, p, out);
    for (int i = 0; i < CHAIN; i++) out[i] /= 1.0 + 0.5 * sin(i);
}

static void symmetric_scaled_product(void *self, const double *p, double *out)
{
    double q[CHAIN];
    for (int i = 0; i < CHAIN; i++) q[i] = p[i] / sqrt(1.0 + 0.5 * sin(i));
    chain_product(self, q, out);
    for (int i = 0; i < CHAIN; i++) out[i] /= sqrt(1.0 + 0.5 * sin(i));
}

static void an_operator_need_not_be_symmetric(void **state)
{
    (void)state;
    Arena scratch;
    assert_int_equal(arena_init(&scratch, krylov_largest_size(CHAIN, 20), NULL), STATUS_OK);
    double value[2];
    for (int i = 0; i < 2; i++) {
        LinearOperator A = {.self = NULL,
                            .dofs = CHAIN,
                            .multiply = i ? scaled_chain_product : symmetric_scaled_product,
                            .precondition = NULL};
        double vector[CHAIN];
        uint32_t seed = 6;
        for (int k = 0; k < CHAIN; k++) vector[k] = noise(&seed);
        KrylovEffort effort = {.steps = 20, .products = 4000, .tolerance = 1e-13};
        KrylovReport report = krylov_largest(&A, effort, vector, &scratch);
        assert_true(report.products < 4000 && report.residual <= 1e-5 * report.value);
        value[i] = report.value;
    }
    assert_near(value[0], value[1], 1e-9 * value[0]);
    arena_finish(&scratch);
}

// Of a chain, whose eigenvector is known, and of the matrix of zeros, where any unit vector is one.
static void a_small_matrix_has_a_unit_eigenvector(void **state)
{
    (void)state;
    enum { M = 7 };
    const double pi = acos(-1.0);
    Arena scratch;
    assert_int_equal(arena_init(&scratch, krylov_largest_size(M, M), NULL), STATUS_OK);
    for (int zero = 0; zero < 2; zero++) {
        double main[M], off[M], s[M], exact = zero ? 0.0 : 2.0 - 2.0 * cos(M * pi / (M + 1));
        for (int i = 0; i < M; i++) main[i] = zero ? 0.0 : 2.0, off[i] = zero ? 0.0 : -1.0;
        assert_near(krylov_largest_tridiagonal(M, main, off, s, &scratch), exact, 1e-13);
        assert_near(vector_dot(M, s, s), 1.0, 1e-13);
        for (int i = 0; i < M && !zero; i++)
            assert_near(fabs(s[i]), fabs(sin(M * pi * (i + 1) / (M + 1)) * sqrt(2.0 / (M + 1))),
                        1e-7);
    }
    arena_finish(&scratch);
}

static void the_largest_is_found_wherever_it_is(void **state)
{
    (void)state;
    enum { LONGEST = 11 };
    double a[LONGEST], b[LONGEST];
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (int n = 1; n <= LONGEST; n++) {
        for (int at = 0; at < n; at++) {
            for (int i = 0; i < n; i++) a[i] = 0.1 * i, b[i] = 2.0 + 0.1 * i;
            assert_near(vector_largest_difference(n, a, b), 2.0, 1e-15);
            a[at] = -7.0;
            assert_true(vector_largest(n, a) == 7.0);
            assert_true(vector_largest_difference(n, a, b) == 9.0 + 0.1 * at);
            for (int k = 0; k < 3; k++) {
                a[at] = bad[k];
                assert_true(vector_largest(n, a) == INFINITY);
                assert_true(vector_largest_difference(n, a, b) == INFINITY);
            }
        }
    }
    assert_true(vector_largest(0, a) == 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pattern_is_sorted_and_without_repetition),
        cmocka_unit_test(product_is_that_of_the_dense_matrix),
        cmocka_unit_test(inverse_of_a_block_is_its_inverse),
        cmocka_unit_test(pcg_agrees_with_a_dense_solve),
        cmocka_unit_test(pcg_reports_negative_curvature),
        cmocka_unit_test(a_krylov_space_finds_the_top_of_a_chain),
        cmocka_unit_test(an_operator_need_not_be_symmetric),
        cmocka_unit_test(a_small_matrix_has_a_unit_eigenvector),
        cmocka_unit_test(the_largest_is_found_wherever_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
