// Plots of how particles moved (stage/film.h): the phase plane of one coordinate of a small cloth,
// and the velocities of all particles over time as an image (Ahmad et al., figure 4).
#ifndef UI_MOTION_PLOTS_H
#define UI_MOTION_PLOTS_H

#include "ui/plot_image.h"

typedef struct MotionPlots {
    int particle, axis; // of the phase plane; -1: not chosen
    int shown_axis;     // while none is chosen: the one it moves along most
    PlotImage image;
    unsigned long image_serial;  // of the film that it shows,
    double image_rewritten;      // and
    double image_from, image_to; // s
    double image_speed;          // m/s, of full colour
    int image_lane;
} MotionPlots;

Status motion_plots_create(MotionPlots **out, Error *error);
void motion_plots_destroy(MotionPlots *plots); // accepts NULL

// For plot_table.
void phase_plot_draw(Ui *ui, float height);
void phase_plot_controls(Ui *ui);
const char *phase_plot_why_not(const Ui *ui);
void velocity_plot_draw(Ui *ui, float height);
const char *velocity_plot_why_not(const Ui *ui);

#endif
