#include "scene/params.h"

#include "cloth/filter.h"
#include "integrators/integrator.h"
#include "stability/automatic_alpha.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *tangent_name(int index)
{
    switch (index) {
    case TANGENT_CLAMPED:
        return "clamped";
    case TANGENT_FULL:
        return "full";
    default:
        return NULL;
    }
}

static const char *switch_name(int index)
{
    return index == 0 ? "off" : index == 1 ? "on" : NULL;
}

static const char *on_divergence_name(int index)
{
    static const char *const names[ON_DIVERGENCE_COUNT] = {"pause", "rewind", "continue"};
    return index >= 0 && index < ON_DIVERGENCE_COUNT ? names[index] : NULL;
}

#define FIELD(f) .name = #f, .offset = offsetof(Params, f)
#define REAL(f) FIELD(f), .kind = PARAM_REAL
#define COUNT(f) FIELD(f), .kind = PARAM_COUNT
#define CHOICE(f, names) FIELD(f), .kind = PARAM_CHOICE, .choice = names

// In the order in which one would explain them. test_params checks that a choice's max is its last
// name.
// clang-format off
const ParamInfo param_table[] = {
    {COUNT(rows), .label = "rows", .group = "cloth", .unit = "",
     .initial = 32, .min = 1, .max = 256, .rebuilds = true,
     .help = "Particles from top to bottom; 1 is a rope. The same springs on more particles are a stiffer problem."},
    {COUNT(columns), .label = "columns", .group = "cloth", .unit = "",
     .initial = 32, .min = 2, .max = 256, .rebuilds = true,
     .help = "Particles from left to right."},
    {REAL(size), .label = "size", .group = "cloth", .unit = "m",
     .initial = 1.0, .min = 0.1, .max = 10.0, .rebuilds = true,
     .help = "Length of the longer side; cells are square, and a mesh from a file is scaled to it."},
    {REAL(density), .label = "density", .group = "cloth", .unit = "kg/m\u00b2",
     .initial = 0.2, .min = 0.01, .max = 10.0, .logarithmic = true,
     .help = "Mass per area; lighter cloth needs smaller steps."},
    {CHOICE(model, force_model_name), .label = "model", .group = "cloth", .unit = "",
     .max = FORCE_MODEL_COUNT - 1,
     .help = "How the cloth resists deformation: springs, energies of triangles and edges, or springs that buckle."},
    {REAL(stretch), .label = "stretch", .group = "cloth", .unit = "N/m",
     .initial = 330.0, .min = 0.1, .max = 1e6, .logarithmic = true,
     .help = "Stiffness of the springs along the threads; the largest stable explicit step falls with its root."},
    {REAL(shear), .label = "shear", .group = "cloth", .unit = "N/m",
     .initial = 165.0, .min = 0.0, .max = 1e6, .logarithmic = true,
     .help = "Stiffness of the diagonal springs."},
    {REAL(bend), .label = "bend", .group = "cloth", .unit = "N/m",
     .initial = 33.0, .min = 0.0, .max = 1e6, .logarithmic = true,
     .help = "Stiffness of the springs that skip a particle and so resist folds."},
    {REAL(gather), .label = "gather", .group = "cloth", .unit = "",
     .initial = 1.0, .min = 0.5, .max = 1.0, .rebuilds = true,
     .help = "Width at the start as a share of the width at rest: below 1 the cloth starts in even folds, unstretched."},
    {COUNT(folds), .label = "folds", .group = "cloth", .unit = "",
     .initial = 3, .min = 1, .max = 12, .rebuilds = true,
     .help = "Number of folds at the start, when gathered."},
    {REAL(muscle_amplitude), .label = "muscles", .group = "cloth", .unit = "",
     .initial = 1.0, .min = 0.0, .max = 2.0,
     .help = "Factor of all muscles' amplitudes: 0 keeps them at rest. A scene has muscles in its [muscle] sections."},
    {REAL(muscle_period), .label = "their period", .group = "cloth", .unit = "",
     .initial = 1.0, .min = 0.25, .max = 8.0, .logarithmic = true,
     .help = "Factor of all muscles' periods: 2 makes them twice as slow."},

    {CHOICE(integrator, integrator_name), .label = "method", .group = "time", .unit = "",
     .initial = INTEGRATOR_DEFAULT, .max = INTEGRATOR_COUNT - 1,
     .help = "The time integrator."},
    {REAL(step), .label = "h", .group = "time", .unit = "s",
     .initial = PARAM_WORD, .min = 1e-6, .max = 0.1, .word = "auto", .logarithmic = true,
     .help = "Time step; auto takes a safe share of the largest stable one, or the method's default."},
    {REAL(safety), .label = "safety", .group = "time", .unit = "",
     .initial = 0.8, .min = 0.1, .max = 2.0,
     .help = "Automatic step as a share of the largest stable one; above 1 the cloth diverges."},
    {REAL(speed), .label = "speed", .group = "time", .unit = "",
     .initial = 1.0, .min = 0.01, .max = 4.0, .word = "max", .logarithmic = true,
     .help = "Simulated seconds per real second; max runs as fast as it can."},

    {CHOICE(slow_motion, switch_name), .label = "slow motion", .group = "time", .unit = "",
     .initial = 1, .max = 1,
     .help = "When something begins to grow, the window goes on slowly for some seconds, so that it can be seen."},
    {CHOICE(tangent, tangent_name), .label = "tangent", .group = "integrator", .unit = "",
     .max = TANGENT_FULL,
     .help = "Stiffness matrix of implicit methods: clamped drops the part that compression makes negative, full keeps it."},
    {REAL(pcg_tolerance), .label = "PCG tolerance", .group = "integrator", .unit = "",
     .initial = 1e-2, .min = 1e-15, .max = 0.1, .logarithmic = true,
     .help = "Relative residual at which the linear solver of implicit methods stops."},
    {REAL(newton_tolerance), .label = "Newton tolerance", .group = "integrator", .unit = "",
     .initial = 1e-3, .min = 1e-15, .max = 0.5, .logarithmic = true,
     .help = "Residual at which Newton's method stops, as a share of the one it starts with."},
    {REAL(leu_interval), .label = "LEU interval", .group = "integrator", .unit = "s",
     .initial = PARAM_WORD, .min = 1e-6, .max = 1.0, .word = "auto", .logarithmic = true,
     .help = "Time between two linearisations of leu; auto linearises again once a particle has moved by a tenth of a spring or the largest speed has doubled."},
    {CHOICE(harmonic, harmonic_name), .label = "impulse", .group = "integrator", .unit = "",
     .initial = HARMONIC_CORRECTED, .max = HARMONIC_KINDS - 1,
     .help = "Impulse of harmonic: printed is the paper's, eight times too weak; clamped softens springs that the step cannot follow, and when they are summed shares each mass among its springs."},
    {CHOICE(sequence, switch_name), .label = "sequence", .group = "integrator", .unit = "",
     .max = 1,
     .help = "Springs of harmonic: off sums impulses from the old velocities, on applies them one after the other."},

    {CHOICE(damping, damping_kind_name), .label = "damping", .group = "damping", .unit = "",
     .max = DAMPING_KINDS - 1,
     .help = "What \u03b1 resists: deformation as the stiffness matrix has it, and so turning under tension; motion along springs only; or every velocity difference, any turning too."},
    {REAL(air), .label = "air d\u2080", .group = "damping", .unit = "1/s",
     .initial = 0.5, .min = 0.0, .max = 20.0,
     .help = "Damping in proportion to mass: resists all motion."},
    {REAL(alpha), .label = "\u03b1", .group = "damping", .unit = "s",
     .initial = 1e-4, .min = 0.0, .max = 0.05, .word = "auto", .logarithmic = true,
     .help = "Damping in proportion to stiffness: resists deformation, the stiffest modes most; auto takes what theory recommends for the step and the method."},
    {CHOICE(alpha_rule, alpha_rule_name), .label = "rule", .group = "damping", .unit = "",
     .max = ALPHA_RULES - 1,
     .help = "Rule of the automatic \u03b1: corrected stays inside the stable region, paper is Shinya's, which may lie on its edge."},

    {CHOICE(filter, filter_kind_name), .label = "filter", .group = "filter", .unit = "",
     .max = FILTER_KINDS - 1,
     .help = "Averages each particle's velocity or force with its neighbours'; weights fall exponentially or as a Gaussian with distance."},
    {REAL(lambda), .label = "\u03bb", .group = "filter", .unit = "",
     .initial = 2.0, .min = 0.1, .max = 20.0, .logarithmic = true,
     .help = "How fast the filter's weights fall with distance, per rest spacing: small filters strongly, below about 0.85 it is unstable."},
    {CHOICE(filter_form, filter_form_name), .label = "form", .group = "filter", .unit = "",
     .max = FILTER_FORMS - 1,
     .help = "plain is the paper's mean, half its weaker \"symmetric\" version, conserving the one that keeps momentum."},
    {CHOICE(filter_place, filter_place_name), .label = "place", .group = "filter", .unit = "",
     .max = FILTER_PLACES - 1,
     .help = "Velocities are filtered before they move the particles, or, as printed, after the step, which makes it less stable."},
    {CHOICE(filter_on, filter_target_name), .label = "on", .group = "filter", .unit = "",
     .max = FILTER_TARGETS - 1,
     .help = "What is filtered: velocities, or forces before they are used."},
    {CHOICE(filter_distance, filter_distance_name), .label = "distance", .group = "filter", .unit = "",
     .max = FILTER_DISTANCES - 1,
     .help = "Distances the filter uses: rest keeps its weights constant and cheap, current follows the cloth."},

    {REAL(wind), .label = "wind", .group = "wind", .unit = "m/s",
     .initial = 0.0, .min = 0.0, .max = 20.0,
     .help = "Mean speed of the wind. It presses on a triangle by 0.6 \u00d7 1.2 kg/m\u00b3 \u00d7 its speed \u00d7 the speed of the air across it, and drags along it by 0.02 in place of 0.6."},
    {REAL(wind_direction), .label = "direction", .group = "wind", .unit = "\u00b0",
     .initial = 0.0, .min = 0.0, .max = 360.0,
     .help = "Where the wind blows to: 0 along x, from left to right at the start, 90 away from the viewer, 180 to the left, 270 towards the viewer."},
    {REAL(gust), .label = "gusts", .group = "wind", .unit = "",
     .initial = 0.0, .min = 0.0, .max = 1.0,
     .help = "The wind's speed changes by up to this share of it, its direction by up to 45 degrees times this."},
    {COUNT(gust_seed), .label = "seed", .group = "wind", .unit = "",
     .initial = 1, .min = 0, .max = 9999,
     .help = "Another number gives other gusts; the same number gives the same ones on every run."},
    {REAL(drag_normal), .label = "drag across", .group = "wind", .unit = "kg/m\u00b2s",
     .initial = 0.0, .min = 0.0, .max = 100.0,
     .help = "Resistance of the air, or of water, per area to motion across the surface; acts without wind too."},
    {REAL(drag_tangent), .label = "drag along", .group = "wind", .unit = "kg/m\u00b2s",
     .initial = 0.0, .min = 0.0, .max = 100.0,
     .help = "The same to motion along the surface: less than across it, so that a tail can push."},

    {REAL(gravity), .label = "gravity", .group = "world", .unit = "m/s\u00b2",
     .initial = 9.81, .min = 0.0, .max = 50.0,
     .help = "Acceleration downwards."},
    {REAL(ground), .label = "ground", .group = "world", .unit = "m",
     .initial = -1.3, .min = -100.0, .max = 0.0,
     .help = "Height of the floor; the cloth starts at 0."},
    {REAL(friction), .label = "friction", .group = "world", .unit = "",
     .initial = 0.5, .min = 0.0, .max = 5.0,
     .help = "Coulomb's coefficient of floor and bodies: what slides on the floor is slowed by friction times gravity, and a slope holds what lies on it up to the angle whose tangent this is."},
    {REAL(restitution), .label = "restitution", .group = "world", .unit = "",
     .initial = 0.0, .min = 0.0, .max = 1.0,
     .help = "Share of its speed with which what falls on the floor or on a body leaves it again: 0 stays, 1 bounces back."},
    {CHOICE(self_contact, switch_name), .label = "self-contact", .group = "world", .unit = "",
     .max = 1,
     .help = "The cloth does not pass through itself: layers stay 0.4 spacings apart and rub on each other with the same friction."},
    {REAL(hand_speed), .label = "hand speed", .group = "world", .unit = "m/s",
     .initial = 5.0, .min = 0.1, .max = 100.0, .logarithmic = true,
     .help = "Fastest that a grabbed particle is moved."},
    {REAL(speed_limit), .label = "speed limit", .group = "world", .unit = "m/s",
     .initial = 100.0, .min = 1.0, .max = 1e6, .logarithmic = true,
     .help = "A particle faster than this counts as divergence."},
    {REAL(strain_limit), .label = "strain limit", .group = "world", .unit = "",
     .initial = 1000.0, .min = 0.5, .max = 1e6, .logarithmic = true,
     .help = "A spring longer than its rest length by more than this many times counts as divergence."},
    {CHOICE(on_divergence, on_divergence_name), .label = "on divergence", .group = "world", .unit = "",
     .max = ON_DIVERGENCE_COUNT - 1,
     .help = "What to do when the cloth diverges: pause with an autopsy, rewind to a good state and take a safe step, or continue while the numbers last."},
};
// clang-format on
const int param_count = sizeof param_table / sizeof param_table[0];

static void *field(Params *params, const ParamInfo *info)
{
    return (char *)params + info->offset;
}

static void write_field(Params *params, const ParamInfo *info, double value)
{
    if (info->kind == PARAM_REAL) {
        *(double *)field(params, info) = value;
    } else {
        *(int *)field(params, info) = (int)value;
    }
}

Params params_default(void)
{
    Params params = {0};
    for (int i = 0; i < param_count; i++) {
        write_field(&params, &param_table[i], param_table[i].initial);
    }
    return params;
}

const ParamInfo *param_find(const char *name)
{
    for (int i = 0; i < param_count; i++) {
        if (strcmp(param_table[i].name, name) == 0) return &param_table[i];
    }
    return NULL;
}

double param_get(const Params *params, const ParamInfo *info)
{
    const char *at = (const char *)params + info->offset;
    return info->kind == PARAM_REAL ? *(const double *)at : *(const int *)at;
}

static bool is_allowed(const ParamInfo *info, double value)
{
    if (info->word && value == PARAM_WORD) return true;
    if (!(value >= info->min && value <= info->max)) return false; // rejects NaN
    return info->kind == PARAM_REAL || value == floor(value);
}

// "stretch = 1e9 is not allowed: it takes 0.1 to 1e+06 (N/m)"
static Status refuse(const ParamInfo *info, const char *value, Error *error)
{
    char allowed[PARAM_ALLOWED_SIZE];
    param_allowed(info, allowed, sizeof allowed);
    bool unit = info->unit[0] != '\0';
    return error_set(error, STATUS_BAD_PARAMETER, "%s = %.60s is not allowed: it takes %s%s%s%s",
                     info->name, value, allowed, unit ? " (" : "", info->unit, unit ? ")" : "");
}

Status param_set(Params *params, const ParamInfo *info, double value, Error *error)
{
    if (!is_allowed(info, value)) {
        char text[32];
        snprintf(text, sizeof text, "%g", value);
        return refuse(info, text, error);
    }
    write_field(params, info, value);
    return STATUS_OK;
}

Status param_parse(Params *params, const ParamInfo *info, const char *text, Error *error)
{
    if (info->word && strcmp(text, info->word) == 0) {
        return param_set(params, info, PARAM_WORD, error);
    }
    if (info->kind == PARAM_CHOICE) {
        for (int i = 0; info->choice(i); i++) {
            if (strcmp(text, info->choice(i)) == 0) return param_set(params, info, i, error);
        }
        return refuse(info, text, error);
    }
    char *end;
    double value = strtod(text, &end);
    // The word has its own text; its number is not a value a user may write.
    bool is_number = end != text && *end == '\0' && value >= info->min;
    if (!is_number || !is_allowed(info, value)) return refuse(info, text, error);
    write_field(params, info, value);
    return STATUS_OK;
}

Status params_assign(Params *params, const char *assignment, Error *error)
{
    const char *equals = strchr(assignment, '=');
    if (!equals) {
        return error_set(error, STATUS_BAD_PARAMETER,
                         "'%.60s' is not an assignment: write NAME=VALUE, such as stretch=330",
                         assignment);
    }
    for (int i = 0; i < param_count; i++) {
        const char *name = param_table[i].name;
        size_t length = (size_t)(equals - assignment);
        if (strlen(name) == length && memcmp(name, assignment, length) == 0) {
            return param_parse(params, &param_table[i], equals + 1, error);
        }
    }
    char names[600] = "";
    for (int i = 0; i < param_count; i++) {
        size_t used = strlen(names);
        snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", param_table[i].name);
    }
    return error_set(error, STATUS_BAD_PARAMETER, "there is no parameter '%.*s', only %s",
                     (int)(equals - assignment < 40 ? equals - assignment : 40), assignment, names);
}

void param_print(const Params *params, const ParamInfo *info, char *text, size_t size)
{
    double value = param_get(params, info);
    if (info->word && value == PARAM_WORD) {
        snprintf(text, size, "%s", info->word);
    } else if (info->kind == PARAM_CHOICE) {
        snprintf(text, size, "%s", info->choice((int)value));
    } else {
        // the shortest text that reads back as the same number
        char digits[32];
        for (int precision = 6; precision <= 17; precision++) {
            snprintf(digits, sizeof digits, "%.*g", precision, value);
            if (strtod(digits, NULL) == value) break;
        }
        snprintf(text, size, "%s", digits);
    }
}

void param_allowed(const ParamInfo *info, char *text, size_t size)
{
    if (info->kind != PARAM_CHOICE) {
        snprintf(text, size, "%s%g to %g%s%s", info->kind == PARAM_COUNT ? "whole numbers " : "",
                 info->min, info->max, info->word ? ", or " : "", info->word ? info->word : "");
        return;
    }
    text[0] = '\0';
    for (int i = 0; info->choice(i); i++) {
        const char *joint = i == 0 ? "" : info->choice(i + 1) ? ", " : " or ";
        size_t used = strlen(text);
        snprintf(text + used, size - used, "%s%s", joint, info->choice(i));
    }
}
