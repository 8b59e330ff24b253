// Every combination of method, variant, model, damping, filter and alpha against an oracle: dense
// matrices of real steps, from the outside, and LAPACK's eigenvalues (oracle/dense.h). What the
// program says of the same cloth, by lab_analyze, is compared with it:
//   limit      within 1 % of the truth at rest and 2 % in motion, or a bound on the safe side
//   measured   within the same
//   rho        measured within its residual, predicted within 2e-3
//   verdict    at the present step, and at 0.98 and 1.02 of the true limit
//   alpha      with 0.98 of the largest alpha the step is stable, with 1.02 of it not, unless it is
//              a bound
//
// usage: test_oracle                             a seeded tenth, as a test, which SELVAGE_SHARE
//                                                divides; a fortieth unless SELVAGE_ALL is set
//        test_oracle --half 0|1                  one half of that
//        test_oracle FILE [FIRST [EVERY [ALL]]]  combinations FIRST, FIRST + EVERY, ... as rows of
//                                                a CSV file, in one state each, or in ALL five.
//                                                Rows that the file has are not computed again.
//        test_oracle --wind FILE [FIRST ...]     the same in wind
//        test_oracle --table FILE...             rows as a table, a line for each method
#include "oracle/cases.h"
#include "oracle/dense.h"
#include "support/solver_test.h"

#include "lab/analysis.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST 0.1 // s, that a step may be
#define STILL 0.01  // allowed difference of a limit, relative
#define MOVING 0.02
#define NEAR_EDGE 1e-5 // a rho this close to 1 is neither stable nor unstable
#define FED 2e-4       // the most that a filter's mean that is not symmetric feeds soft modes

enum { TENTH = 10, SOME = 4 }; // as a test: a tenth, or every fourth of that
enum { WINDY = 4 };            // in wind: every fourth of those

typedef enum Flaw {
    FLAW_LIMIT = 1,
    FLAW_BOUND = 2, // not on the safe side
    FLAW_MEASURED = 4,
    FLAW_RHO = 8,
    FLAW_PREDICTED = 16,
    FLAW_VERDICT = 32,
    FLAW_ALPHA = 64,
    FLAWS = 7,
} Flaw;
static const char *const flaw_names[FLAWS] = {"limit",     "bound",   "measured", "rho",
                                              "predicted", "verdict", "alpha"};

typedef enum Outcome { OUTCOME_REFUSED, OUTCOME_KINK, OUTCOME_COMPARED } Outcome;

typedef struct Comparison {
    Outcome outcome;
    unsigned flaws;
    double unit;  // s, 2 / omega_max
    double limit; // s, the truth
    Analysis said;
    DenseStep now;
    bool slow;            // beyond the limit it grows so slowly that nobody can tell
    bool fed;             // ... as slowly as soft modes that a filter feeds
    Verdict below, above; // at 0.98 and 1.02 of the truth; stable and unstable without a limit
    double rho_below_alpha,
        rho_above_alpha; // with 0.98 and 1.02 of the largest alpha; else 0, INFINITY
} Comparison;

static Analysis analyze(Simulation *simulation, bool limits)
{
    Lab lab;
    Analysis out;
    AnalysisPlan plan = analysis_thorough;
    plan.limits = limits;
    assert_int_equal(lab_init(&lab, simulation, NULL), STATUS_OK);
    lab_analyze(&lab, simulation, &plan, &out);
    lab_finish(&lab);
    return out;
}

static Verdict verdict_at(Simulation *simulation, double h, double alpha)
{
    apply_command(simulation, command_set("step", h));
    apply_command(simulation, command_set("alpha", alpha));
    return analyze(simulation, false).verdict;
}

static bool is_near(double a, double b, double share)
{
    if (isinf(a) || isinf(b)) return isinf(a) && isinf(b);
    return fabs(a - b) <= share * b;
}

static unsigned find_flaws(const Comparison *c, bool still)
{
    const Analysis *said = &c->said;
    unsigned flaws = 0;
    double allowed = still ? STILL : MOVING, limit = said->limit.step;
    if (limit > LONGEST) limit = INFINITY;
    bool soft = said->limit.but_soft && c->fed; // as it was said, and at several steps
    if (said->limit.is_bound && !(limit <= 1.002 * c->limit) && !soft) flaws |= FLAW_BOUND;
    if (!said->limit.is_bound && !is_near(limit, c->limit, allowed) && !c->slow && !soft)
        flaws |= FLAW_LIMIT;
    bool both_none = c->limit == 0.0 && said->measured_limit < 0.15 * c->unit;
    if (!isnan(said->measured_limit) && !is_near(said->measured_limit, c->limit, allowed) &&
        !c->slow && !soft && !both_none) {
        flaws |= FLAW_MEASURED;
    }
    double largest = fmax(c->now.rho, c->now.buckling), rho = said->map.rho.value;
    bool neutral = fabs(rho - 1.0) < NEAR_EDGE && largest < 1.0; // what sticks, or has no stiffness
    if (!neutral && fabs(rho - largest) > said->map.rho.residual + 1e-4) flaws |= FLAW_RHO;
    if (!isnan(said->rho_predicted) && fabs(said->rho_predicted - c->now.rho) > 2e-3)
        flaws |= FLAW_PREDICTED;
    bool edge = fabs(c->now.rho - 1.0) < NEAR_EDGE;
    if (!edge && (c->now.rho > 1.0) != (said->verdict == VERDICT_UNSTABLE)) flaws |= FLAW_VERDICT;
    if (!c->slow && (c->below == VERDICT_UNSTABLE || c->above == VERDICT_STABLE))
        flaws |= FLAW_VERDICT;
    if (c->rho_below_alpha > 1.0 + NEAR_EDGE) flaws |= FLAW_ALPHA;
    if (!said->alpha_is_bound && c->rho_above_alpha < 1.0) flaws |= FLAW_ALPHA;
    return flaws;
}

// rho of the step h with another alpha.
static double rho_with(Dense *dense, double h, double alpha)
{
    Simulation *simulation = dense->simulation;
    double present = simulation->scene.params.alpha;
    simulation->scene.params.alpha = alpha;
    simulation_sync_params(simulation);
    double rho = dense_step(dense, h).rho;
    simulation->scene.params.alpha = present;
    simulation_sync_params(simulation);
    return rho;
}

static Comparison compare(const Case *c)
{
    Comparison result = {
        .below = VERDICT_STABLE, .above = VERDICT_UNSTABLE, .rho_above_alpha = INFINITY};
    Simulation *simulation = case_simulation(c);
    if (!simulation) return result;
    result.said = analyze(simulation, true);
    double h = result.said.step, alpha = result.said.alpha, said = result.said.limit.step;
    simulation->scene.params.step = h;
    simulation->scene.params.alpha = alpha;
    simulation_sync_params(simulation);
    size_t bytes = (size_t)simulation->system.dofs * sizeof(double);
    Dense dense;
    dense_init(&dense, simulation);
    result.outcome = OUTCOME_KINK;
    result.now = dense_step(&dense, h);
    result.unit = 2.0 / sqrt(dense.stiffness.largest);
    // Not from 0: the means of plain and half filters are not symmetric, and in ever smaller steps,
    // which filter ever more, they make soft modes grow (1e-5 a step, below 0.03 of the unit).
    double first = said > 0.0 && said < LONGEST ? 0.25 * said : 0.1 * result.unit;
    if (result.now.smooth) result.limit = dense_limit(&dense, first, LONGEST);
    if (result.now.smooth && !isnan(result.limit)) result.outcome = OUTCOME_COMPARED;
    if (result.outcome == OUTCOME_COMPARED && isfinite(result.limit)) {
        DenseStep beyond = dense_step(&dense, fmax(1.02 * result.limit, first));
        result.slow = beyond.rho < 1.0 + NEAR_EDGE;
        result.fed = beyond.rho < 1.0 + FED;
    }
    double most = result.said.alpha_limit;
    if (result.outcome == OUTCOME_COMPARED && isfinite(most) && most > 0.0) {
        result.rho_below_alpha = rho_with(&dense, h, 0.98 * most);
        result.rho_above_alpha = rho_with(&dense, h, 1.02 * most);
    }
    memcpy(simulation->body.cloth.x, dense.x, bytes);
    memset(simulation->body.cloth.v, 0, bytes);
    bool typed = alpha <= param_find("alpha")->max; // an automatic one may be larger
    if (result.outcome == OUTCOME_COMPARED && typed && result.limit > 0.0 &&
        1.02 * result.limit < LONGEST) {
        result.below = verdict_at(simulation, 0.98 * result.limit, alpha);
        result.above = verdict_at(simulation, 1.02 * result.limit, alpha);
    }
    dense_finish(&dense);
    simulation_destroy(simulation);
    if (result.outcome == OUTCOME_COMPARED)
        result.flaws = find_flaws(&result, case_is_still(c->state));
    return result;
}

// ---- as a file ----

static const char header[] = "combination,state,mesh,text,k0,limit,bound,measured,true,step,"
                             "rho_predicted,rho_measured,residual,rho,buckling,verdict,below,above,"
                             "alpha,rho_below_alpha,rho_above_alpha,flaws\n";

static void write_flaws(FILE *file, unsigned flaws)
{
    for (int i = 0; i < FLAWS; i++) {
        if (flaws & (1u << i)) fprintf(file, "%s ", flaw_names[i]);
    }
}

// Limits and step in units of 2 / omega_max.
static void write_row(FILE *file, const Case *c, const Comparison *r)
{
    fprintf(file, "%d,%s,%s,%s,", c->combination, case_state_name(c->state),
            c->mesh ? "mesh" : "grid", c->text);
    if (r->outcome == OUTCOME_COMPARED) {
        const Analysis *a = &r->said;
        fprintf(file,
                "%.6g,%.5g,%d,%.5g,%.5g,%.5g,%.6f,%.6f,%.1e,%.6f,%.6f,%s,%s,%s,%.4g,%.6f,%.6f,",
                a->k0, a->limit.step / r->unit, a->limit.is_bound, a->measured_limit / r->unit,
                r->limit / r->unit, a->step / r->unit, a->rho_predicted, a->map.rho.value,
                a->map.rho.residual, r->now.rho, r->now.buckling, verdict_name(a->verdict),
                verdict_name(r->below), verdict_name(r->above), a->alpha_limit, r->rho_below_alpha,
                r->rho_above_alpha);
        write_flaws(file, r->flaws);
        fprintf(file, "\n");
    } else {
        fprintf(file, ",,,,,,,,,,,,,,,,,%s\n", r->outcome == OUTCOME_KINK ? "kink" : "refused");
    }
    fflush(file);
}

static bool *rows_done(const char *path)
{
    bool *done = calloc((size_t)combination_count() * CASE_STATES, sizeof *done);
    assert_non_null(done);
    FILE *file = fopen(path, "r");
    int combination, states = CASE_STATES;
    char line[1024], state[16];
    while (file && fgets(line, sizeof line, file)) {
        if (!strchr(line, '\n')) break; // cut off in the middle: computed again
        if (sscanf(line, "%d,%15[^,]", &combination, state) != 2) continue;
        for (int s = 0; s < states && combination < combination_count(); s++) {
            if (strcmp(state, case_state_name((CaseState)s)) == 0)
                done[combination * CASE_STATES + s] = true;
        }
    }
    if (file) fclose(file);
    return done;
}

static int write_file(const char *path, bool windy, int first, int every, bool all)
{
    bool *done = rows_done(path);
    FILE *file = fopen(path, "a");
    if (!file) {
        fprintf(stderr, "%s cannot be written\n", path);
        return 1;
    }
    if (ftell(file) == 0) fputs(header, file);
    for (int i = first; i < combination_count(); i += every) {
        for (int s = 0; s < CASE_STATES; s++) {
            if (!all && s != i % CASE_STATES) continue;
            Case c = case_of(i, (CaseState)s); // which may take another state
            bool *is_done = &done[i * CASE_STATES + (int)c.state];
            if (*is_done) continue;
            *is_done = true;
            if (windy) c = case_in_wind(c);
            Comparison result = compare(&c);
            write_row(file, &c, &result);
        }
    }
    free(done);
    return fclose(file) == 0 ? 0 : 1;
}

// ---- as a table ----

typedef struct Sum {
    char method[60];
    int rows, refused, kinks, exact, bounds, flaws[FLAWS];
    double worst;     // of exact limits, relative
    double tightness; // sum over bounds of bound / truth
    int tight_count;
} Sum;

enum { METHODS_MAX = 40, COLUMNS = 22 };

static int split(char *line, char *column[COLUMNS])
{
    int count = 0;
    for (char *at = line; at && count < COLUMNS;) {
        column[count++] = at;
        at = strchr(at, ',');
        if (at) *at++ = '\0';
    }
    return count;
}

static Sum *sum_of(Sum *sums, int *count, const char *text)
{
    char method[60];
    const char *end = strstr(text, " model="), *start = strchr(text, '=') + 1;
    snprintf(method, sizeof method, "%.*s", (int)(end - start), start);
    for (int i = 0; i < *count; i++) {
        if (strcmp(sums[i].method, method) == 0) return &sums[i];
    }
    assert_true(*count < METHODS_MAX);
    Sum *sum = &sums[(*count)++];
    snprintf(sum->method, sizeof sum->method, "%s", method);
    return sum;
}

static void add_row(Sum *sum, char *column[COLUMNS])
{
    const char *flaws = column[21];
    sum->rows++;
    sum->refused += strncmp(flaws, "refused", 7) == 0;
    sum->kinks += strncmp(flaws, "kink", 4) == 0;
    if (column[4][0] == '\0') return;
    for (int i = 0; i < FLAWS; i++) sum->flaws[i] += strstr(flaws, flaw_names[i]) != NULL;
    double limit = atof(column[5]), truth = atof(column[8]);
    bool is_bound = atoi(column[6]) != 0;
    sum->bounds += is_bound;
    sum->exact += !is_bound;
    if (!isfinite(truth) || !isfinite(limit) || !(truth > 0.0)) return;
    if (!is_bound) sum->worst = fmax(sum->worst, fabs(limit / truth - 1.0));
    if (is_bound) {
        sum->tightness += limit / truth;
        sum->tight_count++;
    }
}

static int write_table(int count, char **paths)
{
    Sum sums[METHODS_MAX] = {0};
    int methods = 0;
    for (int p = 0; p < count; p++) {
        FILE *file = fopen(paths[p], "r");
        char line[1024], *column[COLUMNS];
        while (file && fgets(line, sizeof line, file)) {
            if (split(line, column) == COLUMNS && strchr(column[3], '='))
                add_row(sum_of(sums, &methods, column[3]), column);
        }
        if (file) fclose(file);
    }
    printf("| method | compared | refused | at a kink | exact limits, worst | bounds, mean of the "
           "truth | limit | bound | measured | rho | predicted | verdict | alpha |\n"
           "|---|---|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (int i = 0; i < methods; i++) {
        const Sum *s = &sums[i];
        printf("| %s | %d | %d | %d | %d, %.2f %% | %d, %.2f", s->method,
               s->rows - s->refused - s->kinks, s->refused, s->kinks, s->exact, 100.0 * s->worst,
               s->bounds, s->tight_count ? s->tightness / s->tight_count : 1.0);
        for (int f = 0; f < FLAWS; f++) printf(" | %d", s->flaws[f]);
        printf(" |\n");
    }
    return 0;
}

// ---- as a test ----

// Which of them: two processes use two cores.
typedef struct {
    int first, of;
} Half;

static void compare_every(const Half *half, int every, bool windy)
{
    int compared = 0, kinks = 0, wrong = 0;
    for (int i = half->first * every; i < combination_count(); i += half->of * every) {
        int combination = i + (i / TENTH) % TENTH; // not always the same value of each choice
        Case c = case_of(combination, (CaseState)(i / TENTH % CASE_STATES));
        if (windy) c = case_in_wind(c);
        Comparison result = compare(&c);
        compared += result.outcome == OUTCOME_COMPARED;
        kinks += result.outcome == OUTCOME_KINK;
        if (result.flaws == 0) continue;
        wrong++;
        write_row(stderr, &c, &result);
    }
    print_message("%d combinations compared, %d at a kink, %d wrong\n", compared, kinks, wrong);
    assert_int_equal(wrong, 0);
}

static int combinations_apart(void)
{
    return getenv("SELVAGE_ALL") ? TENTH * test_share() : TENTH * SOME;
}

static void a_tenth_of_all_combinations_agrees(void **state)
{
    compare_every(*state, combinations_apart(), false);
}

static void some_agree_in_wind(void **state)
{
    compare_every(*state, WINDY * combinations_apart(), true);
}

int main(int argc, char **argv)
{
    if (argc > 2 && strcmp(argv[1], "--table") == 0) return write_table(argc - 2, argv + 2);
    Half half = {0, 1};
    if (argc == 3 && strcmp(argv[1], "--half") == 0)
        half = (Half){atoi(argv[2]), 2};
    else if (argc > 1) {
        bool windy = strcmp(argv[1], "--wind") == 0 && argc > 2;
        if (windy) argc--, argv++;
        return write_file(argv[1], windy, argc > 2 ? atoi(argv[2]) : 0,
                          argc > 3 ? atoi(argv[3]) : 1, argc > 4);
    }
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate(a_tenth_of_all_combinations_agrees, &half),
        cmocka_unit_test_prestate(some_agree_in_wind, &half)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
