// Two pictures of linear stability: the region of the chosen integrator in the plane X = h d,
// Y = h² k with the cloth's modes as dots, and the eigenvalues of one step with the unit circle.
#ifndef UI_REGION_PLOT_H
#define UI_REGION_PLOT_H

#include "ui/ui.h"

// For plot_table. Eigenvalues of the real step are rings.
void region_plot_draw(Ui *ui, float height);
void eigenvalue_plot_draw(Ui *ui, float height);
const char *region_plot_why_not(const Ui *ui);

#endif
