// Private to the files that are compiled once per instruction set: springs that buckle, one in each
// lane. choi_ko.c has the model and its equations.
#ifndef CLOTH_GRID_CHOI_KO_H
#define CLOTH_GRID_CHOI_KO_H

#include "cloth/grid_parts.h"

// The tension T of a spring of length l.
typedef struct Response {
    V slope; // N/m, dT/dl
    V share; // N/m, T/l
} Response;

// A spring that only pulls.
CASE Response pull_response(V k, double rest_length, V inverse)
{
    V r = 1.0 - rest_length * inverse;
    return (Response){v_where(r > v_all(0.0), k), k * v_positive(r)};
}

// phi^2 and G of choi_ko.c as functions of y, the share by which an arc's ends are closer than its
// length. Both have a branch point at y* = 1 - cos(p), tan p = p (p = 4.493), where the force has a
// maximum if the arc goes on into a loop. In z = sqrt(y* - y), phi^2/y and z G are smooth, and for
// 0 <= y <= 1 polynomials through the Chebyshev points of t = (z - ARC_MIDDLE) / ARC_HALF reach
// 7e-16.
#define ARC_BRANCH 1.2172336282112217
#define ARC_MIDDLE 0.78468319899165834
#define ARC_HALF 0.31859991436194577
enum { ARC_TERMS = 16 };
static const double arc_phi_square[ARC_TERMS] = {
    7.534070125515607294,     -1.856046091111489406,    0.385596834720180472,
    -0.07587644807175483502,  0.01458932503653872125,   -0.00277614070662657619,
    0.0005262280282759562753, -9.975858787052627304e-5, 1.896374875611656407e-5,
    -3.621917290861112002e-6, 6.963014054107531755e-7,  -1.348012902954503692e-7,
    2.598120548662018064e-8,  -5.101975069204303309e-9, 1.212708293444692656e-9,
    -2.463815792663103919e-10};
static const double arc_force[ARC_TERMS] = {
    3.831967247303184513,     -0.6202280529053886827,   0.1177940758188056747,
    -0.0237709836786817633,   0.004953783450805871647,  -0.001053187442811742135,
    2.269876097215767055e-4,  -4.940946371975986143e-5, 1.083651399396305518e-5,
    -2.390864797770277739e-6, 5.305020833521840417e-7,  -1.181046773124466036e-7,
    2.58301587583407683e-8,   -5.76566569932580139e-9,  1.629447505246637655e-9,
    -3.716484784011260796e-10};

// The polynomial and, if `slope` is not NULL, its derivative by t.
CASE V arc_polynomial(const double *terms, V t, V *slope)
{
    V sum = v_all(terms[ARC_TERMS - 1]), rate = v_all(0.0);
    for (int i = ARC_TERMS - 2; i >= 0; i--) {
        if (slope) rate = rate * t + sum;
        sum = sum * t + terms[i];
    }
    if (slope) *slope = rate;
    return sum;
}

// A spring that bends into an arc. T = -k L min(y, B G/3) with B = BUCKLING_STRAIN: G is at least
// 3, so the straight strip is chosen below B without asking.
CASE Response bend_response(bool slopes, V k, double rest_length, V square, V inverse)
{
    V y = 1.0 - square * inverse * (1.0 / rest_length), part = y, slope = k;
    VMask shorter = y > v_all(0.0);
    if (v_any(y > v_all(BUCKLING_STRAIN))) {
        V z2 = ARC_BRANCH - y, per_z = v_rsqrt(shorter, z2), rate;
        V t = (z2 * per_z - ARC_MIDDLE) * (1.0 / ARC_HALF);
        V force = arc_polynomial(arc_force, t, slopes ? &rate : NULL) * per_z; // G
        V arc = BUCKLING_STRAIN / 3.0 * force;
        if (slopes) { // dG/dy = (G - G_t / ARC_HALF) / (2 z^2), with G_t by t of z G
            V rise = (force - rate * (1.0 / ARC_HALF)) * (0.5 * per_z * per_z);
            slope = v_select(y < arc, k, k * (BUCKLING_STRAIN / 3.0) * rise);
        }
        part = v_min(y, arc);
    }
    return (Response){v_where(shorter, slope), v_where(shorter, -rest_length * k * part * inverse)};
}

CASE Response response(bool slopes, GridSpring spring, V k, double rest_length, V square, V inverse)
{
    return spring == GRID_RIGHT2 || spring == GRID_BELOW2
               ? bend_response(slopes, k, rest_length, square, inverse)
               : pull_response(k, rest_length, inverse);
}

#endif
