// Plots of what a run measured over its simulated time (stage/series.h): growth, energy and, where
// lanes are compared, their distance. With several lanes each plot has a line of every lane.
#ifndef UI_TIME_PLOTS_H
#define UI_TIME_PLOTS_H

#include "ui/ui.h"

void time_plots_draw(Ui *ui, const Analysis *analysis); // NULL: the lab has nothing to predict yet

#endif
