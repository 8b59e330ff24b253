// A sparse symmetric matrix of symmetric 3x3 blocks, in compressed rows.
//
// Two phases, as in CSparse: the pattern is analysed once per mesh, the values are refilled at
// every linearisation. Block row r owns the entries 3r, 3r+1, 3r+2 of a vector, unless
// block_matrix_set_layout says otherwise.
#ifndef LINALG_BLOCK_MATRIX_H
#define LINALG_BLOCK_MATRIX_H

#include "base/status.h"
#include "linalg/mat3.h"

typedef struct BlockPattern {
    int rows;
    int *start;    // rows + 1; row r owns the entries start[r] .. start[r + 1] - 1
    int *column;   // per entry, ascending within a row
    int *diagonal; // per row, its entry on the diagonal
} BlockPattern;

// The pattern of a graph: the diagonal, and (a, b) and (b, a) for every pair. Duplicate pairs share
// an entry.
Status block_pattern_init(BlockPattern *pattern, int rows, int pair_count, const int (*pairs)[2],
                          Error *error);
void block_pattern_finish(BlockPattern *pattern);                         // accepts a zeroed one
int block_pattern_find(const BlockPattern *pattern, int row, int column); // entry index, -1 if none
static inline int block_pattern_entries(const BlockPattern *p)
{
    return p->start[p->rows];
}

typedef struct BlockMatrix {
    BlockPattern pattern;   // borrowed: its arrays belong to the mesh
    Sym3 *values;           // one per entry of the pattern
    Sym3 *inverse_diagonal; // one per row, see block_matrix_invert_diagonal
    const int *first;       // per row, where its x stands in a vector; NULL: 3r
    int stride;             // from x to y and from y to z
    int length;             // of a vector
} BlockMatrix;

Status block_matrix_init(BlockMatrix *A, const BlockPattern *pattern, Error *error);
void block_matrix_finish(BlockMatrix *A); // accepts a zeroed one

// Row r owns the entries first[r], first[r] + stride, first[r] + 2 stride of a vector of `length`;
// entries that no row owns are 0 in every result. `first` is borrowed.
void block_matrix_set_layout(BlockMatrix *A, const int *first, int stride, int length);

void block_matrix_clear(BlockMatrix *A);
// out = A p
void block_matrix_multiply(const BlockMatrix *A, const double *p, double *out);
// The block-Jacobi preconditioner: invert the diagonal blocks, then z = D^-1 r.
void block_matrix_invert_diagonal(BlockMatrix *A);
void block_matrix_precondition(const BlockMatrix *A, const double *r, double *z);

#endif
