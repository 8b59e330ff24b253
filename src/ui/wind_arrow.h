// The wind in the pictures: an arrow on a disc that lies as the floor does, at the upper left. It
// points where the wind blows; its length grows with the square root of the speed, so that a breeze
// can be seen and a storm fits: the outer ring is the largest speed, the inner one a quarter of it.
// In gusts a needle shows the air of this moment. The arrow's tip can be dragged.
//
// Lanes that have one wind have one arrow, in the first picture.
#ifndef UI_WIND_ARROW_H
#define UI_WIND_ARROW_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Ui Ui;

typedef struct WindArrow {
    float yaw, pitch;         // rad, of the camera in this frame
    bool hovered, held;       // the mouse is over a tip, or drags one
    int lane;                 // whose
    float offset_x, offset_y; // window units, from the mouse to the tip that is held
    double speed, direction;  // m/s and degrees, wanted while it is held
    unsigned calmed;          // the cloth whose wind was dragged to 0: its arrow stays
} WindArrow;

bool wind_arrow_is_shown(const Ui *ui, int lane);
// Whether the mouse at a place, window units, would take hold of a lane's arrow.
bool wind_arrow_is_at(const Ui *ui, int lane, float x, float y);
void wind_arrow_tip(const Ui *ui, int lane, float *x, float *y); // of one that is shown

// Dragging sets `wind` and `wind_direction`, of the lane if they are its own. All of it is one
// change.
void wind_arrow_hold(Ui *ui, int lane, float x, float y);
void wind_arrow_drag(Ui *ui, float x, float y);
void wind_arrow_let_go(Ui *ui);

// "4.2 m/s from the left, 30°", as seen by a camera with that yaw, rad.
void wind_arrow_words(double speed, double direction, float yaw, char *out, size_t size);

void panel_wind(Ui *ui);

#endif
