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
    int held;                // the body in the hand + 1, which nothing moves; 0: none
} Surroundings;

// Where a step came from.
typedef struct StepStart {
    const double *x, *v;           // flat
    double h;                      // s
    bool late;                     // the velocities of this step move particles in the next one
    bool stays_above;              // it is known that the step left nothing below the floor
    const ColliderMotion *motions; // of the bodies
} StepStart;

typedef struct ContactReport {
    double work; // J, see collide_work
    int count;   // particles that were inside
} ContactReport;

// After a step: a particle inside is moved out; of a late method, one that touches and would be
// inside after the next step is stopped. It keeps of its velocity towards the surface
// -restitution times as much, and friction reduces the rest and the way of this step. Held
// particles stay where they are held.
ContactReport collide(Cloth *cloth, const Surroundings *around, const StepStart *start);

// Of a particle in a step.
typedef struct ContactMotion {
    double mass;        // kg
    Vec3 before, after; // m/s, its velocities at both ends of the step
    Vec3 moved;         // m/s, its way over h
} ContactMotion;

// J, of an impulse, kg m/s, of a surface with this velocity on a particle. What of the impulse
// stops the velocity that the particle came with takes energy as an impact does: times the mean of
// its velocities. The rest withstands forces while the particle moves: times its way over h. With
// the mean for all of it, what comes with a small velocity and is pressed hard would lose many
// times the energy that it has. What rests on a still surface gets none, and no still surface gives
// any.
double collide_work(Vec3 impulse, Vec3 surface, const ContactMotion *motion);

// True when a free particle touches something at x.
bool collide_is_touching(const Cloth *cloth, const Surroundings *around, const double *x);

// Where a particle meets something.
typedef struct Surface {
    double gap;    // m, how far the particle is outside; negative: inside
    Vec3 normal;   // away from it
    Vec3 velocity; // m/s, of the surface there
    int body;      // -1: the floor
} Surface;

// The nearest surface to a particle at `place`, if there is one within `reach`, m.
bool collide_nearest(const Cloth *cloth, const Surroundings *around, Vec3 place, double reach,
                     Surface *out);
// The one that it lies on.
bool collide_touches(const Cloth *cloth, const Surroundings *around, Vec3 place, Surface *out);

// A free ball, after a step of length h: out of the floor and of the bodies before it in the list,
// with impulse, friction and spin.
void collide_ball(const Surroundings *around, const Material *material, int ball);

#endif
