// Shared by the files of the Baraff-Witkin model, which baraff_witkin.c describes.
//   baraff_witkin.c          energies, forces, tangents
//   baraff_witkin_build.c    the elements of a mesh
//   baraff_witkin_matrix.c   a M + b K + c D for the linear solver
#ifndef CLOTH_BARAFF_WITKIN_H
#define CLOTH_BARAFF_WITKIN_H

#include "cloth/cloth.h"

// A thread or a normal shorter than this share of its rest length has no direction.
#define BW_TINY_SHARE 1e-6

// K or D of a triangle, acting on (dw_u, dw_v):
//   thread u   across_u I + along_u u u'    (likewise v)
//   shear      shear g g' + twist [0 I; I 0],   g = (w_v, w_u)
typedef struct BwSheet {
    double across[2], along[2]; // N m
    double shear, twist;        // N m
} BwSheet;

typedef struct BwTriangle {
    int corner[3];
    double weight[2][3]; // 1/m: w_u = sum weight[0] x, w_v = sum weight[1] x
    double area;         // m^2
    double factor;       // of the stiffness, from the springs of its edges
    // of the last linearisation
    Vec3 w[2], unit[2];
    BwSheet K, D;
} BwTriangle;

typedef struct BwBend {
    int corner[4];     // see hinge.h
    double rest_angle; // rad
    double thinnest;   // m^4
    double factor;     // of the stiffness
    // of the last linearisation
    Vec3 gradient[4];
    double K, D, K_turn, D_turn; // K: K gradient gradient' + K_turn times the second derivative
} BwBend;

typedef struct BwElements {
    int triangle_count, bend_count;
    BwTriangle *triangles;
    BwBend *bends;
    // of the last linearisation
    double *x;              // flat
    double *masked;         // flat, scratch
    Sym3 *inverse_diagonal; // per particle
    double a, b, c;         // of the assembled a M + b K + c D
    const Cloth *cloth;     // the cloth these elements belong to
} BwElements;

Status bw_prepare(const Cloth *cloth, void **elements, Error *error);
void bw_release(void *elements); // accepts NULL

BwSheet bw_sheet_sum(double a, BwSheet A, double b, BwSheet B);
// out += (b K + c D) p, of the last linearisation
void bw_add_product(const Cloth *cloth, double b, double c, const double *p, double *out);
LinearOperator bw_assemble(Cloth *cloth, double a, double b, double c);

#endif
