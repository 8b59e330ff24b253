// Contact of a cloth with the floor and with solid bodies.
#ifndef CLOTH_COLLIDE_H
#define CLOTH_COLLIDE_H

#include "cloth/cloth.h"
#include "cloth/collider.h"

// What a cloth can meet.
typedef struct Surroundings {
    double ground; // m, height of the floor, an endless plane
    int count;     // of the bodies
    const Collider *bodies;
    ColliderMotion *motions; // at the end of the step; a free ball is pushed back
} Surroundings;

typedef struct ContactReport {
    double work; // J, kinetic and gravity energy that the particles got: mostly negative
    int count;   // particles that were inside
} ContactReport;

// After a step of length h from old_x: a particle inside is moved out. It keeps of its velocity
// towards the surface -restitution times as much, and friction reduces the rest and the way of this
// step. Held particles stay where they are held.
ContactReport collide(Cloth *cloth, const Surroundings *around, const double *old_x, double h);

// True when a free particle touches something at x.
bool collide_is_touching(const Cloth *cloth, const Surroundings *around, const double *x);

// The unit vector away from what a particle at this place touches, and the place on its surface.
// False: it touches nothing.
bool collide_surface(const Cloth *cloth, const Surroundings *around, Vec3 place, Vec3 *normal,
                     Vec3 *on_surface);

// A free ball, after a step of length h: out of the floor and of the bodies before it in the list,
// with impulse, friction and spin.
void collide_ball(const Surroundings *around, const Material *material, int ball);

#endif
