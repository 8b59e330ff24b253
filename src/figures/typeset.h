// Formulas in plain characters, as they stand in the code, made readable in print: "h^2" becomes
// "h²", "1e6" "10⁶", "sqrt(k0)" "√k0", "rho" "ρ", "<=" "≤", and a minus gets its own sign.
#ifndef FIGURES_TYPESET_H
#define FIGURES_TYPESET_H

#include <stddef.h>

// `out` gets at most `size` bytes with the closing zero, and never half a character.
void typeset(const char *text, char *out, size_t size);

#endif
