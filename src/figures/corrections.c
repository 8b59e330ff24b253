// Where the sources are wrong, and in which figure it can be seen: a fact or a curve of its CSV.
#include "figures/corrections.h"

#include "figures/typeset.h"

// clang-format off
const Correction correction_table[] = {
    {"Shinya", "(17): v' = H^-1 (v - hK'x + hf0')", "shinya-3", "(17) corrected: h v after a step"},
    {"Shinya", "A.2: the sign of Q, harmless", "shinya-2", "rho at (1, 6) from P and Q of A.2, Q as printed: its sign does not matter"},
    {"Shinya", "the maximum of RK4 is (0.8254, 8.7623)", "shinya-2", "largest Y"},
    {"Shinya", "(25), (26), (31): the largest step is a defective corner", "shinya-1", "norm of G^1000 at (4, 4)"},
    {"Shinya", "with d0 = 0 rho is 1 on the whole line", "shinya-1", "largest rho on the printed line with d0 = 0"},
    {"Shinya", "implicit Euler is bounded by straight lines", "shinya-3", "the same at X = 1: -4 - 2X"},
    {"Shinya", "over-stability is wider than d < 0, k < 0", "shinya-3", "Y below which buckling is hidden, X = 0"},
    {"Shinya", "appendix B needs the inner product with M", "shinya-3", "appendix B: smallest x.(M^-1 K)x / x.x of a K and an M that are positive"},
    {"Shinya", "(35): N ~ (1/2) sqrt σ ln(2/ε)", "shinya-7", "iterations per step / (1/2) sqrt(sigma) ln(2/eps), most"},
    {"Shinya", "rigid modes have an eigenvalue 1", "shinya-3", "rho of a mode without stiffness"},
    {"Shinya", "A-1 and A-4 are A-1 and A-2 to A-4; (18), (19) write A for C; >= at the end of B", NULL, "words and letters"},
    {"Ahmad", "(11) does not hold for forward Euler", "ahmad-6", "(11): largest h sqrt(k0)/2 without damping, explicit-euler"},
    {"Ahmad", "(11) holds for forward-backward Euler without damping only", "ahmad-6", "(11): the same with h d = 0.5, symplectic-euler"},
    {"Ahmad", "sqrt(8.75) of RK4 needs damping: 8 without", "shinya-2", "undamped limit of Y"},
    {"Ahmad", "after the step the filter lowers the limit", "ahmad-6", "after, lambda = 1"},
    {"Ahmad", "Algorithm 1 says too much", "ahmad-6", "Algorithm 1, lambda = 1"},
    {"Ahmad", "the symmetric form is half strength", "ahmad-6", "half, before, lambda = 1"},
    {"Ahmad", "and does not conserve momentum", "ahmad-2", "momentum kept by a chain's end, half strength"},
    {"Ahmad", "low λ is unstable, not only damped too much", "ahmad-2", "lambda below which 12 neighbours invert waves"},
    {"Ahmad", "2(n - 1) iterations, n - 1 for forward-backward Euler", "ahmad-1", "steps until the fifth particle moves, forward Euler"},
    {"Ahmad", "25 % to 200 % larger, or doubled: at most 71 % on a chain", "ahmad-6", "largest gain of a chain's step by the filter, %"},
    {"Ahmad", "25 % at 5 % cost are 16 % less time", "ahmad-8", "a step 1.25 times as large at 1.05 of the cost: time"},
    {"Ahmad", "waves have a finite speed; implicitly the force decays from particle to particle", "ahmad-1", "decay from one particle to the next in a step of backward Euler"},
    {"Ahmad", "(9) is low-pass for 0 < λ < 1 only", "ahmad-2", "(9): gain of the shortest wave, lambda = 1.5"},
    {"Ahmad", "section 4.1 says reduce for increase", NULL, "a word"},
    {"Joubert", "velocity of start or end of the step matters", "joubert-orbit", "energy after 5 s / at the start, symplectic-euler"},
    {"Joubert", "3.2.1: growth of |v| in a step of symplectic Euler proves nothing", "joubert-orbit", "largest growth of |v| in one step, symplectic Euler"},
    {"Joubert", "(29) to (34) lack Δx, h and h^2/M", "joubert-linearised", "the same by (30) to (34), corrected"},
    {"Joubert", "unconditionally stable needs a force that resists", "joubert-stability", "stays upright, h = 2.1, Newton"},
    {"Joubert", "over- and underestimating hold for one sign of the slope", "joubert-area", "share of steps in which explicit Euler takes too much"},
    {"Joubert", "(2), (4) and (37); semi-implicit means linearly implicit", NULL, "formulas and words that no run uses"},
    {"Freiburg", "three numbers do not belong to their parameters", "freiburg-radii", "rho, Euler-Cromer, damped, k = 100000, h = 0.01"},
    {"Freiburg", "the matrix of Euler-Cromer is swapped, with the same eigenvalues", "freiburg-radii", "det G, symplectic-euler"},
    {"Freiburg", "two masses: m is the inverse of the reduced mass", "freiburg-radii", "two masses 0.5 and 2 on k = 100: largest step of Euler-Cromer"},
    {"Freiburg", "rho = 1 is left open: with a double eigenvalue it grows", "shinya-1", "rho at (4, 4)"},
    {"Freiburg", "no growth within a step asks for more than rho < 1", "freiburg-radii", "largest growth of the energy norm, Euler-Cromer, X = 0.1, Y = 3.6"},
    {"Kang", "(14): the divisor is the reduced mass; 8 times too weak", "kang-2", "(14): impulse as printed / right, equal masses"},
    {"Kang", "(12): the arcsin loses a sign", "kang-2", "(12): growth with the arcsin, mu = 0.5"},
    {"Kang", "(9) is the undamped amplitude", "kang-propagator", "ξ = 0.3 with the amplitude (9)"},
    {"Kang", "(19) to (23) omit the damper's own impulse", "kang-propagator", "rho, without the damper's own impulse, likewise"},
    {"Kang", "(27): ω_d is imaginary above ξ = 0.707", "kang-propagator", "(27): xi above which omega_d is imaginary"},
    {"Kang", "critical and overdamped cases are missing", "kang-propagator", "overdamped, ξ = 3"},
    {"Kang", "(28): Euler fails before π/ω", "kang-2", "(28): limit of symplectic Euler / pi/omega"},
    {"Kang", "a network's frequencies are higher than the pair's", "kang-2", "Y limit of a chain"},
    {"Kang", "fig. 3 holds for even multiples only", "kang-3", "factor of the speed, mu = 1"},
    {"Kang", "8.0625 is unstable with the right impulse", "kang-2", "rho, right impulse, mu = 8.0625"},
    {"Kang", "(17) direction, (21) to (26), the external force in the algorithm", NULL, "slips within formulas that the corrected ones replace"},
};
// clang-format on
const int correction_count = sizeof correction_table / sizeof correction_table[0];

static void write_cell(FILE *file, const char *text)
{
    for (const char *c = text; *c; c++) {
        if (*c == '|') fputc('\\', file);
        fputc(*c, file);
    }
}

void corrections_write(FILE *file)
{
    fputs("## Errors in the sources, and where they are seen\n\n"
          "Each row names a figure, and a fact or a curve in its CSV that shows it.\n\n"
          "| Source | What is right | Figure | Fact or curve |\n|---|---|---|---|\n",
          file);
    for (int i = 0; i < correction_count; i++) {
        const Correction *row = &correction_table[i];
        char what[256];
        typeset(row->what, what, sizeof what);
        fprintf(file, "| %s | ", row->source);
        write_cell(file, what);
        fprintf(file, " | %s | ", row->figure ? row->figure : "none");
        write_cell(file, row->seen);
        fputs(" |\n", file);
    }
}
