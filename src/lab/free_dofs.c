#include "lab/free_dofs.h"

#include <math.h>
#include <string.h>

size_t free_dofs_size(int dofs)
{
    return arena_footprint((size_t)dofs * sizeof(int)) +
           3 * arena_footprint((size_t)dofs * sizeof(double));
}

void free_dofs_init(FreeDofs *free, int dofs, Arena *memory)
{
    *free = (FreeDofs){.dofs = dofs};
    free->index = ARENA_ALLOC(memory, dofs, int);
    free->scale = ARENA_ALLOC(memory, dofs, double);
    free->p = ARENA_ALLOC(memory, dofs, double);
    free->q = ARENA_ALLOC(memory, dofs, double);
}

void free_dofs_update(FreeDofs *free, const System *system)
{
    free->count = 0;
    for (int i = 0; i < free->dofs; i++) {
        if (!(system->inverse_mass[i] > 0.0)) continue;
        free->index[free->count] = i;
        free->scale[free->count++] = sqrt(system->inverse_mass[i]);
    }
    memset(free->p, 0, (size_t)free->dofs * sizeof *free->p);
    memset(free->q, 0, (size_t)free->dofs * sizeof *free->q);
}

void free_dofs_unpack(const FreeDofs *free, const double *y, double *flat)
{
    memset(flat, 0, (size_t)free->dofs * sizeof *flat);
    for (int i = 0; i < free->count; i++) flat[free->index[i]] = free->scale[i] * y[i];
}

void free_dofs_pack(const FreeDofs *free, const double *flat, double *y)
{
    for (int i = 0; i < free->count; i++) y[i] = flat[free->index[i]] / free->scale[i];
}

void free_dofs_stiffness(FreeDofs *free, const System *system, const double *x, Tangent tangent,
                         const double *y, double *out)
{
    for (int i = 0; i < free->count; i++) free->p[free->index[i]] = free->scale[i] * y[i];
    system->stiffness_product_at(system->self, x, tangent, free->p, free->q);
    for (int i = 0; i < free->count; i++) out[i] = free->scale[i] * free->q[free->index[i]];
}

void free_dofs_filter(FreeDofs *free, void (*filter)(void *self, const double *x, double *v),
                      void *self, const double *x, const double *y, double *out)
{
    if (!filter) {
        memmove(out, y, (size_t)free->count * sizeof *out);
        return;
    }
    free_dofs_unpack(free, y, free->q);
    filter(self, x, free->q);
    free_dofs_pack(free, free->q, out);
}

double packed_dot(int n, const double *a, const double *b)
{
    // four sums, because each addition to one sum would wait for the last
    double sum[4] = {0.0, 0.0, 0.0, 0.0};
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        for (int k = 0; k < 4; k++) sum[k] += a[i + k] * b[i + k];
    }
    for (; i < n; i++) sum[0] += a[i] * b[i];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

void packed_add(int n, double *y, double s, const double *x)
{
    for (int i = 0; i < n; i++) y[i] += s * x[i];
}

double packed_normalise(int n, double *y)
{
    double norm = sqrt(packed_dot(n, y, y));
    double factor = norm > 0.0 ? 1.0 / norm : 0.0;
    for (int i = 0; i < n; i++) y[i] *= factor;
    return norm;
}

double packed_noise(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u; // Numerical Recipes
    return (double)*state / 2147483648.0 - 1.0;
}
