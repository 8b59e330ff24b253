#include "cloth/cloth.h"

#include "cloth/filter.h"
#include "cloth/grid_springs.h"
#include "cloth/spring_stars.h"

#include <stdlib.h>

const char *damping_kind_name(int kind)
{
    static const char *const names[DAMPING_KINDS] = {"rayleigh", "projected", "difference"};
    return kind >= 0 && kind < DAMPING_KINDS ? names[kind] : NULL;
}

void cloth_set_material(Cloth *cloth, Material material)
{
    cloth->material = material;
    cloth->uniform = cloth->muscle_count == 0;
    for (int s = 0; s < cloth->mesh.spring_count; s++) {
        cloth->spring_stiffness[s] =
            cloth->spring_factor[s] * material.stiffness[mesh_spring_kind(&cloth->mesh, s)];
        cloth->uniform = cloth->uniform && cloth->spring_factor[s] == 1.0;
    }
    if (cloth->stars) spring_stars_update(cloth);
}

void cloth_set_spring_factor(Cloth *cloth, int spring, double factor)
{
    cloth->spring_factor[spring] = factor;
}

static void release_model(Cloth *cloth)
{
    if (cloth->model && cloth->model->release) cloth->model->release(cloth->elements);
    cloth->elements = NULL;
    grid_springs_destroy(cloth->grid);
    cloth->grid = NULL;
}

Status cloth_set_model(Cloth *cloth, const ForceModel *model, Error *error)
{
    void *elements = NULL;
    GridSprings *grid = NULL;
    if (model == cloth->model) return STATUS_OK;
    if (cloth->muscle_count > 0 && !model->made_of_springs)
        return error_set(error, STATUS_BAD_PARAMETER,
                         "the model %s has no rest lengths for muscles to change; a scene with "
                         "muscles takes model = springs",
                         model->name);
    if (model->prepare) {
        Status status = model->prepare(cloth, &elements, error);
        if (status != STATUS_OK) return status;
    }
    if (cloth->mesh.row_width > 0) {
        Status status = grid_springs_create(&cloth->mesh, model->grid, &grid, error);
        if (status != STATUS_OK) {
            if (model->release) model->release(elements);
            return status;
        }
    }
    release_model(cloth);
    cloth->model = model;
    cloth->elements = elements;
    cloth->grid = grid;
    return STATUS_OK;
}

Status cloth_init(Cloth *cloth, Mesh *own_mesh, double density, Error *error)
{
    *cloth = (Cloth){.grabbed = -1, .mesh = *own_mesh, .kernels = spring_kernels_best()};
    *own_mesh = (Mesh){0};
    const Mesh *mesh = &cloth->mesh;
    Status status = STATUS_OK;
    size_t particles = (size_t)mesh->particle_count;
    cloth->x = mesh_flat_create(mesh);
    cloth->v = mesh_flat_create(mesh);
    cloth->mass = mesh_flat_create(mesh);
    cloth->inverse_mass = mesh_flat_create(mesh);
    cloth->pinned = calloc(particles, sizeof(bool));
    cloth->spring_factor = calloc((size_t)mesh->spring_count, sizeof(double));
    cloth->spring_stiffness = calloc((size_t)mesh->spring_count, sizeof(double));
    cloth->rest_length = calloc((size_t)mesh->spring_count, sizeof(double));
    cloth->tangents = calloc((size_t)mesh->spring_count, sizeof(SpringTangent));
    cloth->wind_pieces = calloc((size_t)wind_piece_count(mesh), sizeof(WindPiece));
    cloth->wind_share = calloc(particles, sizeof(double));
    if (!cloth->x || !cloth->v || !cloth->mass || !cloth->inverse_mass || !cloth->pinned ||
        !cloth->spring_factor || !cloth->spring_stiffness || !cloth->rest_length ||
        !cloth->tangents || !cloth->wind_pieces || !cloth->wind_share) {
        status = error_set(error, STATUS_OUT_OF_MEMORY,
                           "not enough memory for a cloth of %d particles", mesh->particle_count);
    }
    if (status == STATUS_OK) status = filter_init(cloth, error);
    if (status == STATUS_OK && mesh->row_width == 0)
        status = spring_stars_create(mesh, &cloth->stars, error);
    if (status == STATUS_OK) status = block_matrix_init(&cloth->matrix, &mesh->neighbours, error);
    if (status == STATUS_OK) status = cloth_set_model(cloth, force_model_table[0], error);
    if (status != STATUS_OK) {
        cloth_finish(cloth);
        return status;
    }
    block_matrix_set_layout(&cloth->matrix, mesh->first_dof, mesh->component_stride, mesh->dofs);
    for (int s = 0; s < mesh->spring_count; s++) {
        cloth->spring_factor[s] = 1.0;
        cloth->rest_length[s] = mesh->rest_length[s];
    }
    for (int i = 0; i < mesh->dofs; i++) cloth->mass[i] = 1.0; // for the padding
    for (int p = 0; p < mesh->particle_count; p++) {
        mesh_set_vector(mesh, cloth->x, p, mesh->rest_position[p]);
        cloth_set_mass(cloth, p, density * mesh->area[p]);
    }
    if (cloth->stars) spring_stars_update(cloth);
    return STATUS_OK;
}

Status cloth_init_grid(Cloth *cloth, int rows, int columns, double size, double density,
                       Error *error)
{
    Mesh mesh;
    *cloth = (Cloth){.grabbed = -1};
    Status status = mesh_init_grid(&mesh, rows, columns, size, error);
    return status == STATUS_OK ? cloth_init(cloth, &mesh, density, error) : status;
}

void cloth_finish(Cloth *cloth)
{
    release_model(cloth);
    spring_stars_destroy(cloth->stars);
    free(cloth->x);
    free(cloth->v);
    free(cloth->mass);
    free(cloth->inverse_mass);
    free(cloth->pinned);
    free(cloth->spring_factor);
    free(cloth->spring_stiffness);
    free(cloth->rest_length);
    free(cloth->muscles);
    free(cloth->tangents);
    free(cloth->wind_pieces);
    free(cloth->wind_share);
    filter_finish(cloth);
    block_matrix_finish(&cloth->matrix);
    mesh_finish(&cloth->mesh);
    *cloth = (Cloth){.grabbed = -1};
}

static void update_inverse_mass(Cloth *cloth, int particle)
{
    double inverse = cloth_is_held(cloth, particle) ? 0.0 : 1.0 / cloth_mass(cloth, particle);
    mesh_set_vector(&cloth->mesh, cloth->inverse_mass, particle, (Vec3){inverse, inverse, inverse});
}

void cloth_set_mass(Cloth *cloth, int particle, double mass)
{
    mesh_set_vector(&cloth->mesh, cloth->mass, particle, (Vec3){mass, mass, mass});
    update_inverse_mass(cloth, particle);
}

double cloth_mass(const Cloth *cloth, int particle)
{
    return mesh_vector(&cloth->mesh, cloth->mass, particle).x;
}

void cloth_set_pinned(Cloth *cloth, int particle, bool pinned)
{
    cloth->pinned[particle] = pinned;
    update_inverse_mass(cloth, particle);
}

void cloth_set_grabbed(Cloth *cloth, int particle)
{
    int before = cloth->grabbed;
    cloth->grabbed = particle;
    if (before >= 0) update_inverse_mass(cloth, before);
    if (particle >= 0) update_inverse_mass(cloth, particle);
}
