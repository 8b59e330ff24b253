#include "ui/map_plot.h"

#include "ui/quantity.h"
#include "ui/widgets.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What can be mapped, in the order of the lists.
static const char *const choices[] = {"step",    "stretch", "shear", "bend",
                                      "density", "air",     "alpha", "lambda"};
enum { CHOICES = sizeof choices / sizeof choices[0] };

struct MapPlot {
    int chosen[2];      // of `choices`, along x and y
    MapRequest request; // what is asked for
    bool valid;         // it is
    unsigned topology;  // of the cloth that its ranges are for
    int lane;
    bool seen; // in this frame
    PlotImage image;
    StabilityMap shown; // in the image
};

MapPlot *map_plot_create(void)
{
    MapPlot *self = calloc(1, sizeof *self);
    if (self) self->chosen[1] = 1;
    return self;
}

void map_plot_destroy(MapPlot *self)
{
    if (!self) return;
    plot_image_finish(&self->image);
    free(self);
}

const char *map_plot_why_not(const Ui *ui)
{
    if (!ui->map) return "There is not enough memory for a map.";
    if (!(ui->now->readings.k0 > 0.0)) return "Nothing can move: there is nothing to map.";
    return NULL;
}

static const ParamInfo *info_of(const MapPlot *self, int side)
{
    return param_find(choices[self->chosen[side]]);
}

// Its value in use: an automatic one is a number too.
static double value_of(const Ui *ui, const ParamInfo *info)
{
    double value = param_get(&ui->now->scene.params, info);
    if (value != PARAM_WORD) return value;
    return strcmp(info->name, "step") == 0 ? ui->now->readings.step : ui->now->readings.alpha;
}

// A range about the present value, and about the limit of the step.
static ParamRange axis_about(const Ui *ui, const ParamInfo *info)
{
    const Readings *r = &ui->now->readings;
    double value = value_of(ui, info), low = value, high = value;
    ParamRange axis = {.param = (int)(info - param_table), .min = info->min, .max = info->max};
    if (strcmp(info->name, "step") == 0 && r->limit.step > 0.0 && isfinite(r->limit.step)) {
        low = fmin(low, r->limit.step);
        high = fmax(high, r->limit.step);
    }
    if (strcmp(info->name, "alpha") == 0 && value < 1e-5) {
        axis.max = fmin(6.0 / (r->step * r->k0), info->max); // X = h α k0 of the stiffest mode is 6
        if (!(axis.max > value)) axis.max = info->max;
    } else if (info->logarithmic && value > 0.0) {
        axis.logarithmic = true;
        axis.min = fmax(low / 8.0, fmax(info->min, 1e-9));
        axis.max = fmin(high * 8.0, info->max);
    } else if (info->logarithmic) {
        axis.max = info->max / 1000.0; // a stiffness that is 0
    }
    return axis;
}

static bool contains(const ParamRange *axis, double value)
{
    return value >= axis->min && value <= axis->max;
}

// The ranges stay while the point is in them, so that a click does not move the map.
static void update_request(MapPlot *self, const Ui *ui)
{
    const ParamInfo *x = info_of(self, 0), *y = info_of(self, 1);
    bool fits =
        self->valid && self->topology == ui->now->topology_version &&
        self->lane == ui->stage->selected && self->request.x.param == (int)(x - param_table) &&
        self->request.y.param == (int)(y - param_table) &&
        contains(&self->request.x, value_of(ui, x)) && contains(&self->request.y, value_of(ui, y));
    if (fits) return;
    self->request = (MapRequest){axis_about(ui, x), axis_about(ui, y)};
    self->topology = ui->now->topology_version;
    self->lane = ui->stage->selected;
    self->valid = true;
}

void map_plot_ask(Ui *ui)
{
    MapPlot *self = ui->map;
    if (!self) return;
    sim_thread_ask_map(ui->sim, self->seen && self->valid ? &self->request : NULL);
    self->seen = false;
}

static void choose(Ui *ui, int side, float width)
{
    MapPlot *self = ui->map;
    const char *id = side == 0 ? "##across" : "##up";
    const ParamInfo *chosen = info_of(self, side);
    igSetNextItemWidth(width);
    if (!widget_begin_list(ui, id, chosen->label, ImGuiComboFlags_HeightLargest)) return;
    for (int i = 0; i < CHOICES; i++) {
        const ParamInfo *info = param_find(choices[i]);
        const char *why_not =
            i == self->chosen[1 - side] ? "It is the other one of the two." : NULL;
        if (strcmp(info->name, "lambda") == 0 && ui->now->scene.params.filter == 0)
            why_not = "The filter is off.";
        if (widget_list_item(ui, info->label, i == self->chosen[side], info->help, why_not))
            self->chosen[side] = i;
    }
    igEndCombo();
}

void map_plot_controls(Ui *ui)
{
    ImVec2 room;
    igGetContentRegionAvail(&room);
    float width = fminf(6.5f * ui->em, 0.45f * room.x);
    choose(ui, 0, width);
    igSameLine(0.0f, ui_ems(ui, 0.5f));
    choose(ui, 1, width);
}

static ImU32 cell_colour(const Ui *ui, int cell)
{
    const Palette *p = &ui->palette;
    switch (cell) {
    case POINT_STABLE:
        return theme_fade(p->green, 0.45f);
    case POINT_UNSTABLE:
        return theme_fade(p->red, 0.45f);
    case POINT_BEYOND:
        return theme_fade(p->amber, 0.35f);
    default:
        return theme_fade(p->dim, 0.15f);
    }
}

static void fill_image(MapPlot *self, const Ui *ui, const StabilityMap *map)
{
    if (!plot_image_resize(&self->image, MAP_COLUMNS, MAP_ROWS, 1)) return;
    for (int i = 0; i < MAP_ROWS * MAP_COLUMNS; i++) {
        int cell = map->cell[i / MAP_COLUMNS][i % MAP_COLUMNS];
        self->image.colour[i] = cell_colour(ui, cell);
        self->image.value[0][i] = (float)cell;
    }
    self->image.name[0] = "theory";
    self->image.title = "1 stable, 2 unstable, 3 beyond what is surely stable, 4 refused";
    plot_image_changed(&self->image);
    self->shown = *map;
}

static const char *cell_text(int cell)
{
    switch (cell) {
    case POINT_STABLE:
        return "stable";
    case POINT_UNSTABLE:
        return "unstable";
    case POINT_BEYOND:
        return "more than is surely stable";
    case POINT_REFUSED:
        return "these values do not go together";
    default:
        return "not computed yet";
    }
}

static const char *outcome_text(PointRun outcome)
{
    switch (outcome) {
    case POINT_STAYED:
        return "did not grow";
    case POINT_GREW:
        return "grew";
    case POINT_BUCKLED:
        return "buckled, which is physics";
    default:
        return "too close to tell";
    }
}

static bool disagrees(const StabilityMap *map, const MapRun *run)
{
    int cell = map->cell[run->row][run->column];
    return (run->outcome == POINT_GREW && cell == POINT_STABLE) ||
           (run->outcome == POINT_STAYED && cell == POINT_UNSTABLE);
}

static void draw_runs(Plot *plot, const StabilityMap *map)
{
    const Palette *p = &plot->ui->palette;
    for (int i = 0; i < map->run_count; i++) {
        const MapRun *run = &map->runs[i];
        double x = map_x(map, run->column), y = map_y(map, run->row);
        bool plain = run->outcome == POINT_STAYED || run->outcome == POINT_GREW;
        ImU32 colour = run->outcome == POINT_STAYED ? p->green
                       : run->outcome == POINT_GREW ? p->red
                                                    : p->dim;
        char name[48];
        snprintf(name, sizeof name, "run: %s", outcome_text(run->outcome));
        plot_name(plot, name);
        if (plain)
            plot_point(plot, colour, x, y, 0.17f);
        else
            plot_ring(plot, colour, x, y, 0.17f);
        if (disagrees(map, run)) plot_ring(plot, p->amber, x, y, 0.4f);
        if (plot_near(plot, x, y, 0.5f))
            plot_hover_text(plot, "%d real steps from noise: %s%s\n", POINT_RUN_STEPS,
                            outcome_text(run->outcome),
                            disagrees(map, run) ? " (theory says otherwise)" : "");
    }
}

// The exact edge between the cells, where theory has it.
static void draw_edge(Plot *plot, const StabilityMap *map)
{
    bool rows = strcmp(param_table[map->request.x.param].name, "step") == 0;
    int lines = rows ? MAP_ROWS : MAP_COLUMNS;
    double before[2] = {NAN, NAN};
    plot_name(plot, "limit");
    for (int i = 0; i < lines; i++) {
        double limit = map->edge[i], x = rows ? limit : map_x(map, i),
               y = rows ? map_y(map, i) : limit;
        if (!isfinite(limit) || !(limit > 0.0)) continue;
        if (!isnan(before[0]))
            plot_segment(plot, plot->ui->palette.text, before[0], before[1], x, y, 0.09f);
        before[0] = x;
        before[1] = y;
    }
}

// Where we are.
static void draw_point(Plot *plot, double x, double y)
{
    const Palette *p = &plot->ui->palette;
    plot_name(plot, "");
    plot_segment(plot, theme_fade(p->text, 0.5f), plot->x.min, y, plot->x.max, y, 0.04f);
    plot_segment(plot, theme_fade(p->text, 0.5f), x, plot->y.min, x, plot->y.max, 0.04f);
    plot_name(plot, "now");
    plot_point(plot, p->accent, x, y, 0.26f);
    plot_ring(plot, p->text, x, y, 0.26f);
}

static void hover_cell(Plot *plot, const MapPlot *self)
{
    const ParamRange *x = &self->request.x, *y = &self->request.y;
    QuantityText values[2] = {quantity_text(plot->hover_x, param_table[x->param].unit),
                              quantity_text(plot->hover_y, param_table[y->param].unit)};
    const char *text = "not computed yet";
    ImVec2 mouse;
    igGetMousePos(&mouse);
    int column = (int)((mouse.x - plot->min.x) / (plot->max.x - plot->min.x) * MAP_COLUMNS);
    int row = (int)((plot->max.y - mouse.y) / (plot->max.y - plot->min.y) * MAP_ROWS);
    if (column >= 0 && column < MAP_COLUMNS && row >= 0 && row < MAP_ROWS)
        text = cell_text(self->shown.cell[row][column]);
    plot_hover_text(plot, "%s %s %s, %s %s %s: %s\nfor the cloth at %.4g s",
                    param_table[x->param].label, values[0].value, values[0].unit,
                    param_table[y->param].label, values[1].value, values[1].unit, text,
                    self->shown.time);
    bool has_step = strcmp(param_table[x->param].name, "step") == 0 ||
                    strcmp(param_table[y->param].name, "step") == 0;
    QuantityText h = quantity_text(self->shown.step, "s");
    if (!has_step) plot_hover_text(plot, ", h %s %s", h.value, h.unit);
    if (plot->large) plot_hover_text(plot, "\nClick: go there.");
}

static void go_there(Ui *ui, const Plot *plot)
{
    const double values[2] = {plot->hover_x, plot->hover_y};
    for (int side = 0; side < 2; side++) {
        const ParamInfo *info = info_of(ui->map, side);
        ui_set_param(ui, info, fmin(fmax(values[side], info->min), info->max));
    }
}

static PlotAxis plot_axis(const ParamRange *axis)
{
    const ParamInfo *info = &param_table[axis->param];
    return (PlotAxis){.min = axis->min,
                      .max = axis->max,
                      .logarithmic = axis->logarithmic,
                      .label = info->unit,
                      .name = info->label};
}

void map_plot_draw(Ui *ui, float height)
{
    MapPlot *self = ui->map;
    if (igIsRectVisible_Nil((ImVec2){1.0f, height})) self->seen = true;
    update_request(self, ui);
    const StabilityMap *map = &ui->lab->map;
    bool there =
        ui_analysis(ui) && ui->lab->has_map && map_request_same(&map->request, &self->request);
    if (there) fill_image(self, ui, map);
    PlotAxis x = plot_axis(&self->request.x), y = plot_axis(&self->request.y);
    char labels[2][64]; // small ones say what they show too
    if (!ui->plots.large) {
        snprintf(labels[0], sizeof labels[0], "%s (%s)", x.name, x.label);
        snprintf(labels[1], sizeof labels[1], "%s (%s)", y.name, y.label);
        x.label = x.label[0] ? labels[0] : x.name;
        y.label = y.label[0] ? labels[1] : y.name;
    }
    Plot plot;
    if (!plot_begin(&plot, ui, "map", height, x, y)) return;
    if (there) {
        plot_image_draw(&plot, &self->image, x.min, y.min, x.max, y.max);
        draw_edge(&plot, map);
        draw_runs(&plot, map);
    }
    draw_point(&plot, value_of(ui, info_of(self, 0)), value_of(ui, info_of(self, 1)));
    plot_legend(&plot, "stable", theme_fade(ui->palette.green, 0.7f));
    plot_legend(&plot, "unstable", theme_fade(ui->palette.red, 0.7f));
    plot_legend(&plot, there && !map->complete ? "being computed" : "now", ui->palette.accent);
    if (plot.hovered) hover_cell(&plot, self);
    if (plot.clicked) go_there(ui, &plot);
    plot_end(&plot);
}
