#include "lab/step_map.h"

#include "base/clock.h"

#include <lapacke.h>

#include <assert.h>
#include <math.h>
#include <string.h>

// If nothing converges, the values are checked after this many products.
enum { LOOK = STEP_MAP_BASIS };
// Largest displacement of a perturbed step, in units of `length`: between rounding (1e-16 / e) and
// the third derivative (e^2).
#define PERTURBATION 4e-6
// Shift, in units of 1/h^2: it changes the step's map of a direction without stiffness by half its
// root, 1e-4.
#define SHIFT 4e-8
// A new direction shorter than this is rounding: the Krylov space is exhausted.
#define EXHAUSTED 1e-10
// Values above 1 and this close to it belong to motion without stiffness: by the shift above, or,
// in a space of all states, by rounding.
#define NEUTRAL 3e-4
#define NEUTRAL_EXACT 2e-5
// A value whose imaginary part is below this share of its growth grows one way.
#define ONE_WAY 0.3
#define LEGIBLE 0.3 // residual with which rho has a digit
// Weight of the last call's mode in the start, beside a random state of weight 1.
#define WARM_SHARE 4.0

// States that a restart keeps.
static int kept_states(const StepMap *map)
{
    return 2 * map->size / 5;
}

// Leading dimension of the small matrices.
static int leading(const StepMap *map)
{
    return map->size + 1;
}

Status step_map_init(StepMap *map, int dofs, int basis, Error *error)
{
    assert(basis >= STEP_MAP_BASIS && basis <= STEP_MAP_BASIS_MAX);
    *map = (StepMap){.noise = 54321u, .size = basis};
    size_t flat = arena_footprint((size_t)dofs * sizeof(double));
    size_t m = (size_t)leading(map), kept = (size_t)kept_states(map) + 1;
    size_t size = free_dofs_size(dofs) + 5 * flat +
                  (m + kept + 2) * arena_footprint(2 * (size_t)dofs * sizeof(double)) +
                  4 * arena_footprint(m * m * sizeof(double)) +
                  10 * arena_footprint(m * sizeof(double)) + 2 * arena_footprint(m * sizeof(int)) +
                  arena_footprint(m * sizeof(bool));
    Status status = arena_init(&map->memory, size, error);
    if (status != STATUS_OK) return status;
    Arena *memory = &map->memory;
    size_t n = (size_t)dofs;
    free_dofs_init(&map->free, dofs, memory);
    map->shape = ARENA_ALLOC(memory, n, double);
    map->plus_x = ARENA_ALLOC(memory, n, double);
    map->plus_v = ARENA_ALLOC(memory, n, double);
    map->minus_x = ARENA_ALLOC(memory, n, double);
    map->minus_v = ARENA_ALLOC(memory, n, double);
    map->basis = ARENA_ALLOC(memory, m * 2 * n, double);
    map->kept = ARENA_ALLOC(memory, kept * 2 * n, double);
    map->dual = ARENA_ALLOC(memory, 2 * n, double);
    map->start = ARENA_ALLOC(memory, 2 * n, double);
    map->H = ARENA_ALLOC(memory, m * m, double);
    map->T = ARENA_ALLOC(memory, m * m, double);
    map->Q = ARENA_ALLOC(memory, m * m, double);
    map->Y = ARENA_ALLOC(memory, m * m, double);
    map->re = ARENA_ALLOC(memory, m, double);
    map->im = ARENA_ALLOC(memory, m, double);
    map->work = ARENA_ALLOC(memory, 8 * m, double);
    map->order = ARENA_ALLOC(memory, m, int);
    map->select = ARENA_ALLOC(memory, m, int);
    map->buckling = ARENA_ALLOC(memory, m, bool);
    return STATUS_OK;
}

void step_map_finish(StepMap *map)
{
    arena_finish(&map->memory);
    *map = (StepMap){0};
}

void step_map_forget(StepMap *map)
{
    map->warm = 0;
}

bool step_map_rho_is_legible(const StepMapRho *rho)
{
    return rho->value > 0.0 && rho->residual <= LEGIBLE;
}

bool step_map_has_shape(const StepMap *map)
{
    return map->warm > 0;
}

static double *state(StepMap *map, int j)
{
    return map->basis + (size_t)j * 2 * (size_t)map->free.count;
}

// dual = (K+ + s M) x, v: then <u, w> = w . dual(u)
static void make_dual(StepMap *map, const StepMapProblem *problem, double shift, const double *u)
{
    int n = map->free.count;
    free_dofs_stiffness(&map->free, problem->system, problem->x, TANGENT_CLAMPED, u, map->dual);
    packed_add(n, map->dual, shift, u);
    memcpy(map->dual + n, u + n, (size_t)n * sizeof(double));
}

static double normalise(StepMap *map, const StepMapProblem *problem, double shift, double *u)
{
    int n = map->free.count;
    make_dual(map, problem, shift, u);
    double norm = sqrt(fmax(packed_dot(2 * n, u, map->dual), 0.0));
    double factor = norm > 0.0 ? 1.0 / norm : 0.0;
    for (int i = 0; i < 2 * n; i++) u[i] *= factor;
    return norm;
}

// w -= V V*w for the first `count` states, twice; adds the coefficients to h unless it is NULL.
static void orthogonalise(StepMap *map, const StepMapProblem *problem, double shift, int count,
                          double *w, double *h)
{
    int n2 = 2 * map->free.count;
    for (int pass = 0; pass < 2; pass++) {
        make_dual(map, problem, shift, w);
        for (int k = 0; k < count; k++) {
            double c = packed_dot(n2, state(map, k), map->dual);
            packed_add(n2, w, -c, state(map, k));
            if (h) h[k] += c;
        }
    }
}

// out = J u; false when a step fails
static bool product(StepMap *map, const StepMapProblem *problem, const double *u, double *out)
{
    const FreeDofs *free = &map->free;
    int n = free->count;
    size_t bytes = (size_t)free->dofs * sizeof(double);
    double largest = 0.0;
    for (int i = 0; i < n; i++) {
        largest = fmax(largest, free->scale[i] * fmax(fabs(u[i]), problem->h * fabs(u[n + i])));
    }
    if (!(largest > 0.0)) return false;
    double e = PERTURBATION * problem->length / largest;
    memcpy(map->plus_x, problem->x, bytes);
    memset(map->plus_v, 0, bytes);
    memcpy(map->minus_x, problem->x, bytes);
    memset(map->minus_v, 0, bytes);
    for (int i = 0; i < n; i++) {
        int at = free->index[i];
        double dx = e * free->scale[i] * u[i], dv = e * free->scale[i] * u[n + i];
        map->plus_x[at] += dx, map->plus_v[at] += dv;
        map->minus_x[at] -= dx, map->minus_v[at] -= dv;
    }
    if (!problem->step(problem->self, map->plus_x, map->plus_v)) return false;
    if (!problem->step(problem->self, map->minus_x, map->minus_v)) return false;
    for (int i = 0; i < n; i++) {
        int at = free->index[i];
        double factor = 0.5 / (e * free->scale[i]);
        out[i] = factor * (map->plus_x[at] - map->minus_x[at]);
        out[n + i] = factor * (map->plus_v[at] - map->minus_v[at]);
    }
    return true;
}

static double *column(const StepMap *map, double *matrix, int j)
{
    return matrix + (size_t)j * (size_t)leading(map);
}

// Schur form Q T Q' of the m x m part of H, its eigenvalues, and its eigenvectors Y.
static bool solve_small(StepMap *map, int m)
{
    int ld = leading(map);
    lapack_int found, selected = 0, unused[1];
    for (int j = 0; j < m; j++) {
        memcpy(column(map, map->T, j), column(map, map->H, j), (size_t)m * sizeof(double));
    }
    if (LAPACKE_dgees_work(LAPACK_COL_MAJOR, 'V', 'N', NULL, m, map->T, ld, &selected, map->re,
                           map->im, map->Q, ld, map->work, 8 * ld, unused) != 0) {
        return false;
    }
    memcpy(map->Y, map->Q, (size_t)ld * (size_t)ld * sizeof(double));
    return LAPACKE_dtrevc_work(LAPACK_COL_MAJOR, 'R', 'B', NULL, m, map->T, ld, NULL, 1, map->Y, ld,
                               m, &found, map->work) == 0;
}

static double size_of(const StepMap *map, int i)
{
    return hypot(map->re[i], map->im[i]);
}

static bool is_pair(const StepMap *map, int i)
{
    return map->im[i] != 0.0;
}

// |J u - theta u| / |u| of the Ritz vector in column i, and i + 1 for a pair.
static double residual_of(const StepMap *map, int m, int i, double beta)
{
    double norm = 0.0, last = 0.0;
    for (int part = 0; part <= (is_pair(map, i) ? 1 : 0); part++) {
        const double *y = column(map, map->Y, i + part);
        norm += packed_dot(m, y, y);
        last += y[m - 1] * y[m - 1];
    }
    return norm > 0.0 ? beta * sqrt(last / norm) : INFINITY;
}

// order = columns of the Ritz values by size, largest first; only the first column of a pair.
static int sort_values(StepMap *map, int m)
{
    int count = 0;
    for (int i = 0; i < m; i += is_pair(map, i) ? 2 : 1) {
        int at = count++;
        while (at > 0 && size_of(map, map->order[at - 1]) < size_of(map, i)) {
            map->order[at] = map->order[at - 1];
            at--;
        }
        map->order[at] = i;
    }
    return count;
}

// Shrink the basis to the Schur vectors of the largest values and the state that follows them.
static int restart(StepMap *map, int m, double beta, int count)
{
    int ld = leading(map), keep = 0;
    memset(map->select, 0, (size_t)ld * sizeof *map->select);
    for (int i = 0; i < count; i++) {
        int at = map->order[i], width = is_pair(map, at) ? 2 : 1;
        if (keep + width > kept_states(map)) break;
        for (int part = 0; part < width; part++) map->select[at + part] = 1;
        keep += width;
    }
    double s, sep;
    lapack_int found, unused[1];
    LAPACKE_dtrsen_work(LAPACK_COL_MAJOR, 'N', 'V', map->select, m, map->T, ld, map->Q, ld, map->re,
                        map->im, &found, &s, &sep, map->work, ld, unused, 1);
    size_t n2 = 2 * (size_t)map->free.count;
    for (int k = 0; k < keep; k++) {
        double *out = map->kept + (size_t)k * n2;
        memset(out, 0, n2 * sizeof *out);
        for (int j = 0; j < m; j++) {
            packed_add((int)n2, out, column(map, map->Q, k)[j], state(map, j));
        }
    }
    memcpy(map->kept + (size_t)keep * n2, state(map, m), n2 * sizeof(double));
    memcpy(map->basis, map->kept, (size_t)(keep + 1) * n2 * sizeof(double));
    memset(map->H, 0, (size_t)ld * (size_t)ld * sizeof(double));
    for (int k = 0; k < keep; k++) {
        double *h = column(map, map->H, k);
        memcpy(h, column(map, map->T, k), (size_t)keep * sizeof(double));
        h[keep] = beta * column(map, map->Q, k)[m - 1];
    }
    return keep;
}

// out = the first column of the Ritz vector of column i
static void ritz_vector(StepMap *map, int m, int i, double *out)
{
    int n = map->free.count;
    memset(out, 0, 2 * (size_t)n * sizeof(double));
    for (int j = 0; j < m; j++) packed_add(2 * n, out, column(map, map->Y, i)[j], state(map, j));
}

// Has its shape too little stiffness to resist? Uses `dual`, and the state that a restart keeps
// last.
static bool gives_way(StepMap *map, const StepMapProblem *problem, int m, int i)
{
    int n = map->free.count;
    double *u = map->kept + (size_t)kept_states(map) * 2 * (size_t)n;
    ritz_vector(map, m, i, u);
    free_dofs_stiffness(&map->free, problem->system, problem->x, TANGENT_FULL, u, map->dual);
    return packed_dot(n, u, map->dual) < problem->soft * packed_dot(n, u, u);
}

// A multiple value appears as a pair with a small imaginary part. A slowly growing oscillation has
// an imaginary part far larger than its growth.
static bool grows_one_way(const StepMap *map, int i, double residual)
{
    double size = size_of(map, i);
    return size - residual > 1.0 && map->re[i] > 0.0 &&
           fabs(map->im[i]) <= residual + ONE_WAY * (size - 1.0);
}

// Motion without stiffness has the double value 1, which rounding splits.
static bool is_neutral(const StepMap *map, int i)
{
    double near = map->exact ? NEUTRAL_EXACT : NEUTRAL;
    return size_of(map, i) > 1.0 && hypot(map->re[i] - 1.0, map->im[i]) < near;
}

static void find_buckling(StepMap *map, const StepMapProblem *problem, int m, double beta,
                          int count)
{
    for (int i = 0; i < count; i++) {
        int at = map->order[i];
        double residual = residual_of(map, m, at, beta);
        bool grows = size_of(map, at) - residual > 1.0;
        map->buckling[at] = (grows && problem->beyond_pole) ||
                            (grows_one_way(map, at, residual) && !is_neutral(map, at) &&
                             gives_way(map, problem, m, at));
    }
}

// The next call starts from the Ritz vector in column i, whose real displacements are the shape.
static void keep_shape(StepMap *map, int m, int i)
{
    ritz_vector(map, m, i, map->start);
    map->warm = map->free.count;
    free_dofs_unpack(&map->free, map->start, map->shape);
    double largest = 0.0;
    for (int j = 0; j < map->free.dofs; j++) {
        if (fabs(map->shape[j]) > fabs(largest)) largest = map->shape[j];
    }
    for (int j = 0; j < map->free.dofs && largest != 0.0; j++) map->shape[j] /= largest;
}

static bool is_numerical(const StepMap *map, int i)
{
    return !map->buckling[i] && !is_neutral(map, i);
}

// The column of rho, of all values or of the numerical ones; -1 without one.
static int choose(const StepMap *map, int m, double beta, int count, double tolerance, bool all,
                  StepMapRho *rho)
{
    int chosen = -1;
    double surely = 0.0; // what the largest one is at least
    *rho = (StepMapRho){0};
    for (int i = 0; i < count && !rho->converged; i++) {
        int at = map->order[i];
        if (!all && !is_numerical(map, at)) continue;
        double size = size_of(map, at), residual = residual_of(map, m, at, beta);
        if (chosen < 0) surely = size - residual;
        bool converged = residual <= tolerance && size >= surely;
        if (chosen >= 0 && !converged) continue;
        chosen = at;
        *rho = (StepMapRho){size, residual, converged, map->buckling[at]};
    }
    return chosen;
}

static void report_values(StepMap *map, int m, double beta, int count, double tolerance,
                          StepMapResult *result)
{
    result->count = count < STEP_MAP_VALUES ? count : STEP_MAP_VALUES;
    for (int i = 0; i < result->count; i++) {
        int at = map->order[i];
        result->values[i] = (RitzValue){map->re[at], fabs(map->im[at]),
                                        residual_of(map, m, at, beta), map->buckling[at]};
    }
    int largest = choose(map, m, beta, count, tolerance, true, &result->rho);
    choose(map, m, beta, count, tolerance, false, &result->numerical);
    keep_shape(map, m, largest);
}

// Values that buckle go to the end of the order: a restart then keeps what is wanted.
static void order_numerical_first(StepMap *map, int count)
{
    int *moved = map->select, kept = 0, last = 0;
    for (int i = 0; i < count; i++) {
        if (!is_numerical(map, map->order[i]))
            moved[last++] = map->order[i];
        else
            map->order[kept++] = map->order[i];
    }
    memcpy(map->order + kept, moved, (size_t)last * sizeof *moved);
}

// Is the first of the order, the largest numerical value, known well enough? A residual says how
// far the nearest eigenvalue is, not that none is larger.
static bool is_settled(const StepMap *map, int m, double beta, double tolerance)
{
    return residual_of(map, m, map->order[0], beta) <= tolerance;
}

static void start_state(StepMap *map, const StepMapProblem *problem, double shift)
{
    int n = map->free.count;
    double *u = state(map, 0);
    for (int i = 0; i < n; i++) { // velocities: all modes get the same energy
        u[i] = 0.0;
        u[n + i] = packed_noise(&map->noise);
    }
    normalise(map, problem, shift, u);
    if (map->warm == n) {
        normalise(map, problem, shift, map->start);
        packed_add(2 * n, u, WARM_SHARE, map->start);
        normalise(map, problem, shift, u);
    }
}

// Values of the m x m part of H; beta couples it to what is outside. False when LAPACK fails.
static bool evaluate(StepMap *map, const StepMapProblem *problem, int m, double beta,
                     double tolerance, StepMapResult *result, int *count)
{
    if (!solve_small(map, m)) return false;
    *count = sort_values(map, m);
    find_buckling(map, problem, m, beta, *count);
    report_values(map, m, beta, *count, tolerance, result);
    order_numerical_first(map, *count);
    return true;
}

// J itself, column by column, in x and h v: no space to choose and no norm.
static StepMapResult measure_whole(StepMap *map, const StepMapProblem *problem, double tolerance)
{
    StepMapResult result = {.exact = map->exact = true};
    int n = map->free.count, count;
    for (int j = 0; j < 2 * n && !result.failed; j++) {
        double *u = state(map, j), *h = column(map, map->H, j);
        memset(u, 0, 2 * (size_t)n * sizeof *u);
        u[j] = j < n ? 1.0 : 1.0 / problem->h;
        result.failed = !product(map, problem, u, h);
        for (int i = n; i < 2 * n; i++) h[i] *= problem->h;
        result.products++;
    }
    result.failed =
        result.failed || !evaluate(map, problem, 2 * n, 0.0, tolerance, &result, &count);
    return result;
}

bool step_map_has_whole(StepMap *map, const StepMapProblem *problem, int products)
{
    free_dofs_update(&map->free, problem->system);
    return 2 * map->free.count <= map->size && 2 * map->free.count <= products;
}

void step_map_begin(StepMap *map, const StepMapProblem *problem)
{
    free_dofs_update(&map->free, problem->system);
    map->result = (StepMapResult){0};
    map->exact = false;
    map->filled = 0;
    map->ended = map->free.count == 0;
    if (map->ended) {
        map->result.rho.converged = map->result.numerical.converged = map->result.exact = true;
        return;
    }
    map->used_shift = fmax(problem->shift, SHIFT / (problem->h * problem->h));
    start_state(map, problem, map->used_shift);
    memset(map->H, 0, (size_t)leading(map) * (size_t)leading(map) * sizeof(double));
}

// The product of the newest state of the basis, and from it the next one. Returns what couples it
// to the basis; 0: the space is exhausted.
static double extend(StepMap *map, const StepMapProblem *problem)
{
    int m = map->filled;
    double *w = state(map, m + 1), *h = column(map, map->H, m);
    map->result.failed = !product(map, problem, state(map, m), w);
    if (map->result.failed) return 0.0;
    map->result.products++;
    orthogonalise(map, problem, map->used_shift, m + 1, w, h);
    double beta = normalise(map, problem, map->used_shift, w);
    map->filled = ++m;
    if (!(beta > EXHAUSTED) || m == 2 * map->free.count) beta = 0.0;
    h[m] = beta;
    return beta;
}

void step_map_go_on(StepMap *map, const StepMapProblem *problem, int products, double tolerance)
{
    StepMapResult *result = &map->result;
    bool late = false;
    while (!map->ended && !late && result->products < products) {
        double beta = extend(map, problem);
        int m = map->filled, count;
        bool over = beta == 0.0 || result->products >= products;
        late = problem->deadline > 0.0 && clock_seconds() >= problem->deadline;
        if (!result->failed && !over && !late && m < map->size && m % LOOK != 0) continue;
        result->failed =
            result->failed || !evaluate(map, problem, m, beta, tolerance, result, &count);
        map->ended = beta == 0.0 || result->failed || is_settled(map, m, beta, tolerance);
        if (!map->ended && m == map->size) map->filled = restart(map, m, beta, count);
    }
}

StepMapResult step_map_measure(StepMap *map, const StepMapProblem *problem, int products,
                               double tolerance)
{
    if (step_map_has_whole(map, problem, products) && map->free.count > 0)
        return measure_whole(map, problem, tolerance);
    step_map_begin(map, problem);
    step_map_go_on(map, problem, products, tolerance);
    return map->result;
}
