// The named signs of formulas: Greek, operators, functions.
#ifndef LESSON_FORMULA_WORDS_H
#define LESSON_FORMULA_WORDS_H

#include "lesson/formula_syntax.h"

#include <stddef.h>

typedef struct FormulaWord {
    const char *name, *text; // \alpha is α
    FormulaClass class;
    bool italic;
} FormulaWord;

const FormulaWord *formula_word(const char *name); // without the backslash; NULL if there is none
// The same for the sign itself, `length` bytes.
const FormulaWord *formula_word_of_sign(const char *sign, size_t length);
bool formula_is_function(const char *name); // \sin, \max, ...

#endif
