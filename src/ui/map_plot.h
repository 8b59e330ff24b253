// Which values of two parameters are stable: a map with the present point on it. A click goes
// there.
#ifndef UI_MAP_PLOT_H
#define UI_MAP_PLOT_H

#include "ui/plot_image.h"

typedef struct MapPlot MapPlot;       // what is kept between frames
MapPlot *map_plot_create(void);       // NULL without memory
void map_plot_destroy(MapPlot *plot); // accepts NULL

// Once per frame, after the panels: tells the lab whether a map is to be seen.
void map_plot_ask(Ui *ui);

// For plot_table.
void map_plot_draw(Ui *ui, float height);
void map_plot_controls(Ui *ui);
const char *map_plot_why_not(const Ui *ui);

#endif
