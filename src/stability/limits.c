#include "stability/limits.h"

#include "stability/search.h"

#include <assert.h>
#include <math.h>

// Modes tested between 0 and k0. Quadratic spacing puts more of them at soft modes, where air drag
// alone decides; regions have no finer structure.
enum { SAMPLES = 32 };
// Symbols tested between the lowest and 1, when the symbol of each mode is unknown.
enum { SYMBOLS = 5 };
// Points along each edge of the polygon of pairs.
enum { EDGE_POINTS = 5 };
// Values tested of what the wind adds to the damping of a mode, from none to the most.
enum { WINDS = 5 };
static_assert((int)SAMPLES * (int)SYMBOLS + 2 <= (int)MODE_SET_MAX &&
                  (int)CORNERS_MAX * (int)EDGE_POINTS * (int)SYMBOLS + 1 <= (int)MODE_SET_MAX,
              "all of them fit into a set");
// Steps to test, in units of the fastest rate, and the ratio between two tests. A method that is
// unstable at the first one is unstable at every useful step.
#define SCAN_FIRST 1e-3
#define SCAN_LAST 1e4
#define SCAN_RATIO 1.1
// s: no step is so long, and what is faster than that hardly moves. The squares of longer ones
// overflow.
#define SCAN_LONGEST 1e9
// The mode that decides under a filter is exact for a symmetric F. Plain and half means are not
// symmetric where particles have different numbers of neighbours: up to 0.7 % below that (seen on
// irregular meshes).
#define FILTER_MARGIN 0.99
// A bound from pairs at least this share of the limit for C = K is as good as exact.
#define CLOSE 0.99
// A limit is of use if it is not far below the stiffest period (in units of 1/omega), or if a
// simulated second takes no more than 1e5 steps (s). The step that is taken otherwise, in units of
// 1/omega.
#define USEFUL_SHARE 0.01
#define USEFUL_STEP 1e-5
#define HOPELESS_STEP 0.05

static void add_pair(ModeSet *modes, double k, double c, double symbol)
{
    modes->k[modes->count] = k;
    modes->c[modes->count] = c;
    modes->symbol[modes->count++] = symbol;
}

static void add(ModeSet *modes, double k, double symbol)
{
    if (k > 0.0) add_pair(modes, k, k, symbol);
}

// The outline of the polygon is enough: a stable region has no holes.
static void add_outline(ModeSet *modes, const Stiffness *stiffness, double symbol)
{
    int corners = stiffness->corner_count;
    for (int i = 0; i < corners; i++) {
        int next = (i + 1) % corners;
        for (int p = 0; p < EDGE_POINTS; p++) {
            double s = (double)p / EDGE_POINTS;
            add_pair(modes, (1.0 - s) * stiffness->corner_k[i] + s * stiffness->corner_k[next],
                     (1.0 - s) * stiffness->corner_c[i] + s * stiffness->corner_c[next], symbol);
        }
    }
}

static double largest_k(const Stiffness *stiffness)
{
    return fmax(stiffness->k0, stiffness->taut);
}

static void add_line(ModeSet *modes, double k0, double symbol)
{
    for (int i = 1; i <= SAMPLES; i++) {
        double s = (double)i / SAMPLES;
        add(modes, s * s * k0, symbol);
    }
}

// Under filtered forces any k up to k0 may occur, with a symbol up to 1, and  f k <= a.
static void add_filtered_line(ModeSet *modes, double k0, double a)
{
    for (int i = 1; i <= SAMPLES; i++) {
        double s = (double)i / SAMPLES, k = s * s * k0;
        add(modes, k, fmin(a / k, 1.0));
    }
}

// Under a filter before the position update any k up to k0 may occur, with any symbol that keeps
// f k / (1 + f)  below that of the decisive mode.
static void add_filtered_modes(ModeSet *modes, const Stiffness *stiffness)
{
    FilteredMode decisive = stiffness->decisive, lowest = stiffness->lowest;
    double a = decisive.k * decisive.symbol / (1.0 + decisive.symbol), k0 = largest_k(stiffness);
    if (!(lowest.symbol > 0.0 && a > 0.0)) return; // those two decide
    for (int i = 1; i <= SAMPLES; i++) {
        double s = (double)i / SAMPLES, k = s * s * k0;
        double most = k > 2.0 * a ? a / (k - a) : 1.0, least = fmin(lowest.symbol, most);
        for (int j = 0; j < SYMBOLS; j++) add(modes, k, least + (most - least) * j / (SYMBOLS - 1));
    }
}

ModeSet mode_set_line(double k0, double symbol)
{
    ModeSet modes = {0};
    add_line(&modes, k0, symbol);
    return modes;
}

static bool is_explicit(const Integrator *integrator)
{
    return !(integrator->traits &
             (INTEGRATOR_IMPLICIT | INTEGRATOR_NEEDS_SPRINGS | INTEGRATOR_USES_LINEARISATION));
}

// With a filter before an explicit method's position update one mode decides, and theory gives it.
static bool one_mode_decides(const Scheme *scheme, const Stiffness *stiffness)
{
    return scheme->filter == SCHEME_FILTER_BEFORE && is_explicit(scheme->integrator) &&
           stiffness->corner_count == 0;
}

// Where springs share particles, their impulses add up and overshoot. The limit falls with the
// number of springs that a mode shares, quickly at first (Y = 2.96, 2.32, 2.14 for 1, 2, 4) and to
// 2: on cloths of unequal springs only that is safe.
#define MANY_SPRINGS 1e3

Scheme scheme_on(const Scheme *scheme, const Stiffness *stiffness)
{
    Scheme coupled = *scheme;
    if (stiffness->spring > 0.0) coupled.coupling = stiffness->single ? 1.0 : MANY_SPRINGS;
    return coupled;
}

ModeSet mode_set_of(const Scheme *scheme, const Stiffness *stiffness)
{
    ModeSet modes = {.wind = stiffness->wind};
    if (scheme->filter == SCHEME_UNFILTERED && stiffness->corner_count > 0) {
        add_outline(&modes, stiffness, 1.0);
    } else if (scheme->filter == SCHEME_UNFILTERED) {
        add_line(&modes, largest_k(stiffness), 1.0);
    } else if (one_mode_decides(scheme, stiffness)) {
        add(&modes, stiffness->lowest.k, stiffness->lowest.symbol);
        add(&modes, stiffness->decisive.k, stiffness->decisive.symbol);
        if (!(scheme->integrator->traits & INTEGRATOR_SEPARABLE))
            add_filtered_modes(&modes, stiffness);
    } else if (scheme->filter == SCHEME_FILTER_FORCE && stiffness->corner_count == 0) {
        add(&modes, stiffness->lowest.k, stiffness->lowest.symbol);
        add_filtered_line(&modes, largest_k(stiffness),
                          stiffness->decisive.k * stiffness->decisive.symbol);
    } else { // any mode may have any symbol
        double lowest = stiffness->lowest.symbol;
        for (int i = 0; i < SYMBOLS; i++) {
            double symbol = lowest + (1.0 - lowest) * i / (SYMBOLS - 1);
            if (stiffness->corner_count > 0)
                add_outline(&modes, stiffness, symbol);
            else
                add_line(&modes, largest_k(stiffness), symbol);
        }
    }
    return modes;
}

static double stiffest(const ModeSet *modes)
{
    double k0 = 0.0;
    for (int i = 0; i < modes->count; i++) k0 = fmax(k0, modes->k[i]);
    return k0;
}

double modes_largest_c(const ModeSet *modes)
{
    double c0 = 0.0;
    for (int i = 0; i < modes->count; i++) c0 = fmax(c0, modes->c[i]);
    return c0;
}

// Where the wind adds nothing, one value is enough.
static int winds_of(const ModeSet *modes)
{
    return modes->wind > 0.0 ? WINDS : 1;
}

static Scheme in_wind(const Scheme *scheme, const ModeSet *modes, int index)
{
    Scheme windy = *scheme;
    windy.wind = modes->wind * index / (WINDS - 1);
    return windy;
}

double modes_largest_rho(const Scheme *scheme, const ModeSet *modes, double h, double air,
                         double alpha)
{
    double largest = 0.0;
    for (int w = 0; w < winds_of(modes); w++) {
        Scheme windy = in_wind(scheme, modes, w);
        for (int i = 0; i < modes->count; i++) {
            Amplification a = amplification_of_pair(&windy, h, modes->k[i], modes->c[i], air, alpha,
                                                    modes->symbol[i]);
            if (modes->k[i] < 0.0 && a.jury == JURY_MONOTONE) continue; // buckles
            if (!(a.rho <= largest)) largest = a.rho;                   // keeps a NaN
        }
    }
    return largest;
}

static bool are_stable(const Scheme *scheme, const ModeSet *modes, double h, double air,
                       double alpha)
{
    for (int i = modes->count - 1; i >= 0; i--) { // the stiffest are last and most likely to fail
        Jury jury =
            amplification_of_pair(scheme, h, modes->k[i], modes->c[i], air, alpha, modes->symbol[i])
                .jury;
        bool buckles = modes->k[i] < 0.0 && jury == JURY_MONOTONE; // which is physics
        if (jury > JURY_MARGINAL && !buckles) return false;
    }
    // Rigid motion, k = 0: the free position gives the eigenvalue 1; drag must not overshoot.
    return amplification_of(scheme, h, 0.0, air, 0.0, 1.0).jury <= JURY_MARGINAL;
}

bool modes_are_stable(const Scheme *scheme, const ModeSet *modes, double h, double air,
                      double alpha)
{
    for (int w = winds_of(modes) - 1; w >= 0; w--) {
        Scheme windy = in_wind(scheme, modes, w);
        if (!are_stable(&windy, modes, h, air, alpha)) return false;
    }
    return true;
}

// A question about one of step, alpha and stiffness; the others are given.
typedef struct Question {
    const Scheme *scheme;
    const ModeSet *modes;
    const Stiffness *stiffness;
    double h, air, alpha;
} Question;

static bool stable_with_step(const void *self, double h)
{
    const Question *q = self;
    return modes_are_stable(q->scheme, q->modes, h, q->air, q->alpha);
}

static bool stable_with_alpha(const void *self, double alpha)
{
    const Question *q = self;
    return modes_are_stable(q->scheme, q->modes, q->h, q->air, alpha);
}

double modes_step_limit(const Scheme *scheme, const ModeSet *modes, double air, double alpha)
{
    double rate = sqrt(stiffest(modes)) + air + modes->wind + alpha * modes_largest_c(modes); // 1/s
    if (!scheme->integrator->amplification || !(rate > 0.0)) return INFINITY;
    Question question = {.scheme = scheme, .modes = modes, .air = air, .alpha = alpha};
    return search_upwards((StableAt){stable_with_step, &question}, SCAN_FIRST / rate,
                          fmin(SCAN_LAST / rate, SCAN_LONGEST), SCAN_RATIO);
}

AlphaRange modes_alpha_range(const Scheme *scheme, const ModeSet *modes, double h, double air)
{
    // the tip of the line of modes, X = h alpha k0, from far below any limit to far above
    const double first = 1e-4, last = 1e4, ratio = 1.1;
    double k0 = modes_largest_c(modes);
    if (!(h * k0 > 0.0)) return (AlphaRange){0.0, INFINITY};
    Question question = {.scheme = scheme, .modes = modes, .h = h, .air = air};
    StableAt stable = {stable_with_alpha, &question};
    AlphaRange range = {INFINITY, -INFINITY};
    double before = 0.0;
    bool inside = stable.test(stable.self, 0.0);
    if (inside) range.low = 0.0;
    for (double X = first; X < last; X *= ratio) {
        double alpha = X / (h * k0);
        bool is_stable = stable.test(stable.self, alpha);
        if (is_stable && !inside) range.low = search_between(stable, alpha, before);
        if (!is_stable && inside) {
            range.high = search_between(stable, before, alpha);
            return range;
        }
        inside = is_stable;
        before = alpha;
    }
    if (inside) range.high = INFINITY;
    return range;
}

double across_step_limit(double k, double air, double alpha, double symbol)
{
    double d = air - alpha * k;
    return k > 0.0 ? (d + sqrt(d * d + (2.0 + 2.0 * symbol) * k)) / k : INFINITY;
}

// The air drag for which a rule without wind holds where the wind adds `wind` to the damping. A
// method with air drag at the new velocity has the wind at the old one, and each undoes the other.
static double air_with_wind(const Integrator *integrator, double air, double wind)
{
    return integrator->traits & INTEGRATOR_AIR_APART ? air - wind : air + wind;
}

// The method's own rule, where it has one for this case; otherwise negative. Between no wind and
// the most the stable regions of these rules have no gap, so both ends are enough.
static double own_rule(const Scheme *scheme, const Stiffness *stiffness, double air, double alpha)
{
    if (scheme->filter != SCHEME_UNFILTERED || stiffness->corner_count > 0 ||
        !scheme->integrator->step_limit) {
        return -1.0;
    }
    const Integrator *integrator = scheme->integrator;
    double k0 = largest_k(stiffness), most = air_with_wind(integrator, air, stiffness->wind);
    return fmin(integrator->step_limit(&scheme->options, k0, air, alpha),
                integrator->step_limit(&scheme->options, k0, most, alpha));
}

// The limit of own_rule, or of a search with G over the modes, is where stability ends.
static bool is_exact(const Scheme *scheme, const Stiffness *stiffness, bool searched)
{
    unsigned traits = scheme->integrator->traits;
    if (stiffness->taut > 1.001 * stiffness->k0) return false; // slack springs may stay so
    if (stiffness->contact) return false;                      // what lies on the floor is held
    if (traits & INTEGRATOR_NEEDS_SPRINGS) {
        return stiffness->single && !scheme->options.sequence &&
               scheme->filter == SCHEME_UNFILTERED;
    }
    if (traits & INTEGRATOR_IMPLICIT) return !searched;
    if (stiffness->corner_count > 0)
        return scheme->filter == SCHEME_UNFILTERED && (traits & INTEGRATOR_SEPARABLE);
    if (scheme->filter == SCHEME_UNFILTERED) return true;
    return one_mode_decides(scheme, stiffness) && (traits & INTEGRATOR_SEPARABLE);
}

// The step up to which what the method treats explicitly beside the rest stays stable.
static double explicit_rest_limit(const Scheme *scheme, const Stiffness *stiffness, double air,
                                  double alpha)
{
    unsigned traits = scheme->integrator->traits;
    double k = stiffness->across, wind = stiffness->wind;
    // beside the impulses of springs, which may be as strong as the step allows: X <= 1/2
    if ((traits & INTEGRATOR_NEEDS_SPRINGS) && wind > 0.0)
        return 1.0 / (alpha * k + 0.5 * air + 2.0 * wind);
    if (!(k > 0.0)) return INFINITY;
    // Rayleigh damping across springs: X < 1, half of what is stable without the impulses
    if (traits & INTEGRATOR_NEEDS_SPRINGS)
        return alpha > 0.0 ? 1.0 / (alpha * k + 0.5 * air) : INFINITY;
    double symbol = scheme->filter == SCHEME_FILTER_AFTER ? stiffness->lowest.symbol : 1.0;
    return across_step_limit(k, air, traits & INTEGRATOR_EXPLICIT_ACROSS ? alpha : 0.0, symbol);
}

Stiffness stiffness_on_line(const Stiffness *stiffness)
{
    Stiffness line = *stiffness;
    line.corner_count = 0;
    return line;
}

bool bound_is_close(const Stiffness *stiffness, double bound, double on_line)
{
    return stiffness->rayleigh && bound >= CLOSE * on_line;
}

static StepLimit find_step_limit(const Scheme *scheme, const Stiffness *stiffness, double air,
                                 double alpha)
{
    StepLimit on_line = {0};
    if (stiffness->corner_count > 0) {
        Stiffness line = stiffness_on_line(stiffness);
        on_line = find_step_limit(scheme, &line, air, alpha);
        if (alpha == 0.0) return on_line; // no damping, no modes of its own
    }
    Scheme coupled = scheme_on(scheme, stiffness);
    StepLimit limit = {.step = own_rule(&coupled, stiffness, air, alpha)};
    bool searched = limit.step < 0.0;
    if (searched) {
        ModeSet modes = mode_set_of(&coupled, stiffness);
        limit.step = modes_step_limit(&coupled, &modes, air, alpha);
    }
    limit.is_bound = !is_exact(&coupled, stiffness, searched);
    if (stiffness->corner_count > 0 && bound_is_close(stiffness, limit.step, on_line.step))
        limit.is_bound = on_line.is_bound;
    if (limit.is_bound && one_mode_decides(scheme, stiffness)) limit.step *= FILTER_MARGIN;
    // beyond half its period the impulse of a spring by itself has the wrong sign
    if (stiffness->spring > 0.0 && coupled.options.harmonic == HARMONIC_PRINTED)
        limit.step = fmin(limit.step, M_PI / sqrt(stiffness->spring));
    double rest = explicit_rest_limit(scheme, stiffness, air, alpha);
    if (rest < limit.step) limit = (StepLimit){.step = rest, .is_bound = true};
    if (isinf(limit.step)) limit.is_bound = false; // no step is larger
    // Springs in sequence see each other's impulses, and no symbol says what a filter makes of
    // that. Summed and unfiltered they are stable to h^2 k0 = 2, the least of all that was seen.
    bool mixed = (scheme->integrator->traits & INTEGRATOR_NEEDS_SPRINGS) &&
                 scheme->options.sequence && scheme->filter != SCHEME_UNFILTERED;
    if (mixed) {
        double least = sqrt(2.0 / largest_k(stiffness));
        return (StepLimit){.step = fmin(limit.step, least), .is_bound = true};
    }
    // a filter that inverts modes, where it moves particles, does so at every step
    bool inverts = scheme->filter != SCHEME_UNFILTERED && scheme->filter != SCHEME_FILTER_AFTER &&
                   stiffness->lowest.symbol < 0.0;
    if (limit.step == 0.0 && inverts) limit.is_bound = false;
    return limit;
}

// Wind damps some modes and leaves others alone. Its limit holds for every mode with any damping
// between none and the most; it is as good as exact where both give the same.
static bool wind_matters(const Scheme *scheme, const Stiffness *stiffness, double air, double alpha)
{
    if (!(stiffness->wind > 0.0)) return false;
    Stiffness calm = *stiffness;
    calm.wind = 0.0;
    double most = air_with_wind(scheme->integrator, air, stiffness->wind);
    double least_damped = find_step_limit(scheme, &calm, air, alpha).step;
    double most_damped = find_step_limit(scheme, &calm, most, alpha).step;
    return !(fmin(least_damped, most_damped) >= CLOSE * fmax(least_damped, most_damped));
}

StepLimit step_limit(const Scheme *scheme, const Stiffness *stiffness, double air, double alpha)
{
    StepLimit limit = find_step_limit(scheme, stiffness, air, alpha);
    if (isfinite(limit.step) && wind_matters(scheme, stiffness, air, alpha)) limit.is_bound = true;
    limit.but_soft = scheme->filter != SCHEME_UNFILTERED && stiffness->uneven && air == 0.0;
    return limit;
}

const char *step_limit_name(StepLimit limit)
{
    return limit.is_bound ? "what is surely stable" : "the limit";
}

static bool stable_with_stiffness(const void *self, double factor)
{
    const Question *q = self;
    Stiffness scaled = *q->stiffness;
    scaled.k0 *= factor;
    scaled.across *= factor;
    scaled.taut *= factor;
    for (int i = 0; i < scaled.corner_count; i++) {
        scaled.corner_k[i] *= factor;
        scaled.corner_c[i] *= factor;
    }
    scaled.deciding_k *= factor;
    scaled.deciding_c *= factor;
    scaled.spring *= factor;
    scaled.lowest.k *= factor;
    scaled.decisive.k *= factor;
    return step_limit(q->scheme, &scaled, q->air, q->alpha).step >= q->h;
}

double stiffness_room(const Scheme *scheme, const Stiffness *stiffness, double h, double air,
                      double alpha)
{
    Question question = {
        .scheme = scheme, .stiffness = stiffness, .h = h, .air = air, .alpha = alpha};
    return search_upwards((StableAt){stable_with_stiffness, &question}, 1e-4, 1e4, 1.5);
}

// Springs that go slack snap taut again, which no eigenvalue knows of. A leapfrog step keeps
// E = v^2/2 + w^2/2 x_n x_n+1  while the spring is taut. One that enters from x = -a at speed v
// begins with  E = v^2/2 - w^2 a (h v - a)/2,  and one that leaves ends likewise: a bounce changes
// the kinetic energy by a factor between 1 - s^2 and its inverse, s = h w/2, by chance. Many
// bounces are a random walk that heats the cloth, at a rate of up to 0.014 w s^4 if a spring
// bounces all the time (the variance of both ends, w/2 pi times a second). Damping ends it:
// - alpha takes exp(-pi alpha w) of the energy in a bounce, half a period. While that is no more
//   than 1 - s^2, no bounce gains. It then holds for softer springs too.
// - Air takes energy at the rate 2 d0. A rope that cracks like a whip heats at 0.0037 w s^4.
// Without either the heating must be slow: at s = 1/4 that rope has 2 to 7 times its energy after
// 100 s.
#define HEATING 0.006
#define SLOW_HEATING 0.25

// The largest such s.
static double heating_share(double w, double air, double alpha)
{
    double of_alpha = sqrt(1.0 - exp(-M_PI * alpha * w));
    double of_air = pow(2.0 * air / (HEATING * w), 0.25);
    return fmax(fmax(of_alpha, of_air), SLOW_HEATING);
}

// The step up to which slack springs that snap taut gain no energy in the long run.
static double bouncing_limit(const Integrator *integrator, const Stiffness *stiffness,
                             StepLimit limit, double air, double alpha)
{
    double k = stiffness->taut, w = sqrt(k);
    if (!(k > 0.0) || (integrator->traits & INTEGRATOR_IMPLICIT)) return INFINITY;
    // a filter may make stiff modes slower
    if (integrator->traits & INTEGRATOR_SYMPLECTIC)
        return heating_share(w, air, alpha) * fmax(limit.step, 2.0 / w);
    // A first order step that finds the spring at x = u h v, 0 < u < 1, leaves v (1 - X - u Y): no
    // faster than it came if X + Y <= 2 of this spring alone. The stiffest mode, in which all pull
    // against each other, has at least twice that.
    double d = air + stiffness->wind + alpha * k;
    return integrator->order == 1 ? 8.0 / (d + sqrt(d * d + 16.0 * k)) : INFINITY;
}

double automatic_step(const Integrator *integrator, const Stiffness *stiffness, StepLimit limit,
                      double air, double alpha, double safety)
{
    double k0 = largest_k(stiffness), period = k0 > 0.0 ? 1.0 / sqrt(k0) : INFINITY;
    bool useful = limit.step >= fmin(USEFUL_SHARE * period, USEFUL_STEP) && limit.step > 0.0;
    // beyond a bound a step may still be stable, the more likely the smaller it is
    bool hopeful = limit.is_bound && limit.step > 0.0;
    double step = (hopeful ? USEFUL_SHARE : HOPELESS_STEP) * period;
    if (useful) {
        double bouncing = bouncing_limit(integrator, stiffness, limit, air, alpha);
        step = fmin(safety * limit.step, bouncing);
    }
    return fmin(step, integrator->default_step);
}
