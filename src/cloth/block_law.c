#include "cloth/block_law.h"

DampingLaw damping_law(const Material *material)
{
    static const double transverse[DAMPING_KINDS][2] = {
        [DAMPING_RAYLEIGH] = {0.0, 1.0},
        [DAMPING_PROJECTED] = {0.0, 0.0},
        [DAMPING_DIFFERENCE] = {1.0, 0.0},
    };
    const double *t = transverse[material->damping];
    return (DampingLaw){material->alpha, t[0], t[1]};
}

// The t of a Tangent. `total` scales the whole block. Only in the model of Choi and Ko dT/dl is not
// the spring's stiffness.
BlockLaw block_law(GridModel model, Tangent tangent)
{
    BlockLaw law = {.total = 1.0};
    bool slack = model == GRID_MODEL_CHOI_KO;
    switch (tangent) {
    case TANGENT_TAUT:
        if (slack) law.total = 0.0, law.whole = 1.0;
        law.t1 = 1.0;
        break;
    case TANGENT_CLAMPED:
        law.t1 = 1.0;
        break;
    case TANGENT_FULL:
        law.t2 = 1.0;
        break;
    case TANGENT_LAPLACIAN:
        if (slack) {
            law.total = 0.0, law.whole = law.whole_t0 = 1.0;
        } else {
            law.t0 = 1.0;
        }
        break;
    case TANGENT_AXIAL:
        break;
    }
    return law;
}

BlockLaw block_law_of_damping(const Material *material, BlockLaw K)
{
    DampingLaw damping = damping_law(material);
    BlockLaw D = {.total = 1.0, .t0 = damping.t0, .t1 = damping.t1};
    if (material->damping == DAMPING_RAYLEIGH) D = K;
    return block_law_sum(material->alpha, D, 0.0, D);
}

BlockLaw block_law_sum(double b, BlockLaw K, double c, BlockLaw D)
{
    return (BlockLaw){b * K.total + c * D.total, b * K.t0 + c * D.t0,
                      b * K.t1 + c * D.t1,       b * K.t2 + c * D.t2,
                      b * K.whole + c * D.whole, b * K.whole_t0 + c * D.whole_t0};
}
