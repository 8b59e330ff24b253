#include "figures/verdicts.h"

#include <math.h>
#include <string.h>

bool exponent_holds(double measured, double claimed)
{
    return fabs(measured - claimed) <= 0.1 * fabs(claimed);
}

static bool both_hold(double low, double high)
{
    return exponent_holds(low, 1.0) && exponent_holds(high, 1.0);
}

// "0.97 to 1.03", or "0.12" if both are the same.
static void range(double low, double high, char *text, size_t size)
{
    char first[16], last[16];
    snprintf(first, sizeof first, "%.2f", low);
    snprintf(last, sizeof last, "%.2f", high);
    bool same = strcmp(first, last) == 0;
    snprintf(text, size, "%s%s%s", first, same ? "" : " to ", same ? "" : last);
}

// "holds for the explicit methods (exponents 0.97 to 1.03), not for the implicit one (0.12)"
static void proportional(const char *of, Exponents e, char *text, size_t size)
{
    bool explicit_holds = both_hold(e.explicit_low, e.explicit_high);
    bool implicit_holds = both_hold(e.implicit_low, e.implicit_high);
    char explicit_range[40], implicit_range[40];
    range(e.explicit_low, e.explicit_high, explicit_range, sizeof explicit_range);
    range(e.implicit_low, e.implicit_high, implicit_range, sizeof implicit_range);
    snprintf(text, size,
             "proportional to %s %s for the explicit methods (exponents %s)%s "
             "for the implicit one (%s)",
             of,
             explicit_holds ? "holds"
             : e.unclear    ? "cannot be told to 10 % here"
                            : "does not hold to 10 %",
             explicit_range,
             implicit_holds   ? explicit_holds ? " and" : ", holds"
             : explicit_holds ? ", not"
             : e.unclear      ? ", and does not hold"
                              : " nor",
             implicit_range);
}

void verdict_proportional(Figure *figure, const char *of, Exponents e)
{
    char text[240];
    proportional(of, e, text, sizeof text);
    figure_verdict(figure, "%s.", text);
}

void verdict_particles(Figure *figure, Exponents e, double triangles, double springs)
{
    char text[240];
    proportional("n", e, text, sizeof text);
    int models = (triangles >= 1.8) + (springs >= 1.8);
    figure_verdict(figure, "%s. LEU is %stwice as fast as it%s: %.2g and %.2g times.", text,
                   models == 0 ? "not " : "",
                   models == 2   ? " with both models"
                   : models == 1 ? " with one model only"
                                 : "",
                   triangles, springs);
}

void verdict_iterations(Figure *figure, double per_step, double time)
{
    double halved = exp2(-time); // time with half the step, in units of the time before
    figure_verdict(
        figure,
        "%s: half the step takes %.2f times as long; iterations per step grow with the exponent "
        "%.2f of h%s.",
        halved < 1.2   ? "holds"
        : halved < 1.8 ? "holds in part"
                       : "does not hold",
        halved, per_step,
        exponent_holds(per_step, 1.0) ? ", as he says"
        : per_step < 1.0              ? ", more slowly than h"
                                      : ", faster than h");
}

void verdict_safety(Figure *figure, double factor, const Growth *growth, int count)
{
    const double little = 1.1;
    int enough = 0, calm = 0, worst = 0;
    for (int i = 0; i < count; i++) {
        enough += growth[i].most <= factor;
        calm += growth[i].most <= little;
        if (growth[i].most > growth[worst].most) worst = i;
    }
    figure_verdict(figure,
                   "%g is enough %s %d cloths; k0 grows most, %.2f times, at k0 = %.0e/s^2, and by "
                   "less than a tenth in %d. We estimate k0 again as the cloth moves.",
                   factor,
                   enough == count ? "in all"
                   : enough == 0   ? "in none of"
                   : enough == 1   ? "in only one of"
                                   : "in some, not all, of",
                   count, growth[worst].most, growth[worst].k0, calm);
}

void verdict_filter(Figure *figure, FilteredSteps s)
{
    const double doubled = 1.9;
    bool chain = s.before >= doubled, cloth = s.cloth >= doubled;
    figure_verdict(
        figure,
        "doubling the step at λ = 1 %s: %.2f on a chain (%.2f at the best λ), %.2f on the cloth, "
        "where Algorithm 1 says %.2f. After the step, as a black box, the filter makes the limit "
        "%s (%.2f). No effect above 10 %s.",
        chain && cloth   ? "holds"
        : chain || cloth ? "holds in part"
                         : "does not hold",
        s.before, s.most, s.cloth, s.printed, s.after < 1.0 ? "smaller" : "larger", s.after,
        fabs(s.none - 1.0) < 0.01 ? "holds" : "does not hold");
}

void verdict_real_time(Figure *figure, int particles, double his, const char *other, double fastest)
{
    bool holds = his >= 1.0, other_holds = fastest >= 1.0;
    figure_verdict(figure,
                   "%d,%03d points in real time %s on one core with his method, at best %.2g of "
                   "real time; %s %s (%.2g).%s",
                   particles / 1000, particles % 1000, holds ? "holds" : "does not hold", his,
                   other,
                   holds == other_holds ? holds ? "does it too" : "does not do it either"
                   : other_holds        ? "does it"
                                        : "does not",
                   fastest, particles < 16384 ? " The full form runs 16,384." : "");
}

void verdict_precision(Figure *figure, int implicit, int cases)
{
    if (implicit == 0)
        figure_verdict(figure,
                       "no: for the same error an explicit method is cheapest in all %d cases "
                       "(1 cm, 1 mm, 1 µm; two models) that some method reaches.",
                       cases);
    else
        figure_verdict(figure,
                       "%s: an implicit method is cheapest in %d of %d cases (1 cm, 1 mm, 1 µm; "
                       "two models) that some method reaches.",
                       implicit == cases ? "yes" : "in part", implicit, cases);
}

// "3 create it (Verlet most, 140 %)"
static void who(int count, const char *verb, const char *most, double share, char *text,
                size_t size)
{
    char name[64] = "";
    if (count > 0 && most)
        snprintf(name, sizeof name, " (%.24s most, %.0f %%)", most, 100.0 * share);
    snprintf(text, size, "%d %s%s", count, verb, name);
}

void verdict_energy(Figure *figure, EnergyCount automatic, EnergyCount quarter)
{
    char created[96], destroyed[96];
    who(automatic.created, "create it", automatic.creator, automatic.most_created, created,
        sizeof created);
    who(automatic.destroyed, "destroy it", automatic.destroyer, automatic.most_destroyed, destroyed,
        sizeof destroyed);
    figure_verdict(figure,
                   "at the automatic step %d of %d methods keep energy to 5 %% of the fall, %d of "
                   "%d symplectic ones; %s, %s, %d diverge. At a quarter of the step %d keep "
                   "it, %s symplectic ones among them.",
                   automatic.kept, automatic.methods, automatic.symplectic_kept,
                   automatic.symplectic, created, destroyed, automatic.diverged, quarter.kept,
                   quarter.symplectic_kept == quarter.symplectic ? "all" : "not all");
}
