#include "apps/camera_director.h"

#include <math.h>
#include <string.h>

#define FOLLOW_SECONDS 0.25f // in which most of a gap is closed
#define FOLLOW_SLACK 1e-4f   // radii; a smaller gap is none

static bool same_camera(const Camera *a, const Camera *b)
{
    return glm_vec3_eqv((float *)a->target, (float *)b->target) && a->distance == b->distance &&
           a->yaw == b->yaw && a->pitch == b->pitch;
}

static void grant_wish(const CameraWish *wish, Camera *camera)
{
    if (!wish->wanted) return;
    camera->yaw = wish->yaw;
    camera->pitch = wish->pitch;
    camera->distance /= wish->zoom;
    if (wish->has_target) memcpy(camera->target, wish->target, sizeof wish->target);
}

void camera_director_frame(CameraDirector *director, Ui *ui, Viewport view, Camera *camera)
{
    const Snapshot *now = &ui->stage->lanes[0];
    int lanes = ui->lane_view == LANE_VIEW_ALL ? ui->stage->count : 1;
    if (view.width <= 0 || view.height <= 0 || now->topology_version == 0) return;
    bool other_cloth =
        now->topology_version != director->topology && now->view_radius != director->radius;
    bool other_shape = lanes != director->lanes && same_camera(camera, &director->framed);
    if (other_cloth || other_shape || ui->want_frame_cloth) {
        camera_frame(camera, now->view_centre, now->view_radius, view);
        grant_wish(&ui->want_camera, camera);
        director->framed = *camera;
        director->radius = now->view_radius;
        ui->want_frame_cloth = false;
        glm_vec3_copy((float *)now->view_centre, director->followed);
    }
    director->topology = now->topology_version;
    director->lanes = lanes;
}

void camera_director_follow(CameraDirector *director, const Snapshot *now, double time,
                            Camera *camera)
{
    float seconds = (float)fmin(time - director->time, 1.0);
    director->time = time;
    if (now->grabbed >= 0) return;
    vec3 step;
    glm_vec3_sub((float *)now->view_centre, director->followed, step);
    if (glm_vec3_norm(step) > FOLLOW_SLACK * now->view_radius)
        glm_vec3_scale(step, 1.0f - expf(-seconds / FOLLOW_SECONDS), step);
    glm_vec3_add(director->followed, step, director->followed);
    glm_vec3_add(camera->target, step, camera->target);
    glm_vec3_add(director->framed.target, step, director->framed.target);
}

void camera_director_forget(CameraDirector *director)
{
    director->topology = 0;
}
