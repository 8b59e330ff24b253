// How a cloth resists deformation: one table of functions per model.
//
// A model gives elastic and damping forces, their energy and their tangent. K = -df/dx of the
// elastic forces, D = -df/dv of the damping forces without air drag. `linearise` stores both in the
// cloth; product, damping_product and assemble use what it stored. product_at stores nothing, so it
// may be called between steps that rely on an older linearisation.
#ifndef CLOTH_FORCE_MODEL_H
#define CLOTH_FORCE_MODEL_H

#include "base/status.h"
#include "cloth/spring_kernels.h"
#include "linalg/pcg.h"
#include "linalg/tangent.h"

#include <stdbool.h>

typedef struct Cloth Cloth;

// v' = v + kick M^-1 f(x, v),   x' = x + h v',  into other arrays than x and v are in
typedef struct ForceStep {
    double kick, h; // s
    const double *x, *v;
    double *new_x, *new_v; // new_x is NULL: no drift
    double *f;             // NULL: not wanted
} ForceStep;

typedef struct ForceSums {
    double power;   // W, that damping and drag take at the start
    double kinetic; // J, of the free particles at the end
    double speed;   // m/s, the largest of them; NaN if one is not finite
    double lowest;  // m, no particle is lower at the end
} ForceSums;

typedef struct ForceModel {
    const char *name;     // stable: model = NAME
    const char *summary;  // one sentence
    bool made_of_springs; // every force acts along a spring of the mesh with the mesh's stiffness
    bool goes_slack;      // shortened springs exert no force, so K jumps when they tighten
    bool stiffens;        // K grows with the strain without bound; that of springs does not
    GridModel grid;       // its loops over a grid

    // The model's data beyond the springs, for cloth->elements, once per cloth. Both are NULL when
    // there are none.
    Status (*prepare)(const Cloth *cloth, void **elements, Error *error);
    void (*release)(void *elements);

    double (*energy)(const Cloth *cloth, const double *x); // J
    // f = elastic and damping forces, gravity and air drag in one pass, and the power that damping
    // and drag take, W. Returns false if this cloth does not allow it. NULL: never.
    bool (*all_forces)(const Cloth *cloth, const double *x, const double *v, double *f,
                       double *power);
    // The same, and a step with them, in the same pass. NULL and false as before.
    bool (*step)(const Cloth *cloth, const ForceStep *step, ForceSums *sums);
    // f += elastic and damping forces. Returns v.(D v), the power that damping takes, W.
    double (*add_forces)(const Cloth *cloth, const double *x, const double *v, double *f);

    void (*linearise)(Cloth *cloth, const double *x, Tangent tangent);
    void (*product)(const Cloth *cloth, const double *p, double *Kp);         // Kp = K p
    void (*damping_product)(const Cloth *cloth, const double *p, double *Dp); // Dp = D p
    // a M + b K + c D; the rows and columns of held particles are those of the identity
    LinearOperator (*assemble)(Cloth *cloth, double a, double b, double c);
    // Kp = K(x) p
    void (*product_at)(const Cloth *cloth, const double *x, Tangent tangent, const double *p,
                       double *Kp);
} ForceModel;

enum { FORCE_MODEL_COUNT = 3 }; // the first, springs, is the default
extern const ForceModel *const force_model_table[FORCE_MODEL_COUNT];

const char *force_model_name(int index); // NULL outside the table

#endif
