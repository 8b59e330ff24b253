#include "linalg/block_matrix.h"

#include <stdlib.h>
#include <string.h>

// Sort the entries of one row and remove duplicates; rows are short. Returns how many are left.
static int sort_row(int *column, int count)
{
    int kept = 0;
    for (int i = 0; i < count; i++) {
        int value = column[i], k = kept;
        while (k > 0 && column[k - 1] > value) k--;
        if (k > 0 && column[k - 1] == value) continue;
        memmove(column + k + 1, column + k, (size_t)(kept - k) * sizeof *column);
        column[k] = value;
        kept++;
    }
    return kept;
}

Status block_pattern_init(BlockPattern *pattern, int rows, int pair_count, const int (*pairs)[2],
                          Error *error)
{
    size_t entries = (size_t)rows + 2 * (size_t)pair_count; // before duplicates are removed
    *pattern = (BlockPattern){.rows = rows,
                              .start = calloc((size_t)rows + 1, sizeof(int)),
                              .column = calloc(entries, sizeof(int)),
                              .diagonal = calloc((size_t)rows, sizeof(int))};
    int *fill = calloc((size_t)rows, sizeof(int)); // entries written so far, per row
    if (!pattern->start || !pattern->column || !pattern->diagonal || !fill) {
        free(fill);
        block_pattern_finish(pattern);
        return error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory for a pattern of %d rows",
                         rows);
    }
    // count, then place
    for (int r = 0; r < rows; r++) pattern->start[r + 1] = 1;
    for (int s = 0; s < pair_count; s++) {
        pattern->start[pairs[s][0] + 1]++;
        pattern->start[pairs[s][1] + 1]++;
    }
    for (int r = 0; r < rows; r++) pattern->start[r + 1] += pattern->start[r];
    for (int r = 0; r < rows; r++) pattern->column[pattern->start[r] + fill[r]++] = r;
    for (int s = 0; s < pair_count; s++) {
        int a = pairs[s][0], b = pairs[s][1];
        pattern->column[pattern->start[a] + fill[a]++] = b;
        pattern->column[pattern->start[b] + fill[b]++] = a;
    }
    // sort each row and close the gaps that duplicates leave
    int kept = 0;
    for (int r = 0; r < rows; r++) {
        int *row = pattern->column + pattern->start[r];
        int count = sort_row(row, fill[r]);
        memmove(pattern->column + kept, row, (size_t)count * sizeof *row);
        pattern->start[r] = kept;
        kept += count;
    }
    pattern->start[rows] = kept;
    for (int r = 0; r < rows; r++) pattern->diagonal[r] = block_pattern_find(pattern, r, r);
    free(fill);
    return STATUS_OK;
}

void block_pattern_finish(BlockPattern *pattern)
{
    free(pattern->start);
    free(pattern->column);
    free(pattern->diagonal);
    *pattern = (BlockPattern){0};
}

int block_pattern_find(const BlockPattern *pattern, int row, int column)
{
    for (int e = pattern->start[row]; e < pattern->start[row + 1]; e++) {
        if (pattern->column[e] == column) return e;
    }
    return -1;
}

Status block_matrix_init(BlockMatrix *A, const BlockPattern *pattern, Error *error)
{
    *A = (BlockMatrix){.pattern = *pattern,
                       .values = calloc((size_t)block_pattern_entries(pattern), sizeof(Sym3)),
                       .inverse_diagonal = calloc((size_t)pattern->rows, sizeof(Sym3)),
                       .stride = 1,
                       .length = 3 * pattern->rows};
    if (!A->values || !A->inverse_diagonal) {
        block_matrix_finish(A);
        return error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory for a matrix of %d blocks",
                         block_pattern_entries(pattern));
    }
    return STATUS_OK;
}

void block_matrix_finish(BlockMatrix *A)
{
    free(A->values);
    free(A->inverse_diagonal);
    *A = (BlockMatrix){0};
}

void block_matrix_set_layout(BlockMatrix *A, const int *first, int stride, int length)
{
    A->first = first;
    A->stride = stride;
    A->length = length;
}

static Vec3 vector_at(const BlockMatrix *A, const double *p, int row)
{
    const double *q = p + (A->first ? A->first[row] : 3 * row);
    return (Vec3){q[0], q[A->stride], q[2 * A->stride]};
}

static void set_vector(const BlockMatrix *A, double *p, int row, Vec3 value)
{
    double *q = p + (A->first ? A->first[row] : 3 * row);
    q[0] = value.x;
    q[A->stride] = value.y;
    q[2 * A->stride] = value.z;
}

static void clear_padding(const BlockMatrix *A, double *out)
{
    if (A->length > 3 * A->pattern.rows) memset(out, 0, (size_t)A->length * sizeof *out);
}

void block_matrix_clear(BlockMatrix *A)
{
    memset(A->values, 0, (size_t)block_pattern_entries(&A->pattern) * sizeof *A->values);
}

void block_matrix_multiply(const BlockMatrix *A, const double *p, double *out)
{
    const BlockPattern *pattern = &A->pattern;
    clear_padding(A, out);
    for (int r = 0; r < pattern->rows; r++) {
        Vec3 sum = {0};
        for (int e = pattern->start[r]; e < pattern->start[r + 1]; e++) {
            Vec3 q = vector_at(A, p, pattern->column[e]);
            sum = vec3_add(sum, sym3_multiply(A->values[e], q));
        }
        set_vector(A, out, r, sum);
    }
}

void block_matrix_invert_diagonal(BlockMatrix *A)
{
    for (int r = 0; r < A->pattern.rows; r++) {
        A->inverse_diagonal[r] = sym3_inverse(A->values[A->pattern.diagonal[r]]);
    }
}

void block_matrix_precondition(const BlockMatrix *A, const double *r, double *z)
{
    clear_padding(A, z);
    for (int i = 0; i < A->pattern.rows; i++) {
        set_vector(A, z, i, sym3_multiply(A->inverse_diagonal[i], vector_at(A, r, i)));
    }
}
