// The air around a cloth: wind with gusts, and what moving air does to the surface.
//
// Each triangle of area A and normal n, whose corners move with the mean velocity V, meets the air
// with the velocity u = w - V. The air pushes it by
//   F = A [ c_n (n.u) n + c_t (u - (n.u) n) ],   a third of it at each corner, A and n as they are
// with coefficients per area, kg/(m^2 s):
//   c_n = drag_normal  + AIR_DENSITY WIND_NORMAL  |w|
//   c_t = drag_tangent + AIR_DENSITY WIND_TANGENT |w|
// The first terms are a viscous medium, which resists motion where no wind blows. The second are
// the pressure of the wind: quadratic in its speed, as for a plate held across it
// (F = 1/2 rho c_d A w^2), but linear in the velocity of the cloth. So
//   D_w = -dF/dv = sum over triangles of  A/9 [ c_n n n' + c_t (I - n n') ]  for each pair of
//   corners
// is exact, symmetric and positive semi-definite, and no force has a kink where the wind ends.
//
// A mesh without triangles, a rope, is a strip one spacing wide, as it is for its mass. Each of its
// stretch springs, of direction t and length l, turns its broad side to the air:
//   F = spacing l [ c_n (u - (t.u) t) + c_t (t.u) t ],   half of it at each end.
#ifndef CLOTH_WIND_H
#define CLOTH_WIND_H

#include "linalg/vec3.h"

#include <stdbool.h>

typedef struct Cloth Cloth;
typedef struct Mesh Mesh;

#define AIR_DENSITY 1.2   // kg/m^3, at 20 degrees
#define WIND_NORMAL 0.6   // half of the drag coefficient 1.2 of a plate across the wind
#define WIND_TANGENT 0.02 // the same for friction on both sides of a rough cloth along it

typedef struct Wind {
    double speed;     // m/s, the mean
    double direction; // degrees: 0 blows towards +x, 90 towards -z
    double gust;      // 0 to 1: the speed changes by up to this share, the direction by up to 45
                      // degrees times it
    int seed;         // of the gusts
    double drag_normal, drag_tangent; // kg/(m^2 s), of still air
} Wind;

// The air at one moment.
typedef struct Air {
    Vec3 velocity;          // m/s, w
    double normal, tangent; // kg/(m^2 s), c_n and c_t
} Air;

// A piece of surface that meets the air:  F = area (across u + along (axis.u) axis).
typedef struct WindPiece {
    Vec3 axis;
    double area;          // m^2
    double across, along; // kg/(m^2 s)
} WindPiece;

// w(t) is smooth and depends on t alone: a run that goes back finds the same gusts again.
Air wind_at(const Wind *wind, double time);
// What `normal` and `tangent` reach at most, at any time. The velocity is that of the mean wind.
Air wind_strongest(const Wind *wind);
bool wind_is_felt(Air air); // else it exerts no force

int wind_piece_count(const Mesh *mesh);

// The power of the air's force, F.v = work - drag, W.
typedef struct WindPower {
    double work; // of the force that it would have if the cloth stood still: any sign
    double drag; // v.(D_w v), what the motion of the cloth loses to the air
} WindPower;

// f += the forces of the air, N.
WindPower wind_add_forces(const Cloth *cloth, Air air, const double *x, const double *v, double *f);
// Store D_w at x in cloth->wind_pieces.
void wind_linearise(Cloth *cloth, Air air, const double *x);
// Dp += scale D_w p, with the D_w that was stored: whole, or without the rows and columns of held
// particles.
typedef enum WindOn { WIND_ON_ALL, WIND_ON_FREE } WindOn;
void wind_add_drag(const Cloth *cloth, WindOn on, double scale, const double *p, double *Dp);
// 1/s, no less than the largest eigenvalue of M^-1 D_w. A piece's share of the drag is at most its
// largest coefficient times its area on each corner, so the particle with the most decides.
double wind_drag_bound(const Cloth *cloth, Air air, const double *x);

#endif
