// Parses one formula, written in a small part of TeX, into a tree. ui/formula.h draws it.
//
//   h < \frac{4}{d + \sqrt{d^2 + 4k}}
//
// Letters are italic, digits and functions (\sin, \max, ...) upright. There are \frac, \sqrt, \bar,
// \dot, \ddot, ^ and
// _, \left( ... \right), Greek, the operators of formula_syntax.c, \text{...}, spaces (\, \;
// \quad), and matrices: \begin{pmatrix} a & b \\ c & d \end{pmatrix}, also bmatrix, matrix and
// cases.
#ifndef LESSON_FORMULA_SYNTAX_H
#define LESSON_FORMULA_SYNTAX_H

#include "base/status.h"

#include <stdbool.h>

enum { FORMULA_NODES = 256, FORMULA_DEPTH = 24, FORMULA_MATRIX_MAX = 8, FORMULA_NONE = -1 };

typedef enum FormulaKind {
    FORMULA_ROW,      // child: the first of its items, linked by next
    FORMULA_SYMBOL,   // text
    FORMULA_SPACE,    // width
    FORMULA_FRACTION, // child over other
    FORMULA_ROOT,     // of child
    FORMULA_ACCENT,   // over child: text is bar, dot or ddot
    FORMULA_SCRIPTS,  // child with other below and third above; either may be FORMULA_NONE
    FORMULA_FENCED,   // child between text and right; either may be ""
    FORMULA_MATRIX,   // child: the first cell, row by row, linked by next; columns
                      // and rows, up to FORMULA_MATRIX_MAX each
} FormulaKind;

// What a symbol is decides the room around it.
typedef enum FormulaClass {
    FORMULA_ORDINARY,
    FORMULA_FUNCTION, // sin
    FORMULA_BINARY,   // +
    FORMULA_RELATION, // <
    FORMULA_OPEN,
    FORMULA_CLOSE,
    FORMULA_COMMA,
} FormulaClass;

typedef struct FormulaNode {
    FormulaKind kind;
    FormulaClass class;
    bool italic;
    short child, other, third, next; // numbers of nodes, or FORMULA_NONE
    short columns;
    float width;   // of a space, text heights
    char text[56]; // UTF-8
    char right[8];
} FormulaNode;

typedef struct Formula {
    int root;
    int count;
    FormulaNode nodes[FORMULA_NODES];
} Formula;

// On failure the sentence begins with the column, counted in characters from 1.
Status formula_parse(const char *text, Formula *out, Error *error);

#endif
