#include "cloth/spring_list.h"

#include <string.h>

// out += B (p_a - p_b) at a, minus that at b
static void add_block_product(const Mesh *mesh, int s, Vec3 u, double isotropic, double axial,
                              const double *p, double *out)
{
    int a = mesh->springs[s][0], b = mesh->springs[s][1];
    Vec3 w = vec3_sub(mesh_vector(mesh, p, a), mesh_vector(mesh, p, b));
    Vec3 q = vec3_add_scaled(vec3_scale(isotropic, w), axial * vec3_dot(u, w), u);
    mesh_set_vector(mesh, out, a, vec3_add(mesh_vector(mesh, out, a), q));
    mesh_set_vector(mesh, out, b, vec3_sub(mesh_vector(mesh, out, b), q));
}

void spring_list_add_product(const Mesh *mesh, int spring, const SpringTangent *block,
                             const double *p, double *out)
{
    add_block_product(mesh, spring, block->u, block->isotropic, block->axial, p, out);
}

void spring_list_product(const Cloth *cloth, const double *p, double *Kp)
{
    const Mesh *mesh = &cloth->mesh;
    memset(Kp, 0, (size_t)mesh->dofs * sizeof *Kp);
    for (int s = 0; s < mesh->spring_count; s++)
        spring_list_add_product(mesh, s, &cloth->tangents[s], p, Kp);
}

void spring_list_damping_product(const Cloth *cloth, const double *p, double *Dp)
{
    const Mesh *mesh = &cloth->mesh;
    memset(Dp, 0, (size_t)mesh->dofs * sizeof *Dp);
    for (int s = 0; s < mesh->spring_count; s++) {
        SpringTangent q = cloth->tangents[s];
        add_block_product(mesh, s, q.u, q.damping_isotropic, q.damping_axial, p, Dp);
    }
}

static void multiply(void *self, const double *p, double *out)
{
    block_matrix_multiply(self, p, out);
}

static void precondition(void *self, const double *r, double *z)
{
    block_matrix_precondition(self, r, z);
}

LinearOperator spring_list_assemble(Cloth *cloth, double a, double b, double c)
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
        SpringTangent q = cloth->tangents[s];
        Sym3 block = sym3_from_axis(b * q.isotropic + c * q.damping_isotropic,
                                    b * q.axial + c * q.damping_axial, q.u);
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
    return (LinearOperator){
        .self = matrix, .dofs = mesh->dofs, .multiply = multiply, .precondition = precondition};
}
