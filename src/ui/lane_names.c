#include "ui/lane_names.h"

#include "base/duration.h"
#include "cloth/filter.h"
#include "ui/widgets.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define JOINT " · "
#define DOTS "…" // ends a name that is longer than its memory

// ---- what differs

static bool is(const ParamInfo *info, const char *name)
{
    return strcmp(info->name, name) == 0;
}

static bool uses_method(const Params *params, const char *name)
{
    return strcmp(integrator_table[params->integrator]->name, name) == 0;
}

// Whether the parameter does anything, given the others.
static bool applies(const Snapshot *lane, const ParamInfo *info)
{
    const Params *params = &lane->scene.params;
    bool newton = uses_method(params, "backward-euler-newton"), leu = uses_method(params, "leu");
    if (is(info, "safety")) return params->step == PARAM_WORD && !isinf(lane->readings.limit.step);
    if (is(info, "alpha_rule")) return params->alpha == PARAM_WORD;
    if (is(info, "leu_interval")) return leu;
    if (is(info, "newton_tolerance")) return newton;
    if (is(info, "tangent")) return leu || newton || uses_method(params, "backward-euler");
    if (is(info, "harmonic") || is(info, "sequence")) return uses_method(params, "harmonic");
    if (is(info, "pcg_tolerance"))
        return integrator_table[params->integrator]->traits & INTEGRATOR_IMPLICIT;
    if (strcmp(info->group, "filter") == 0 && !is(info, "filter"))
        return params->filter != FILTER_OFF;
    return true;
}

static bool differs(const StageSnapshot *stage, const ParamInfo *info)
{
    for (int i = 1; i < stage->count; i++) {
        if (param_get(&stage->lanes[i].scene.params, info) !=
            param_get(&stage->lanes[0].scene.params, info))
            return true;
    }
    return false;
}

// In the order of names: the method, then as in the table, h last.
typedef struct Differences {
    int count;
    const ParamInfo *info[64];
} Differences;

static void add(Differences *all, const ParamInfo *info)
{
    if (all->count < (int)(sizeof all->info / sizeof all->info[0])) all->info[all->count++] = info;
}

static Differences find_differences(const StageSnapshot *stage, bool with_method, bool with_step)
{
    Differences all = {0};
    const ParamInfo *method = param_find("integrator"), *step = param_find("step");
    if (with_method || differs(stage, method)) add(&all, method);
    for (int i = 0; i < param_count; i++) {
        const ParamInfo *info = &param_table[i];
        if (info != method && info != step && differs(stage, info)) add(&all, info);
    }
    if (with_step) add(&all, step);
    return all;
}

// ---- its words

static void print_value(const Params *params, const ParamInfo *info, bool brief, char *text,
                        size_t size)
{
    char value[48];
    double number = param_get(params, info);
    param_print(params, info, value, sizeof value);
    bool word = info->kind == PARAM_CHOICE || (info->word && number == PARAM_WORD);
    bool says_nothing = strcmp(value, "off") == 0 || strcmp(value, "on") == 0;
    const char *label = info->label;
    if (brief && is(info, "leu_interval")) label = "interval"; // the method is named before it
    if (info->kind == PARAM_CHOICE && brief && !says_nothing)
        snprintf(text, size, "%s", value);
    else if (!word && strcmp(info->unit, "s") == 0)
        snprintf(text, size, "%s %s", label, number == 0.0 ? "0" : duration_text(number).text);
    else
        snprintf(text, size, "%s %s%s%s", label, value, !word && info->unit[0] ? " " : "",
                 word ? "" : info->unit);
}

static void print_part(const Params *params, const ParamInfo *info, bool brief, char *text,
                       size_t size)
{
    const Integrator *method = integrator_table[params->integrator];
    if (is(info, "integrator"))
        snprintf(text, size, "%s", brief ? method->short_label : method->label);
    else
        print_value(params, info, brief, text, size);
}

// The first `most` differences of a lane. What does not fit is left out whole.
static void print_name(const Snapshot *lane, const Differences *all, int most, bool brief,
                       char *text, size_t size)
{
    bool safety = false; // says that h is automatic
    text[0] = '\0';
    for (int i = 0; i < all->count && i < most; i++) {
        char part[96];
        if (!applies(lane, all->info[i]) || (safety && is(all->info[i], "step"))) continue;
        safety |= is(all->info[i], "safety");
        print_part(&lane->scene.params, all->info[i], brief, part, sizeof part);
        size_t length = strlen(text), more = strlen(part) + (length ? strlen(JOINT) : 0);
        if (length + more + sizeof JOINT DOTS > size) {
            snprintf(text + length, size - length, JOINT DOTS);
            return;
        }
        snprintf(text + length, size - length, "%s%s", length ? JOINT : "", part);
    }
}

static void print_names(const StageSnapshot *stage, const Differences *all, int most, bool brief,
                        LaneNames *out)
{
    for (int i = 0; i < stage->count; i++) {
        const Params *params = &stage->lanes[i].scene.params;
        print_name(&stage->lanes[i], all, most, brief, out->text[i], sizeof out->text[i]);
        if (!out->text[i][0]) // the one without what makes the others special
            print_part(params, param_find("integrator"), brief, out->text[i], sizeof out->text[i]);
    }
}

static bool all_differ(const StageSnapshot *stage, const LaneNames *names)
{
    for (int i = 0; i < stage->count; i++) {
        for (int k = 0; k < i; k++) {
            if (strcmp(names->text[i], names->text[k]) == 0) return false;
        }
    }
    return true;
}

// Leave out what is not needed to tell a lane from the others.
static void keep_first(const StageSnapshot *stage, const Differences *all, LaneNames *names)
{
    bool done[SCENE_LANES_MAX] = {false};
    for (int most = 1; most < all->count; most++) {
        LaneNames shorter;
        print_names(stage, all, most, true, &shorter);
        for (int i = 0; i < stage->count; i++) {
            bool alone = true;
            for (int k = 0; k < stage->count; k++)
                alone &= k == i || strcmp(shorter.text[i], shorter.text[k]) != 0;
            if (alone && !done[i]) memcpy(names->text[i], shorter.text[i], LANE_TITLE_SIZE);
            done[i] |= alone;
        }
    }
}

// Lanes that are the same, or differ in digits that are not shown.
static void number_names(const StageSnapshot *stage, LaneNames *names)
{
    for (int i = 0; i < stage->count; i++) {
        char name[LANE_TITLE_SIZE];
        memcpy(name, names->text[i], sizeof name);
        snprintf(names->text[i], sizeof names->text[i], "%d" JOINT "%.*s", i + 1,
                 LANE_TITLE_SIZE - 16, name);
    }
}

void lane_names(const StageSnapshot *stage, LaneNameForm form, LaneNameStep step, LaneNames *out)
{
    bool brief = form >= LANE_NAME_SHORT, with_method = form == LANE_NAME_WHOLE;
    *out = (LaneNames){.form = form};
    if (form == LANE_NAME_NUMBER) {
        for (int i = 0; i < stage->count; i++)
            snprintf(out->text[i], sizeof out->text[i], "%d", i + 1);
        return;
    }
    bool other_step = differs(stage, param_find("step"));
    Differences all =
        find_differences(stage, with_method, other_step && step == LANE_STEP_IF_OTHER);
    out->has_step = other_step && step == LANE_STEP_IF_OTHER;
    print_names(stage, &all, all.count, brief, out);
    if (!out->has_step && other_step && !all_differ(stage, out)) {
        all = find_differences(stage, with_method, true);
        out->has_step = true;
        print_names(stage, &all, all.count, brief, out);
    }
    if (form == LANE_NAME_SHORTEST) keep_first(stage, &all, out);
    if (!all_differ(stage, out)) number_names(stage, out);
}

// ---- their places

// Where a line may end: before the next joint, which no line begins with, before a bracket or after
// a comma. NULL: at its end only. `next` gets where the next line would begin.
static const char *find_break(const char *text, const char **next)
{
    for (; *text; text++) {
        bool joint = strncmp(text, JOINT, strlen(JOINT)) == 0;
        *next = text + (joint ? strlen(JOINT) : 1);
        if (joint || strncmp(text, " (", 2) == 0) return text;
        if (strncmp(text, ", ", 2) == 0) {
            *next = text + 2;
            return text + 1;
        }
    }
    return NULL;
}

const char *lane_name_line(const char *name, Font font, float width, char *line, size_t size)
{
    const char *end = NULL, *rest = name, *next = NULL;
    for (const char *at = name; rest; at = next) {
        const char *stop = find_break(at, &next);
        size_t length = stop ? (size_t)(stop - name) : strlen(name);
        snprintf(line, size, "%.*s", (int)length, name);
        if (end && widget_text_width(font, line) > width) break;
        end = name + length;
        rest = stop ? next : NULL;
    }
    snprintf(line, size, "%.*s", (int)(end - name), name);
    return rest;
}

static bool name_fits(const char *name, Font font, float width, int lines)
{
    char line[LANE_TITLE_SIZE];
    if (strstr(name, DOTS)) return false;
    for (int i = 0; name && i < lines; i++) {
        name = lane_name_line(name, font, width, line, sizeof line);
        if (widget_text_width(font, line) > width) return false;
    }
    return !name;
}

void lane_names_fit(const StageSnapshot *stage, LaneNameForm from, LaneNameStep step, Font font,
                    float width, int lines, LaneNames *out)
{
    for (int form = from; form < LANE_NAME_NUMBER; form++) {
        bool fit = true;
        lane_names(stage, (LaneNameForm)form, step, out);
        for (int i = 0; i < stage->count; i++) fit &= name_fits(out->text[i], font, width, lines);
        if (fit) return;
    }
    out->form = LANE_NAME_NUMBER;
    for (int i = 0; i < stage->count; i++) {
        if (!name_fits(out->text[i], font, width, lines))
            snprintf(out->text[i], sizeof out->text[i], "%d", i + 1);
    }
}
