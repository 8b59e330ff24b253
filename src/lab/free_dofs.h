// The degrees of freedom that can move, packed. Held ones and padding have inverse mass 0 and are
// left out, so the lab's vectors hold only what a mode consists of.
//
// Packed vectors are scaled by M^1/2: in y = M^1/2 x the matrix M^-1 K is the symmetric
// M^-1/2 K M^-1/2, and |y|^2 is a mass-weighted square.
#ifndef LAB_FREE_DOFS_H
#define LAB_FREE_DOFS_H

#include "integrators/integrator.h"

typedef struct FreeDofs {
    int dofs;      // length of a flat array
    int count;     // free ones: length of a packed vector
    int *index;    // of each free one in a flat array
    double *scale; // M^-1/2 of each free one, kg^-1/2
    double *p, *q; // flat, zero where held
} FreeDofs;

size_t free_dofs_size(int dofs); // bytes taken from the arena
void free_dofs_init(FreeDofs *free, int dofs, Arena *memory);
// Find the free ones; call it when pins, hand or masses may have changed.
void free_dofs_update(FreeDofs *free, const System *system);

// flat = M^-1/2 y, and 0 where held
void free_dofs_unpack(const FreeDofs *free, const double *y, double *flat);
// y = M^1/2 flat
void free_dofs_pack(const FreeDofs *free, const double *flat, double *y);

// out = M^-1/2 K(x) M^-1/2 y
void free_dofs_stiffness(FreeDofs *free, const System *system, const double *x, Tangent tangent,
                         const double *y, double *out);
// out = M^1/2 F M^-1/2 y, F the velocity filter at x; `filter` NULL: out = y
void free_dofs_filter(FreeDofs *free, void (*filter)(void *self, const double *x, double *v),
                      void *self, const double *x, const double *y, double *out);

// Plain vectors.
double packed_dot(int n, const double *a, const double *b);
void packed_add(int n, double *y, double s, const double *x); // y += s x
double packed_normalise(int n, double *y);                    // returns the old norm; 0: y = 0

// Noise in [-1, 1], the same on every run.
double packed_noise(unsigned *state);

#endif
