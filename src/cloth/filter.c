// F is a sparse matrix over mesh.neighbours or, with constant weights on a regular grid, a stencil
// of three numbers with a gain per particle, which is several times faster. The conserving form is
// a stencil too if all masses are equal: W_i is the same inside, so c_ij / m = gain w_ij except for
// the springs near the border, which are corrected one by one. A step computes no exponential
// unless the weights follow the present distances.
#include "cloth/filter.h"

#include "cloth/spring_kernels.h"
#include "cloth/sweep.h"
#include "linalg/vectors.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

// Zeros around the grid in the stencil's input, so that it needs no branch at the borders.
enum { BORDER_ROWS = 2, LEFT = MESH_LANES, RIGHT = MESH_LANES };
enum { BAND_ROWS = 12 }; // are worth a thread

const char *filter_kind_name(int kind)
{
    static const char *const names[FILTER_KINDS] = {"off", "exponential", "gaussian"};
    return kind >= 0 && kind < FILTER_KINDS ? names[kind] : NULL;
}

const char *filter_form_name(int form)
{
    static const char *const names[FILTER_FORMS] = {"plain", "half", "conserving"};
    return form >= 0 && form < FILTER_FORMS ? names[form] : NULL;
}

const char *filter_distance_name(int distance)
{
    static const char *const names[FILTER_DISTANCES] = {"rest", "current"};
    return distance >= 0 && distance < FILTER_DISTANCES ? names[distance] : NULL;
}

const char *filter_target_name(int target)
{
    static const char *const names[FILTER_TARGETS] = {"velocity", "force"};
    return target >= 0 && target < FILTER_TARGETS ? names[target] : NULL;
}

const char *filter_place_name(int place)
{
    static const char *const names[FILTER_PLACES] = {"before", "after"};
    return place >= 0 && place < FILTER_PLACES ? names[place] : NULL;
}

static int source_width(const Mesh *mesh)
{
    return LEFT + mesh->row_width + RIGHT;
}

Status filter_init(Cloth *cloth, Error *error)
{
    const Mesh *mesh = &cloth->mesh;
    FilterWeights *weights = &cloth->filter_weights;
    size_t particles = (size_t)mesh->particle_count, source = (size_t)mesh->dofs;
    if (mesh->row_width > 0) {
        source = (size_t)(mesh->rows + 2 * BORDER_ROWS) * 3 * (size_t)source_width(mesh);
        particles = (size_t)mesh->rows * (size_t)mesh->row_width;
    }
    weights->entries = calloc((size_t)block_pattern_entries(&mesh->neighbours), sizeof(double));
    weights->sums = calloc((size_t)mesh->particle_count, sizeof(double));
    weights->own = calloc(particles, sizeof(double));
    weights->gain = calloc(particles, sizeof(double));
    weights->corrected = calloc((size_t)mesh->spring_count, sizeof *weights->corrected);
    weights->correction = calloc((size_t)mesh->spring_count, sizeof(double));
    weights->source = calloc(source, sizeof(double));
    weights->acceleration = mesh_flat_create(mesh);
    weights->loss = calloc((size_t)mesh->rows + 1, sizeof *weights->loss);
    weights->ends = calloc((size_t)mesh->rows + 1, sizeof *weights->ends);
    if (weights->entries && weights->sums && weights->own && weights->gain && weights->corrected &&
        weights->correction && weights->source && weights->acceleration && weights->loss &&
        weights->ends)
        return STATUS_OK;
    return error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory to filter %d particles",
                     mesh->particle_count);
}

void filter_finish(Cloth *cloth)
{
    FilterWeights *weights = &cloth->filter_weights;
    free(weights->entries);
    free(weights->sums);
    free(weights->own);
    free(weights->gain);
    free(weights->corrected);
    free(weights->correction);
    free(weights->source);
    free(weights->acceleration);
    free(weights->loss);
    free(weights->ends);
    *weights = (FilterWeights){0};
}

// w for a distance in metres
static double weight(const Cloth *cloth, double distance)
{
    double q = cloth->filter.lambda * distance / cloth->mesh.spacing;
    return cloth->filter.kind == FILTER_GAUSSIAN ? exp(-q * q) : exp(-q);
}

// Turn the entries w_ij into F_ij, row by row. Row sums W_i are at least 1, a particle's own
// weight.
static void make_form(Cloth *cloth)
{
    const BlockPattern *neighbours = &cloth->mesh.neighbours;
    double *w = cloth->filter_weights.entries, *sums = cloth->filter_weights.sums;
    for (int p = 0; p < neighbours->rows; p++) {
        sums[p] = 0.0;
        for (int e = neighbours->start[p]; e < neighbours->start[p + 1]; e++) sums[p] += w[e];
    }
    bool conserving = cloth->filter.form == FILTER_CONSERVING;
    for (int p = 0; p < neighbours->rows; p++) {
        double others = 0.0, mass = cloth_mass(cloth, p);
        for (int e = neighbours->start[p]; e < neighbours->start[p + 1]; e++) {
            int q = neighbours->column[e];
            if (conserving) {
                w[e] *= fmin(1.0, cloth_mass(cloth, q) / mass) / fmax(sums[p], sums[q]);
            } else {
                w[e] /= sums[p];
            }
            if (cloth->filter.form == FILTER_HALF) w[e] *= 0.5;
            if (q != p) others += w[e];
        }
        // rows sum to 1; the plain form already does, with w/W
        if (cloth->filter.form != FILTER_PLAIN) w[neighbours->diagonal[p]] = 1.0 - others;
    }
}

static bool masses_are_equal(const Cloth *cloth)
{
    double mass = cloth_mass(cloth, 0);
    for (int p = 1; p < cloth->mesh.particle_count; p++) {
        if (cloth_mass(cloth, p) != mass) return false;
    }
    return true;
}

// The conserving form:  F_ij = w_ij / max(W_i, W_j)  as  gain w_ij + correction,  gain = 1 / max W.
static void make_conserving_stencil(Cloth *cloth)
{
    const Mesh *mesh = &cloth->mesh;
    FilterWeights *weights = &cloth->filter_weights;
    double largest = 0.0;
    for (int p = 0; p < mesh->particle_count; p++) largest = fmax(largest, weights->sums[p]);
    for (int p = 0; p < mesh->particle_count; p++) {
        int at = p / mesh->columns * mesh->row_width + p % mesh->columns;
        weights->gain[at] = 1.0 / largest;
        weights->own[at] = 1.0 - (weights->sums[p] - 1.0) / largest;
    }
    for (int s = 0; s < mesh->spring_count; s++) {
        double larger =
            fmax(weights->sums[mesh->springs[s][0]], weights->sums[mesh->springs[s][1]]);
        double correction = weight(cloth, mesh->rest_length[s]) * (1.0 / larger - 1.0 / largest);
        if (correction < 1e-15) continue; // sums inside the grid differ by rounding
        weights->corrected[weights->correction_count] = s;
        weights->correction[weights->correction_count++] = correction;
    }
}

// Compute the stencil's numbers from the rows just made.
static void make_stencil(Cloth *cloth)
{
    const Mesh *mesh = &cloth->mesh;
    FilterWeights *weights = &cloth->filter_weights;
    const double distances[] = {1.0, sqrt(2.0), 2.0};
    for (int k = 0; k < 3; k++) weights->kernel[k] = weight(cloth, distances[k] * mesh->spacing);
    // the list may have written where the stencil needs zeros
    memset(weights->source, 0,
           (size_t)(mesh->rows + 2 * BORDER_ROWS) * 3 * (size_t)source_width(mesh) *
               sizeof *weights->source);
    if (cloth->filter.form == FILTER_CONSERVING) {
        make_conserving_stencil(cloth);
        return;
    }
    double share = cloth->filter.form == FILTER_HALF ? 0.5 : 1.0;
    for (int p = 0; p < mesh->particle_count; p++) {
        int at = p / mesh->columns * mesh->row_width + p % mesh->columns;
        weights->own[at] = weights->entries[mesh->neighbours.diagonal[p]];
        weights->gain[at] = share / weights->sums[p];
    }
}

void filter_prepare(Cloth *cloth, Filter filter)
{
    const Mesh *mesh = &cloth->mesh;
    FilterWeights *weights = &cloth->filter_weights;
    cloth->filter = filter;
    weights->stencil = false;
    weights->correction_count = 0;
    if (filter.distance == FILTER_CURRENT) return;
    for (int e = 0; e < block_pattern_entries(&mesh->neighbours); e++) {
        weights->entries[e] = weight(cloth, mesh->rest_distance[e]);
    }
    make_form(cloth);
    weights->stencil =
        mesh->row_width > 0 && (filter.form != FILTER_CONSERVING || masses_are_equal(cloth));
    if (weights->stencil) make_stencil(cloth);
}

// Each pair of neighbours once, because the exponential dominates the cost.
static void weigh_current_distances(Cloth *cloth, const double *x)
{
    const Mesh *mesh = &cloth->mesh;
    double *w = cloth->filter_weights.entries;
    for (int p = 0; p < mesh->particle_count; p++) w[mesh->neighbours.diagonal[p]] = 1.0;
    for (int s = 0; s < mesh->spring_count; s++) {
        Vec3 d = vec3_sub(mesh_vector(mesh, x, mesh->springs[s][0]),
                          mesh_vector(mesh, x, mesh->springs[s][1]));
        const int *entry = mesh->spring_entry[s];
        w[entry[0]] = w[entry[1]] = weight(cloth, vec3_length(d));
    }
    make_form(cloth);
}

// out = F source over all particles, through the sparse matrix
static void apply_list(const Cloth *cloth, const double *source, double *out)
{
    const Mesh *mesh = &cloth->mesh;
    const BlockPattern *neighbours = &mesh->neighbours;
    const double *weights = cloth->filter_weights.entries;
    const int *first = mesh->first_dof;
    int stride = mesh->component_stride;
    for (int p = 0; p < mesh->particle_count; p++) {
        Vec3 mean = {0};
        for (int e = neighbours->start[p]; e < neighbours->start[p + 1]; e++) {
            const double *there = source + first[neighbours->column[e]];
            mean.x += weights[e] * there[0];
            mean.y += weights[e] * there[stride];
            mean.z += weights[e] * there[2 * stride];
        }
        mesh_set_vector(mesh, out, p, mean);
    }
}

// Where particle 0 stands in the stencil's input; components are `source_width` apart
static double *source_grid(const Cloth *cloth)
{
    return cloth->filter_weights.source + BORDER_ROWS * 3 * source_width(&cloth->mesh) + LEFT;
}

static Vec3 source_vector(const Cloth *cloth, int p)
{
    const Mesh *mesh = &cloth->mesh;
    if (!cloth->filter_weights.stencil) return mesh_vector(mesh, cloth->filter_weights.source, p);
    int wide = source_width(mesh), row = p / mesh->columns, column = p % mesh->columns;
    const double *q = source_grid(cloth) + 3 * row * wide + column;
    return (Vec3){q[0], q[wide], q[2 * wide]};
}

Vec3 filter_input(const Cloth *cloth, int particle)
{
    return source_vector(cloth, particle);
}

static void apply_corrections(const Cloth *cloth, double *v)
{
    const Mesh *mesh = &cloth->mesh;
    const FilterWeights *weights = &cloth->filter_weights;
    for (int k = 0; k < weights->correction_count; k++) {
        const int *ends = mesh->springs[weights->corrected[k]];
        Vec3 w = vec3_sub(source_vector(cloth, ends[1]), source_vector(cloth, ends[0]));
        for (int side = 0; side < 2; side++) {
            double amount = side ? -weights->correction[k] : weights->correction[k];
            Vec3 sum = vec3_add_scaled(mesh_vector(mesh, v, ends[side]), amount, w);
            mesh_set_vector(mesh, v, ends[side], sum);
        }
    }
}

// A grid's stencil. v is copied into an array with zeros around it, and filtered from there, row by
// row while they are in the cache. Bands of rows are for threads: each copies the rows that others
// look at before any of them is filtered, and the rest on the way.
typedef struct StencilJob {
    const Cloth *cloth;
    const FilterSweep *sweep;
    int parts;
} StencilJob;

static void copy_row(const StencilJob *job, int row)
{
    const Mesh *mesh = &job->cloth->mesh;
    int width = mesh->row_width, wide = source_width(mesh);
    double *grid = source_grid(job->cloth);
    for (int line = 3 * row; line < 3 * row + 3; line++)
        memcpy(grid + line * wide, job->sweep->out + line * width,
               (size_t)mesh->columns * sizeof(double));
}

static void copy_edges(void *self, int part)
{
    const StencilJob *job = self;
    int rows = job->cloth->mesh.rows, first = crew_start(rows, job->parts, part);
    int last = crew_start(rows, job->parts, part + 1);
    for (int row = first; row < last; row++) {
        if (row < first + BORDER_ROWS || row >= last - BORDER_ROWS) copy_row(job, row);
    }
}

static void filter_band(void *self, int part)
{
    const StencilJob *job = self;
    int rows = job->cloth->mesh.rows, first = crew_start(rows, job->parts, part);
    int last = crew_start(rows, job->parts, part + 1);
    for (int row = first; row < last; row++) {
        if (row + BORDER_ROWS < last - BORDER_ROWS) copy_row(job, row + BORDER_ROWS);
        job->cloth->kernels->filter_rows(job->sweep, row, row + 1);
    }
}

// out = F out over a grid, without the corrections.
static void apply_stencil(const Cloth *cloth, FilterSweep sweep)
{
    const FilterWeights *weights = &cloth->filter_weights;
    sweep.width = cloth->mesh.row_width;
    sweep.kernel = weights->kernel;
    sweep.own = weights->own;
    sweep.gain = weights->gain;
    sweep.source = source_grid(cloth);
    sweep.source_width = source_width(&cloth->mesh);
    StencilJob job = {cloth, &sweep, crew_parts(cloth->crew, cloth->mesh.rows, BAND_ROWS)};
    crew_run(cloth->crew, job.parts, copy_edges, &job);
    crew_run(cloth->crew, job.parts, filter_band, &job);
}

static double sum_of_losses(const Cloth *cloth)
{
    double sum = 0.0;
    for (int row = 0; row < cloth->mesh.rows; row++) sum += cloth->filter_weights.loss[row];
    return sum;
}

// In one pass, with what follows, where no corrections are to be made. Velocities only.
static double filter_in_one_pass(const Cloth *cloth, FilterSweep sweep)
{
    sweep.mass = cloth->mass;
    sweep.inverse_mass = cloth->inverse_mass;
    sweep.loss = cloth->filter_weights.loss;
    apply_stencil(cloth, sweep);
    return sum_of_losses(cloth);
}

static bool takes_one_pass(const Cloth *cloth)
{
    return cloth->filter_weights.stencil && cloth->filter_weights.correction_count == 0;
}

// values = F values; held particles too
static void apply(Cloth *cloth, const double *x, double *values)
{
    if (cloth->filter.distance == FILTER_CURRENT) weigh_current_distances(cloth, x);
    if (cloth->filter_weights.stencil) {
        apply_stencil(cloth, (FilterSweep){.out = values});
        apply_corrections(cloth, values);
        return;
    }
    double *source = cloth->filter_weights.source;
    memcpy(source, values, (size_t)cloth->mesh.dofs * sizeof *values);
    apply_list(cloth, source, values);
}

// The kinetic energy that the filter took, from its input to v. That of held particles is 0.
static double loss_to(const Cloth *cloth, const double *v)
{
    const Mesh *mesh = &cloth->mesh;
    const SpringKernels *kernels = cloth->kernels;
    if (!cloth->filter_weights.stencil)
        return 0.5 *
               kernels->square_loss(1, mesh->dofs, cloth->mass, cloth->filter_weights.source, 0, v);
    return 0.5 * kernels->square_loss(3 * mesh->rows, mesh->row_width, cloth->mass,
                                      source_grid(cloth), source_width(mesh), v);
}

double filter_velocities(Cloth *cloth, const double *x, double *v)
{
    if (takes_one_pass(cloth)) return filter_in_one_pass(cloth, (FilterSweep){.out = v});
    apply(cloth, x, v);
    for (int p = 0; p < cloth->mesh.particle_count; p++) {
        if (cloth_is_held(cloth, p)) mesh_set_vector(&cloth->mesh, v, p, source_vector(cloth, p));
    }
    return loss_to(cloth, v);
}

bool filter_and_drift(const Cloth *cloth, const ForceStep *step, ForceSums *sums, double *loss)
{
    if (!takes_one_pass(cloth)) return false;
    GridRowSums *ends = cloth->filter_weights.ends;
    *loss = filter_in_one_pass(
        cloth,
        (FilterSweep){
            .out = step->new_v, .h = step->h, .x = step->x, .new_x = step->new_x, .sums = ends});
    *sums = sweep_sums(cloth->mesh.rows, ends);
    return true;
}

double filter_forces(Cloth *cloth, const double *x, const double *v, double *f)
{
    double before = vector_dot(cloth->mesh.dofs, v, f);
    double *a = cloth->filter_weights.acceleration;
    int dofs = cloth->mesh.dofs;
    for (int i = 0; i < dofs; i++) a[i] = cloth->inverse_mass[i] * f[i]; // 0 where held
    apply(cloth, x, a);
    for (int i = 0; i < dofs; i++) {
        if (cloth->inverse_mass[i] > 0.0) f[i] = cloth->mass[i] * a[i];
    }
    return before - vector_dot(dofs, v, f);
}
