#include "sweep/sweep.h"

#include "base/hash.h"
#include "base/text_stream.h"
#include "runtime/scene_file.h"
#include "simulation/simulation.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

void sweep_finish(Sweep *sweep)
{
    for (int i = 0; i < sweep->axis_count; i++) free(sweep->axes[i].values);
    *sweep = (Sweep){0};
}

// ---- reading a sweep's definition from text

// What stands in a file is what was used.
static double as_printed(double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.10g", value);
    return strtod(text, NULL);
}

static Status make_room(SweepAxis *axis, long count, Error *error)
{
    axis->values = calloc((size_t)count, sizeof *axis->values);
    if (!axis->values)
        return error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory for --over");
    axis->count = (int)count;
    return STATUS_OK;
}

static Status fill_range(SweepAxis *axis, const ParamRange *range, long count, Error *error)
{
    const ParamInfo *info = &param_table[axis->param];
    Status status = make_room(axis, count, error);
    Params params = params_default();
    for (long i = 0; i < count && status == STATUS_OK; i++) {
        double value =
            as_printed(param_range_value(range, count > 1 ? (double)i / (count - 1) : 0.0));
        if (info->kind == PARAM_COUNT) value = round(value);
        axis->values[i] = value;
        status = param_set(&params, info, value, error);
    }
    snprintf(axis->text, sizeof axis->text, "%s=%.10g:%.10g:%s:%ld", info->name, range->min,
             range->max, range->logarithmic ? "log" : "lin", count);
    return status;
}

// "FROM:TO:lin|log:COUNT"
static Status read_range(SweepAxis *axis, const char *text, Error *error)
{
    ParamRange range = {.param = axis->param};
    char scale[4] = "";
    long count = 0;
    int length = 0;
    const ParamInfo *info = &param_table[axis->param];
    bool good = sscanf(text, "%lf:%lf:%3[a-z]:%ld%n", &range.min, &range.max, scale, &count,
                       &length) == 4 &&
                !text[length];
    range.logarithmic = strcmp(scale, "log") == 0;
    good = good && (range.logarithmic || strcmp(scale, "lin") == 0);
    if (!good || info->kind == PARAM_CHOICE || count < 1 || count > SWEEP_POINTS_MAX)
        return error_set(error, STATUS_BAD_PARAMETER,
                         "--over takes NAME=FROM:TO:lin:COUNT or NAME=FROM:TO:log:COUNT, of "
                         "numbers, or NAME=VALUE,VALUE,..., not \"%s=%.80s\"",
                         info->name, text);
    if (range.logarithmic && !(range.min > 0.0 && range.max > 0.0))
        return error_set(error, STATUS_BAD_PARAMETER,
                         "--over %s: a range with log has both ends above 0, not %g and %g",
                         info->name, range.min, range.max);
    return fill_range(axis, &range, count, error);
}

// "VALUE,VALUE,..."
static Status read_list(SweepAxis *axis, const char *text, Error *error)
{
    const ParamInfo *info = &param_table[axis->param];
    long count = 1;
    for (const char *c = text; *c; c++) count += *c == ',';
    Status status = make_room(axis, count, error);
    int used = snprintf(axis->text, sizeof axis->text, "%s=", info->name);
    for (long i = 0; i < count && status == STATUS_OK; i++) {
        char value[64];
        size_t length = strcspn(text, ",");
        snprintf(value, sizeof value, "%.*s", (int)(length < 63 ? length : 63), text);
        text += length + 1;
        Params params = params_default();
        status = param_parse(&params, info, value, error);
        axis->values[i] = param_get(&params, info);
        if (used < (int)sizeof axis->text)
            used += snprintf(axis->text + used, sizeof axis->text - (size_t)used, "%s%s",
                             i > 0 ? "," : "", value);
    }
    if (status == STATUS_OK && used >= (int)sizeof axis->text)
        status = error_set(error, STATUS_BAD_PARAMETER,
                           "--over %s: a list takes at most %zu characters; use a range",
                           info->name, sizeof axis->text - 1);
    return status;
}

Status sweep_add_axis(Sweep *sweep, const char *text, Error *error)
{
    char name[40];
    const char *equals = strchr(text, '=');
    snprintf(name, sizeof name, "%.*s", equals ? (int)(equals - text) : 0, text);
    const ParamInfo *info = equals ? param_find(name) : NULL;
    if (!info)
        return error_set(error, STATUS_BAD_PARAMETER,
                         "--over takes NAME=FROM:TO:lin|log:COUNT with a parameter that `selvage "
                         "list` names, such as step=1e-4:1e-2:log:40, not \"%.80s\"",
                         text);
    if (sweep->axis_count == SWEEP_AXES)
        return error_set(error, STATUS_BAD_PARAMETER, "a sweep has at most %d times --over",
                         (int)SWEEP_AXES);
    for (int i = 0; i < sweep->axis_count; i++) {
        if (sweep->axes[i].param == (int)(info - param_table))
            return error_set(error, STATUS_BAD_PARAMETER, "--over %s is there twice", info->name);
    }
    SweepAxis *axis = &sweep->axes[sweep->axis_count++];
    *axis = (SweepAxis){.param = (int)(info - param_table)};
    return strchr(equals, ':') ? read_range(axis, equals + 1, error)
                               : read_list(axis, equals + 1, error);
}

static Status no_such_measure(const char *name, Error *error)
{
    char names[400] = "";
    for (int i = 0; i < measure_count; i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i > 0 ? ", " : "",
                 measure_table[i].name);
    return error_set(error, STATUS_BAD_PARAMETER,
                     "--measure takes some of %s, joined by commas, not \"%.40s\"", names, name);
}

Status sweep_set_measures(Sweep *sweep, const char *text, Error *error)
{
    sweep->measure_count = 0;
    for (;;) {
        char name[40];
        size_t length = strcspn(text, ",");
        snprintf(name, sizeof name, "%.*s", (int)(length < 39 ? length : 39), text);
        int index = measure_find(name);
        if (index < 0) return no_such_measure(name, error);
        for (int i = 0; i < sweep->measure_count; i++) {
            if (sweep->measures[i] == index)
                return error_set(error, STATUS_BAD_PARAMETER, "--measure has %s twice", name);
        }
        sweep->measures[sweep->measure_count++] = index;
        if (!text[length]) return STATUS_OK;
        text += length + 1;
    }
}

Status sweep_set_shard(Sweep *sweep, const char *text, Error *error)
{
    int length = 0;
    bool good = sscanf(text, "%6d/%6d%n", &sweep->shard, &sweep->shards, &length) == 2 &&
                !text[length] && sweep->shard >= 1 && sweep->shard <= sweep->shards;
    if (good) return STATUS_OK;
    return error_set(error, STATUS_BAD_PARAMETER,
                     "--shard takes I/N, the part I of N from 1/N to N/N, not \"%.40s\"", text);
}

Status sweep_check(const Sweep *sweep, Error *error)
{
    if (sweep->axis_count == 0)
        return error_set(error, STATUS_BAD_PARAMETER,
                         "sweep needs at least one --over, such as --over step=1e-4:1e-2:log:40");
    double points = 1.0;
    for (int i = 0; i < sweep->axis_count; i++) points *= sweep->axes[i].count;
    if (points <= SWEEP_POINTS_MAX) return STATUS_OK;
    return error_set(error, STATUS_BAD_PARAMETER, "a sweep has at most %d points, not %.4g",
                     (int)SWEEP_POINTS_MAX, points);
}

// ---- its points

long sweep_points(const Sweep *sweep)
{
    long points = 1;
    for (int i = 0; i < sweep->axis_count; i++) points *= sweep->axes[i].count;
    return points;
}

bool sweep_has(const Sweep *sweep, long point)
{
    return point % sweep->shards == sweep->shard - 1;
}

double sweep_value(const Sweep *sweep, long point, int axis)
{
    for (int i = sweep->axis_count - 1; i > axis; i--) point /= sweep->axes[i].count;
    return sweep->axes[axis].values[point % sweep->axes[axis].count];
}

Scene sweep_scene(const Sweep *sweep, long point)
{
    Scene scene = sweep->scene;
    for (int i = 0; i < sweep->axis_count; i++)
        param_set(&scene.params, &param_table[sweep->axes[i].param], sweep_value(sweep, point, i),
                  NULL); // was checked
    return scene;
}

// ---- as text

// Everything about the scene that counts, its mesh too.
static Status fingerprint(const Scene *scene, uint64_t *out, Error *error)
{
    TextStream stream;
    bool whole = text_stream_open(&stream);
    if (whole) {
        scene_print(scene, stream.file);
        whole = text_stream_close(&stream);
    }
    if (!whole) return error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory for a sweep");
    *out = hash_bytes(HASH_START, stream.text, stream.size);
    free(stream.text);
    Simulation *simulation = NULL;
    Status status = STATUS_OK;
    if (*scene->mesh) status = simulation_create(scene, &simulation, error);
    if (simulation) {
        uint64_t mesh = simulation_mesh_fingerprint(simulation);
        *out = hash_bytes(*out, &mesh, sizeof mesh);
    }
    simulation_destroy(simulation);
    return status;
}

static void print_definition(const Sweep *sweep, uint64_t hash, FILE *file)
{
    fprintf(file, "# selvage sweep %s, scene %016" PRIx64 "\n", sweep->scene.name, hash);
    for (int i = 0; i < sweep->axis_count; i++) fprintf(file, "# over %s\n", sweep->axes[i].text);
    fprintf(file, "# runs of %.10g s, analyses at %.10g s\n", sweep->seconds, sweep->time);
    fprintf(file, "# points %ld\n# shard %d/%d\n", sweep_points(sweep), sweep->shard,
            sweep->shards);
    fputs("point", file);
    for (int i = 0; i < sweep->axis_count; i++)
        fprintf(file, ",%s", param_table[sweep->axes[i].param].name);
    for (int i = 0; i < sweep->measure_count; i++)
        fprintf(file, ",%s", measure_table[sweep->measures[i]].name);
    fputc('\n', file);
}

char *sweep_definition(const Sweep *sweep, Error *error)
{
    uint64_t hash = 0;
    TextStream stream;
    if (fingerprint(&sweep->scene, &hash, error) != STATUS_OK) return NULL;
    if (text_stream_open(&stream)) {
        print_definition(sweep, hash, stream.file);
        if (text_stream_close(&stream)) return stream.text;
    }
    error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory for a sweep");
    return NULL;
}

void sweep_print_row(const Sweep *sweep, long point, const Measured *measured, char *text,
                     size_t size)
{
    Scene scene = sweep_scene(sweep, point);
    size_t used = (size_t)snprintf(text, size, "%ld", point);
    for (int i = 0; i < sweep->axis_count; i++) {
        const ParamInfo *info = &param_table[sweep->axes[i].param];
        char value[64];
        double number = param_get(&scene.params, info);
        if (info->kind == PARAM_CHOICE || number == PARAM_WORD)
            param_print(&scene.params, info, value, sizeof value);
        else
            snprintf(value, sizeof value, "%.10g", number);
        used += (size_t)snprintf(text + used, size - used, ",%s", value);
    }
    for (int i = 0; i < sweep->measure_count; i++) {
        if (measured[i].word)
            used += (size_t)snprintf(text + used, size - used, ",%s", measured[i].word);
        else if (isnan(measured[i].number))
            used += (size_t)snprintf(text + used, size - used, ",");
        else
            used += (size_t)snprintf(text + used, size - used, ",%.10g", measured[i].number);
    }
}
