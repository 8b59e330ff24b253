// A mode of the lab on the cloth: by colour, swinging slowly, or as a kick to the running cloth.
#ifndef UI_MODE_VIEW_H
#define UI_MODE_VIEW_H

#include "runtime/lab_thread.h"

typedef struct Ui Ui;

// A mode that swings: a copy, because the lab goes on and may turn a mode's sign.
typedef struct ModeSwing {
    bool on;
    int mode;          // as Ui.shown_mode
    unsigned topology; // of the cloth
    int lane, count;   // its particles
    float *shape;      // 3 per particle, the longest is 1
    float *positions;  // m, 3 per particle, of this frame
    double frequency;  // Hz, of the mode; 0: it does not swing by itself
    bool at_most;      // its eigenvalue has not converged: the frequency is a bound
    double slowed;     // how many times slower it is shown
    double amplitude;  // m, of the particle that moves most
    double start;      // clock_seconds()
} ModeSwing;

void mode_swing_finish(ModeSwing *swing); // accepts a zeroed one

// The shape that is chosen, 3 per particle; NULL if there is none now.
const float *mode_view_shape(const Ui *ui);

// The largest displacement at which a shape is well seen and no spring changes by more than 40 %.
double mode_view_amplitude(const float *position, const unsigned *springs, const float *rest_length,
                           int spring_count, const float *shape, double largest);

// Once per frame: where the particles of the selected lane are to be drawn; NULL: where they are.
// A swing ends when the simulation runs.
const float *mode_view_positions(Ui *ui, double seconds);

void mode_view_chooser(Ui *ui, const Analysis *analysis); // in a panel
void mode_view_caption(Ui *ui);                           // over the view

#endif
