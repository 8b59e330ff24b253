// Forces of springs in a list, for AVX2: any mesh. Four springs at once; a particle is one register
// (x, y, z, 0).
#include "cloth/grid_parts.h"

// Rows to columns: the x, y, z of four vectors.
CASE Vx3 transpose(V a, V b, V c, V d)
{
    V ab_low = __builtin_shufflevector(a, b, 0, 4, 2, 6); // ax bx az bz
    V ab_odd = __builtin_shufflevector(a, b, 1, 5, 3, 7); // ay by
    V cd_low = __builtin_shufflevector(c, d, 0, 4, 2, 6);
    V cd_odd = __builtin_shufflevector(c, d, 1, 5, 3, 7);
    return (Vx3){__builtin_shufflevector(ab_low, cd_low, 0, 1, 4, 5),
                 __builtin_shufflevector(ab_odd, cd_odd, 0, 1, 4, 5),
                 __builtin_shufflevector(ab_low, cd_low, 2, 3, 6, 7)};
}

#define LANE(a, lane) __builtin_shufflevector((a), (a), (lane), (lane), (lane), (lane))

CASE int forces_of_list(bool damped, const Mesh *mesh, const double *rest_length,
                        const double *stiffness, DampingLaw law, const double *x, const double *v,
                        double *f, double *power)
{
    V taken = v_all(0.0);
    int done = mesh->spring_count / 4 * 4;
    for (int s = 0; s < done; s += 4) {
        int a[4], b[4];
        V d[4], w[4] = {v_all(0.0), v_all(0.0), v_all(0.0), v_all(0.0)};
        for (int lane = 0; lane < 4; lane++) {
            a[lane] = MESH_ENTRIES * mesh->springs[s + lane][0];
            b[lane] = MESH_ENTRIES * mesh->springs[s + lane][1];
            d[lane] = v_load(x + a[lane]) - v_load(x + b[lane]);
            if (damped) w[lane] = v_load(v + a[lane]) - v_load(v + b[lane]);
        }
        Vx3 d3 = transpose(d[0], d[1], d[2], d[3]);
        V square = vx3_dot(d3, d3);
        VMask some = square > v_all(LENGTH_TINY * LENGTH_TINY);
        V inverse = v_rsqrt(some, square), k = v_where(some, v_load(stiffness + s));
        V ratio = v_load(rest_length + s) * inverse, along = k * (ratio - 1.0);
        V across = v_all(0.0);
        if (damped) {
            Vx3 w3 = transpose(w[0], w[1], w[2], w[3]);
            V t = law.t0 + law.t1 * v_positive(1.0 - ratio), c = law.alpha * k;
            V closing = vx3_dot(d3, w3), axial = c * (1.0 - t) * (inverse * inverse);
            along -= axial * closing;
            across = c * t;
            taken += axial * (closing * closing) + across * vx3_dot(w3, w3);
        }
#define ADD_FORCE(lane)                                                                            \
    do {                                                                                           \
        V g = LANE(along, lane) * d[lane];                                                         \
        if (damped) g -= LANE(across, lane) * w[lane];                                             \
        v_store(f + a[lane], v_load(f + a[lane]) + g);                                             \
        v_store(f + b[lane], v_load(f + b[lane]) - g);                                             \
    } while (0)
        ADD_FORCE(0);
        ADD_FORCE(1);
        ADD_FORCE(2);
        ADD_FORCE(3);
#undef ADD_FORCE
    }
    *power += v_sum(taken);
    return done;
}

int list_forces_avx2(const Mesh *mesh, const double *rest_length, const double *stiffness,
                     DampingLaw damping, const double *x, const double *v, double *f, double *power)
{
    return damping.alpha > 0.0
               ? forces_of_list(true, mesh, rest_length, stiffness, damping, x, v, f, power)
               : forces_of_list(false, mesh, rest_length, stiffness, damping, x, v, f, power);
}
