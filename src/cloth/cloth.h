// A cloth: its mesh, its material, and the state that moves.
//
// Flat arrays hold 3 numbers per particle; mesh_vector knows their order. Functions on cloths are
// in headers by topic: forces.h (forces, energies), force_model.h (the models and their tangents),
// filter.h (the velocity filter), wind.h (the air), muscle.h (rest lengths that change), collide.h
// (the floor).
#ifndef CLOTH_CLOTH_H
#define CLOTH_CLOTH_H

#include "base/crew.h"
#include "cloth/force_model.h"
#include "cloth/mesh.h"
#include "cloth/muscle.h"
#include "cloth/wind.h"

#include <stdbool.h>

// m; a spring shorter than this has no direction, and so neither force nor stiffness.
#define LENGTH_TINY 1e-12

// The strain at which a strip of cloth buckles. The models that bend use it to define `bend`: see
// choi_ko.c and baraff_witkin.c.
#define BUCKLING_STRAIN 1e-3

typedef enum DampingKind { // what alpha multiplies, see springs.c
    DAMPING_RAYLEIGH,
    DAMPING_PROJECTED,
    DAMPING_DIFFERENCE,
    DAMPING_KINDS,
} DampingKind;

typedef struct Material {
    double stiffness[SPRING_KINDS]; // N/m
    DampingKind damping;
    double air;         // d0, 1/s    damping force: -d0 M v - D v, D proportional to alpha
    double alpha;       // s
    double gravity;     // m/s^2, along -y
    double friction;    // Coulomb's coefficient, of floor and bodies
    double restitution; // share of its speed that what falls on them goes back with
} Material;

// A spring's tangent blocks  isotropic I + axial u u':  of K, N/m, and of D, N s/m.
typedef struct SpringTangent {
    Vec3 u;
    double isotropic, axial;
    double damping_isotropic, damping_axial;
} SpringTangent;

typedef enum FilterKind {
    FILTER_OFF,
    FILTER_EXPONENTIAL,
    FILTER_GAUSSIAN,
    FILTER_KINDS
} FilterKind;

typedef enum FilterForm { FILTER_PLAIN, FILTER_HALF, FILTER_CONSERVING, FILTER_FORMS } FilterForm;

typedef enum FilterDistance {
    FILTER_REST,    // distances at rest: constant weights, cheap
    FILTER_CURRENT, // present distances: weights follow the cloth
    FILTER_DISTANCES,
} FilterDistance;

typedef struct Filter { // see filter.h
    FilterKind kind;
    FilterForm form;
    FilterDistance distance;
    double lambda; // decay per spacing
} Filter;

typedef struct FilterWeights { // made by filter_prepare
    double *entries;           // F_ij per entry of mesh.neighbours
    double *sums;              // W_i per particle
    bool stencil;              // on a grid:  F_ij = gain_i kernel[d_ij],  F_ii = own_i
    double kernel[3];          // w at 1, sqrt 2 and 2 spacings
    double *own, *gain;        // one row_width per row of the grid, 0 in its padding
    int correction_count;     // number of springs near the border, in the conserving form's stencil
    int *corrected;           // their indices
    double *correction;       // their c_ij / m minus gain w_ij
    double *source;           // input of the filter
    double *acceleration;     // flat, forces per mass
    double *loss;             // J, per row, what the last filter took
    struct GridRowSums *ends; // per row, at the end of a drift
} FilterWeights;

struct Cloth {
    Mesh mesh;
    const ForceModel *model;
    const struct SpringKernels *kernels; // the loops for this processor
    Crew *crew;                          // who helps with them; NULL: nobody
    Material material;
    double *spring_factor;    // per spring: share of its kind's stiffness, 1 unless set otherwise
    double *spring_stiffness; // N/m, per spring: factor times the material's
    bool uniform;             // every spring has its kind's stiffness, and none is a muscle
    double *rest_length;      // m, per spring: the mesh's, or of a muscle the present one
    int muscle_count;         // springs that are muscles
    MuscleSpring *muscles;
    MuscleTempo tempo;
    void *elements;            // the model's own data, see ForceModel.prepare
    struct GridSprings *grid;  // of a grid: for the model's loops over rows; NULL for other meshes
    struct SpringStars *stars; // of any other mesh: for loops over its springs; NULL for a grid

    // state, flat
    double *x, *v;        // m, m/s
    double *mass;         // kg, per degree of freedom, > 0
    double *inverse_mass; // 1/kg, 0 where held
    bool *pinned;         // per particle
    int grabbed;          // the particle in the hand, -1 if none

    // of the last linearisation
    SpringTangent *tangents; // per spring
    BlockMatrix matrix;      // a M + b K + c D
    bool only_block_jacobi;  // never the levels of a grid: to compare with
    WindPiece *wind_pieces;  // D_w, per piece of surface

    Wind wind;
    Air air;            // the wind at the moment for which forces are computed
    double *wind_share; // m^2, per particle: work

    Filter filter;
    FilterWeights filter_weights;
};

const char *damping_kind_name(int kind); // NULL outside the enumeration

// At rest, nothing pinned, masses from the density (kg/m^2) and the mesh's areas, model springs.
// The caller then sets the material. The cloth takes ownership of the mesh, also on failure.
Status cloth_init(Cloth *cloth, Mesh *mesh, double density, Error *error);
Status cloth_init_grid(Cloth *cloth, int rows, int columns, double size, double density,
                       Error *error);
void cloth_finish(Cloth *cloth); // accepts a zeroed one

// Choose the force model. Fails, with nothing changed, when the mesh does not allow it.
Status cloth_set_model(Cloth *cloth, const ForceModel *model, Error *error);
// Call before cloth_set_model and cloth_set_material, which read the factors.
void cloth_set_spring_factor(Cloth *cloth, int spring, double factor);
void cloth_set_material(Cloth *cloth, Material material);
void cloth_set_mass(Cloth *cloth, int particle, double mass); // kg
double cloth_mass(const Cloth *cloth, int particle);
void cloth_set_pinned(Cloth *cloth, int particle, bool pinned);
void cloth_set_grabbed(Cloth *cloth, int particle); // -1: none
// A held particle is pinned or in the hand: forces do not move it.
static inline bool cloth_is_held(const Cloth *cloth, int particle)
{
    return cloth->pinned[particle] || cloth->grabbed == particle;
}

#endif
