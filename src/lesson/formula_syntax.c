// A recursive descent over the text. Every function returns the number of the node it made.
#include "lesson/formula_syntax.h"

#include "lesson/formula_words.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// clang-format off
static const struct { const char *name; float width; } spaces[] = {
    {",", 0.14f}, {":", 0.19f}, {";", 0.24f}, {" ", 0.22f}, {"quad", 0.85f}, {"qquad", 1.7f},
    {"!", -0.14f},
};
static const struct { const char *name, *left, *right; } matrices[] = {
    {"matrix", "", ""}, {"pmatrix", "(", ")"}, {"bmatrix", "[", "]"}, {"vmatrix", "|", "|"},
    {"cases", "{", ""},
};
// clang-format on

typedef struct Reader {
    const char *text, *at;
    Formula *out;
    int depth;
    Error *error;
    bool failed;
} Reader;

static int column_of(const Reader *r, const char *at)
{
    int column = 1;
    for (const char *p = r->text; p < at; p++) column += ((unsigned char)*p & 0xc0) != 0x80;
    return column;
}

__attribute__((format(printf, 3, 4))) static int fail(Reader *r, const char *at, const char *format,
                                                      ...)
{
    char what[160];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (!r->failed)
        error_set(r->error, STATUS_BAD_PARAMETER, "column %d of the formula: %s", column_of(r, at),
                  what);
    r->failed = true;
    return FORMULA_NONE;
}

static int add(Reader *r, FormulaKind kind)
{
    if (r->failed) return FORMULA_NONE;
    if (r->out->count == FORMULA_NODES) {
        return fail(r, r->at, "the formula is too long; it may have %d parts", (int)FORMULA_NODES);
    }
    r->out->nodes[r->out->count] = (FormulaNode){.kind = kind,
                                                 .child = FORMULA_NONE,
                                                 .other = FORMULA_NONE,
                                                 .third = FORMULA_NONE,
                                                 .next = FORMULA_NONE};
    return r->out->count++;
}

static int add_symbol(Reader *r, const char *text, size_t length, FormulaClass class, bool italic)
{
    int node = add(r, FORMULA_SYMBOL);
    if (node < 0) return node;
    FormulaNode *made = &r->out->nodes[node];
    if (length >= sizeof made->text) {
        return fail(r, r->at, "a piece of text may have at most %zu bytes", sizeof made->text - 1);
    }
    memcpy(made->text, text, length);
    made->class = class;
    made->italic = italic;
    return node;
}

static void skip_blanks(Reader *r)
{
    while (*r->at == ' ' || *r->at == '\t') r->at++;
}

static bool takes(Reader *r, const char *what)
{
    size_t length = strlen(what);
    if (strncmp(r->at, what, length) != 0) return false;
    r->at += length;
    return true;
}

// A command as \sqrt, which is not the beginning of a longer name.
static bool is_command(const Reader *r, const char *name)
{
    size_t length = strlen(name);
    return *r->at == '\\' && strncmp(r->at + 1, name, length) == 0 &&
           !isalpha((unsigned char)r->at[1 + length]);
}

static int read_row(Reader *r);
static int read_atom(Reader *r);

// { row }, or one atom as in x^2.
static int read_argument(Reader *r, const char *of)
{
    skip_blanks(r);
    if (*r->at == '\0' || *r->at == '}' || *r->at == '&') {
        return fail(r, r->at, "something must follow %s", of);
    }
    return read_atom(r);
}

static int read_group(Reader *r)
{
    const char *start = r->at++;
    int row = read_row(r);
    if (r->failed) return FORMULA_NONE;
    if (*r->at != '}') return fail(r, start, "this { has no }");
    r->at++;
    return row;
}

static int read_fraction(Reader *r)
{
    int above = read_argument(r, "\\frac");
    int below = read_argument(r, "the upper part of \\frac");
    int node = add(r, FORMULA_FRACTION);
    if (node < 0) return node;
    r->out->nodes[node].child = (short)above;
    r->out->nodes[node].other = (short)below;
    return node;
}

static int read_root(Reader *r)
{
    int of = read_argument(r, "\\sqrt");
    int node = add(r, FORMULA_ROOT);
    if (node >= 0) r->out->nodes[node].child = (short)of;
    return node;
}

static int read_accent(Reader *r, const char *name)
{
    int of = read_argument(r, "an accent");
    int node = add(r, FORMULA_ACCENT);
    if (node < 0) return node;
    r->out->nodes[node].child = (short)of;
    snprintf(r->out->nodes[node].text, sizeof r->out->nodes[node].text, "%s", name);
    return node;
}

static const char *const fences[] = {"(", ")", "[", "]", "|", "\\{", "\\}", "\\|", ".", NULL};

static bool read_fence(Reader *r, char *out, size_t size)
{
    skip_blanks(r);
    for (int i = 0; fences[i]; i++) {
        if (!takes(r, fences[i])) continue;
        const char *text = fences[i];
        if (*text == '.') text = "";
        if (*text == '\\') text = text[1] == '|' ? "‖" : text + 1;
        snprintf(out, size, "%s", text);
        return true;
    }
    fail(r, r->at, "\\left and \\right take one of ( ) [ ] | \\{ \\} \\| and . for none");
    return false;
}

static int read_fenced(Reader *r, const char *start)
{
    char left[8];
    if (!read_fence(r, left, sizeof left)) return FORMULA_NONE;
    int row = read_row(r);
    if (r->failed) return FORMULA_NONE;
    if (!is_command(r, "right")) return fail(r, start, "this \\left has no \\right");
    r->at += strlen("\\right");
    int node = add(r, FORMULA_FENCED);
    if (node < 0) return node;
    FormulaNode *made = &r->out->nodes[node];
    made->child = (short)row;
    memcpy(made->text, left, sizeof left);
    return read_fence(r, made->right, sizeof made->right) ? node : FORMULA_NONE;
}

static int read_cells(Reader *r, const char *start, const char *name)
{
    int matrix = add(r, FORMULA_MATRIX), last = FORMULA_NONE, columns = 0, column = 0, rows = 1;
    while (!r->failed) {
        int cell = read_row(r);
        if (cell < 0) return cell;
        if (last < 0)
            r->out->nodes[matrix].child = (short)cell;
        else
            r->out->nodes[last].next = (short)cell;
        last = cell;
        column++;
        if (column > FORMULA_MATRIX_MAX || rows > FORMULA_MATRIX_MAX) {
            return fail(r, start, "a matrix has at most %d rows and columns",
                        (int)FORMULA_MATRIX_MAX);
        }
        if (takes(r, "&")) continue;
        if (columns > 0 && column != columns) {
            return fail(r, r->at, "all rows of a matrix must have as many columns as the first");
        }
        columns = column;
        column = 0;
        rows++;
        if (takes(r, "\\\\")) continue;
        char end[24];
        snprintf(end, sizeof end, "\\end{%s}", name);
        if (!takes(r, end)) return fail(r, start, "this \\begin{%s} has no %s", name, end);
        break;
    }
    if (matrix >= 0) r->out->nodes[matrix].columns = (short)columns;
    return r->failed ? FORMULA_NONE : matrix;
}

static int read_matrix(Reader *r, const char *start)
{
    for (size_t i = 0; i < sizeof matrices / sizeof matrices[0]; i++) {
        char begin[24];
        snprintf(begin, sizeof begin, "{%s}", matrices[i].name);
        if (!takes(r, begin)) continue;
        int cells = read_cells(r, start, matrices[i].name);
        int node = add(r, FORMULA_FENCED);
        if (node < 0) return node;
        FormulaNode *made = &r->out->nodes[node];
        made->child = (short)cells;
        snprintf(made->text, sizeof made->text, "%s", matrices[i].left);
        snprintf(made->right, sizeof made->right, "%s", matrices[i].right);
        return node;
    }
    return fail(r, start, "\\begin takes {matrix}, {pmatrix}, {bmatrix}, {vmatrix} or {cases}");
}

// \text{as it stands}
static int read_text(Reader *r, const char *start)
{
    skip_blanks(r);
    const char *end = *r->at == '{' ? strchr(r->at, '}') : NULL;
    if (!end) return fail(r, start, "\\text takes words in braces: \\text{so}");
    int node = add_symbol(r, r->at + 1, (size_t)(end - r->at - 1), FORMULA_ORDINARY, false);
    r->at = end + 1;
    return node;
}

static int read_space(Reader *r, float width)
{
    int node = add(r, FORMULA_SPACE);
    if (node >= 0) r->out->nodes[node].width = width;
    return node;
}

static int read_command(Reader *r)
{
    const char *start = r->at++;
    size_t length = 0;
    while (isalpha((unsigned char)r->at[length])) length++;
    if (length == 0) length = r->at[0] != '\0';
    char name[24] = "";
    if (length < sizeof name) memcpy(name, r->at, length);
    r->at += length;
    if (strcmp(name, "frac") == 0) return read_fraction(r);
    if (strcmp(name, "sqrt") == 0) return read_root(r);
    if (strcmp(name, "left") == 0) return read_fenced(r, start);
    if (strcmp(name, "bar") == 0 || strcmp(name, "dot") == 0 || strcmp(name, "ddot") == 0)
        return read_accent(r, name);
    if (strcmp(name, "begin") == 0) return read_matrix(r, start);
    if (strcmp(name, "text") == 0 || strcmp(name, "mathrm") == 0) return read_text(r, start);
    if (strcmp(name, "right") == 0) return fail(r, start, "this \\right has no \\left");
    if (strcmp(name, "end") == 0) return fail(r, start, "this \\end has no \\begin");
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++) {
        if (strcmp(spaces[i].name, name) == 0) return read_space(r, spaces[i].width);
    }
    if (formula_is_function(name)) return add_symbol(r, name, length, FORMULA_FUNCTION, false);
    const FormulaWord *word = formula_word(name);
    if (word) return add_symbol(r, word->text, strlen(word->text), word->class, word->italic);
    return fail(r, start, "there is no \\%.*s; a word stands in \\text{...}", (int)length,
                start + 1);
}

static int read_number(Reader *r)
{
    const char *start = r->at;
    while (isdigit((unsigned char)*r->at) || (*r->at == '.' && isdigit((unsigned char)r->at[1])))
        r->at++;
    return add_symbol(r, start, (size_t)(r->at - start), FORMULA_ORDINARY, false);
}

// Greek as typed is italic if it is lower case: from U+03B1 to U+03C9.
static bool is_small_greek(const char *at)
{
    unsigned char a = (unsigned char)at[0], b = (unsigned char)at[1];
    return (a == 0xce && b >= 0xb1) || (a == 0xcf && b <= 0x89);
}

static int read_character(Reader *r)
{
    const char *start = r->at++;
    while (((unsigned char)*r->at & 0xc0) == 0x80) r->at++;
    size_t length = (size_t)(r->at - start);
    if (isalpha((unsigned char)*start) || is_small_greek(start))
        return add_symbol(r, start, length, FORMULA_ORDINARY, true);
    if (length > 1) { // a sign as typed is what its command is
        const FormulaWord *word = formula_word_of_sign(start, length);
        if (word) return add_symbol(r, start, length, word->class, word->italic);
        return fail(r, start, "formulas have no sign %.*s; words stand in \\text{...}", (int)length,
                    start);
    }
    switch (*start) {
    case '-':
        return add_symbol(r, "−", strlen("−"), FORMULA_BINARY, false);
    case '+':
        return add_symbol(r, start, 1, FORMULA_BINARY, false);
    case '*':
        return add_symbol(r, "∗", strlen("∗"), FORMULA_BINARY, false);
    case '=':
    case '<':
    case '>':
    case ':':
        return add_symbol(r, start, 1, FORMULA_RELATION, false);
    case '(':
    case '[':
        return add_symbol(r, start, 1, FORMULA_OPEN, false);
    case ')':
    case ']':
        return add_symbol(r, start, 1, FORMULA_CLOSE, false);
    case ',':
    case ';':
        return add_symbol(r, start, 1, FORMULA_COMMA, false);
    case '_':
    case '^':
        return fail(r, start, "%c must follow what it belongs to", *start);
    default:
        return add_symbol(r, start, 1, FORMULA_ORDINARY, false);
    }
}

static int read_atom(Reader *r)
{
    if (r->depth == FORMULA_DEPTH) return fail(r, r->at, "the formula is nested too deeply");
    r->depth++;
    int node;
    if (*r->at == '{')
        node = read_group(r);
    else if (*r->at == '\\')
        node = read_command(r);
    else if (isdigit((unsigned char)*r->at))
        node = read_number(r);
    else
        node = read_character(r);
    r->depth--;
    return node;
}

// x'' is x with two primes above.
static int read_primes(Reader *r)
{
    char text[32] = "";
    size_t length = 0;
    for (; *r->at == '\''; r->at++) {
        if (length + 4 < sizeof text) length += (size_t)sprintf(text + length, "′");
    }
    return add_symbol(r, text, length, FORMULA_ORDINARY, false);
}

static int read_scripts(Reader *r, int base)
{
    int below = FORMULA_NONE, above = FORMULA_NONE;
    for (;;) {
        skip_blanks(r);
        const char *start = r->at;
        int *script = *start == '_' ? &below : *start == '^' || *start == '\'' ? &above : NULL;
        if (!script || r->failed) break;
        if (*script >= 0) {
            return fail(r, start, "there is already something %s here; use braces",
                        script == &below ? "below" : "above");
        }
        if (*start == '\'') {
            *script = read_primes(r);
            continue;
        }
        r->at++;
        *script = read_argument(r, *start == '_' ? "_" : "^");
    }
    if (r->failed || (below < 0 && above < 0)) return base;
    int node = add(r, FORMULA_SCRIPTS);
    if (node < 0) return node;
    FormulaNode *made = &r->out->nodes[node];
    made->child = (short)base;
    made->other = (short)below;
    made->third = (short)above;
    made->class = r->out->nodes[base].class;
    return node;
}

static bool ends_row(const Reader *r)
{
    return *r->at == '\0' || *r->at == '}' || *r->at == '&' || strncmp(r->at, "\\\\", 2) == 0 ||
           is_command(r, "right") || is_command(r, "end");
}

static int read_row(Reader *r)
{
    int row = add(r, FORMULA_ROW), last = FORMULA_NONE;
    for (skip_blanks(r); !r->failed && !ends_row(r); skip_blanks(r)) {
        int item = read_scripts(r, read_atom(r));
        if (r->failed) break;
        if (last < 0)
            r->out->nodes[row].child = (short)item;
        else
            r->out->nodes[last].next = (short)item;
        last = item;
    }
    return r->failed ? FORMULA_NONE : row;
}

Status formula_parse(const char *text, Formula *out, Error *error)
{
    Error ignored;
    Reader r = {.text = text, .at = text, .out = out, .error = error ? error : &ignored};
    out->count = 0;
    out->root = read_row(&r);
    if (r.failed) return STATUS_BAD_PARAMETER;
    if (*r.at == '\0') {
        if (out->nodes[out->root].child >= 0) return STATUS_OK;
        fail(&r, text, "the formula is empty");
    } else if (*r.at == '}') {
        fail(&r, r.at, "this } has no {");
    } else if (*r.at == '&' || strncmp(r.at, "\\\\", 2) == 0) {
        fail(&r, r.at, "& and \\\\ belong in a matrix");
    } else {
        fail(&r, r.at, "this \\%s has no \\%s", is_command(&r, "end") ? "end" : "right",
             is_command(&r, "end") ? "begin" : "left");
    }
    return STATUS_BAD_PARAMETER;
}
