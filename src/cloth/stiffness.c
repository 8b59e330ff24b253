// With d = xa - xb, l = |d|, u = d/l, r = 1 - L/l, a spring contributes the block
//   B = k [ u u' + r (I - u u') ]  =  k r I + k (1 - r) u u'
// to K_aa and K_bb and -B to K_ab and K_ba. Under compression r < 0: the tangent is indefinite,
// which is buckling. Clamping r at 0 keeps K semi-definite so that PCG applies (Choi & Ko 2002).
// Checked against finite differences of the force in test_cloth.c.
#include "cloth/stiffness.h"

#include <string.h>

void stiffness_linearise(Cloth *cloth, const double *x, bool clamped)
{
    const Mesh *mesh = &cloth->mesh;
    for (int kind = 0; kind < SPRING_KINDS; kind++) {
        double k = cloth->material.stiffness[kind];
        for (int s = mesh->kind_start[kind]; s < mesh->kind_start[kind + 1]; s++) {
            int a = mesh->springs[s][0], b = mesh->springs[s][1];
            Vec3 d = vec3_sub(mesh_vector(mesh, x, a), mesh_vector(mesh, x, b));
            double l = vec3_length(d);
            SpringTangent *tangent = &cloth->tangents[s];
            *tangent = (SpringTangent){0};
            if (!(l > LENGTH_TINY)) continue;
            double r = 1.0 - mesh->rest_length[s] / l;
            double positive = r > 0.0 ? r : 0.0;
            if (clamped) r = positive;
            tangent->u = vec3_scale(1.0 / l, d);
            tangent->isotropic = k * r;
            tangent->axial = k * (1.0 - r);
        }
    }
}

void stiffness_product(const Cloth *cloth, const double *p, double *Kp)
{
    const Mesh *mesh = &cloth->mesh;
    memset(Kp, 0, (size_t)mesh->dofs * sizeof *Kp);
    for (int s = 0; s < mesh->spring_count; s++) {
        int a = mesh->springs[s][0], b = mesh->springs[s][1];
        SpringTangent tangent = cloth->tangents[s];
        Vec3 w = vec3_sub(mesh_vector(mesh, p, a), mesh_vector(mesh, p, b));
        Vec3 q = vec3_scale(tangent.isotropic, w);
        q = vec3_add_scaled(q, tangent.axial * vec3_dot(tangent.u, w), tangent.u);
        mesh_set_vector(mesh, Kp, a, vec3_add(mesh_vector(mesh, Kp, a), q));
        mesh_set_vector(mesh, Kp, b, vec3_sub(mesh_vector(mesh, Kp, b), q));
    }
}

void stiffness_assemble(Cloth *cloth, double a, double b)
{
    const Mesh *mesh = &cloth->mesh;
    BlockMatrix *matrix = &cloth->matrix;
    const int *diagonal = mesh->neighbours.diagonal;
    block_matrix_clear(matrix);
    for (int p = 0; p < mesh->particle_count; p++) {
        double value = cloth_is_held(cloth, p) ? 1.0 : a * cloth_mass(cloth, p);
        matrix->values[diagonal[p]] = sym3_from_axis(value, 0.0, (Vec3){0});
    }
    for (int s = 0; s < mesh->spring_count; s++) {
        int i = mesh->springs[s][0], j = mesh->springs[s][1];
        SpringTangent tangent = cloth->tangents[s];
        Sym3 block = sym3_from_axis(b * tangent.isotropic, b * tangent.axial, tangent.u);
        bool i_free = !cloth_is_held(cloth, i), j_free = !cloth_is_held(cloth, j);
        Sym3 *ii = &matrix->values[diagonal[i]], *jj = &matrix->values[diagonal[j]];
        if (i_free) *ii = sym3_add_scaled(*ii, 1.0, block);
        if (j_free) *jj = sym3_add_scaled(*jj, 1.0, block);
        if (i_free && j_free) {
            Sym3 *ij = &matrix->values[mesh->spring_entry[s][0]];
            Sym3 *ji = &matrix->values[mesh->spring_entry[s][1]];
            *ij = sym3_add_scaled(*ij, -1.0, block);
            *ji = sym3_add_scaled(*ji, -1.0, block);
        }
    }
    block_matrix_invert_diagonal(matrix);
}
