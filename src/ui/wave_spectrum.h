// The waves in a field of vectors over a grid: how large those of each length and direction are, by
// a two-dimensional Fourier transform.
#ifndef UI_WAVE_SPECTRUM_H
#define UI_WAVE_SPECTRUM_H

#include <stdbool.h>

typedef struct WaveSpectrum WaveSpectrum;

// For grids of this size; NULL without memory.
WaveSpectrum *wave_spectrum_create(int rows, int columns);
void wave_spectrum_destroy(WaveSpectrum *spectrum); // accepts NULL
bool wave_spectrum_fits(const WaveSpectrum *spectrum, int rows, int columns);

// Amplitude of each wave, in the field's unit: root of the sum of squares over the components. With
// a Hann window along sides of at least 8, because the field does not repeat at its borders.
// `field` has 3 numbers per particle, row by row; `out` rows * columns, where entry (row, column)
// is the wave with (row - rows / 2) periods over the rows and (column - columns / 2) over the
// columns: the mean is in the middle.
void wave_spectrum_compute(WaveSpectrum *spectrum, const float *field, float *out);

#endif
