// What is compared: each side does the same work behind the same few functions.
#ifndef PEERS_H
#define PEERS_H

#ifdef __cplusplus
extern "C" {
#endif

double peers_seconds(void); // processor time of this thread

// A square curtain of side x side particles, 1 m wide, 0.2 kg, held along its top edge, that starts
// hanging at its rest lengths. `stretch` is the largest (l - L)/L of a spring along the threads, at
// 60 moments a second in the second half of a simulated second.
typedef struct CurtainRun {
    double seconds; // of computing, for the simulated second
    double stretch;
} CurtainRun;
typedef struct CurtainMethod {
    const char *name, *integrator;
    double step;   // s, 0 for the automatic one
    double safety; // of that: its share of the limit
} CurtainMethod;
// `stiffness`: a factor of the default's.
CurtainRun curtain_selvage(int side, const CurtainMethod *method, double stiffness, long *steps);
CurtainRun curtain_bullet(int side, int iterations, int steps_per_second);

// A x = b in compressed columns, both triangles; 3 rows per particle, held ones are left out.
typedef struct LinearSystem {
    int n;
    int *start, *row;
    double *value, *b;
} LinearSystem;
typedef struct SolveRun {
    double prepare;  // s: preconditioner or factor
    double solve;    // s
    double residual; // |b - A x| / |b|, computed afterwards
    int iterations;
} SolveRun;
// M + h^2 K of the hanging curtain, h = 1/60 s, with this largest eigenvalue of M^-1 K. Returns 0
// when out of memory. solve_selvage solves the last one made, with our own PCG.
int selvage_system(int side, double k0, LinearSystem *out);
void selvage_system_finish(LinearSystem *system);
SolveRun solve_selvage(double tolerance);
SolveRun solve_eigen_block(const LinearSystem *system, double tolerance);
SolveRun solve_eigen_cholesky(const LinearSystem *system, double tolerance);
// `again`: with the factor of the last call.
SolveRun solve_cholmod(const LinearSystem *system, int again);

#ifdef __cplusplus
}
#endif

#endif
