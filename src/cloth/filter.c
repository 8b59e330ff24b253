#include "cloth/filter.h"

#include <math.h>
#include <string.h>

const char *filter_kind_name(int kind)
{
    static const char *const names[FILTER_KINDS] = {"off", "exponential"};
    return kind >= 0 && kind < FILTER_KINDS ? names[kind] : NULL;
}

const char *filter_distance_name(int distance)
{
    static const char *const names[FILTER_DISTANCES] = {"rest", "current"};
    return distance >= 0 && distance < FILTER_DISTANCES ? names[distance] : NULL;
}

// Divide every row by its sum, which is at least 1: the particle's own weight.
static void normalise_rows(Cloth *cloth)
{
    const BlockPattern *neighbours = &cloth->mesh.neighbours;
    for (int p = 0; p < neighbours->rows; p++) {
        double sum = 0.0;
        for (int e = neighbours->start[p]; e < neighbours->start[p + 1]; e++) {
            sum += cloth->filter_weights[e];
        }
        for (int e = neighbours->start[p]; e < neighbours->start[p + 1]; e++) {
            cloth->filter_weights[e] /= sum;
        }
    }
}

void filter_weights_at_rest(Cloth *cloth, double lambda)
{
    const Mesh *mesh = &cloth->mesh;
    for (int e = 0; e < block_pattern_entries(&mesh->neighbours); e++) {
        cloth->filter_weights[e] = exp(-lambda * mesh->rest_distance[e] / mesh->spacing);
    }
    normalise_rows(cloth);
}

void filter_weights_at(Cloth *cloth, double lambda, const double *x)
{
    const Mesh *mesh = &cloth->mesh;
    for (int p = 0; p < mesh->particle_count; p++) {
        Vec3 here = mesh_vector(mesh, x, p);
        for (int e = mesh->neighbours.start[p]; e < mesh->neighbours.start[p + 1]; e++) {
            Vec3 there = mesh_vector(mesh, x, mesh->neighbours.column[e]);
            double distance = vec3_length(vec3_sub(here, there));
            cloth->filter_weights[e] = exp(-lambda * distance / mesh->spacing);
        }
    }
    normalise_rows(cloth);
}

void filter_apply(Cloth *cloth, double *v)
{
    const Mesh *mesh = &cloth->mesh;
    double *source = cloth->filter_source;
    memcpy(source, v, (size_t)mesh->dofs * sizeof *v);
    for (int p = 0; p < mesh->particle_count; p++) {
        if (cloth_is_held(cloth, p)) continue;
        Vec3 mean = {0};
        for (int e = mesh->neighbours.start[p]; e < mesh->neighbours.start[p + 1]; e++) {
            Vec3 there = mesh_vector(mesh, source, mesh->neighbours.column[e]);
            mean = vec3_add_scaled(mean, cloth->filter_weights[e], there);
        }
        mesh_set_vector(mesh, v, p, mean);
    }
}
