// Everything the user can set, described once. Defaults, validation, scene files, --set, sliders
// and `selvage list` all follow from param_table.
#ifndef SCENE_PARAMS_H
#define SCENE_PARAMS_H

#include "base/status.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct Params {
    // cloth
    int rows, columns;           // particles along z and along x
    double size;                 // m, the longer side; cells are square
    double density;              // kg/m^2
    int model;                   // index into force_model_table
    double stretch, shear, bend; // N/m
    double gather;               // width at the start / width at rest
    int folds;                   // at the start, when gathered
    // time
    int integrator;  // index into integrator_table
    double step;     // s, or PARAM_WORD: automatic
    double safety;   // automatic step / largest stable step
    double speed;    // simulated per real second, or PARAM_WORD: as fast as possible
    int slow_motion; // 1: when growth begins
    // integrator
    int tangent; // Tangent
    double pcg_tolerance;
    double newton_tolerance;
    double leu_interval; // s, or PARAM_WORD: automatic
    int harmonic;        // Harmonic
    int sequence;        // 1: springs one after the other
    // damping
    int damping;    // DampingKind
    double air;     // d0, 1/s
    double alpha;   // s, or PARAM_WORD: automatic
    int alpha_rule; // AlphaRule
    // filter
    int filter;          // FilterKind
    double lambda;       // decay per rest spacing
    int filter_form;     // FilterForm
    int filter_place;    // FilterPlace
    int filter_on;       // FilterTarget
    int filter_distance; // FilterDistance
    // muscles, see cloth/muscle.h
    double muscle_amplitude, muscle_period; // factors
    // wind
    double wind;                      // m/s
    double wind_direction;            // degrees, see cloth/wind.h
    double gust;                      // 0 to 1
    int gust_seed;                    // which gusts
    double drag_normal, drag_tangent; // kg/(m^2 s)
    // world
    double gravity;      // m/s^2, downwards
    double ground;       // m, height of the floor
    double friction;     // Coulomb's coefficient, of floor and bodies
    int self_contact;    // 1: the cloth does not pass through itself
    double restitution;  // share of the speed with which what falls goes back
    double hand_speed;   // m/s, fastest a grabbed particle is moved
    double speed_limit;  // m/s, faster than this counts as diverged
    double strain_limit; // strain above this counts as diverged
    int on_divergence;   // OnDivergence
} Params;

typedef enum OnDivergence {
    ON_DIVERGENCE_PAUSE,
    ON_DIVERGENCE_REWIND,   // go back to a good state and take a safe step from there
    ON_DIVERGENCE_CONTINUE, // go on while the numbers are finite
    ON_DIVERGENCE_COUNT,
} OnDivergence;

// Some parameters take a word besides numbers (step = auto, speed = max). Their ranges are
// non-negative, so this value is never a legal number.
#define PARAM_WORD (-1.0)

typedef enum ParamKind { PARAM_REAL, PARAM_COUNT, PARAM_CHOICE } ParamKind;

typedef struct ParamInfo {
    const char *name;  // the same in scene files, on the command line and in `selvage list`
    const char *label; // shown in the window: may use Greek
    const char *group; // section of the scene file
    const char *unit;  // "" when it has none
    const char *help;  // one sentence
    ParamKind kind;
    size_t offset;                    // of the field in Params
    double initial, min, max;         // a choice runs from 0 to its count - 1
    const char *word;                 // text for PARAM_WORD, or NULL
    const char *(*choice)(int index); // name of a choice, NULL past the last
    bool logarithmic;                 // slider scale
    bool rebuilds;                    // changing it rebuilds the cloth
} ParamInfo;

extern const ParamInfo param_table[];
extern const int param_count;

Params params_default(void);
const ParamInfo *param_find(const char *name); // NULL when there is none
double param_get(const Params *params, const ParamInfo *info);

// Write one value. A value outside the range, or NaN, is refused and params is unchanged.
Status param_set(Params *params, const ParamInfo *info, double value, Error *error);
// The same from text: a number, a choice's name, or the parameter's word.
Status param_parse(Params *params, const ParamInfo *info, const char *text, Error *error);
// "name=value", as --set takes it. An unknown name is refused with the names that exist.
Status params_assign(Params *params, const char *assignment, Error *error);
// Value as text, without unit: "330", "auto", "symplectic-euler".
void param_print(const Params *params, const ParamInfo *info, char *text, size_t size);
// The allowed values as text: "1e-06 to 0.1, or auto", "off or exponential".
enum { PARAM_ALLOWED_SIZE = 256 }; // is enough for all
void param_allowed(const ParamInfo *info, char *text, size_t size);

#endif
