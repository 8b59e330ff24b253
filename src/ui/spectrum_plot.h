// The waves in the velocities of a grid, before and after the filter (Ahmad et al., figure 5).
#ifndef UI_SPECTRUM_PLOT_H
#define UI_SPECTRUM_PLOT_H

#include "ui/ui.h"

typedef struct SpectrumPlot SpectrumPlot;       // what is kept between frames
SpectrumPlot *spectrum_plot_create(void);       // NULL without memory
void spectrum_plot_destroy(SpectrumPlot *plot); // accepts NULL

// For plot_table.
void spectrum_plot_draw(Ui *ui, float height);
const char *spectrum_plot_why_not(const Ui *ui);

#endif
