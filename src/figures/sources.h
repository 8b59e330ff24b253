// The functions that make the figures, by source; figure_table.c has a row for each.
#ifndef FIGURES_SOURCES_H
#define FIGURES_SOURCES_H

#include "figures/cloths.h"

typedef Status MakeFigure(Figure *figure, Error *error);

MakeFigure shinya_explicit_euler, shinya_rk2, shinya_rk4, shinya_implicit, shinya_particles,
    shinya_stiffness, shinya_iterations, shinya_safety;
MakeFigure ahmad_propagation, ahmad_filter, ahmad_velocities, ahmad_spectra, ahmad_steps,
    ahmad_times, ahmad_irregular, ahmad_fish;
MakeFigure joubert_orbit, joubert_area, joubert_linearised, joubert_spring, joubert_stability;
MakeFigure freiburg_radii, freiburg_phase;
MakeFigure kang_windows, kang_multiples, kang_sphere, kang_propagator;
MakeFigure our_precision, our_limits, our_growth, our_energy, our_divergence;

#endif
