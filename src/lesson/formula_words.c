#include "lesson/formula_words.h"

#include <string.h>

// clang-format off
static const FormulaWord words[] = {
    {"alpha", "α", FORMULA_ORDINARY, true}, {"beta", "β", FORMULA_ORDINARY, true},
    {"gamma", "γ", FORMULA_ORDINARY, true}, {"delta", "δ", FORMULA_ORDINARY, true},
    {"epsilon", "ε", FORMULA_ORDINARY, true}, {"zeta", "ζ", FORMULA_ORDINARY, true},
    {"eta", "η", FORMULA_ORDINARY, true}, {"theta", "θ", FORMULA_ORDINARY, true},
    {"iota", "ι", FORMULA_ORDINARY, true}, {"kappa", "κ", FORMULA_ORDINARY, true},
    {"lambda", "λ", FORMULA_ORDINARY, true}, {"mu", "μ", FORMULA_ORDINARY, true},
    {"nu", "ν", FORMULA_ORDINARY, true}, {"xi", "ξ", FORMULA_ORDINARY, true},
    {"pi", "π", FORMULA_ORDINARY, true}, {"rho", "ρ", FORMULA_ORDINARY, true},
    {"sigma", "σ", FORMULA_ORDINARY, true}, {"tau", "τ", FORMULA_ORDINARY, true},
    {"upsilon", "υ", FORMULA_ORDINARY, true}, {"phi", "φ", FORMULA_ORDINARY, true},
    {"chi", "χ", FORMULA_ORDINARY, true}, {"psi", "ψ", FORMULA_ORDINARY, true},
    {"omega", "ω", FORMULA_ORDINARY, true},
    {"Gamma", "Γ", FORMULA_ORDINARY, false}, {"Delta", "Δ", FORMULA_ORDINARY, false},
    {"Theta", "Θ", FORMULA_ORDINARY, false}, {"Lambda", "Λ", FORMULA_ORDINARY, false},
    {"Xi", "Ξ", FORMULA_ORDINARY, false}, {"Pi", "Π", FORMULA_ORDINARY, false},
    {"Sigma", "Σ", FORMULA_ORDINARY, false}, {"Phi", "Φ", FORMULA_ORDINARY, false},
    {"Psi", "Ψ", FORMULA_ORDINARY, false}, {"Omega", "Ω", FORMULA_ORDINARY, false},
    {"partial", "∂", FORMULA_ORDINARY, false}, {"nabla", "∇", FORMULA_ORDINARY, false},
    {"infty", "∞", FORMULA_ORDINARY, false}, {"ldots", "…", FORMULA_ORDINARY, false},
    {"prime", "′", FORMULA_ORDINARY, false},
    {"sum", "∑", FORMULA_FUNCTION, false}, {"int", "∫", FORMULA_FUNCTION, false},
    {"le", "≤", FORMULA_RELATION, false}, {"leq", "≤", FORMULA_RELATION, false},
    {"ge", "≥", FORMULA_RELATION, false}, {"geq", "≥", FORMULA_RELATION, false},
    {"ne", "≠", FORMULA_RELATION, false}, {"neq", "≠", FORMULA_RELATION, false},
    {"approx", "≈", FORMULA_RELATION, false}, {"sim", "∼", FORMULA_RELATION, false},
    {"equiv", "≡", FORMULA_RELATION, false}, {"propto", "∝", FORMULA_RELATION, false},
    {"to", "→", FORMULA_RELATION, false}, {"rightarrow", "→", FORMULA_RELATION, false},
    {"Rightarrow", "⇒", FORMULA_RELATION, false}, {"in", "∈", FORMULA_RELATION, false},
    {"pm", "±", FORMULA_BINARY, false}, {"mp", "∓", FORMULA_BINARY, false},
    {"cdot", "·", FORMULA_BINARY, false}, {"times", "×", FORMULA_BINARY, false},
    {"ast", "∗", FORMULA_BINARY, false},
    {"{", "{", FORMULA_OPEN, false}, {"}", "}", FORMULA_CLOSE, false},
    {"|", "‖", FORMULA_ORDINARY, false}, {"%", "%", FORMULA_ORDINARY, false},
    {"&", "&", FORMULA_ORDINARY, false}, {"_", "_", FORMULA_ORDINARY, false},
    {"#", "#", FORMULA_ORDINARY, false}, {"$", "$", FORMULA_ORDINARY, false},
};
static const char *const functions[] = {
    "arg", "cos", "cosh", "cot", "det", "diag", "exp", "lim", "ln", "log", "max", "min", "sin",
    "sinh", "sup", "tan", "tanh", "tr",
};
// clang-format on

const FormulaWord *formula_word(const char *name)
{
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strcmp(words[i].name, name) == 0) return &words[i];
    }
    return NULL;
}

const FormulaWord *formula_word_of_sign(const char *sign, size_t length)
{
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strlen(words[i].text) == length && memcmp(words[i].text, sign, length) == 0)
            return &words[i];
    }
    return NULL;
}

bool formula_is_function(const char *name)
{
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        if (strcmp(functions[i], name) == 0) return true;
    }
    return false;
}
