// The transform of real numbers is symmetric: a wave and its opposite are the same. So the left
// half of the picture can show what was before the filter, and the right half what is after it.
#include "ui/spectrum_plot.h"

#include "base/colour_map.h"
#include "base/ticks.h"
#include "ui/plot_image.h"
#include "ui/wave_spectrum.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LEAST = 8, DECADES = 4 }; // particles along a side; decades of amplitude in the colours

struct SpectrumPlot {
    WaveSpectrum *waves;
    float *before, *after; // amplitudes, m/s, rows * columns
    bool filtered;         // `before` is another one than `after`
    PlotImage image;
    int lane;
    unsigned topology; // of what was transformed last,
    long step;         // and
    double time;       // s
    double top;        // m/s, a power of ten that nothing exceeds: the end of the colours
};

SpectrumPlot *spectrum_plot_create(void)
{
    return calloc(1, sizeof(SpectrumPlot));
}

void spectrum_plot_destroy(SpectrumPlot *self)
{
    if (!self) return;
    wave_spectrum_destroy(self->waves);
    plot_image_finish(&self->image);
    free(self->before);
    free(self->after);
    free(self);
}

static void grid_of(const Ui *ui, int *rows, int *columns)
{
    *rows = ui->now->scene.params.rows;
    *columns = ui->now->scene.params.columns;
}

const char *spectrum_plot_why_not(const Ui *ui)
{
    int rows, columns;
    grid_of(ui, &rows, &columns);
    if (ui->now->scene.mesh[0]) return "Only a grid has waves of one length: this mesh is not one.";
    if (columns < LEAST || rows * columns != ui->now->particle_count)
        return "A cloth needs at least 8 columns for a spectrum.";
    return ui->spectrum ? NULL : "There is not enough memory for a spectrum.";
}

static bool make_room(SpectrumPlot *self, int rows, int columns)
{
    if (wave_spectrum_fits(self->waves, rows, columns)) return true;
    wave_spectrum_destroy(self->waves);
    free(self->before);
    free(self->after);
    size_t cells = (size_t)rows * (size_t)columns;
    self->before = malloc(cells * sizeof(float));
    self->after = malloc(cells * sizeof(float));
    self->waves = self->before && self->after ? wave_spectrum_create(rows, columns) : NULL;
    return self->waves != NULL;
}

static ImU32 colour_at(const SpectrumPlot *self, double amplitude)
{
    float rgb[3];
    colour_map((float)(1.0 + log10(fmax(amplitude, 1e-30) / self->top) / DECADES), rgb);
    return (ImU32)lroundf(255.0f * rgb[0]) | (ImU32)lroundf(255.0f * rgb[1]) << 8 |
           (ImU32)lroundf(255.0f * rgb[2]) << 16 | 0xff000000;
}

static void fill_image(SpectrumPlot *self, int rows, int columns)
{
    if (!plot_image_resize(&self->image, columns, rows, 1)) return;
    for (int i = 0; i < rows * columns; i++) {
        bool left = i % columns < columns / 2;
        float amplitude = left && self->filtered ? self->before[i] : self->after[i];
        self->image.value[0][i] = amplitude;
        self->image.colour[i] = colour_at(self, (double)amplitude);
    }
    self->image.name[0] = self->filtered ? "left: before the filter, right: after it" : "wave";
    self->image.title = "amplitude (m/s)";
    plot_image_changed(&self->image);
}

// Transform the velocities of a snapshot that was not yet. After a step whose input to the filter
// is not known, both stay as they are.
static void refresh(SpectrumPlot *self, const Ui *ui, int rows, int columns)
{
    const Snapshot *now = ui->now;
    const Params *params = &now->scene.params;
    bool filtered = params->filter != 0 && params->filter_on == 0 && now->readings.step_count > 0;
    bool same = self->lane == ui->stage->selected && self->topology == now->topology_version &&
                self->filtered == filtered && wave_spectrum_fits(self->waves, rows, columns);
    if (same && self->step == now->readings.step_count && self->time == now->readings.time) return;
    if (filtered && !now->has_unfiltered && same) return;
    if (!make_room(self, rows, columns)) return;
    self->filtered = filtered && now->has_unfiltered;
    wave_spectrum_compute(self->waves, now->velocity, self->after);
    if (self->filtered) wave_spectrum_compute(self->waves, now->unfiltered, self->before);
    double largest = 1e-9;
    for (int i = 0; i < rows * columns; i++) {
        largest = fmax(largest, (double)self->after[i]);
        if (self->filtered) largest = fmax(largest, (double)self->before[i]);
    }
    self->top = pow(10.0, ceil(log10(largest)));
    if (rows > 1) fill_image(self, rows, columns);
    self->lane = ui->stage->selected;
    self->topology = now->topology_version;
    self->step = now->readings.step_count;
    self->time = now->readings.time;
}

// Both ends of the colours and the middle.
static void draw_key(Plot *plot, const SpectrumPlot *self)
{
    for (int i = 0; i <= DECADES; i += 2) {
        char power[24], text[40];
        double amplitude = self->top * pow(10.0, i - DECADES);
        ticks_power_of_ten((int)lround(log10(amplitude)), power, sizeof power);
        snprintf(text, sizeof text, "%s m/s", power);
        plot_legend(plot, text, colour_at(self, amplitude));
    }
}

static void hover_wave(Plot *plot, const SpectrumPlot *self, int rows, int columns)
{
    const PlotImage *image = &self->image;
    int c = (int)((plot->hover_x - plot->x.min) / 2.0 * columns);
    int r = (int)((plot->hover_y - plot->y.min) / 2.0 * rows);
    if (c < 0 || c >= columns || r < 0 || r >= rows || image->columns != columns) return;
    int across = abs(c - columns / 2), down = abs(r - rows / 2);
    plot_hover_text(plot, "%d waves over the columns, %d over the rows\n", across, down);
    if (self->filtered)
        plot_hover_text(plot, "%.3g m/s before the filter, %.3g m/s after it",
                        (double)self->before[r * columns + c],
                        (double)self->after[r * columns + c]);
    else
        plot_hover_text(plot, "%.3g m/s", (double)self->after[r * columns + c]);
    plot_hover_text(plot, "\nat %.4g s", self->time);
}

static void draw_image(Ui *ui, float height, int rows, int columns)
{
    SpectrumPlot *self = ui->spectrum;
    // the mean, column `columns / 2`, has its cell's middle at 0
    double sx = 1.0 / columns, sy = 1.0 / rows;
    double x0 = -2.0 * (columns / 2) * sx - sx, y0 = -2.0 * (rows / 2) * sy - sy;
    PlotAxis x = {.min = x0, .max = x0 + 2.0, .label = "p / π", .name = "across, wave number"};
    PlotAxis y = {.min = y0, .max = y0 + 2.0, .label = "q / π", .name = "down, wave number"};
    Plot plot;
    if (!plot_begin(&plot, ui, "spectrum", height, x, y)) return;
    plot_image_draw(&plot, &self->image, x0, y0, x0 + 2.0, y0 + 2.0);
    if (self->filtered) {
        plot_segment(&plot, ui->palette.text, -sx, y0, -sx, y0 + 2.0, 0.05f);
        plot_text(&plot, ui->palette.text, -0.98, 0.92,
                  plot.large ? "before the filter" : "before");
        plot_text(&plot, ui->palette.text, 0.02, 0.92, plot.large ? "after it" : "after");
    }
    draw_key(&plot, self);
    if (plot.hovered) hover_wave(&plot, self, rows, columns);
    plot_end(&plot);
}

// A rope has one direction: a curve.
static void draw_rope(Ui *ui, float height, int columns)
{
    enum { MOST = 256 };
    const SpectrumPlot *self = ui->spectrum;
    PlotRange before[MOST], after[MOST];
    int count = 0;
    for (int c = columns / 2; c < columns && count < MOST; c++, count++) {
        double q = 2.0 * (c - columns / 2) / columns;
        double floor = self->top * pow(10.0, -DECADES);
        double a = fmax((double)self->after[c], floor), b = fmax((double)self->before[c], floor);
        after[count] = (PlotRange){q, a, a};
        before[count] = (PlotRange){q, b, b};
    }
    PlotAxis x = {.max = 1.0, .label = "q / π", .name = "wave number"};
    PlotAxis y = {.min = self->top * pow(10.0, -DECADES),
                  .max = self->top,
                  .logarithmic = true,
                  .label = "m/s",
                  .name = "amplitude"};
    Plot plot;
    if (!plot_begin(&plot, ui, "spectrum", height, x, y)) return;
    if (self->filtered) plot_band(&plot, "before the filter", ui->palette.series[1], before, count);
    plot_band(&plot, self->filtered ? "after it" : "velocity", ui->palette.series[0], after, count);
    plot_end(&plot);
}

void spectrum_plot_draw(Ui *ui, float height)
{
    int rows, columns;
    grid_of(ui, &rows, &columns);
    SpectrumPlot *self = ui->spectrum;
    if (igIsRectVisible_Nil((ImVec2){1.0f, height}) || !self->waves)
        refresh(self, ui, rows, columns);
    if (!wave_spectrum_fits(self->waves, rows, columns)) return;
    if (rows > 1)
        draw_image(ui, height, rows, columns);
    else
        draw_rope(ui, height, columns);
}
