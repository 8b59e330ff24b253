// The lab's worker.
//
// Design
//   simulation's thread --- states: newest copy ---> worker --- results: newest ---> window
//   Both are triple buffers: no thread waits, and a late reader skips to the newest slot. `wanted`
//   tells the simulation that a copy would be used; without it nothing is copied. Nothing goes back
//   to the simulation: its results must not depend on the worker's timing. The mutex guards the two
//   flags that the worker sleeps on, and is held only to set or read them.
//
//   A result is what one state says: limits, both ends of the spectrum, modes and their dots, rho
//   predicted. Most results follow the modes of the one before with a product each; twice a second
//   they are looked for anew. What takes longer is done in parts between two results, and every
//   result has the newest of it: rho of the real step, about a shape that stays until it is
//   measured; then density, limits of stiffnesses and of lambda, the map.
//
//   The worker has a lower priority and uses at most a share of the time: less while the simulation
//   is late, more until rho can be shown. Results come first.
//
// The worker owns everything below the line. It ends only by lab_thread_stop.
#include "runtime/lab_thread.h"

#include "base/clock.h"
#include "lab/rho_work.h"
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

#define INTERVAL (1.0 / 15.0) // s between two analyses: faster than anyone can read
#define SEARCH_INTERVAL 0.5   // s between two that look for modes anew, and so many times their
#define SEARCH_PATIENCE 8.0   // own duration at least
#define MEASURE_INTERVAL 0.5  // s between the beginnings of two measurements of rho
#define MEASURE_PATIENCE 4.0  // s after which one that has not converged begins anew
#define EXACT_INTERVAL 3.0    // s between two searches for the limits of stiffnesses, and so many
#define EXACT_PATIENCE 20.0   // times their own duration at least
#define RESTING_TIME 1.0      // s of computing for a measurement while nothing moves
#define RESTING 0.3           // s without a new state
#define SHOWN_RESIDUAL 0.1    // of rho: then nothing hurries
// After so many products all methods have a rho that can be shown, unless solves fail about the
// shape: another shape is tried then.
enum { HOPELESS_PRODUCTS = 24 };
enum { MOVING_PRODUCTS = 96, RESTING_PRODUCTS = 400 };
// Of a cloth with more particles so many products take a second, which the window's end waits for.
enum { LARGE = 6000, LARGE_PRODUCTS = 100 };
enum { NICENESS = 5 }; // a third of the weight of others; 10 would starve it on a busy machine

// Share of the time in which the worker computes: as long as the simulation is late it is halved
// with every result, and it grows by so much per second when it is not.
#define DUTY 0.5
#define DUTY_HURRY 0.8
#define DUTY_LEAST 0.04
#define DUTY_GROWTH 0.05
#define MOST_CREDIT 0.05 // s that it may compute at once after it had nothing to do
#define MOST_DEBT 0.1    // s that it may be in debt when it makes a result
#define LARGEST_DEBT 0.2 // s that it remembers

// s of computing on what takes long, after an analysis: at most, and even if the next one is due
#define SLICE 0.04
#define SLICE_LEAST 0.01

#define TRIAL_TIME 10.0  // s, simulated, per remedy
#define TRIAL_BUDGET 5.0 // s of computing per remedy

struct LabThread {
    pthread_t thread;
    void (*wake)(void);
    atomic_bool wanted;
    atomic_bool ends; // its steps end in the middle
    atomic_bool late; // the simulation is
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
    Analysis analysis; // the last one
    double search_due; // s, time at which modes are to be looked for anew
    double seconds;    // s, duration of the last analysis
    Analysis measured; // the last one with a rho worth showing
    unsigned measured_revision;
    RhoWork rho;           // a measurement
    unsigned rho_revision; // of the parameters in it
    double rho_begun;      // s, its time
    double rho_seconds;    // s of computing on it
    bool rho_over;         // it goes no further, and `density` is of it
    bool rho_rests;        // it is of a shape that rests
    SpectrumDensity density;
    double duty;              // share of the time that it may take
    double credit, credit_at; // s of computing that it may do, reckoned up to this time
    bool has_growing;         // lab.map.shape is valid
    State *diverged;          // room for the state from which remedies are tried
    Remedies remedies;
    unsigned remedies_revision; // of the parameters they were tried with
    StableRange lambda;
    MapWork map;
    UnstableRanges exact; // of the stiffnesses
    unsigned lambda_revision, exact_revision;
    double exact_due; // s, time of the next search for it
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

static void forget_rho(LabThread *self)
{
    rho_work_end(&self->rho);
    self->measured = (Analysis){0};
    self->has_growing = self->rho_rests = false;
    self->density = (SpectrumDensity){0};
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
        forget_rho(self);
        lab_finish(&self->lab);
        map_work_finish(&self->map);
        if (lab_init(&self->lab, self->simulation, NULL) != STATUS_OK) return false;
    }
    int lane = self->lanes[self->state_buffer.front];
    if (info.topology_version != self->topology_version || lane != self->lane) {
        lab_forget(&self->lab);
        forget_rho(self);
    }
    if (lane != self->lane) { // its parameters are others, whatever their revision says
        self->lambda_revision = self->exact_revision = self->remedies_revision =
            self->measured_revision = info.revision - 1;
        self->remedies = (Remedies){0};
    }
    self->lane = lane;
    self->topology_version = info.topology_version;
    self->revision = info.revision;
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
    if (self->measured_revision == self->revision)
        analysis_adopt_rho(&result->analysis, &self->measured);
    result->density = self->density;
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
    if (!self->analysis.followed)
        self->search_due = now + fmax(SEARCH_INTERVAL, SEARCH_PATIENCE * self->seconds);
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

static double residual_of(const Analysis *analysis)
{
    const StepMapRho *rho = analysis_own_rho(analysis);
    return rho->value > 0.0 ? rho->residual : INFINITY;
}

static bool rho_is_shown(const LabThread *self)
{
    const Analysis *a = &self->measured;
    return a->measured && residual_of(a) <= SHOWN_RESIDUAL &&
           self->measured_revision == self->revision;
}

static void begin_rho(LabThread *self, bool rests)
{
    const State *state = self->states[self->state_buffer.front];
    self->rho_over = !rho_work_begin(&self->rho, &self->lab, state, &self->analysis, &self->ends);
    self->rho_revision = self->revision;
    self->rho_begun = clock_seconds();
    self->rho_seconds = 0.0;
    self->rho_rests = rests;
}

// What is found once per measurement.
static void find_rest(LabThread *self)
{
    SimulationView view = simulation_view(self->simulation);
    spectrum_density(&self->lab.spectrum, view.system, view.x, analysis_measured.density_probes);
    self->density = self->lab.spectrum.density;
    self->lambda = unstable_lambda(&self->lab, self->simulation, &self->analysis);
    double start = clock_seconds();
    if (self->exact_revision != self->revision || start >= self->exact_due || self->rho_rests) {
        self->exact = unstable_stiffness(&self->lab, self->simulation);
        double now = clock_seconds();
        self->exact_due = now + fmax(EXACT_INTERVAL, EXACT_PATIENCE * (now - start));
    }
    self->lambda_revision = self->exact_revision = self->revision;
}

// Whether a measurement has to begin at the newest shape.
static bool rho_is_due(const LabThread *self, double now)
{
    if (!self->rho.open || self->rho_revision != self->revision) return true;
    double age = now - self->rho_begun;
    const Analysis *found = &self->rho.analysis;
    bool hopeless = found->map.products >= HOPELESS_PRODUCTS &&
                    !step_map_rho_is_legible(analysis_own_rho(found));
    return age >= (self->rho_over || hopeless ? MEASURE_INTERVAL : MEASURE_PATIENCE);
}

// A measurement that has just begun says less than the last one with the same parameters, and one
// that failed says nothing.
static void take_rho(LabThread *self)
{
    const Analysis *found = &self->rho.analysis;
    bool other = self->measured_revision != self->rho_revision || !self->measured.measured;
    bool better = residual_of(found) <= fmax(SHOWN_RESIDUAL, residual_of(&self->measured));
    bool ends = self->rho_over && step_map_rho_is_legible(analysis_own_rho(found));
    if (!found->measured || !(other || better || ends)) return;
    self->measured = *found;
    self->measured_revision = self->rho_revision;
    self->has_growing = true;
}

// A little more of the measurement of rho.
static void work_on_rho(LabThread *self, double deadline)
{
    double start = clock_seconds();
    if (!self->rho_rests && rho_is_due(self, start)) begin_rho(self, false);
    if (self->rho_over) return;
    int products = self->rho_rests ? RESTING_PRODUCTS : MOVING_PRODUCTS;
    bool goes_on = rho_work_go_on(&self->rho, &self->lab, products, deadline);
    self->rho_seconds += clock_seconds() - start;
    if (self->rho_rests && self->rho_seconds > RESTING_TIME) goes_on = false;
    self->rho_over = !goes_on;
    take_rho(self);
    if (self->rho_over) find_rest(self);
}

// A little more of the map that the window asked for. True when there is something to show.
static bool work_on_map(LabThread *self, double deadline)
{
    pthread_mutex_lock(&self->mutex);
    bool asked = self->map_asked;
    MapRequest request = self->map_request;
    pthread_mutex_unlock(&self->mutex);
    map_work_ask(&self->map, asked ? &request : NULL);
    return self->simulation && map_work_go_on(&self->map, self->simulation, self->lane, deadline);
}

// A new state came in: a result of it.
static void make_result(LabThread *self)
{
    bool search = clock_seconds() >= self->search_due;
    analyze(self, search ? &analysis_live : &analysis_following);
    publish(self);
    find_remedies(self);
    if (self->rho_rests) rho_work_end(&self->rho); // it moves again
    self->rho_rests = false;
}

// Nothing has moved for a while: there is time.
static void look_closely(LabThread *self)
{
    AnalysisPlan plan = analysis_live;
    bool large = simulation_particle_count(self->simulation) > LARGE;
    plan.spectrum_products = large ? LARGE_PRODUCTS : RESTING_PRODUCTS;
    analyze(self, &plan);
    begin_rho(self, true);
    publish(self);
}

static bool is_late(const LabThread *self)
{
    return atomic_load_explicit(&self->late, memory_order_relaxed);
}

static void update_duty(LabThread *self, double elapsed)
{
    if (is_late(self))
        self->duty = fmax(0.5 * self->duty, DUTY_LEAST);
    else
        self->duty = fmin(self->duty + DUTY_GROWTH * elapsed, DUTY);
}

// At its most it may take more for a short while.
static double duty(const LabThread *self)
{
    return self->duty == DUTY && !rho_is_shown(self) ? DUTY_HURRY : self->duty;
}

// `seconds` were spent computing. Returns the time at which the next result may be made.
static double account(LabThread *self, double seconds)
{
    double now = clock_seconds(), share = duty(self);
    self->credit = fmin(self->credit + share * (now - self->credit_at), MOST_CREDIT) - seconds;
    self->credit = fmax(self->credit, -LARGEST_DEBT); // a result is never far away
    self->credit_at = now;
    return now + fmax(0.0, -self->credit - MOST_DEBT) / share;
}

static void *run(void *argument)
{
    LabThread *self = argument;
    setpriority(PRIO_PROCESS, 0, NICENESS); // of this thread only, on Linux
    bool has_state = false, waits = false;  // for the cloth to rest
    double quiet_from = clock_seconds(), last = quiet_from;
    self->credit_at = quiet_from;
    self->duty = DUTY;
    for (;;) {
        atomic_store_explicit(&self->wanted, true, memory_order_relaxed);
        bool unfinished = map_work_is_unfinished(&self->map) ||
                          (self->rho_rests && self->rho.open && !self->rho_over);
        if (has_state) quiet_from = clock_seconds(); // since it can take another one
        double deadline = unfinished ? clock_seconds() : waits ? quiet_from + RESTING : INFINITY;
        if (!wait_for(self, deadline, true, &has_state)) break;
        double start = clock_seconds(), used = clock_cpu_seconds();
        if (has_state) {
            if (!load(self)) continue; // wait for the next state
            make_result(self);
            waits = true;
        } else if (waits && start >= quiet_from + RESTING) {
            look_closely(self);
            waits = false;
        }
        update_duty(self, start - last);
        last = start;
        account(self, clock_cpu_seconds() - used);
        used = clock_cpu_seconds();
        double now = clock_seconds();
        double end = fmin(now + SLICE, fmax(start + INTERVAL, now + SLICE_LEAST));
        bool hurries = self->duty == DUTY && !rho_is_shown(self);
        if (self->simulation && (self->credit > 0.0 || hurries)) {
            if (has_state || self->rho_rests) work_on_rho(self, end);
            bool shows = work_on_map(self, end);
            if (shows || (self->rho_rests && !has_state)) publish(self);
        }
        double next = account(self, clock_cpu_seconds() - used);
        if (!wait_for(self, fmax(start + INTERVAL, next), false, NULL)) break;
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
    rho_work_finish(&self->rho);
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
    atomic_init(&self->late, false);
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

void lab_thread_set_late(LabThread *lab, bool late)
{
    atomic_store_explicit(&lab->late, late, memory_order_relaxed);
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
