#include "cloth/grid_stencil.h"

#include <math.h>

typedef struct Reach { // of an element: offset of its farthest corner
    int right, below;
} Reach;

int grid_stencil_blocks(const Mesh *mesh)
{
    return (mesh->columns + MESH_LANES - 1) / MESH_LANES;
}

void grid_stencil_stiffness(const Cloth *cloth, GridModel model, double k[GRID_SPRINGS])
{
    const double *of = cloth->material.stiffness;
    double dx = cloth->mesh.spacing;
    if (model == GRID_MODEL_BARAFF_WITKIN) {
        k[GRID_RIGHT] = k[GRID_BELOW] = of[SPRING_STRETCH];
        k[GRID_FALLING] = 0.5 * of[SPRING_SHEAR] / (dx * dx);
        k[GRID_RISING] = k[GRID_RIGHT2] = k[GRID_BELOW2] =
            4.0 / 3.0 * BUCKLING_STRAIN * dx * dx * of[SPRING_BEND];
    } else {
        k[GRID_RIGHT] = k[GRID_BELOW] = of[SPRING_STRETCH];
        k[GRID_FALLING] = k[GRID_RISING] = of[SPRING_SHEAR];
        k[GRID_RIGHT2] = k[GRID_BELOW2] = of[SPRING_BEND];
    }
}

GridStencil grid_stencil(const Mesh *mesh, GridModel model, const double k[GRID_SPRINGS])
{
    static const Reach of_springs[GRID_SPRINGS] = {
        [GRID_RIGHT] = {1, 0},  [GRID_BELOW] = {0, 1},  [GRID_FALLING] = {1, 1},
        [GRID_RISING] = {1, 1}, [GRID_RIGHT2] = {2, 0}, [GRID_BELOW2] = {0, 2},
    };
    static const Reach of_sheet[GRID_SPRINGS] = {
        [GRID_RIGHT] = {1, 0},  [GRID_BELOW] = {0, 1},  [GRID_FALLING] = {1, 1},
        [GRID_RISING] = {1, 1}, [GRID_RIGHT2] = {2, 1}, [GRID_BELOW2] = {1, 2},
    };
    bool sheet = model == GRID_MODEL_BARAFF_WITKIN;
    double dx = mesh->spacing, diagonal = sqrt(2.0) * dx;
    int columns = mesh->columns;
    GridStencil grid = {.model = model,
                        .spacing = dx,
                        .rows = mesh->rows,
                        .columns = columns,
                        .width = mesh->row_width,
                        .blocks = grid_stencil_blocks(mesh),
                        .tail = columns > 2 ? (columns - 2) / MESH_LANES : 0,
                        .rest_length = {dx, dx, diagonal, diagonal, 2.0 * dx, 2.0 * dx}};
    for (int s = 0; s < GRID_SPRINGS; s++) {
        Reach reach = (sheet ? of_sheet : of_springs)[s];
        for (int block = 0; block <= GRID_TAIL_BLOCKS; block++) {
            for (int lane = 0; lane < MESH_LANES; lane++) {
                int column = MESH_LANES * (grid.tail + block - 1) + lane;
                bool there = block == 0 || column + reach.right < columns;
                bool last_column = block > 0 && column + 1 == columns;
                grid.inside[block][lane] = block == 0 || column < columns;
                for (int below = reach.below; below < 3; below++) {
                    // an edge of the border has one triangle, the others two
                    bool one = sheet && ((s == GRID_RIGHT && below == 0) ||
                                         (s == GRID_BELOW && last_column));
                    grid.stiffness[below][block][s][lane] = there ? (one ? 0.5 : 1.0) * k[s] : 0.0;
                }
            }
        }
    }
    return grid;
}
