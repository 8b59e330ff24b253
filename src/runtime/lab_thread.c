// The lab's worker.
//
// Design
//   simulation's thread --- states: newest copy ---> worker --- results: newest ---> window
//   Both are triple buffers: no thread waits, and a late reader skips to the newest slot. `wanted`
//   tells the simulation that a copy would be used; without it nothing is copied. Nothing goes back
//   to the simulation: its results must not depend on the worker's timing. The mutex guards the two
//   flags that the worker sleeps on, and is held only to set or read them.
//
//   The worker rests at least as long as it computed and has a lower priority, so it uses only
//   time that others leave. Measuring rho takes hundreds of real steps: twice a second while the
//   cloth moves, as many as fit into a tenth of a second; with more time once it rests.
//
// The worker owns everything below the line. It ends only by lab_thread_stop.
#include "runtime/lab_thread.h"

#include "base/clock.h"
#include "runtime/map_work.h"
#include "runtime/triple_buffer.h"
#include "simulation/state.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#define INTERVAL (1.0 / 15.0)   // s between two analyses: faster than anyone can read
#define MEASURE_INTERVAL 0.5    // s between two measurements of rho
#define EXACT_INTERVAL 3.0      // s between two searches for the limits of stiffnesses
#define MEASURE_TIME_MOVING 0.1 // s, limit for one while the cloth moves
#define MEASURE_TIME_RESTING 1.0
#define RESTING 0.3 // s without a new state
enum { RESTING_PRODUCTS = 400 };
enum { NICENESS = 5 }; // a third of the weight of others; 10 would starve it on a busy machine

#define MAP_SLICE 0.04 // s of computing on a map after an analysis

#define TRIAL_TIME 10.0  // s, simulated, per remedy
#define TRIAL_BUDGET 5.0 // s of computing per remedy

struct LabThread {
    pthread_t thread;
    void (*wake)(void);
    atomic_bool wanted;
    atomic_bool ends; // its steps end in the middle
    TripleBuffer state_buffer, result_buffer;
    State *states[3];
    int lanes[3]; // that they are of
    LabResult results[3];

    pthread_mutex_t mutex;
    pthread_cond_t news;
    // guarded by the mutex
    bool has_state, quit;
    bool map_asked, map_changed;
    MapRequest map_request;

    // ---- the worker's own ----
    Simulation *simulation; // a private one; NULL before the first state
    Lab lab;
    int lane;                  // of the state in `simulation`
    unsigned topology_version; // of it
    unsigned revision;         // of its parameters
    unsigned serial;
    Analysis analysis, measured; // the last one, and the last one with rho and a density
    unsigned measured_revision;
    double seconds;       // s, duration of the last analysis
    double measure_at;    // s, time of the last measurement
    bool measure_pending; // rho of the state in `simulation` deserves more time
    bool has_growing;     // lab.map.shape is valid
    State *diverged;      // room for the state from which remedies are tried
    Remedies remedies;
    unsigned remedies_revision; // of the parameters they were tried with
    StableRange lambda;
    MapWork map;
    UnstableRanges exact; // of the stiffnesses
    unsigned lambda_revision, exact_revision;
    double exact_at; // s, time of its computation
};

const float *lab_result_shape(const LabResult *result, int mode)
{
    int index = mode == LAB_SOFTEST   ? SPECTRUM_MODES
                : mode == LAB_GROWING ? SPECTRUM_MODES + 1
                                      : mode;
    if (index < 0 || index >= LAB_SHAPES || !result->has_shape[index]) return NULL;
    return result->shapes + (size_t)index * 3 * (size_t)result->particle_count;
}

// Wait until `deadline` (INFINITY: none), quit, or a new state if `for_state`. False to quit.
static bool wait_for(LabThread *self, double deadline, bool for_state, bool *has_state)
{
    struct timespec until = {0};
    if (!isinf(deadline)) {
        until.tv_sec = (time_t)deadline;
        until.tv_nsec = (long)((deadline - (double)until.tv_sec) * 1e9);
    }
    pthread_mutex_lock(&self->mutex);
    int code = 0;
    while (!self->quit && !(for_state && (self->has_state || self->map_changed)) &&
           code != ETIMEDOUT) {
        code = isinf(deadline) ? pthread_cond_wait(&self->news, &self->mutex)
                               : pthread_cond_timedwait(&self->news, &self->mutex, &until);
    }
    bool quit = self->quit;
    if (for_state) {
        *has_state = self->has_state;
        self->has_state = self->map_changed = false;
    }
    pthread_mutex_unlock(&self->mutex);
    return !quit;
}

// Load the newest state into the private simulation. False when there is no memory.
static bool load(LabThread *self)
{
    triple_buffer_take(&self->state_buffer);
    const State *state = self->states[self->state_buffer.front];
    StateInfo info = state_info(state);
    Status status = self->simulation ? state_restore(state, self->simulation, NULL)
                                     : state_create_simulation(state, &self->simulation, NULL);
    if (status != STATUS_OK) return false;
    simulation_set_cancel(self->simulation, &self->ends);
    if (!lab_fits(&self->lab, self->simulation)) {
        lab_finish(&self->lab);
        map_work_finish(&self->map);
        if (lab_init(&self->lab, self->simulation, NULL) != STATUS_OK) return false;
        self->has_growing = false;
    }
    int lane = self->lanes[self->state_buffer.front];
    if (info.topology_version != self->topology_version || lane != self->lane) {
        lab_forget(&self->lab);
        self->measured = (Analysis){0};
        self->has_growing = false;
    }
    if (lane != self->lane) { // its parameters are others, whatever their revision says
        self->measured_revision = self->lambda_revision = self->exact_revision =
            self->remedies_revision = info.revision - 1;
        self->remedies = (Remedies){0};
        self->measure_at = 0.0;
    }
    self->lane = lane;
    self->topology_version = info.topology_version;
    self->revision = info.revision;
    self->measure_pending = true;
    return true;
}

static bool make_room(LabResult *result, int particle_count)
{
    if (result->shapes && result->particle_count == particle_count) return true;
    free(result->shapes);
    *result = (LabResult){.particle_count = particle_count};
    result->shapes = calloc((size_t)LAB_SHAPES * 3 * (size_t)particle_count, sizeof(float));
    return result->shapes != NULL;
}

static void copy_shape(LabThread *self, LabResult *result, int index, int mode, bool there)
{
    result->has_shape[index] = there;
    if (!there) return;
    lab_mode_shape(&self->lab, self->simulation, mode,
                   result->shapes + (size_t)index * 3 * (size_t)result->particle_count);
}

static void publish(LabThread *self)
{
    StateInfo info = state_info(self->states[self->state_buffer.front]);
    LabResult *result = &self->results[self->result_buffer.back];
    if (!make_room(result, info.particle_count)) return; // the last one stays
    result->serial = ++self->serial;
    result->lane = self->lane;
    result->topology_version = info.topology_version;
    result->step_count = info.step_count;
    result->analysis = self->analysis;
    if (self->measured_revision == self->revision) {
        analysis_adopt_rho(&result->analysis, &self->measured);
    }
    result->density = self->measured.density;
    result->remedies = self->remedies;
    result->unstable = unstable_ranges(&self->lab, self->simulation, &self->analysis);
    result->unstable.lambda =
        self->lambda_revision == self->revision ? self->lambda : unstable_nowhere.lambda;
    if (self->exact_revision == self->revision && self->exact.exact) {
        result->unstable.stretch = self->exact.stretch;
        result->unstable.shear = self->exact.shear;
        result->unstable.bend = self->exact.bend;
        result->unstable.exact = true;
    }
    result->seconds = self->seconds;
    result->has_map = self->map.has_shown;
    if (result->has_map) result->map = self->map.shown;
    for (int m = 0; m < SPECTRUM_MODES; m++) {
        copy_shape(self, result, m, m, m < self->analysis.mode_count);
    }
    copy_shape(self, result, SPECTRUM_MODES, LAB_SOFTEST, self->analysis.mode_count > 0);
    copy_shape(self, result, SPECTRUM_MODES + 1, LAB_GROWING, self->has_growing);
    triple_buffer_publish(&self->result_buffer);
    if (self->wake) self->wake();
}

static void analyze(LabThread *self, const AnalysisPlan *plan)
{
    double start = clock_seconds();
    lab_analyze(&self->lab, self->simulation, plan, &self->analysis);
    double now = clock_seconds();
    self->seconds = now - start;
    if (plan->map_products > 0) {
        self->measured = self->analysis;
        self->measured_revision = self->revision;
        self->has_growing = self->analysis.measured;
        self->lambda = unstable_lambda(&self->lab, self->simulation, &self->analysis);
        bool old = now - self->exact_at > EXACT_INTERVAL || plan->map_seconds > MEASURE_TIME_MOVING;
        if (self->exact_revision != self->revision || old) {
            self->exact = unstable_stiffness(&self->lab, self->simulation);
            self->exact_at = clock_seconds();
        }
        self->lambda_revision = self->exact_revision = self->revision;
        self->measure_at = now;
        self->measure_pending = !self->analysis.map.rho.converged ||
                                self->analysis.k_min_residual > 0.05 * fabs(self->analysis.k_min);
    }
    publish(self);
}

// True when the state of the trials is no longer the newest, or the lab ends.
static bool is_over(void *argument)
{
    LabThread *self = argument;
    pthread_mutex_lock(&self->mutex);
    bool over = self->quit || self->has_state;
    pthread_mutex_unlock(&self->mutex);
    return over;
}

static void found(void *argument, const Remedies *remedies)
{
    LabThread *self = argument;
    self->remedies = *remedies;
    publish(self);
}

// After a divergence: find what would have helped. Stops when another state arrives.
static void find_remedies(LabThread *self)
{
    const Autopsy *autopsy = simulation_autopsy(self->simulation);
    if (!autopsy) return;
    bool known = self->remedies.complete && self->remedies.autopsy == autopsy->serial &&
                 self->remedies_revision == self->revision;
    if (known) return;
    atomic_store_explicit(&self->wanted, true, memory_order_relaxed);
    RemedyPlan plan = {TRIAL_TIME, TRIAL_BUDGET, is_over, found, self};
    self->remedies_revision = self->revision;
    if (remedies_find(self->simulation, self->diverged, &plan, &self->remedies)) publish(self);
}

// A little more of the map that the window asked for.
static void work_on_map(LabThread *self)
{
    pthread_mutex_lock(&self->mutex);
    bool asked = self->map_asked;
    MapRequest request = self->map_request;
    pthread_mutex_unlock(&self->mutex);
    map_work_ask(&self->map, asked ? &request : NULL);
    if (!self->simulation) return;
    double deadline = clock_seconds() + MAP_SLICE;
    if (map_work_go_on(&self->map, self->simulation, self->lane, deadline)) publish(self);
}

static void *run(void *argument)
{
    LabThread *self = argument;
    setpriority(PRIO_PROCESS, 0, NICENESS); // of this thread only, on Linux
    AnalysisPlan moving = analysis_measured, resting = analysis_measured;
    moving.map_seconds = MEASURE_TIME_MOVING;
    resting.map_seconds = MEASURE_TIME_RESTING;
    resting.map_products = analysis_thorough.map_products;
    resting.spectrum_products = RESTING_PRODUCTS;
    bool has_state = false;
    double quiet_from = clock_seconds();
    for (;;) {
        atomic_store_explicit(&self->wanted, true, memory_order_relaxed);
        double deadline = self->measure_pending ? quiet_from + RESTING : INFINITY;
        if (map_work_is_unfinished(&self->map)) deadline = clock_seconds();
        if (!wait_for(self, deadline, true, &has_state)) break;
        double start = clock_seconds();
        if (has_state) {
            quiet_from = start;
            if (!load(self)) continue; // wait for the next state
            bool measure = start - self->measure_at >= MEASURE_INTERVAL;
            analyze(self, measure ? &moving : &analysis_live);
            find_remedies(self);
        } else if (self->measure_pending && start >= quiet_from + RESTING) {
            analyze(self, &resting); // nothing moves: there is time
            self->measure_pending = false;
        }
        work_on_map(self);
        double now = clock_seconds();
        if (!wait_for(self, fmax(start + INTERVAL, now + (now - start)), false, NULL)) break;
    }
    return NULL;
}

static Status init_waiting(LabThread *self, Error *error)
{
    int code = pthread_mutex_init(&self->mutex, NULL);
    if (code == 0) {
        pthread_condattr_t attributes;
        pthread_condattr_init(&attributes);
        pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
        code = pthread_cond_init(&self->news, &attributes);
        pthread_condattr_destroy(&attributes);
        if (code != 0) pthread_mutex_destroy(&self->mutex);
    }
    if (code == 0) return STATUS_OK;
    return error_set(error, STATUS_OUT_OF_MEMORY, "cannot make the lab's lock: %s", strerror(code));
}

static void finish(LabThread *self)
{
    pthread_cond_destroy(&self->news);
    pthread_mutex_destroy(&self->mutex);
    for (int i = 0; i < 3; i++) {
        state_destroy(self->states[i]);
        free(self->results[i].shapes);
    }
    map_work_finish(&self->map);
    lab_finish(&self->lab);
    state_destroy(self->diverged);
    simulation_destroy(self->simulation);
    free(self);
}

Status lab_thread_start(void (*wake)(void), LabThread **out, Error *error)
{
    LabThread *self = calloc(1, sizeof *self);
    if (!self) return error_set(error, STATUS_OUT_OF_MEMORY, "not enough memory for the lab");
    self->wake = wake;
    atomic_init(&self->wanted, false);
    atomic_init(&self->ends, false);
    triple_buffer_init(&self->state_buffer);
    triple_buffer_init(&self->result_buffer);
    Status status = init_waiting(self, error);
    if (status != STATUS_OK) {
        free(self);
        return status;
    }
    for (int i = 0; i < 3 && status == STATUS_OK; i++) {
        status = state_create(&self->states[i], error);
    }
    if (status == STATUS_OK) status = state_create(&self->diverged, error);
    if (status != STATUS_OK) {
        finish(self);
        return status;
    }
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); // signals are for the application's threads
    int code = pthread_create(&self->thread, NULL, run, self);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (code != 0) {
        finish(self);
        return error_set(error, STATUS_OUT_OF_MEMORY, "cannot start the lab's thread: %s",
                         strerror(code));
    }
    *out = self;
    return STATUS_OK;
}

void lab_thread_stop(LabThread *lab)
{
    if (!lab) return;
    pthread_mutex_lock(&lab->mutex);
    lab->quit = true;
    atomic_store(&lab->ends, true);
    pthread_cond_signal(&lab->news);
    pthread_mutex_unlock(&lab->mutex);
    pthread_join(lab->thread, NULL);
    finish(lab);
}

bool lab_thread_wants_state(LabThread *lab)
{
    return atomic_load_explicit(&lab->wanted, memory_order_relaxed);
}

Status lab_thread_offer(LabThread *lab, const Simulation *simulation, int lane, Error *error)
{
    lab->lanes[lab->state_buffer.back] = lane;
    Status status = state_save(simulation, lab->states[lab->state_buffer.back], error);
    if (status != STATUS_OK) return status;
    atomic_store_explicit(&lab->wanted, false, memory_order_relaxed);
    triple_buffer_publish(&lab->state_buffer);
    pthread_mutex_lock(&lab->mutex);
    lab->has_state = true;
    pthread_cond_signal(&lab->news);
    pthread_mutex_unlock(&lab->mutex);
    return STATUS_OK;
}

void lab_thread_ask_map(LabThread *lab, const MapRequest *request)
{
    pthread_mutex_lock(&lab->mutex);
    bool same = lab->map_asked == (request != NULL) &&
                (!request || map_request_same(request, &lab->map_request));
    if (!same) {
        lab->map_asked = request != NULL;
        if (request) lab->map_request = *request;
        lab->map_changed = true;
        pthread_cond_signal(&lab->news);
    }
    pthread_mutex_unlock(&lab->mutex);
}

const LabResult *lab_thread_latest(LabThread *lab)
{
    triple_buffer_take(&lab->result_buffer);
    return &lab->results[lab->result_buffer.front];
}

bool lab_thread_has_news(LabThread *lab)
{
    return triple_buffer_has_news(&lab->result_buffer);
}
