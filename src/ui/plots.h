// All plots of the window, in one table: where a small one is, a click enlarges it over the cloth's
// view or over the whole window, with thick lines, its meaning and its formula.
#ifndef UI_PLOTS_H
#define UI_PLOTS_H

#include "ui/ui.h"

typedef struct PlotInfo {
    const char *name;    // the id for plot_begin and in names of files: "energy"
    const char *title;   // "Energy"
    const char *meaning; // one sentence
    const char *formula; // NULL: none
    float height;        // of the small one, ems
    int legend_rows;     // below the enlarged one, at most
    // Draw at the cursor, `height` high without the legend.
    void (*draw)(Ui *ui, float height);
    void (*controls)(Ui *ui);             // choices for it, drawn above it; NULL: none
    const char *(*why_not)(const Ui *ui); // a sentence when there is nothing to show, else NULL
} PlotInfo;

extern const PlotInfo plot_table[];
extern const int plot_count;

// A section of the panel with a small plot: heading, choices, plot. Nothing if it does not apply.
void plots_section(Ui *ui, const char *name, const char *heading);

// Enlarge a plot, or close it if it is the one that is enlarged.
void plots_toggle(Ui *ui, const char *name);
const PlotInfo *plots_find(const char *name); // NULL if there is none
// Enlarge a plot by its name, or close it: "".
void plots_show(Ui *ui, const char *name);
// The key: enlarge the plot that was last enlarged, or close it.
void plots_toggle_last(Ui *ui);
// Over the cloth or over the whole window; opens it if none is open.
void plots_toggle_whole(Ui *ui);
// Close the enlarged plot. False if there is none.
bool plots_close(Ui *ui);

// Whether the enlarged plot lies over all of the cloth's view but what is beside tabs at its edges:
// nobody misses the cloth.
bool plots_hide_view(const Ui *ui);
// The text of the enlarged plot, as large as there is room for.
Font plots_font(const Ui *ui);
// The enlarged plot. Call before the other panels are drawn, in every frame.
void panel_plot(Ui *ui);

// Write the enlarged plot as it is drawn to a new file in the working directory, and say where.
typedef enum PlotFile { PLOT_FILE_SVG, PLOT_FILE_CSV } PlotFile;
void plots_export(Ui *ui, PlotFile kind);

#endif
