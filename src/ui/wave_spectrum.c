#include "ui/wave_spectrum.h"

#include <fftw3.h>
#include <math.h>
#include <stdlib.h>

enum { LEAST_WINDOWED = 8 };

struct WaveSpectrum {
    int rows, columns;
    float *row_window, *column_window;
    float gain; // of the windows: a constant field has its own value as amplitude
    float *in;
    fftwf_complex *out; // rows * (columns / 2 + 1)
    fftwf_plan plan;
};

static float fill_window(float *window, int count)
{
    float sum = 0.0f;
    for (int i = 0; i < count; i++) {
        double phase = 2.0 * acos(-1.0) * (i + 0.5) / count;
        window[i] = count < LEAST_WINDOWED ? 1.0f : (float)(0.5 - 0.5 * cos(phase));
        sum += window[i];
    }
    return sum;
}

WaveSpectrum *wave_spectrum_create(int rows, int columns)
{
    WaveSpectrum *self = calloc(1, sizeof *self);
    if (!self) return NULL;
    self->rows = rows;
    self->columns = columns;
    self->row_window = malloc((size_t)rows * sizeof(float));
    self->column_window = malloc((size_t)columns * sizeof(float));
    self->in = fftwf_alloc_real((size_t)rows * (size_t)columns);
    self->out = fftwf_alloc_complex((size_t)rows * (size_t)(columns / 2 + 1));
    if (self->row_window && self->column_window && self->in && self->out)
        self->plan = fftwf_plan_dft_r2c_2d(rows, columns, self->in, self->out, FFTW_ESTIMATE);
    if (!self->plan) {
        wave_spectrum_destroy(self);
        return NULL;
    }
    self->gain =
        1.0f / (fill_window(self->row_window, rows) * fill_window(self->column_window, columns));
    return self;
}

void wave_spectrum_destroy(WaveSpectrum *self)
{
    if (!self) return;
    if (self->plan) fftwf_destroy_plan(self->plan);
    fftwf_free(self->in);
    fftwf_free(self->out);
    free(self->row_window);
    free(self->column_window);
    free(self);
}

bool wave_spectrum_fits(const WaveSpectrum *self, int rows, int columns)
{
    return self && self->rows == rows && self->columns == columns;
}

// Add the squares of one component's waves. The transform of real numbers has each wave twice, with
// opposite signs, and only one of the two is computed.
static void add_component(WaveSpectrum *self, const float *field, int component, float *out)
{
    int rows = self->rows, columns = self->columns, half = columns / 2 + 1;
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < columns; c++) {
            float value = field[3 * (r * columns + c) + component];
            if (!isfinite(value)) value = 0.0f;
            self->in[r * columns + c] = value * self->row_window[r] * self->column_window[c];
        }
    }
    fftwf_execute(self->plan);
    for (int r = 0; r < rows; r++) {
        for (int c = 0; c < columns; c++) {
            int p = (c - columns / 2 + columns) % columns, q = (r - rows / 2 + rows) % rows;
            bool there = p < half;
            const float *wave =
                self->out[(there ? q : (rows - q) % rows) * half + (there ? p : columns - p)];
            float re = wave[0] * self->gain, im = wave[1] * self->gain;
            out[r * columns + c] += re * re + im * im;
        }
    }
}

void wave_spectrum_compute(WaveSpectrum *self, const float *field, float *out)
{
    int cells = self->rows * self->columns;
    for (int i = 0; i < cells; i++) out[i] = 0.0f;
    for (int component = 0; component < 3; component++) add_component(self, field, component, out);
    for (int i = 0; i < cells; i++) out[i] = sqrtf(out[i]);
}
