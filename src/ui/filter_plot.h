// What the filter does to waves of each length, and from where on it inverts them.
#ifndef UI_FILTER_PLOT_H
#define UI_FILTER_PLOT_H

#include "ui/ui.h"

// For plot_table.
void filter_plot_draw(Ui *ui, float height);
const char *filter_plot_why_not(const Ui *ui);

#endif
