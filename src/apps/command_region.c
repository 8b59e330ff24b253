// selvage region: the stability region of an integrator, as numbers or as a drawing.
#include "apps/commands.h"
#include "apps/json.h"
#include "apps/report.h"
#include "base/output_file.h"
#include "base/svg.h"
#include "cloth/filter.h"
#include "stability/region.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static Status name_integrator(const Options *options, const Integrator **out, Error *error)
{
    int index = options->scene ? integrator_find(options->scene) : -1;
    if (index >= 0) {
        *out = integrator_table[index];
        return STATUS_OK;
    }
    char names[300] = "";
    for (int i = 0; i < integrator_count; i++) {
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i > 0 ? ", " : "",
                 integrator_name(i));
    }
    if (!options->scene) {
        return error_set(error, STATUS_BAD_PARAMETER, "region needs an integrator: %s", names);
    }
    return error_set(error, STATUS_BAD_PARAMETER, "there is no integrator \"%.40s\"; there are %s",
                     options->scene, names);
}

static Status make_scheme(const Options *options, Scheme *scheme, Error *error)
{
    Params params = params_default();
    Status status = name_integrator(options, &scheme->integrator, error);
    if (status == STATUS_OK) status = options_assign(options, &params, error);
    if (status != STATUS_OK) return status;
    if (!scheme->integrator->amplification) {
        return error_set(error, STATUS_BAD_PARAMETER,
                         "%s has no stability region: no 2x2 matrix describes its step",
                         scheme->integrator->name);
    }
    scheme->options = (StepOptions){.tangent = (Tangent)params.tangent,
                                    .harmonic = (Harmonic)params.harmonic,
                                    .sequence = params.sequence != 0};
    scheme->coupling = 1.0;
    // a method that treats air drag apart is shown with nothing else: the rest is symplectic
    // Euler's
    scheme->air_share = scheme->integrator->traits & INTEGRATOR_AIR_APART ? 1.0 : 0.0;
    scheme->filter = params.filter_on == FILTER_FORCE      ? SCHEME_FILTER_FORCE
                     : params.filter_place == FILTER_AFTER ? SCHEME_FILTER_AFTER
                                                           : SCHEME_FILTER_BEFORE;
    if (options->symbol != 1.0 && scheme->filter == SCHEME_FILTER_BEFORE &&
        !(scheme->integrator->traits & INTEGRATOR_POSITION_LAST)) {
        return error_set(error, STATUS_BAD_PARAMETER,
                         "%s has no place for a filter before its position update, so --symbol "
                         "needs --set filter_place=after or --set filter_on=force",
                         scheme->integrator->name);
    }
    return STATUS_OK;
}

static Status read_point(const char *text, double point[2], Error *error)
{
    char *end;
    point[0] = strtod(text, &end);
    bool good = end != text && *end == ',';
    if (good) {
        const char *second = end + 1;
        point[1] = strtod(second, &end);
        good = end != second && !*end && isfinite(point[0]) && isfinite(point[1]);
    }
    if (good) return STATUS_OK;
    return error_set(error, STATUS_BAD_PARAMETER,
                     "--at takes X = h d and Y = h^2 k, such as 0.5,2, not \"%.60s\"", text);
}

static void write_point_json(const Options *options, const double point[2], const Amplification *a)
{
    Json json = {.file = stdout};
    json_open_object(&json, NULL);
    json_text(&json, "integrator", options->scene);
    json_number(&json, "X", point[0]);
    json_number(&json, "Y", point[1]);
    json_number(&json, "symbol", options->symbol);
    json_open_array(&json, "G");
    for (int i = 0; i < 2; i++) {
        json_open_array(&json, NULL);
        for (int j = 0; j < 2; j++) json_number(&json, NULL, a->G[i][j]);
        json_close_array(&json);
    }
    json_close_array(&json);
    json_open_array(&json, "eigenvalues");
    for (int i = 0; i < 2; i++) {
        json_open_object(&json, NULL);
        json_number(&json, "re", a->re[i]);
        json_number(&json, "im", a->im[i]);
        json_close_object(&json);
    }
    json_close_array(&json);
    json_number(&json, "rho", a->rho);
    json_text(&json, "verdict",
              a->jury == JURY_STABLE     ? "stable"
              : a->jury == JURY_MARGINAL ? "marginal"
                                         : "unstable");
    json_text(&json, "how", jury_name(a->jury));
    json_close_object(&json);
}

static void print_point(const Options *options, const double point[2], const Amplification *a)
{
    printf("integrator   %s\nX = h d      %.10g\nY = h^2 k    %.10g\nsymbol       %.10g\n",
           options->scene, point[0], point[1], options->symbol);
    printf("G            %.10g  %.10g\n             %.10g  %.10g\n", a->G[0][0], a->G[0][1],
           a->G[1][0], a->G[1][1]);
    for (int i = 0; i < 2; i++) {
        printf("%-13s%.10g", i == 0 ? "eigenvalues" : "", a->re[i]);
        printf(a->im[i] != 0.0 ? " %+.10gi\n" : "\n", a->im[i]);
    }
    printf("rho          %.10g\nverdict      %s\n", a->rho, jury_name(a->jury));
}

static int point_command(const Options *options, const Scheme *scheme)
{
    double point[2];
    Error error;
    if (read_point(options->at, point, &error) != STATUS_OK) return report_error(&error);
    Amplification a = amplification_at(scheme, point[0], point[1], options->symbol);
    (options->json ? write_point_json : print_point)(options, point, &a);
    return EXIT_DONE;
}

static void write_csv(FILE *file, const RegionBoundary *boundary)
{
    fputs("line,X,Y\n", file);
    for (int line = 0; line < boundary->line_count; line++) {
        for (int p = boundary->first[line]; p < boundary->first[line + 1]; p++) {
            fprintf(file, "%d,%.10g,%.10g\n", line, boundary->point[p][0], boundary->point[p][1]);
        }
    }
}

static void write_svg(FILE *file, const Scheme *scheme, RegionBox box, double symbol,
                      const RegionBoundary *outline, const RegionBoundary *boundary)
{
    char title[160];
    Svg svg = svg_plot(file, 640, 520);
    svg.x = (SvgAxis){.min = box.x0, .max = box.x1, .label = "X = h d"};
    svg.y = (SvgAxis){.min = box.y0, .max = box.y1, .label = "Y = h\u00b2 k"};
    snprintf(title, sizeof title, "%s: stable inside", scheme->integrator->label);
    if (scheme->air_share == 1.0)
        snprintf(title + strlen(title), sizeof title - strlen(title), ", all damping is air drag");
    if (symbol != 1.0) {
        snprintf(title + strlen(title), sizeof title - strlen(title), ", filter symbol %g", symbol);
    }
    SvgStroke stroke = svg_series(&svg, 0);
    svg_page_begin(&svg, title, NULL);
    svg_frame_begin(&svg, NULL);
    svg_fill_begin(&svg, (SvgColour){stroke.colour.rgb, 0.18});
    for (int line = 0; line < outline->line_count; line++) {
        svg_fill_outline(&svg, (const double(*)[2])outline->point + outline->first[line],
                         outline->first[line + 1] - outline->first[line]);
    }
    svg_fill_end(&svg);
    for (int line = 0; line < boundary->line_count; line++) {
        svg_line(&svg, stroke, (const double(*)[2])boundary->point + boundary->first[line],
                 boundary->first[line + 1] - boundary->first[line]);
    }
    svg_frame_end(&svg);
    svg_page_end(&svg);
}

static Status write_files(const Options *options, const Scheme *scheme, Error *error)
{
    OutputFile csv = {0}, svg = {0};
    RegionBoundary boundary = {0}, outline = {0};
    RegionBox box = region_default_box(scheme->integrator);
    FILE *file = NULL;
    Status status = output_file_begin(&csv, options->csv, error);
    if (status == STATUS_OK) status = output_file_begin(&svg, options->svg, error);
    if (status == STATUS_OK) {
        status = region_boundary(scheme, box, options->symbol, false, &boundary, error);
    }
    if (status == STATUS_OK) {
        status = region_boundary(scheme, box, options->symbol, true, &outline, error);
    }
    if (status == STATUS_OK && csv.wanted) {
        file = output_file_open(&csv, error);
        if (file) write_csv(file, &boundary);
        status = file ? output_file_close(&csv, file, error) : STATUS_FILE;
    }
    if (status == STATUS_OK && svg.wanted) {
        file = output_file_open(&svg, error);
        if (file) write_svg(file, scheme, box, options->symbol, &outline, &boundary);
        status = file ? output_file_close(&svg, file, error) : STATUS_FILE;
    }
    region_boundary_finish(&boundary);
    region_boundary_finish(&outline);
    output_file_finish(&csv);
    output_file_finish(&svg);
    return status;
}

int command_region(const Options *options)
{
    Scheme scheme = {0};
    Error error;
    Status status = make_scheme(options, &scheme, &error);
    if (status == STATUS_OK && !options->at && !options->csv && !options->svg) {
        status = error_set(&error, STATUS_BAD_PARAMETER,
                           "region needs something to do: --csv FILE, --svg FILE or --at X,Y");
    }
    if (status == STATUS_OK && options->json && !options->at) {
        status = error_set(&error, STATUS_BAD_PARAMETER, "--json of region needs --at X,Y");
    }
    if (status == STATUS_OK) status = write_files(options, &scheme, &error);
    if (status != STATUS_OK) return report_error(&error);
    return options->at ? point_command(options, &scheme) : EXIT_DONE;
}
