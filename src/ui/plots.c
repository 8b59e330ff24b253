#include "ui/plots.h"

#include "ui/filter_plot.h"
#include "ui/formula.h"
#include "ui/lesson_panel.h"
#include "ui/map_plot.h"
#include "ui/motion_plots.h"
#include "ui/panels.h"
#include "ui/plot.h"
#include "ui/plot_tape.h"
#include "ui/region_plot.h"
#include "ui/solver_plot.h"
#include "ui/spectrum_plot.h"
#include "ui/time_plots.h"
#include "ui/widgets.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// clang-format off
const PlotInfo plot_table[] = {
    {.name = "region", .title = "Stability region", .height = 12.5f, .legend_rows = 0,
     .draw = region_plot_draw, .why_not = region_plot_why_not,
     .meaning = "Each dot is a mode of the cloth. While all of them lie in the green region of the method, "
                "no step makes any of them grow.",
     .formula = "X = h d, \\quad Y = h^2 k, \\quad \\text{stable where } \\max |\\lambda(G)| \\le 1"},
    {.name = "eigenvalues", .title = "Eigenvalues of one step", .height = 10.5f, .legend_rows = 0,
     .draw = eigenvalue_plot_draw, .why_not = region_plot_why_not,
     .meaning = "A step multiplies each mode by these numbers. Outside the green circle it grows, on it "
                "its energy is kept, inside it decays. Rings are measured on the real step.",
     .formula = "\\begin{pmatrix} x \\\\ h v \\end{pmatrix}_{n+1} = G \\begin{pmatrix} x \\\\ h v \\end{pmatrix}_n, "
                "\\quad \\rho = \\max |\\lambda(G)|"},
    {.name = "map", .title = "Stability map", .height = 13.0f, .legend_rows = 1,
     .draw = map_plot_draw, .controls = map_plot_controls, .why_not = map_plot_why_not,
     .meaning = "Which values of two parameters are stable, all others as they are. Each dot is a short run of real "
                "steps that checks it: green did not grow, red did. A click takes both values.",
     .formula = "h \\le h_{\\max}(k_0, d_0, \\alpha, f)"},
    {.name = "growth", .title = "Growth", .height = 10.0f, .legend_rows = 2,
     .draw = growth_plot_draw,
     .meaning = "Energy of neighbours that shake against each other. An unstable mode adds the same factor "
                "to it in every step: on this logarithmic scale, a straight line.",
     .formula = "E_{n+1} = \\rho^2 E_n"},
    {.name = "distance", .title = "Distance to the reference", .height = 10.0f, .legend_rows = 2,
     .draw = distance_plot_draw, .controls = time_plot_controls, .why_not = distance_plot_why_not,
     .meaning = "How far the particles of each lane are from those of the lane it is compared with: the "
                "root of the mean square.",
     .formula = "\\sqrt{\\frac{1}{n} \\sum_i |x_i - y_i|^2}"},
    {.name = "energy", .title = "Energy", .height = 10.0f, .legend_rows = 2,
     .draw = energy_plot_draw, .controls = time_plot_controls,
     .meaning = "Without damping the total keeps its value in nature. What the method itself adds or takes "
                "shows as a slope.",
     .formula = "E = \\sum_i \\frac{m_i v_i^2}{2} + E_{\\text{elastic}} + \\sum_i m_i g y_i"},
    {.name = "phase", .title = "Phase plane", .height = 12.0f, .legend_rows = 0,
     .draw = phase_plot_draw, .controls = phase_plot_controls, .why_not = phase_plot_why_not,
     .meaning = "Each point is a moment: where the particle is, and how fast it moves there. A closed orbit "
                "keeps the energy, a spiral inwards loses it, one outwards gains it.",
     .formula = "x^2 + \\frac{v^2}{\\omega^2} = \\text{const}"},
    {.name = "velocities", .title = "Velocities over time", .height = 12.0f, .legend_rows = 1,
     .draw = velocity_plot_draw, .controls = time_plot_controls, .why_not = velocity_plot_why_not,
     .meaning = "One row per particle, time to the right, the velocity as a colour (Ahmad, figure 4). "
                "Smooth areas are waves through the cloth; a fine pattern is neighbours that shake.",
     .formula = "(r, g, b) = \\frac{1}{2} + \\frac{1}{2} \\frac{(v_x, v_y, v_z)}{v_{\\max}}"},
    {.name = "spectrum", .title = "Spectrum of velocities", .height = 14.0f, .legend_rows = 2,
     .draw = spectrum_plot_draw, .why_not = spectrum_plot_why_not,
     .meaning = "The waves in the velocities now (Ahmad, figure 5): the middle is the motion of the whole, further "
                "out are shorter waves, at the edge neighbours move against each other.",
     .formula = "\\frac{| \\sum_{j,k} w_{jk} v_{jk} e^{-i (p j + q k)} |}{\\sum_{j,k} w_{jk}}, \\quad w \\text{: Hann window}"},
    {.name = "pcg", .title = "PCG convergence", .height = 10.0f, .legend_rows = 2,
     .draw = solver_plot_draw, .why_not = solver_plot_why_not,
     .meaning = "How much of the linear system of the last step is still unsolved after each iteration of "
                "conjugate gradients. A stiffer system or a larger step needs more of them.",
     .formula = "r_k = \\frac{|b - A x_k|}{|b|}, \\quad A = (1 + h d_0) M + h^2 K + h D"},
    {.name = "filter", .title = "Filter symbol", .height = 10.0f, .legend_rows = 2,
     .draw = filter_plot_draw, .why_not = filter_plot_why_not,
     .meaning = "The filter multiplies a wave by this number: long waves stay, short ones shrink. Where it is "
                "negative the wave is turned over in every step; if that happens before the position update, no step is stable.",
     .formula = "f(q) = \\frac{\\sum_j w_j \\cos(q \\cdot d_j)}{\\sum_j w_j}, \\quad w_j = e^{-\\lambda |d_j|}"},
};
// clang-format on
const int plot_count = sizeof plot_table / sizeof plot_table[0];

static int find(const char *name)
{
    for (int i = 0; i < plot_count; i++) {
        if (strcmp(plot_table[i].name, name) == 0) return i;
    }
    return PLOT_NONE;
}

static const char *why_not(const Ui *ui, const PlotInfo *info)
{
    return info->why_not ? info->why_not(ui) : NULL;
}

void plots_section(Ui *ui, const char *name, const char *heading)
{
    const PlotInfo *info = &plot_table[find(name)];
    if (why_not(ui, info)) return;
    widget_section(ui, heading);
    igPushID_Str(name);
    if (info->controls) info->controls(ui);
    info->draw(ui, info->height * ui->em);
    igPopID();
}

void plots_toggle(Ui *ui, const char *name)
{
    int plot = find(name);
    ui->plots.shown = ui->plots.shown == plot ? PLOT_NONE : plot;
    if (ui->plots.shown != PLOT_NONE) ui->plots.last = ui->plots.shown;
}

const PlotInfo *plots_find(const char *name)
{
    int plot = find(name);
    return plot == PLOT_NONE ? NULL : &plot_table[plot];
}

void plots_show(Ui *ui, const char *name)
{
    ui->plots.shown = find(name);
    if (ui->plots.shown != PLOT_NONE) ui->plots.last = ui->plots.shown;
}

void plots_toggle_last(Ui *ui)
{
    if (plots_close(ui)) return;
    ui->plots.shown = ui->plots.last;
}

void plots_toggle_whole(Ui *ui)
{
    ui->plots.whole = ui->plots.shown == PLOT_NONE || !ui->plots.whole;
    if (ui->plots.shown == PLOT_NONE) ui->plots.shown = ui->plots.last;
}

bool plots_close(Ui *ui)
{
    if (ui->plots.shown == PLOT_NONE) return false;
    ui->plots.shown = PLOT_NONE;
    return true;
}

// ---- files

// A name that no file has: energy.svg, energy-2.svg, ...
static void free_path(const char *name, const char *suffix, char *path, size_t size)
{
    char directory[PATH_MAX];
    if (!getcwd(directory, sizeof directory)) snprintf(directory, sizeof directory, ".");
    for (int i = 1; i < 10000; i++) {
        char number[16] = "";
        if (i > 1) snprintf(number, sizeof number, "-%d", i);
        snprintf(path, size, "%s/%s%s.%s", directory, name, number, suffix);
        if (access(path, F_OK) != 0) return;
    }
}

static void write_tape(Ui *ui, const PlotInfo *info, const PlotTape *tape)
{
    const Scene *scene = &ui->stage->scene;
    char name[160], path[PATH_MAX + 200], title[300];
    snprintf(name, sizeof name, "%.80s-%s", scene->name, info->name);
    for (char *c = name; *c; c++) { // the name of a scene may be a path
        if (*c == '/') *c = '-';
    }
    snprintf(title, sizeof title, "%s: %.120s, t = %.4g s", info->title, scene->name,
             ui->now->readings.time);
    bool svg = ui->plots.wanted_file == PLOT_FILE_SVG;
    free_path(name, svg ? "svg" : "csv", path, sizeof path);
    Error error;
    Status status =
        svg ? tape_write_svg(tape, title, path, &error) : tape_write_csv(tape, path, &error);
    if (status == STATUS_OK) {
        char text[sizeof ui->message];
        snprintf(text, sizeof text, "Saved as %.*s.", (int)sizeof text - 20, path);
        ui_say(ui, text);
    } else {
        ui_say(ui, error.text);
    }
}

void plots_export(Ui *ui, PlotFile kind)
{
    ui->plots.file_wanted = true;
    ui->plots.wanted_file = kind;
}

// ---- the enlarged plot

Font plots_font(const Ui *ui)
{
    if (!ui->plots.roomy) return ui->fonts.regular;
    return (Font){ui->fonts.caption.face, 1.3f * ui->fonts.regular.height};
}

static void head_buttons(Ui *ui)
{
    PlotsState *plots = &ui->plots;
    const char *size = plots->whole ? "over the cloth" : "whole window";
    widget_beside(ui, size);
    if (widget_button(ui, size, false)) plots->whole = !plots->whole;
    widget_tooltip(ui, "Ctrl P");
    widget_beside(ui, "SVG");
    if (widget_button(ui, "SVG", false)) plots_export(ui, PLOT_FILE_SVG);
    widget_tooltip(ui, "Save this picture to a new file in the working directory.");
    widget_beside(ui, "CSV");
    if (widget_button(ui, "CSV", false)) plots_export(ui, PLOT_FILE_CSV);
    widget_tooltip(ui, "Save the numbers to a new file in the working directory.");
}

// A list of all plots, and buttons: few where a plot in a lesson has little room.
static void draw_head(Ui *ui, bool brief)
{
    PlotsState *plots = &ui->plots;
    ImVec2 room;
    igGetContentRegionAvail(&room);
    float wide = widget_text_width(ui->fonts.regular, plot_table[plots->shown].title);
    igSetNextItemWidth(fminf(brief ? wide + 3.4f * ui->em : 16.0f * ui->em, room.x));
    if (widget_begin_list(ui, "##which", plot_table[plots->shown].title,
                          ImGuiComboFlags_HeightLargest)) {
        for (int i = 0; i < plot_count; i++) {
            if (widget_list_item(ui, plot_table[i].title, i == plots->shown, plot_table[i].meaning,
                                 why_not(ui, &plot_table[i])))
                plots->shown = plots->last = i;
        }
        igEndCombo();
    }
    if (!brief) head_buttons(ui);
    widget_beside(ui, "close");
    if (widget_button(ui, "close", false)) plots_close(ui);
    widget_tooltip(ui, "P or Esc");
}

static void draw_plot(Ui *ui, const PlotInfo *info)
{
    ImVec2 room;
    igGetContentRegionAvail(&room);
    float legend = plot_legend_room(ui, info->legend_rows);
    float height = fmaxf(room.y - legend - 0.9f * ui->em, 6.0f * ui->em);
    PlotTape tape = {0};
    Palette palette = ui->palette;
    if (ui->plots.file_wanted) { // a picture is on white
        ui->plots.tape = &tape;
        ui->palette = theme_palette(true);
    }
    ui->plots.large = true;
    info->draw(ui, height);
    ui->plots.large = false;
    ui->plots.tape = NULL;
    ui->palette = palette;
    if (ui->plots.file_wanted) write_tape(ui, info, &tape);
    ui->plots.file_wanted = false;
    tape_finish(&tape);
}

// As large as there is room for.
static void draw_formula(Ui *ui, const char *text)
{
    Formula formula;
    ImVec2 room;
    igGetContentRegionAvail(&room);
    float height = 1.2f * plots_font(ui).height;
    if (formula_parse(text, &formula, NULL) != STATUS_OK) return;
    float width = formula_size(&ui->fonts, height, &formula).width;
    formula_item(&ui->fonts, height * fminf(1.0f, room.x / width), ui->palette.accent, text);
}

static void draw_meaning(Ui *ui, const PlotInfo *info)
{
    widget_text_wrapped(plots_font(ui), ui->palette.text, info->meaning);
    if (info->formula) draw_formula(ui, info->formula);
}

// What it means is above it, or, in a low window, below: the plot itself must be seen. A lesson's
// caption says it, too.
static void draw_contents(Ui *ui)
{
    enum { LOW_EMS = 30, ROOMY_EMS = 40, ROOMY_WIDTH_EMS = 50 };
    ImVec2 room;
    igGetContentRegionAvail(&room);
    draw_head(ui, lesson_is_open(ui) && room.y < (LOW_EMS + 2) * ui->em);
    if (ui->plots.shown == PLOT_NONE) return;
    const PlotInfo *info = &plot_table[ui->plots.shown];
    igGetContentRegionAvail(&room);
    bool low = room.y < LOW_EMS * ui->em, told = low && lesson_is_open(ui);
    ui->plots.roomy = room.y >= ROOMY_EMS * ui->em && room.x >= ROOMY_WIDTH_EMS * ui->em;
    if (!low) draw_meaning(ui, info);
    const char *reason = why_not(ui, info);
    igPushID_Str(info->name);
    if (reason) {
        ui->plots.file_wanted = false;
        igDummy((ImVec2){0, ui_ems(ui, 1.0f)});
        widget_text_wrapped(ui->fonts.title, ui->palette.dim, reason);
    } else {
        bool beside = low && info->controls == time_plot_controls;
        if (beside) { // in the line of the buttons, which are higher
            widget_beside(ui, "as wide as three choices");
            igSetCursorPosY(igGetCursorPosY() + igGetStyle()->FramePadding.y - ui_ems(ui, 0.2f));
            igBeginGroup();
        }
        if (info->controls) info->controls(ui);
        if (beside) igEndGroup();
        draw_plot(ui, info);
    }
    igPopID();
    if (low && !told) draw_meaning(ui, info);
}

// The whole window but for the bars at the top and the bottom, or the cloth's view; beside drawers
// that are open, and the tabs of those that are closed.
static Rect place(const Ui *ui)
{
    const Layout *l = &ui->layout;
    Rect view = l->view;
    bool beside = l->cards.height == view.height && l->cards.width < view.width;
    float left = beside ? l->cards.x : view.x;
    float right = beside ? l->cards.x + l->cards.width : view.x + view.width;
    if (ui->plots.whole) { // over panels, not over drawers
        if (!l->controls_are_drawer && l->controls.width > 0.0f) left = 0.0f;
        if (!l->readouts_are_drawer && l->readouts.width > 0.0f) right = l->top.width;
    }
    return (Rect){left, view.y, right - left, view.height};
}

static bool is_shown(const Ui *ui)
{
    Rect r = place(ui);
    return ui->plots.shown != PLOT_NONE && r.width >= 4.0f * ui->em && r.height >= 4.0f * ui->em;
}

bool plots_hide_view(const Ui *ui)
{
    const Rect *open = &ui->layout.free;
    Rect r = place(ui);
    return is_shown(ui) && r.x <= open->x && r.x + r.width >= open->x + open->width;
}

void panel_plot(Ui *ui)
{
    // ImGui stacks windows in the order in which they first appear, so the first frame has an empty
    // one: over the panels, below cards and messages.
    bool first = !ui->plots.stacked, shown = ui->plots.shown != PLOT_NONE;
    ui->plots.stacked = true;
    Rect r = place(ui);
    if (!first && !is_shown(ui)) return;
    igSetNextWindowPos((ImVec2){r.x, r.y}, ImGuiCond_Always, (ImVec2){0, 0});
    igSetNextWindowSize((ImVec2){fmaxf(r.width, 1.0f), fmaxf(r.height, 1.0f)}, ImGuiCond_Always);
    ImGuiWindowFlags flags = ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize |
                             ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoCollapse |
                             ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoNav;
    if (!shown) flags |= ImGuiWindowFlags_NoInputs | ImGuiWindowFlags_NoBackground;
    if (igBegin("##plot", NULL, flags) && shown) {
        draw_contents(ui);
        ui_cover_view(ui);
    }
    igEnd();
}
