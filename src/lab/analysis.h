// Everything the lab reports about a simulation at one moment, in one struct.
//
// A Lab is the workspace: allocated once per cloth, then not per call. lab_analyze probes the given
// simulation with real steps and restores it. While a simulation runs elsewhere, pass a copy. One
// thread at a time.
#ifndef LAB_ANALYSIS_H
#define LAB_ANALYSIS_H

#include "lab/measured_limit.h"
#include "lab/spectrum.h"

typedef enum Verdict {
    VERDICT_STABLE,
    VERDICT_MARGINAL, // on the edge, or prediction and measurement disagree
    VERDICT_UNSTABLE,
} Verdict;
const char *verdict_name(Verdict verdict);

typedef struct AnalysisMode {
    double k, residual;  // 1/s^2
    double c;            // 1/s^2, damping per alpha; k where damping shares the modes of K
    double wind;         // 1/s, damping by the wind
    double symbol;       // the filter's factor for it; 1 without a filter
    double X, Y;         // h d, h^2 k; d = air + wind + alpha c
    double re[2], im[2]; // eigenvalues of G
    double rho;
} AnalysisMode;

// The step limit under a velocity filter: the paper's estimate, and the corrected one.
typedef struct FilterLimit {
    double algorithm1; // s, 2 / sqrt(a) with a the largest eigenvalue of F M^-1 K (Ahmad et al.)
    double corrected;  // s, of symplectic Euler with F before its position update; 0 when F inverts
                       // modes: then no step is stable
    double smallest_symbol;
    bool negative; // smallest_symbol < 0
} FilterLimit;

typedef struct Analysis {
    double time; // s, of the analysed state
    int free_count;
    // M^-1 K
    double k0, k0_residual;       // 1/s^2; k0 is the simulation's own, from which its limit follows
    double k_min, k_min_residual; // 1/s^2
    bool buckling;                // k_min < 0: physics, independent of the integrator
    double omega_max;             // rad/s, sqrt(k0)
    bool followed;                // modes are those of an earlier shape, with residuals of now
    SpectrumDensity density;      // all zero unless requested
    int mode_count;
    AnalysisMode modes[SPECTRUM_MODES]; // stiffest first
    // the step
    Scheme scheme;         // the method as theory sees it
    double air, alpha;     // 1/s, s
    double step;           // s
    Stiffness stiffness;   // the limit follows from it
    StepLimit limit;       // the simulation's own
    double measured_limit; // s, where rho of real steps crosses 1; NaN unless requested
    double step_ratio;     // step / limit.step
    double mu_sigma;       // h omega / pi of the stiffest spring; NaN without springs
    double alpha_limit;    // s, largest stable alpha at this step; INFINITY if all, 0 if none
    bool alpha_is_bound;   // a larger one may be stable too
    double rho_predicted;  // over the modes with k > 0; NaN where no 2x2 matrix describes them
    bool theory_is_exact;  // one 2x2 matrix per mode describes the step completely
    bool measured;         // map is valid
    bool outdated;         // the map: step or stiffness have changed since, so it decides nothing
    double measured_time;  // s, of the state where rho was measured
    double measured_step;  // s, the step then
    StepMapResult map;     // rho, without what buckles too, and eigenvalues of the real step
    double growth_steps;   // steps until a thousandfold growth; INFINITY without growth
    Verdict verdict;
    // the filter, when there is one
    bool has_filter_limit;
    FilterLimit filter;
} Analysis;

// How much work to spend.
typedef struct AnalysisPlan {
    int spectrum_products;
    double spectrum_tolerance; // of k0 and k_min, in units of k0
    bool follow;               // where modes of a former analysis are known, only follow them
    // For the largest eigenvalue of C; all zero: as thorough. Where modes are followed it is not
    // estimated; its ratio to k0 is that of the last analysis.
    KrylovEffort damping;
    int density_probes;  // 0: no density
    bool refine;         // first estimate the simulation's stiffness until it is exact
    KrylovEffort filter; // for Algorithm 1
    int map_products;    // 0: do not measure rho
    double map_seconds;  // time limit for that, or fewer products; 0: no limit
    bool limits;         // measure the step limit where theory only models it
} AnalysisPlan;
extern const AnalysisPlan analysis_following; // ten products and more with C: 10/s at 128x128
extern const AnalysisPlan analysis_live;      // some dozen products
extern const AnalysisPlan analysis_measured;  // the same with rho of the real step: 192 steps
extern const AnalysisPlan analysis_thorough;  // used by `selvage analyze`

typedef struct Lab {
    Spectrum spectrum; // modes[m].shape: the modes' shapes
    StepMap map;       // shape: the mode that grows fastest
    Arena memory, scratch;
    State *saved;    // of the simulation being probed
    double *extra;   // flat, for the probe
    double *shape;   // flat
    double *printed; // flat, the mode of Algorithm 1
    double *damped;  // flat, the mode of the largest eigenvalue of C
    double excess;   // c0 / k0 of the last analysis that estimated it, at least 1; 0: none did
} Lab;

Status lab_init(Lab *lab, Simulation *simulation, Error *error); // for cloths of this size
void lab_finish(Lab *lab);                                       // accepts a zeroed one
bool lab_fits(const Lab *lab, Simulation *simulation);           // if not, finish and init again
void lab_forget(Lab *lab);                                       // for another scene: no warm start

void lab_analyze(Lab *lab, Simulation *simulation, const AnalysisPlan *plan, Analysis *out);

// The step at which rho of real steps crosses 1 at the present shape, near a guess, s: see
// lab/measured_limit.h. NaN without memory.
double lab_measure_limit(Lab *lab, Simulation *simulation, double guess, double longest,
                         int products);

// A measurement of rho in parts (lab/rho_work.h): what it needs of an analysis, and what follows
// from it.
GrowthTheory analysis_theory(const Analysis *analysis); // points into the analysis
void analysis_set_rho(Analysis *analysis, const StepMapResult *map);
#define ANALYSIS_RHO_TOLERANCE 1e-3

// The measured rho of the method: without what buckles, which grows in any method.
const StepMapRho *analysis_own_rho(const Analysis *analysis);

// Take rho from an earlier analysis with the same parameters and conclude again. It is outdated
// unless step and stiffness have hardly changed.
void analysis_adopt_rho(Analysis *analysis, const Analysis *earlier);

// Displacements of a mode, 3 per particle, the largest coordinate 1: mode m of the stiffest, or
// LAB_SOFTEST, or LAB_GROWING (the mode that grows fastest under the measured step).
enum { LAB_SOFTEST = -1, LAB_GROWING = -2 };
void lab_mode_shape(const Lab *lab, const Simulation *simulation, int mode, float *out);

#endif
