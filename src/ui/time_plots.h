// Plots of what a run measured over its simulated time (stage/series.h): growth, energy and, where
// lanes are compared, their distance. With several lanes each plot has a line of every lane.
#ifndef UI_TIME_PLOTS_H
#define UI_TIME_PLOTS_H

#include "ui/plot.h"

void time_plots_draw(Ui *ui); // the sections of the panel

// For plot_table.
void growth_plot_draw(Ui *ui, float height);
void energy_plot_draw(Ui *ui, float height);
void distance_plot_draw(Ui *ui, float height);
const char *distance_plot_why_not(const Ui *ui);
void time_plot_controls(Ui *ui); // how much time is shown
PlotAxis time_plot_axis(const Ui *ui);

#endif
