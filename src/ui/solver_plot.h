// How conjugate gradients converged in the last step of an implicit method.
#ifndef UI_SOLVER_PLOT_H
#define UI_SOLVER_PLOT_H

#include "ui/ui.h"

// For plot_table.
void solver_plot_draw(Ui *ui, float height);
const char *solver_plot_why_not(const Ui *ui);

#endif
