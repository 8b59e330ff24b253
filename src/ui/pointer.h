// What the mouse does to the cloth and the camera. One gesture at a time.
#ifndef UI_POINTER_H
#define UI_POINTER_H

#include "render/camera.h"
#include "ui/ui.h"

typedef enum Gesture {
    GESTURE_NONE,
    GESTURE_PRESSED, // on a particle or a body; a click or a drag, not yet known
    GESTURE_GRAB,
    GESTURE_WIND, // of the wind's arrow
    GESTURE_ORBIT,
    GESTURE_PAN,
} Gesture;

typedef struct Pointer {
    Gesture gesture;
    int button;             // that started the gesture
    float x, y;             // window units, now
    float start_x, start_y; // where the gesture started
    double start_time;      // clock_seconds()
    int lane;               // in whose picture the gesture started, or the cursor is
    int particle;           // pressed or grabbed, -1 if it is a body
    int body;               // the same, -1 if it is a particle
    unsigned topology;      // the cloth it belongs to
    float grabbed_at[3];    // m; the drag plane goes through it
    float to_centre[3];     // m, of the body from there; 0 for a particle
    Vec3 hand;              // m, the target the simulation was last told
    int hovered;            // particle under the cursor, -1 if none
    int lit_body;           // body under the cursor or in the hand, + 1; 0 if none
} Pointer;

// The view of the cloth that the pointer works in.
typedef struct PointerView {
    Camera *camera;
    int lane;
    Rect place;        // of the lane's picture
    Viewport viewport; // the same in framebuffer pixels
    float scale;       // framebuffer pixels per window unit
    bool free;         // the cursor is over the cloth's view, not over a panel
} PointerView;

void pointer_button(Pointer *pointer, Ui *ui, const PointerView *view, int button, bool pressed,
                    bool shift);
void pointer_move(Pointer *pointer, Ui *ui, const PointerView *view, float x, float y);

// Once per frame: hover, turn a long press into a grab, move the hand to the cursor.
void pointer_update(Pointer *pointer, Ui *ui, const PointerView *view);

#endif
