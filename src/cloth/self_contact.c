#include "cloth/self_contact.h"

#include "cloth/self_blocks.h"
#include "cloth/self_list.h"
#include "cloth/self_search.h"
#include "cloth/self_touch.h"
#include "cloth/spring_kernels.h"

#include <stdlib.h>
#include <string.h>

// In spacings: how far particles may leave the way they were expected to go before the next search.
#define MARGIN 0.2
// How far `seen` is ahead at most, in spacings and in steps.
#define LEAD 0.3
#define LEAD_STEPS 25.0
// Pairs nearer than so many ways of a step, and SELF_LEAST_TIGHT, have limits. Others cannot meet,
// as nothing moves further than SELF_MOST of that. The first where it is at most so many spacings,
// else the second: contact may then hardly make a way longer, but fewer pairs are listed.
#define TIGHT 4.0
#define TIGHT_SPACINGS 0.5
#define LEAST_TIGHT 2.1
// In spacings: a search never looks further, and nothing moves further in a step than SELF_MOST of
// it, relative to the whole.
#define LARGEST_REACH 3.0
// When there is no room for all pairs, it looks less far, but as far as this.
#define LEAST_REACH 0.45
// Of these many particles the mean motion is that of the whole.
enum { SAMPLES = 16 };

double self_contact_thickness(const Mesh *mesh)
{
    return SELF_THICKNESS * mesh->spacing;
}

int self_contact_capacity(const Mesh *mesh)
{
    int usual = SELF_PAIRS * mesh->particle_count, most = SELF_PAIRS_ROOM;
    if (mesh->particle_count <= SELF_PAIRS_ROOM / SELF_PAIRS_MOST)
        most = SELF_PAIRS_MOST * mesh->particle_count;
    return most > usual ? most : usual;
}

// ---- making

static Status out_of_memory(const Mesh *mesh, Error *error)
{
    return error_set(error, STATUS_OUT_OF_MEMORY,
                     "not enough memory for the contacts of %d particles with each other",
                     mesh->particle_count);
}

static bool allocate(SelfContact *contact, const Mesh *mesh)
{
    size_t particles = (size_t)mesh->particle_count, pairs = (size_t)contact->capacity,
           close = (size_t)contact->close_capacity;
    contact->place = calloc(particles, sizeof *contact->place);
    contact->at = calloc(particles, sizeof *contact->at);
    contact->ahead = calloc(particles, sizeof *contact->ahead);
    contact->room = calloc(particles, sizeof *contact->room);
    contact->close = calloc(close, sizeof *contact->close);
    contact->close_before = calloc(close, sizeof *contact->close_before);
    contact->awake = calloc(close, sizeof *contact->awake);
    contact->pairs = calloc(pairs, sizeof *contact->pairs);
    contact->pairs_spare = calloc(pairs, sizeof *contact->pairs_spare);
    contact->slack = calloc(pairs, sizeof *contact->slack);
    contact->slack_spare = calloc(pairs, sizeof *contact->slack_spare);
    contact->tangled = calloc(particles, sizeof *contact->tangled);
    contact->crossing = calloc(particles, sizeof *contact->crossing);
    contact->touches = calloc((size_t)contact->touch_capacity, sizeof *contact->touches);
    contact->movers = calloc(particles, sizeof *contact->movers);
    contact->mover = calloc(particles, sizeof *contact->mover);
    contact->limit = calloc(particles, sizeof *contact->limit);
    contact->limited = calloc(particles, sizeof *contact->limited);
    contact->held = calloc(particles, sizeof *contact->held);
    contact->tight = calloc(pairs, sizeof *contact->tight);
    return contact->place && contact->at && contact->ahead && contact->room && contact->close &&
           contact->close_before && contact->awake && contact->pairs && contact->pairs_spare &&
           contact->slack && contact->slack_spare && contact->tangled && contact->crossing &&
           contact->touches && contact->movers && contact->mover && contact->limit &&
           contact->limited && contact->held && contact->tight;
}

Status self_contact_init(SelfContact *contact, const Mesh *mesh, Error *error)
{
    *contact = (SelfContact){.step = 1, // no block has boxes of it yet
                             .capacity = self_contact_capacity(mesh),
                             .usual = SELF_PAIRS * mesh->particle_count,
                             .roomy = SELF_PAIRS * mesh->particle_count,
                             .close_capacity = SELF_CLOSE * mesh->particle_count,
                             .touch_capacity = SELF_TOUCHES * mesh->particle_count,
                             .crossing_capacity = mesh->particle_count};
    Status status = boxes_init(&contact->boxes, mesh, error);
    if (status == STATUS_OK && !allocate(contact, mesh)) status = out_of_memory(mesh, error);
    if (status == STATUS_OK && mesh->triangle_count > 0)
        status = self_blocks_init(contact, mesh, error);
    if (status != STATUS_OK) {
        self_contact_finish(contact);
        return status;
    }
    for (int p = 0; p < mesh->particle_count; p++) {
        contact->limit[p] = INFINITY;
        contact->mover[p] = -1;
    }
    return STATUS_OK;
}

void self_contact_finish(SelfContact *contact)
{
    boxes_finish(&contact->boxes);
    self_blocks_finish(contact);
    free(contact->place);
    free(contact->at);
    free(contact->ahead);
    free(contact->room);
    free(contact->close);
    free(contact->close_before);
    free(contact->awake);
    free(contact->pairs);
    free(contact->pairs_spare);
    free(contact->slack);
    free(contact->slack_spare);
    free(contact->tangled);
    free(contact->crossing);
    free(contact->touches);
    free(contact->movers);
    free(contact->mover);
    free(contact->limit);
    free(contact->limited);
    free(contact->held);
    free(contact->tight);
    *contact = (SelfContact){0};
}

void self_contact_forget(SelfContact *contact)
{
    contact->searched = contact->followed = contact->surveyed = false;
}

// ---- motion

static Vec3 mean_motion(const Mesh *mesh, const double *from, const double *to)
{
    Vec3 sum = {0};
    for (int i = 0; i < SAMPLES; i++) {
        int p = (int)((long)i * (mesh->particle_count - 1) / (SAMPLES - 1));
        sum = vec3_add(sum, vec3_sub(mesh_vector(mesh, to, p), mesh_vector(mesh, from, p)));
    }
    return vec3_scale(1.0 / SAMPLES, sum);
}

static inline uint64_t bits_of(Vec3 a)
{
    uint64_t bits[3];
    memcpy(bits, &a, sizeof bits);
    return bits[0] ^ bits[1] ^ bits[2];
}

// Of all particles from one state to the other, in a frame that moves by `frame`.
static GridMotion motion(const Cloth *cloth, const double *from, const double *to, Vec3 frame)
{
    const Mesh *mesh = &cloth->mesh;
    if (mesh->row_width > 0) return cloth->kernels->grid_motion(mesh, from, to, frame);
    GridMotion all = {0};
    for (int p = 0; p < mesh->particle_count; p++) {
        Vec3 start = mesh_vector(mesh, from, p), end = mesh_vector(mesh, to, p);
        Vec3 way = vec3_sub(vec3_sub(end, start), frame);
        double square = vec3_dot(way, way);
        all.square = square > all.square ? square : all.square;
        all.from ^= bits_of(start);
        all.to ^= bits_of(end);
    }
    return all;
}

static Vec3 frame_of(const SelfContact *contact, const Mesh *mesh, const double *from,
                     const double *to)
{
    return contact->floats ? mean_motion(mesh, from, to) : (Vec3){0};
}

// The largest of what particles are further from `seen` than `ahead` is long, m; less than 0 when
// all are nearer.
static double moved_from(const SelfContact *contact, const Mesh *mesh, const SelfState *state,
                         const double *x)
{
    int count = mesh->row_width > 0 ? mesh->columns : 1, stride = mesh->component_stride;
    Vec3 frame = frame_of(contact, mesh, state->seen, x);
    double largest = -INFINITY;
    for (int p = 0; p < mesh->particle_count; p += count) {
        int dof = mesh->first_dof[p];
        for (int i = dof; i < dof + count; i++) {
            double dx = x[i] - state->seen[i] - frame.x,
                   dy = x[i + stride] - state->seen[i + stride] - frame.y,
                   dz = x[i + 2 * stride] - state->seen[i + 2 * stride] - frame.z;
            double more = sqrt(dx * dx + dy * dy + dz * dz) - (double)contact->room[p + i - dof];
            largest = more > largest ? more : largest;
        }
    }
    return largest;
}

// ---- searching

// `seen` and `ahead` for a step from old_x by at most `way`, ahead of it by at most `most`, m. Both
// are single precision, so that a saved state is small.
static void look_ahead(const SelfContact *contact, const Cloth *cloth, SelfState *state,
                       const double *old_x, double way, double most)
{
    const Mesh *mesh = &cloth->mesh;
    double steps = way > 0.0 ? fmin(most / way, LEAD_STEPS) : 0.0;
    Vec3 frame = frame_of(contact, mesh, old_x, cloth->x);
    for (int p = 0; p < mesh->particle_count; p++) {
        Vec3 x = mesh_vector(mesh, old_x, p), to = mesh_vector(mesh, cloth->x, p);
        Vec3 ahead = vec3_scale(steps, vec3_sub(vec3_sub(to, x), frame)), seen = vec3_add(x, ahead);
        mesh_set_vector(mesh, state->ahead, p,
                        (Vec3){(float)ahead.x, (float)ahead.y, (float)ahead.z});
        mesh_set_vector(mesh, state->seen, p, (Vec3){(float)seen.x, (float)seen.y, (float)seen.z});
    }
}

static void look_here(const Mesh *mesh, SelfState *state, const double *old_x)
{
    memcpy(state->seen, old_x, (size_t)mesh->dofs * sizeof(double));
    memset(state->ahead, 0, (size_t)mesh->dofs * sizeof(double));
}

// A new search for a step from old_x by at most `way` that has to reach as far as `needed`.
static void search_anew(SelfContact *contact, const Cloth *cloth, SelfState *state,
                        const double *old_x, double way, double needed)
{
    const Mesh *mesh = &cloth->mesh;
    state->reach = needed + 2.0 * MARGIN * mesh->spacing;
    if (state->suspect)
        look_here(mesh, state, old_x);
    else
        look_ahead(contact, cloth, state, old_x, way, LEAD * mesh->spacing);
    self_search(contact, mesh, state, state->suspect);
    // Too many to list: look less far, and let nothing move further in this step than that.
    if (contact->full) look_here(mesh, state, old_x);
    while (contact->full && state->reach > LEAST_REACH * mesh->spacing) {
        state->reach *= 0.7;
        self_search(contact, mesh, state, true);
    }
}

// Makes sure that the list has all that may meet in the step from old_x, and gathers it.
static void prepare_step(SelfContact *contact, const Cloth *cloth, SelfState *state,
                         const SelfStep *step)
{
    const Mesh *mesh = &cloth->mesh;
    const double *old_x = step->old_x;
    bool same_frame = contact->floats == step->floats;
    contact->floats = step->floats;
    GridMotion moved = motion(cloth, old_x, cloth->x, frame_of(contact, mesh, old_x, cloth->x));
    double way = sqrt(moved.square), thickness = self_contact_thickness(mesh);
    double tight = fmax(fmin(TIGHT * way, TIGHT_SPACINGS * mesh->spacing), LEAST_TIGHT * way);
    tight = fmin(tight + SELF_LEAST_TIGHT * mesh->spacing, LARGEST_REACH * mesh->spacing);
    double near = 2.0 * way + SELF_PUSHED * mesh->spacing,
           needed = fmax(thickness + near, tight + 0.5 * thickness);
    bool known = contact->searched, good = !state->suspect;
    // somebody moved the particles between two steps
    bool goes_on = moved.from == contact->positions;
    if (!goes_on) contact->surveyed = false;
    if (!known) contact->close_count = 0;
    if (!known && good) self_search(contact, mesh, state, false);
    // `moved` grows with each step's largest motion; whether it is too much is decided exactly
    if (good &&
        (!known || !same_frame || !goes_on || state->reach - 2.0 * contact->moved < needed)) {
        contact->moved = moved_from(contact, mesh, state, old_x);
        good = state->reach - 2.0 * contact->moved >= needed;
    }
    if (!good) {
        search_anew(contact, cloth, state, old_x, way, needed);
        contact->moved = moved_from(contact, mesh, state, old_x);
        self_list_compact(contact);
    }
    if (state->suspect) self_list_none(contact); // what is tangled has changed
    tight = fmin(tight, state->reach - 2.0 * contact->moved - 0.5 * thickness);
    self_gather(contact, cloth, step, mean_motion(mesh, old_x, cloth->x), (SelfRange){near, tight});
}

void self_contact_gather(SelfContact *contact, const Cloth *cloth, SelfState *state,
                         const SelfStep *step)
{
    prepare_step(contact, cloth, state, step);
}

SelfReport self_contact_push(SelfContact *contact, Cloth *cloth, SelfState *state,
                             const SelfStep *step)
{
    prepare_step(contact, cloth, state, step);
    SelfReport report = {.pairs = self_push(contact, cloth, step)};
    if (contact->crossings > 0) report.work += self_untangle(contact, cloth, step->h);
    return report;
}

// ---- the limits

// Takes a particle back to its limit, and as much of its velocity, in a frame that moved by
// `frame`. Returns true if it was beyond it.
static bool take_back(Cloth *cloth, int particle, const SelfStep *step, Vec3 frame, double limit,
                      double *work)
{
    const Mesh *mesh = &cloth->mesh;
    Vec3 x = mesh_vector(mesh, cloth->x, particle), v = mesh_vector(mesh, cloth->v, particle);
    Vec3 start = vec3_add(mesh_vector(mesh, step->old_x, particle), frame),
         way = vec3_sub(x, start);
    double square = vec3_dot(way, way);
    if (!(square > limit * limit)) return false;
    double share = limit / sqrt(square);
    mesh_set_vector(mesh, cloth->x, particle, vec3_add_scaled(start, share, way));
    if (cloth_is_held(cloth, particle)) return true;
    Vec3 after = vec3_scale(share, v),
         both = vec3_add(mesh_vector(mesh, step->old_v, particle), after);
    mesh_set_vector(mesh, cloth->v, particle, after);
    *work += 0.5 * cloth_mass(cloth, particle) * (share - 1.0) * vec3_dot(v, both);
    return true;
}

// Does a plane that separates the two at the start still do so at the end? What goes apart may,
// even if it was so near that rounding hides the plane: it would be held for ever.
static bool stay_apart(const Mesh *mesh, const SelfPair *pair, const double *old_x, const double *x)
{
    double before = self_gap(mesh, pair, old_x), after = self_gap(mesh, pair, x);
    return after > before || (before > 0.0 && after >= (1.0 - 2.0 * SELF_SHARE) * before);
}

// One more particle keeps its limit. Returns true if it was beyond it.
static bool hold_particle(SelfContact *contact, Cloth *cloth, int particle, const SelfStep *step,
                          Vec3 frame, double *work)
{
    if (contact->held[particle]) return false;
    contact->held[particle] = true;
    double limit = fmin(contact->limit[particle], contact->most);
    return take_back(cloth, particle, step, frame, limit, work);
}

// All particles of tight pairs that did not stay apart. What is taken back may come near others, so
// this is repeated until all did. Each time another particle keeps its limit, so that it ends.
static int hold_tight(SelfContact *contact, Cloth *cloth, const SelfStep *step, Vec3 frame,
                      double *work)
{
    const Mesh *mesh = &cloth->mesh;
    int taken = 0, before = -1;
    while (taken != before) {
        before = taken;
        for (int i = 0; i < contact->tight_count; i++) {
            const SelfTight *tight = &contact->tight[i];
            const SelfPair *pair =
                &contact->pairs[contact->close[tight->close].first + tight->pair];
            if (stay_apart(mesh, pair, step->old_x, cloth->x)) continue;
            for (int k = 0; k < 4; k++)
                taken += hold_particle(contact, cloth, pair->particle[k], step, frame, work);
        }
    }
    return taken;
}

void self_contact_hold(SelfContact *contact, Cloth *cloth, const SelfStep *step, SelfReport *report)
{
    const Mesh *mesh = &cloth->mesh;
    Vec3 frame = frame_of(contact, mesh, step->old_x, cloth->x);
    GridMotion moved = motion(cloth, step->old_x, cloth->x, frame);
    int held_back = 0;
    // more than was expected
    for (int p = 0; p < mesh->particle_count && sqrt(moved.square) > contact->most; p++)
        held_back += take_back(cloth, p, step, frame, contact->most, &report->work);
    held_back += hold_tight(contact, cloth, step, frame, &report->work);
    for (int i = 0; i < contact->limited_count; i++) {
        contact->limit[contact->limited[i]] = INFINITY;
        contact->held[contact->limited[i]] = false;
    }
    contact->limited_count = contact->tight_count = 0;
    report->held_back = held_back;
    report->work += self_push_work(contact, cloth, step);
    if (held_back > 0) {
        frame = frame_of(contact, mesh, step->old_x, cloth->x);
        moved = motion(cloth, step->old_x, cloth->x, frame);
    }
    contact->positions = moved.to;
    contact->last_way = sqrt(moved.square);
    contact->moved += contact->last_way;
    contact->gone += contact->last_way;
    contact->survey_age++;
}
