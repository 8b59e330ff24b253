// Two pictures of linear stability: the region of the chosen integrator in the plane X = h d,
// Y = h² k with the cloth's modes as dots, and the eigenvalues of one step with the unit circle.
#ifndef UI_REGION_PLOT_H
#define UI_REGION_PLOT_H

#include "stability/region.h"
#include "ui/ui.h"

// The modes to show, and the step that is applied to them.
typedef struct ModeDots {
    Scheme scheme;
    double h, air, alpha; // s, 1/s, s
    ModeSet modes;
    int stiffest; // index of the stiffest
    int deciding; // index of the one that fails first, where that is another; else -1. It has the
                  // label, or the stiffest has it.
} ModeDots;

void region_plot_draw(Ui *ui, RegionCache *cache, const ModeDots *dots, float height);
// `a`: the eigenvalues of the real step, as rings.
void eigenvalue_plot_draw(Ui *ui, const ModeDots *dots, const Analysis *a, float height);

#endif
