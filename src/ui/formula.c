// One function per kind of node measures it and, if there is a draw list, draws it. Lengths are in
// shares of the text's height, which is ascender to descender of DejaVu Serif, 2384 font units.
#include "ui/formula.h"

#include "ui/text_log.h"

#include <math.h>
#include <string.h>

#define BASELINE (1901.0f / 2384) // from the top of a line
#define AXIS (642.0f / 2384)      // of fraction bars and minus signs, above the baseline
#define ASCENT (1560.0f / 2384)   // of digits and letters such as d
#define DESCENT (430.0f / 2384)   // of letters such as p
#define SHALLOW (30.0f / 2384)    // of letters such as d
#define GLYPH_FENCE 0.42f         // half the height up to which a bracket is a letter
#define SCRIPT_SIZE 0.7f
#define INNER_SIZE 0.8f // of a fraction inside a fraction

typedef FormulaSize Box;

typedef struct Setter {
    const Fonts *fonts;
    const Formula *formula;
    ImDrawList *list; // NULL: only measure
    ImU32 colour;
} Setter;

// How a node is set: its size, and whether it is a script, which has less room around signs.
typedef struct Style {
    float size;
    bool script, in_fraction;
} Style;

static Box set(Setter *s, int node, Style style, float x, float y);

static Box measure(const Setter *s, int node, Style style)
{
    Setter quiet = *s;
    quiet.list = NULL;
    return set(&quiet, node, style, 0.0f, 0.0f);
}

static float line_width(float size)
{
    return fmaxf(1.0f, 0.04f * size);
}

static void line(Setter *s, float x0, float y0, float x1, float y1, float width)
{
    if (s->list) ImDrawList_AddLine(s->list, (ImVec2){x0, y0}, (ImVec2){x1, y1}, s->colour, width);
}

static void bar(Setter *s, float x0, float x1, float y, float width)
{
    if (!s->list) return;
    ImVec2 min = {x0, roundf(y - 0.5f * width)}, max = {x1, min.y + fmaxf(1.0f, roundf(width))};
    ImDrawList_AddRectFilled(s->list, min, max, s->colour, 0.0f, 0);
}

static Font font_of(const Setter *s, bool italic, float size)
{
    return (Font){(italic ? s->fonts->formula_italic : s->fonts->formula).face, size};
}

// Letters that reach below the line.
static bool is_deep(const char *text)
{
    static const char *const deep[] = {"g", "j", "p", "q", "y", "Q", "(", ")", "[", "]",
                                       "|", ",", ";", "ρ", "μ", "β", "γ", "φ", "ψ", "ξ",
                                       "ζ", "η", "χ", "∑", "∫", "‖", "{", "}"};
    for (size_t i = 0; i < sizeof deep / sizeof deep[0]; i++) {
        if (strstr(text, deep[i])) return true;
    }
    return false;
}

static Box set_text(Setter *s, const char *text, bool italic, Style style, float x, float y)
{
    Font font = font_of(s, italic, style.size);
    ImVec2 size;
    ImFont_CalcTextSizeA(&size, font.face, font.height, 1e9f, 0.0f, text, NULL, NULL);
    if (s->list) {
        ImVec2 at = {x, roundf(y - BASELINE * style.size)};
        text_log_add(s->list, font, at.x, at.y, text, NULL, false);
        ImDrawList_AddText_FontPtr(s->list, font.face, font.height, at, s->colour, text, NULL, 0.0f,
                                   NULL);
    }
    float descent = is_deep(text) ? DESCENT : SHALLOW;
    return (Box){size.x, ASCENT * style.size, descent * style.size};
}

// ---- rows

static FormulaClass class_of(const FormulaNode *node)
{
    return node->kind == FORMULA_FENCED ? FORMULA_OPEN : node->class;
}

// A sign between two things is binary; elsewhere, as in -x, it belongs to what follows.
static FormulaClass class_in_row(const FormulaNode *node, FormulaClass before, bool first,
                                 const FormulaNode *next)
{
    FormulaClass class = node->class;
    if (node->kind == FORMULA_FENCED) return FORMULA_ORDINARY;
    if (class != FORMULA_BINARY) return class;
    bool starts = first || before == FORMULA_BINARY || before == FORMULA_RELATION ||
                  before == FORMULA_OPEN || before == FORMULA_COMMA;
    bool ends = !next || class_of(next) == FORMULA_RELATION || class_of(next) == FORMULA_CLOSE;
    return starts || ends ? FORMULA_ORDINARY : FORMULA_BINARY;
}

// Room between two neighbours, in shares of the text's height.
static float room_between(FormulaClass left, FormulaClass right, bool script)
{
    if (left == FORMULA_FUNCTION && right != FORMULA_OPEN && right != FORMULA_COMMA &&
        right != FORMULA_CLOSE && right != FORMULA_RELATION)
        return 0.13f;
    if (right == FORMULA_FUNCTION && (left == FORMULA_ORDINARY || left == FORMULA_CLOSE))
        return 0.13f;
    if (script) return 0.0f;
    if (left == FORMULA_RELATION || right == FORMULA_RELATION) return left == right ? 0.0f : 0.27f;
    if (left == FORMULA_BINARY || right == FORMULA_BINARY) return 0.2f;
    if (left == FORMULA_COMMA) return 0.16f;
    return 0.0f;
}

static Box include(Box all, Box part)
{
    return (Box){all.width + part.width, fmaxf(all.ascent, part.ascent),
                 fmaxf(all.descent, part.descent)};
}

static Box set_row(Setter *s, const FormulaNode *row, Style style, float x, float y)
{
    const FormulaNode *nodes = s->formula->nodes;
    Box all = {0};
    FormulaClass before = FORMULA_ORDINARY;
    bool first = true;
    for (int item = row->child; item >= 0; item = nodes[item].next) {
        const FormulaNode *node = &nodes[item];
        const FormulaNode *next = node->next >= 0 ? &nodes[node->next] : NULL;
        FormulaClass class = class_in_row(node, before, first, next);
        // f(x): no room before a bracket, drawn large or small
        FormulaClass shown = node->kind == FORMULA_FENCED ? FORMULA_OPEN : class;
        bool space = node->kind == FORMULA_SPACE;
        if (!first && !space) all.width += room_between(before, shown, style.script) * style.size;
        all = include(all, set(s, item, style, x + all.width, y));
        if (!space) before = class;
        first = false;
    }
    return all;
}

// ---- fractions, roots, scripts

static Style inner_style(Style style)
{
    if (style.in_fraction) style.size *= INNER_SIZE;
    style.in_fraction = true;
    return style;
}

static Box set_fraction(Setter *s, const FormulaNode *node, Style style, float x, float y)
{
    Style inner = inner_style(style);
    Box above = measure(s, node->child, inner), below = measure(s, node->other, inner);
    float size = style.size, gap = 0.1f * size, half = 0.5f * line_width(size);
    float margin = 0.06f * size, side = 0.05f * size;
    float width = fmaxf(above.width, below.width) + 2.0f * (margin + side);
    float axis = y - AXIS * size;
    set(s, node->child, inner, x + 0.5f * (width - above.width), axis - half - gap - above.descent);
    set(s, node->other, inner, x + 0.5f * (width - below.width), axis + half + gap + below.ascent);
    bar(s, x + side, x + width - side, axis, 2.0f * half);
    return (Box){width, AXIS * size + half + gap + above.descent + above.ascent,
                 half + gap + below.ascent + below.descent - AXIS * size};
}

static Box set_root(Setter *s, const FormulaNode *node, Style style, float x, float y)
{
    Box of = measure(s, node->child, style);
    float size = style.size, thin = line_width(size);
    float top = of.ascent + 0.12f * size, sign = 0.44f * size, tail = 0.06f * size;
    float bottom = of.descent + 0.02f * size;
    float foot_x = x + 0.24f * size, knee_x = x + 0.11f * size;
    float knee_y = y + bottom - 0.38f * (top + bottom);
    line(s, x + 0.02f * size, knee_y + 0.05f * size, knee_x, knee_y, thin);
    line(s, knee_x, knee_y, foot_x, y + bottom, 2.0f * thin);
    line(s, foot_x, y + bottom, x + sign, y - top, thin);
    bar(s, x + sign - 0.5f * thin, x + sign + of.width + tail, y - top, thin);
    set(s, node->child, style, x + sign + 0.03f * size, y);
    return (Box){sign + of.width + 2.0f * tail, top + thin, bottom};
}

// A bar or dots over something. Most letters are lower than a digit.
static Box set_accent(Setter *s, const FormulaNode *node, Style style, float x, float y)
{
    Box of = set(s, node->child, style, x, y);
    float size = style.size, lean = 0.06f * size, middle = x + 0.5f * of.width + lean;
    float top = y - fmaxf(of.ascent - 0.1f * size, 0.55f * size);
    if (strcmp(node->text, "bar") == 0)
        bar(s, x + lean, x + of.width + lean, top, line_width(size));
    for (int i = 0; s->list && *node->text == 'd' && i < (node->text[1] == 'd' ? 2 : 1); i++) {
        float apart = node->text[1] == 'd' ? 0.09f * size : 0.0f;
        ImVec2 at = {middle + (i ? apart : -apart), top};
        ImDrawList_AddCircleFilled(s->list, at, 0.055f * size, s->colour, 12);
    }
    of.ascent = fmaxf(of.ascent, y - top + 0.06f * size);
    return of;
}

static bool leans(const Setter *s, int node)
{
    return s->formula->nodes[node].kind == FORMULA_SYMBOL && s->formula->nodes[node].italic;
}

static bool is_prime(const Setter *s, int node)
{
    return strncmp(s->formula->nodes[node].text, "′", strlen("′")) == 0;
}

static Box set_scripts(Setter *s, const FormulaNode *node, Style style, float x, float y)
{
    Style small = style;
    small.size *= SCRIPT_SIZE;
    small.script = true;
    Box base = set(s, node->child, style, x, y), all = base;
    float size = style.size;
    float lower = fmaxf(0.15f * size, base.descent + 0.02f * size);
    float raise = fmaxf(0.31f * size, base.ascent - 0.35f * size);
    if (base.descent < 0.2f * size) lower = 0.16f * size;
    if (node->third >= 0 && is_prime(s, node->third)) raise *= 0.6f; // it stands high by itself
    if (node->other >= 0) {
        Box below = set(s, node->other, small, x + base.width, y + lower);
        all.width = fmaxf(all.width, base.width + below.width);
        all.descent = fmaxf(all.descent, lower + below.descent);
    }
    if (node->third >= 0) {
        float lean = leans(s, node->child) ? 0.05f * size : 0.01f * size;
        Box above = set(s, node->third, small, x + base.width + lean, y - raise);
        all.width = fmaxf(all.width, base.width + lean + above.width);
        all.ascent = fmaxf(all.ascent, raise + above.ascent);
    }
    all.width += 0.03f * size;
    return all;
}

// ---- brackets that grow

static float fence_width(const char *fence, float size, bool glyph)
{
    if (*fence == '\0') return 0.0f;
    if (glyph) return -1.0f; // as the font has it
    return (*fence == '|' ? 0.24f : *fence == '[' || *fence == ']' ? 0.3f : 0.36f) * size;
}

static void curve(Setter *s, ImVec2 a, ImVec2 b, ImVec2 c, ImVec2 d, float width)
{
    if (s->list) ImDrawList_AddBezierCubic(s->list, a, b, c, d, s->colour, width, 0);
}

static void draw_brace(Setter *s, float edge, float tip, float top, float bottom, float thick)
{
    float middle = 0.5f * (top + bottom), spine = 0.5f * (edge + tip);
    float r = fminf(0.25f * (bottom - top), 1.2f * fabsf(tip - edge));
    for (int half = 0; half < 2; half++) {
        float end = half ? bottom : top, sign = half ? -1.0f : 1.0f;
        curve(s, (ImVec2){edge, end}, (ImVec2){spine, end}, (ImVec2){spine, end},
              (ImVec2){spine, end + sign * r}, thick);
        line(s, spine, end + sign * r, spine, middle - sign * r, thick);
        curve(s, (ImVec2){spine, middle - sign * r}, (ImVec2){spine, middle},
              (ImVec2){spine, middle}, (ImVec2){tip, middle}, thick);
    }
}

static void draw_fence(Setter *s, const char *fence, float x, float width, float top, float bottom,
                       float size)
{
    float thick = 1.5f * line_width(size), left = x + 0.28f * width, right = x + 0.72f * width;
    bool opens = *fence == '(' || *fence == '[' || *fence == '{';
    float spine = opens ? left : right, edge = opens ? right : left;
    if (*fence == '(' || *fence == ')') {
        float bulge = spine + (spine - edge) * 0.35f, quarter = 0.28f * (bottom - top);
        curve(s, (ImVec2){edge, top}, (ImVec2){bulge, top + quarter},
              (ImVec2){bulge, bottom - quarter}, (ImVec2){edge, bottom}, thick);
    } else if (*fence == '[' || *fence == ']') {
        bar(s, fminf(spine, edge), fmaxf(spine, edge), top, thick);
        bar(s, fminf(spine, edge), fmaxf(spine, edge), bottom, thick);
        line(s, spine, top, spine, bottom, thick);
    } else if (*fence == '{' || *fence == '}') {
        draw_brace(s, edge, spine, top, bottom, thick);
    } else if (*fence == '|') {
        line(s, x + 0.5f * width, top, x + 0.5f * width, bottom, thick);
    } else {
        line(s, left, top, left, bottom, thick);
        line(s, right, top, right, bottom, thick);
    }
}

// Draws it about the axis and returns its width.
static float set_fence(Setter *s, const char *fence, float half, Style style, float x, float y)
{
    bool glyph = half <= GLYPH_FENCE * style.size;
    float width = fence_width(fence, style.size, glyph);
    if (width < 0.0f) return set_text(s, fence, false, style, x, y).width;
    float axis = y - AXIS * style.size;
    if (width > 0.0f) draw_fence(s, fence, x, width, axis - half, axis + half, style.size);
    return width;
}

static Box set_fenced(Setter *s, const FormulaNode *node, Style style, float x, float y)
{
    Box of = measure(s, node->child, style);
    float axis = AXIS * style.size;
    float half = fmaxf(of.ascent - axis, of.descent + axis);
    float left = set_fence(s, node->text, half, style, x, y);
    set(s, node->child, style, x + left, y);
    float right = set_fence(s, node->right, half, style, x + left + of.width, y);
    return (Box){left + of.width + right, fmaxf(of.ascent, axis + half),
                 fmaxf(of.descent, half - axis)};
}

// ---- matrices

typedef struct Grid {
    int rows, columns;
    float width[FORMULA_MATRIX_MAX], ascent[FORMULA_MATRIX_MAX], descent[FORMULA_MATRIX_MAX];
} Grid;

static Grid measure_grid(Setter *s, const FormulaNode *node, Style style)
{
    Grid grid = {.columns = node->columns};
    int index = 0;
    for (int cell = node->child; cell >= 0; cell = s->formula->nodes[cell].next, index++) {
        int row = index / grid.columns, column = index % grid.columns;
        Box box = measure(s, cell, style);
        grid.rows = row + 1;
        grid.width[column] = fmaxf(grid.width[column], box.width);
        grid.ascent[row] = fmaxf(grid.ascent[row], box.ascent);
        grid.descent[row] = fmaxf(grid.descent[row], box.descent);
    }
    return grid;
}

static Box set_matrix(Setter *s, const FormulaNode *node, Style style, float x, float y)
{
    Grid grid = measure_grid(s, node, style);
    float size = style.size, between = 0.6f * size, apart = 0.16f * size, margin = 0.08f * size;
    float width = 2.0f * margin + between * (float)(grid.columns - 1);
    float height = apart * (float)(grid.rows - 1);
    for (int i = 0; i < grid.columns; i++) width += grid.width[i];
    for (int i = 0; i < grid.rows; i++) height += grid.ascent[i] + grid.descent[i];
    Box all = {width, AXIS * size + 0.5f * height, 0.5f * height - AXIS * size};
    int cell = node->child;
    float top = y - all.ascent;
    for (int row = 0; row < grid.rows; row++) {
        float left = x + margin;
        for (int column = 0; column < grid.columns; column++) {
            float spare = grid.width[column] - measure(s, cell, style).width;
            set(s, cell, style, left + 0.5f * spare, top + grid.ascent[row]);
            left += grid.width[column] + between;
            cell = s->formula->nodes[cell].next;
        }
        top += grid.ascent[row] + grid.descent[row] + apart;
    }
    return all;
}

static Box set(Setter *s, int number, Style style, float x, float y)
{
    const FormulaNode *node = &s->formula->nodes[number];
    switch (node->kind) {
    case FORMULA_ROW:
        return set_row(s, node, style, x, y);
    case FORMULA_SYMBOL:
        return set_text(s, node->text, node->italic, style, x, y);
    case FORMULA_SPACE:
        return (Box){.width = node->width * style.size};
    case FORMULA_FRACTION:
        return set_fraction(s, node, style, x, y);
    case FORMULA_ROOT:
        return set_root(s, node, style, x, y);
    case FORMULA_ACCENT:
        return set_accent(s, node, style, x, y);
    case FORMULA_SCRIPTS:
        return set_scripts(s, node, style, x, y);
    case FORMULA_FENCED:
        return set_fenced(s, node, style, x, y);
    case FORMULA_MATRIX:
        return set_matrix(s, node, style, x, y);
    }
    return (Box){0};
}

FormulaSize formula_size(const Fonts *fonts, float height, const Formula *formula)
{
    Setter s = {fonts, formula, NULL, 0};
    return set(&s, formula->root, (Style){.size = height}, 0.0f, 0.0f);
}

void formula_draw(ImDrawList *list, const Fonts *fonts, float height, ImU32 colour, float x,
                  float baseline, const Formula *formula)
{
    Setter s = {fonts, formula, list, colour};
    set(&s, formula->root, (Style){.size = height}, roundf(x), roundf(baseline));
}

void formula_item(const Fonts *fonts, float height, ImU32 colour, const char *text)
{
    Formula formula;
    ImVec2 at;
    if (formula_parse(text, &formula, NULL) != STATUS_OK) {
        igTextUnformatted(text, NULL);
        return;
    }
    FormulaSize size = formula_size(fonts, height, &formula);
    igGetCursorScreenPos(&at);
    formula_draw(igGetWindowDrawList(), fonts, height, colour, at.x, at.y + size.ascent, &formula);
    igDummy((ImVec2){size.width, size.ascent + size.descent});
}
