#include "lesson/promise.h"

#include "integrators/integrator.h"
#include "simulation/monitor.h"
#include "stability/amplification.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ---- values

static const Readings *readings_of(const StageSnapshot *stage, int lane)
{
    return &stage->lanes[lane].readings;
}

static double get_time(const StageSnapshot *stage, int lane)
{
    return readings_of(stage, lane)->time;
}
static double get_steps(const StageSnapshot *stage, int lane)
{
    return (double)readings_of(stage, lane)->step_count;
}
static double get_step(const StageSnapshot *stage, int lane)
{
    return readings_of(stage, lane)->step;
}
static double get_limit(const StageSnapshot *stage, int lane)
{
    return readings_of(stage, lane)->limit.step;
}
static double get_ratio(const StageSnapshot *stage, int lane)
{
    return get_step(stage, lane) / get_limit(stage, lane);
}
static double get_k0(const StageSnapshot *stage, int lane)
{
    return readings_of(stage, lane)->k0;
}
static double get_omega(const StageSnapshot *stage, int lane)
{
    return sqrt(get_k0(stage, lane));
}
static double get_period(const StageSnapshot *stage, int lane)
{
    return 2.0 * M_PI / get_omega(stage, lane);
}
static double get_alpha(const StageSnapshot *stage, int lane)
{
    return readings_of(stage, lane)->alpha;
}
static double get_damping(const StageSnapshot *stage, int lane)
{
    return stage->lanes[lane].scene.params.air + get_alpha(stage, lane) * get_k0(stage, lane);
}
static double get_x(const StageSnapshot *stage, int lane)
{
    return get_step(stage, lane) * get_damping(stage, lane);
}
static double get_y(const StageSnapshot *stage, int lane)
{
    double h = get_step(stage, lane);
    return h * h * get_k0(stage, lane);
}

static double get_rho(const StageSnapshot *stage, int lane)
{
    const Params *params = &stage->lanes[lane].scene.params;
    const Integrator *integrator = integrator_table[params->integrator];
    if (!integrator->amplification || params->filter != 0) return NAN;
    Scheme scheme = {.integrator = integrator,
                     .options = {.tangent = (Tangent)params->tangent,
                                 .harmonic = (Harmonic)params->harmonic,
                                 .sequence = params->sequence},
                     .coupling = 1.0};
    return amplification_of(&scheme, get_step(stage, lane), get_k0(stage, lane), params->air,
                            get_alpha(stage, lane), 1.0)
        .rho;
}

static double get_energy(const StageSnapshot *stage, int lane)
{
    return energy_total(readings_of(stage, lane)->energy);
}
static double get_start(const StageSnapshot *stage, int lane)
{
    return readings_of(stage, lane)->balance.start;
}
static double get_gain(const StageSnapshot *stage, int lane)
{
    return get_energy(stage, lane) / get_start(stage, lane);
}
static double get_added(const StageSnapshot *stage, int lane)
{
    return readings_of(stage, lane)->balance.remainder;
}
static double get_damped(const StageSnapshot *stage, int lane)
{
    return readings_of(stage, lane)->balance.damping;
}
static double get_filtered(const StageSnapshot *stage, int lane)
{
    return readings_of(stage, lane)->balance.filter;
}
static double get_blown(const StageSnapshot *stage, int lane)
{
    return readings_of(stage, lane)->balance.wind;
}
static double get_pulled(const StageSnapshot *stage, int lane)
{
    return readings_of(stage, lane)->balance.muscle;
}
static double get_contact(const StageSnapshot *stage, int lane)
{
    return readings_of(stage, lane)->balance.contact;
}
static double get_contacts(const StageSnapshot *stage, int lane)
{
    return readings_of(stage, lane)->contacts;
}
static double get_kinetic(const StageSnapshot *stage, int lane)
{
    return readings_of(stage, lane)->energy.kinetic;
}
static double get_speed(const StageSnapshot *stage, int lane)
{
    return readings_of(stage, lane)->max_speed;
}
static double get_strain(const StageSnapshot *stage, int lane)
{
    return readings_of(stage, lane)->max_strain;
}
static double get_error(const StageSnapshot *stage, int lane)
{
    return stage->reference < 0 ? NAN : stage->lanes[lane].distance_rms;
}

static double get_work(const StageSnapshot *stage, int lane)
{
    const Params *params = &stage->lanes[lane].scene.params;
    const StepReport *last = &readings_of(stage, lane)->last;
    return step_evaluations(integrator_table[params->integrator], last) / get_step(stage, lane);
}

// clang-format off
const ValueInfo value_table[] = {
    {"time",     "s",     "simulated since the start", get_time},
    {"steps",    "",      "number of steps since then", get_steps},
    {"step",     "s",     "h in use", get_step},
    {"limit",    "s",     "the largest stable h for this method, damping and filter", get_limit},
    {"ratio",    "",      "h / limit", get_ratio},
    {"k0",       "1/s²",  "the largest eigenvalue of the cloth's stiffness over mass", get_k0},
    {"omega",    "rad/s", "its root, the highest frequency", get_omega},
    {"period",   "s",     "2 pi / omega, the shortest period", get_period},
    {"alpha",    "s",     "Rayleigh's alpha in use", get_alpha},
    {"damping",  "1/s",   "d = air + alpha k0, of the stiffest mode", get_damping},
    {"X",        "",      "h d, of the stiffest mode", get_x},
    {"Y",        "",      "h^2 k0, of the stiffest mode", get_y},
    {"rho",      "",      "spectral radius of one step for the stiffest mode, by theory and without a filter", get_rho},
    {"energy",   "J",     "kinetic, elastic and gravity's", get_energy},
    {"start",    "J",     "energy at the start", get_start},
    {"gain",     "",      "energy / start; for scenes without gravity", get_gain},
    {"added",    "J",     "energy that the numerics added since the start", get_added},
    {"damped",   "J",     "energy that damping took since the start", get_damped},
    {"filtered", "J",     "energy that the filter took since the start", get_filtered},
    {"blown",    "J",     "work of the wind since the start", get_blown},
    {"pulled",   "J",     "work of the muscles since the start", get_pulled},
    {"contact",  "J",     "work of floor and bodies since the start", get_contact},
    {"contacts", "",      "particles that met floor or bodies in the last step", get_contacts},
    {"kinetic",  "J",     "energy of motion", get_kinetic},
    {"speed",    "m/s",   "of the fastest particle", get_speed},
    {"strain",   "",      "of the most changed spring", get_strain},
    {"error",    "m",     "distance to the lane that it is compared with, root mean square", get_error},
    {"work",     "",      "force evaluations and products with K per simulated second", get_work},
};
// clang-format on
const int value_count = sizeof value_table / sizeof value_table[0];

int value_find(const char *name)
{
    for (int i = 0; i < value_count; i++) {
        if (strcmp(value_table[i].name, name) == 0) return i;
    }
    return VALUE_NONE;
}

double value_get(const StageSnapshot *stage, int lane, int value)
{
    if (lane < 0 || lane >= stage->count || value < 0 || value >= value_count) return NAN;
    return value_table[value].get(stage, lane);
}

static MonitorState state_of(const StageSnapshot *stage, int lane)
{
    const Snapshot *now = &stage->lanes[lane];
    return now->diverged ? MONITOR_DIVERGED : now->monitor.state;
}

const char *verdict_of(const StageSnapshot *stage, int lane)
{
    return monitor_state_name(state_of(stage, lane));
}

// ---- reading a promise, word by word

typedef struct Words {
    char text[160];
    char *rest, *word; // word: NULL at the end
    int lane_count;
    Error *error;
} Words;

static void next_word(Words *words)
{
    words->word = strtok_r(NULL, " \t", &words->rest);
}

static Status fail_end(const Words *words, const char *wanted)
{
    return error_set(words->error, STATUS_BAD_PARAMETER, "promise: %s was expected%s%.40s%s",
                     wanted, words->word ? ", not \"" : " at the end",
                     words->word ? words->word : "", words->word ? "\"" : "");
}

static Status read_lane(Words *words, int *lane)
{
    *lane = 0;
    if (!words->word || strcmp(words->word, "lane") != 0) return STATUS_OK;
    next_word(words);
    char *end = NULL;
    long number = words->word ? strtol(words->word, &end, 10) : 0;
    if (!words->word || *end != '\0' || number < 1 || number > words->lane_count)
        return error_set(words->error, STATUS_BAD_PARAMETER,
                         "promise: lane takes a number from 1 to %d, as this step has %d",
                         words->lane_count, words->lane_count);
    *lane = (int)number - 1;
    next_word(words);
    return STATUS_OK;
}

static Status fail_value(const Words *words)
{
    char names[220] = "verdict";
    for (int i = 0; i < value_count; i++) {
        size_t length = strlen(names);
        snprintf(names + length, sizeof names - length, ", %s", value_table[i].name);
    }
    return error_set(words->error, STATUS_BAD_PARAMETER,
                     "promise: there is no value \"%.30s\"; there are %s",
                     words->word ? words->word : "", names);
}

static Status read_verdict(Words *words, Promise *out)
{
    out->kind = PROMISE_VERDICT;
    next_word(words);
    if (!words->word || strcmp(words->word, "is") != 0) return fail_end(words, "is");
    next_word(words);
    for (int i = 0; words->word && i < MONITOR_STATES; i++) {
        if (strcmp(monitor_state_name(i), words->word) != 0) continue;
        out->verdict = i;
        next_word(words);
        return words->word ? fail_end(words, "nothing more") : STATUS_OK;
    }
    return fail_end(words, "stable, growing or diverged");
}

// A unit that follows a number: what to multiply it with, 0 if there is no such unit.
static double unit_factor(const char *unit)
{
    static const struct {
        const char *name;
        double factor;
    } units[] = {{"s", 1.0},    {"ms", 1e-3},   {"us", 1e-6}, {"m", 1.0},   {"cm", 1e-2},
                 {"mm", 1e-3},  {"J", 1.0},     {"mJ", 1e-3}, {"m/s", 1.0}, {"1/s", 1.0},
                 {"1/s2", 1.0}, {"rad/s", 1.0}, {"%", 0.01}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(units[i].name, unit) == 0) return units[i].factor;
    }
    return 0.0;
}

static bool read_number(Words *words, double *out)
{
    char *end = NULL;
    if (!words->word) return false;
    *out = strtod(words->word, &end);
    if (end == words->word || *end != '\0' || !isfinite(*out)) return false;
    next_word(words);
    double factor = words->word ? unit_factor(words->word) : 0.0;
    if (factor > 0.0) {
        *out *= factor;
        next_word(words);
    }
    return true;
}

// NUMBER, or [NUMBER] lane N VALUE
static Status read_other(Words *words, Promise *out)
{
    bool number = read_number(words, &out->number);
    out->other_value = VALUE_NONE;
    if (!number) out->number = 1.0;
    if (!words->word || strcmp(words->word, "lane") != 0)
        return number ? STATUS_OK : fail_end(words, "a number with its unit, or lane N VALUE");
    Status status = read_lane(words, &out->other_lane);
    if (status != STATUS_OK) return status;
    out->other_value = words->word ? value_find(words->word) : VALUE_NONE;
    if (out->other_value == VALUE_NONE) return fail_value(words);
    next_word(words);
    return STATUS_OK;
}

static Status read_comparison(Words *words, Promise *out)
{
    out->value = words->word ? value_find(words->word) : VALUE_NONE;
    if (out->value == VALUE_NONE) return fail_value(words);
    next_word(words);
    const char *sign = words->word ? words->word : "";
    if (strcmp(sign, "<") == 0)
        out->kind = PROMISE_BELOW;
    else if (strcmp(sign, ">") == 0)
        out->kind = PROMISE_ABOVE;
    else if (strcmp(sign, "=") == 0)
        out->kind = PROMISE_ABOUT;
    else
        return fail_end(words, "<, > or =");
    next_word(words);
    Status status = read_other(words, out);
    if (status != STATUS_OK) return status;
    if (out->kind == PROMISE_ABOUT) {
        if (!words->word || strcmp(words->word, "within") != 0)
            return fail_end(words, "within and a share, such as within 1 %,");
        next_word(words);
        if (!read_number(words, &out->tolerance) || out->tolerance <= 0.0)
            return fail_end(words, "a share, such as 1 %,");
    }
    return words->word ? fail_end(words, "nothing more") : STATUS_OK;
}

Status promise_parse(const char *text, int lane_count, Promise *out, Error *error)
{
    Words words = {.lane_count = lane_count, .error = error};
    *out = (Promise){.other_value = VALUE_NONE};
    if (strlen(text) >= sizeof out->text)
        return error_set(error, STATUS_BAD_PARAMETER, "promise: it has more than %zu bytes",
                         sizeof out->text - 1);
    snprintf(out->text, sizeof out->text, "%s", text);
    snprintf(words.text, sizeof words.text, "%s", text);
    words.word = strtok_r(words.text, " \t", &words.rest);
    Status status = read_lane(&words, &out->lane);
    if (status != STATUS_OK) return status;
    if (words.word && strcmp(words.word, "verdict") == 0) return read_verdict(&words, out);
    return read_comparison(&words, out);
}

// ---- checking

static bool is_kept(const Promise *promise, double found, double wanted)
{
    switch (promise->kind) {
    case PROMISE_BELOW:
        return found < wanted;
    case PROMISE_ABOVE:
        return found > wanted;
    case PROMISE_ABOUT:
        return found == wanted || fabs(found - wanted) <= promise->tolerance * fabs(wanted);
    case PROMISE_VERDICT:
        break;
    }
    return false;
}

Status promise_check(const Promise *promise, const StageSnapshot *stage, Error *error)
{
    if (promise->kind == PROMISE_VERDICT) {
        MonitorState found = state_of(stage, promise->lane);
        if ((int)found == promise->verdict) return STATUS_OK;
        return error_set(error, STATUS_BAD_PARAMETER, "\"%s\" is promised, but it is %s",
                         promise->text, monitor_state_name((int)found));
    }
    double found = value_get(stage, promise->lane, promise->value), wanted = promise->number;
    if (promise->other_value != VALUE_NONE)
        wanted *= value_get(stage, promise->other_lane, promise->other_value);
    if (is_kept(promise, found, wanted)) return STATUS_OK;
    return error_set(error, STATUS_BAD_PARAMETER, "\"%s\" is promised, but %s is %.6g, not %.6g",
                     promise->text, value_table[promise->value].name, found, wanted);
}
