// Where the window's camera looks while nobody moves it: it is pointed at each new cloth, and goes
// with a body that roams.
#ifndef APPS_CAMERA_DIRECTOR_H
#define APPS_CAMERA_DIRECTOR_H

#include "render/camera.h"
#include "ui/ui.h"

typedef struct CameraDirector {
    unsigned topology; // of the cloth at which the camera was last pointed; 0: none
    float radius;      // m, of that cloth
    int lanes;         // how many were to be seen then
    Camera framed;     // as it was then
    vec3 followed;     // m, the centre of what is seen, as far as the camera has followed it
    double time;       // s, of the last call of camera_director_follow
} CameraDirector;

// One camera for all lanes. It is pointed at another cloth, where the panels ask for it and,
// unless it was moved since, when there are more or fewer lanes to see, because their pictures have
// another shape.
void camera_director_frame(CameraDirector *director, Ui *ui, Viewport view, Camera *camera);

// Where a body roams, the camera goes with it: not while the hand drags it, or its target would run
// away with the camera, and gently, because a released one has gone far. `time` in s.
void camera_director_follow(CameraDirector *director, const Snapshot *now, double time,
                            Camera *camera);

// The next cloth is another one, even if it looks the same.
void camera_director_forget(CameraDirector *director);

#endif
