// The matrix is never stored, only its products with vectors are computed: blocks between two
// particles are not symmetric, and a product costs about as much as the forces. The preconditioner
// is the inverse of the diagonal blocks.
#include "cloth/baraff_witkin.h"

#include "cloth/grid_springs.h"

#include <math.h>
#include <string.h>

static void multiply(void *self, const double *p, double *out)
{
    BwElements *elements = self;
    const Cloth *cloth = elements->cloth;
    int dofs = cloth->mesh.dofs;
    double *masked = elements->masked;
    for (int i = 0; i < dofs; i++) {
        masked[i] = cloth->inverse_mass[i] > 0.0 ? p[i] : 0.0;
        out[i] = elements->a * cloth->mass[i] * masked[i];
    }
    bw_add_product(cloth, elements->b, elements->c, masked, out);
    for (int i = 0; i < dofs; i++) {
        if (!(cloth->inverse_mass[i] > 0.0)) out[i] = p[i];
    }
}

static void precondition(void *self, const double *r, double *z)
{
    const BwElements *elements = self;
    const Mesh *mesh = &elements->cloth->mesh;
    memcpy(z, r, (size_t)mesh->dofs * sizeof *z); // sets the padding
    for (int p = 0; p < mesh->particle_count; p++) {
        mesh_set_vector(mesh, z, p,
                        sym3_multiply(elements->inverse_diagonal[p], mesh_vector(mesh, r, p)));
    }
}

// The diagonal blocks without the terms that may be negative: a preconditioner must be definite.
static void add_diagonal(const BwElements *elements, double b, double c, Sym3 *diagonal)
{
    for (int t = 0; t < elements->triangle_count; t++) {
        const BwTriangle *triangle = &elements->triangles[t];
        BwSheet sheet = bw_sheet_sum(b, triangle->K, c, triangle->D);
        for (int k = 0; k < 3; k++) {
            Sym3 *block = &diagonal[triangle->corner[k]];
            for (int d = 0; d < 2; d++) {
                double square = triangle->weight[d][k] * triangle->weight[d][k];
                double across = fmax(sheet.across[d], 0.0);
                double along = sheet.across[d] + sheet.along[d] - across;
                *block = sym3_add_scaled(*block, square,
                                         sym3_from_axis(across, along, triangle->unit[d]));
            }
            Vec3 g = vec3_add_scaled(vec3_scale(triangle->weight[0][k], triangle->w[1]),
                                     triangle->weight[1][k], triangle->w[0]);
            *block = sym3_add_scaled(*block, 1.0, sym3_from_axis(0.0, sheet.shear, g));
        }
    }
    for (int h = 0; h < elements->bend_count; h++) {
        const BwBend *bend = &elements->bends[h];
        double stiffness = b * bend->K + c * bend->D;
        for (int k = 0; k < 4; k++) {
            Sym3 *block = &diagonal[bend->corner[k]];
            *block =
                sym3_add_scaled(*block, 1.0, sym3_from_axis(0.0, stiffness, bend->gradient[k]));
        }
    }
}

LinearOperator bw_assemble(Cloth *cloth, double a, double b, double c)
{
    if (grid_springs_apply(cloth)) return grid_springs_assemble(cloth, a, b, c);
    BwElements *elements = cloth->elements;
    Sym3 *diagonal = elements->inverse_diagonal;
    elements->cloth = cloth;
    elements->a = a, elements->b = b, elements->c = c;
    for (int p = 0; p < cloth->mesh.particle_count; p++) {
        diagonal[p] = sym3_from_axis(a * cloth_mass(cloth, p), 0.0, (Vec3){0});
    }
    add_diagonal(elements, b, c, diagonal);
    for (int p = 0; p < cloth->mesh.particle_count; p++) {
        diagonal[p] = cloth_is_held(cloth, p) ? sym3_from_axis(1.0, 0.0, (Vec3){0})
                                              : sym3_inverse(diagonal[p]);
    }
    return (LinearOperator){.self = elements,
                            .dofs = cloth->mesh.dofs,
                            .multiply = multiply,
                            .precondition = precondition};
}
