// Private to the files that are compiled once per instruction set: the force of a spring in each
// lane, see springs.c.
#ifndef CLOTH_SPRING_PULL_H
#define CLOTH_SPRING_PULL_H

#include "cloth/grid_parts.h"

// What a loop has to compute, from the sweep's DampingLaw. Without t0, springs of length 0 need no
// mask: their d is 0, and none of them is taut.
typedef enum Damped {
    UNDAMPED,
    DAMPED_TAUT, // t0 = 0
    DAMPED,
} Damped;

CASE Damped damped_by(DampingLaw law)
{
    if (law.alpha <= 0.0) return UNDAMPED;
    return law.t0 == 0.0 ? DAMPED_TAUT : DAMPED;
}

// The force on a; that on b is the opposite. Adds the power of the elastic part to `elastic`.
CASE Vx3 pull(Damped damped, Vx3 a, Vx3 b, Vx3 va, Vx3 vb, V k, V rest_length, DampingLaw law,
              V *elastic)
{
    Vx3 d = vx3_sub(a, b);
    V tiny = v_all(LENGTH_TINY * LENGTH_TINY), square = vx3_dot(d, d);
    V inverse = v_inverse_root(v_max(tiny, square));
    V along = k * (rest_length * inverse - 1.0);
    if (damped == UNDAMPED) return vx3_scale(along, d);
    Vx3 w = vx3_sub(va, vb);
    V closing = vx3_dot(d, w);
    *elastic += along * closing;
    // -alpha k t, where k max(r, 0) is -along of a taut spring
    V across = v_min(law.alpha * law.t1 * along, v_all(0.0));
    if (damped == DAMPED) {
        k = v_where(square > tiny, k);
        across -= law.alpha * law.t0 * k;
    }
    along -= (across + law.alpha * k) * (inverse * inverse * closing);
    return vx3_add_scaled(vx3_scale(along, d), across, w);
}

#endif
