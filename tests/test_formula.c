// Formulas: what is read, what is refused and where, and the places of what is drawn. The fonts are
// real; there is no window.
#include "ui/formula.h"
#include "ui/imgui_versions.h"

#include "embedded.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define HEIGHT 40.0f

static Fonts fonts;

static Font load(const char *name)
{
    const EmbeddedFile *file = embedded_find(name);
    return (Font){imgui_font(name, file->data, file->size, HEIGHT, 1.0f), HEIGHT};
}

static int set_up(void **state)
{
    (void)state;
    igCreateContext(NULL);
    igGetIO_Nil()->IniFilename = NULL;
    fonts = (Fonts){.formula = load("font-formula.ttf"),
                    .formula_italic = load("font-formula-italic.ttf")};
#if CIMGUI_IMGUI_VERSION_NUM < 19200
    ImFontAtlas_Build(igGetIO_Nil()->Fonts);
#else
    igGetIO_Nil()->BackendFlags |= ImGuiBackendFlags_RendererHasTextures;
#endif
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    igDestroyContext(NULL);
    return 0;
}

static FormulaSize size_of(const char *text)
{
    Formula formula;
    Error error = {0};
    if (formula_parse(text, &formula, &error) != STATUS_OK) fail_msg("%s: %s", text, error.text);
    return formula_size(&fonts, HEIGHT, &formula);
}

static void expect_refused(const char *text, const char *part)
{
    Formula formula;
    Error error = {0};
    assert_int_equal(formula_parse(text, &formula, &error), STATUS_BAD_PARAMETER);
    if (!strstr(error.text, part)) fail_msg("%s: %s, not %s", text, error.text, part);
}

static void bad_formulas_are_refused_at_their_column(void **state)
{
    (void)state;
    expect_refused("h < \\fraq{1}{2}", "column 5 of the formula: there is no \\fraq");
    expect_refused("αβ \\fraq", "column 4");
    expect_refused("", "column 1 of the formula: the formula is empty");
    expect_refused("a + {b", "column 5 of the formula: this { has no }");
    expect_refused("a + b}", "column 6 of the formula: this } has no {");
    expect_refused("\\frac{1}", "column 9 of the formula: something must follow the upper part");
    expect_refused("\\sqrt", "something must follow \\sqrt");
    expect_refused("x^", "something must follow ^");
    expect_refused("x^2^3", "column 4 of the formula: there is already something above");
    expect_refused("_a", "column 1 of the formula: _ must follow");
    expect_refused("\\left( a", "column 1 of the formula: this \\left has no \\right");
    expect_refused("a \\right)", "column 3 of the formula: this \\right has no \\left");
    expect_refused("\\left< a \\right>", "column 6 of the formula: \\left and \\right take");
    expect_refused("a & b", "column 3 of the formula: & and \\\\ belong in a matrix");
    expect_refused("\\begin{pmatrix} a & b \\\\ c \\end{pmatrix}", "as many columns");
    expect_refused("\\begin{pmatrix} a", "column 1 of the formula: this \\begin{pmatrix} has no");
    expect_refused("\\begin{array} a", "\\begin takes {matrix}");
    expect_refused("\\text", "\\text takes words in braces");
    expect_refused("a ≪ b", "column 3 of the formula: formulas have no sign ≪");
    char deep[400] = "", longest[1200] = "";
    for (int i = 0; i < 60; i++) strcat(deep, "\\sqrt{");
    expect_refused(deep, "nested too deeply");
    for (int i = 0; i < 500; i++) strcat(longest, "a+");
    expect_refused(longest, "too long");
}

// Any bytes are refused or drawn.
static void no_text_does_harm(void **state)
{
    (void)state;
    static const char pieces[][12] = {
        "\\frac", "{",      "}", "\\left(", "\\right)",   "^",      "_",      "x",
        "\\",     "\\sqrt", "&", "\\\\",    "\\begin{pm", "atrix}", "\\end{", "'",
        "\xce",   "\xff",   " ", "7.5",     "-",          "\\text{"};
    uint32_t seed = 7;
    int read = 0;
    for (int i = 0; i < 20000; i++) {
        char text[128] = "";
        for (int k = 0; k < 9; k++) {
            seed = seed * 1664525u + 1013904223u;
            strcat(text, pieces[(seed >> 8) % (sizeof pieces / sizeof pieces[0])]);
        }
        Formula formula;
        Error error = {0};
        if (formula_parse(text, &formula, &error) != STATUS_OK) {
            assert_true(strncmp(error.text, "column ", 7) == 0);
            continue;
        }
        FormulaSize size = formula_size(&fonts, HEIGHT, &formula);
        assert_true(isfinite(size.width) && isfinite(size.ascent) && isfinite(size.descent));
        read++;
    }
    assert_true(read > 20);
}

static void sizes_follow_the_structure(void **state)
{
    (void)state;
    FormulaSize x = size_of("x"), fraction = size_of("\\frac{x}{x}"), root = size_of("\\sqrt{x}");
    assert_true(x.ascent > 0.5f * HEIGHT && x.ascent < HEIGHT && x.descent < 0.1f * HEIGHT);
    assert_true(fraction.ascent + fraction.descent > 2.0f * (x.ascent + x.descent));
    assert_true(fraction.width > x.width && fraction.width < 2.0f * x.width);
    assert_true(root.width > x.width + 0.3f * HEIGHT && root.ascent > x.ascent);
    assert_true(size_of("x^2").ascent > x.ascent && size_of("x^2").descent == x.descent);
    assert_true(size_of("x_2").descent > x.descent && size_of("x_2").ascent == x.ascent);
    assert_true(size_of("x_1^2").width < size_of("x_1").width + size_of("x^2").width - x.width);
    FormulaSize fenced = size_of("\\left(\\frac{x}{x}\\right)");
    assert_true(fenced.width > fraction.width + 0.5f * HEIGHT);
    assert_true(fenced.ascent >= fraction.ascent && fenced.descent >= fraction.descent);
    FormulaSize matrix = size_of("\\begin{pmatrix} x & x \\\\ x & x \\end{pmatrix}");
    assert_true(matrix.width > 2.0f * x.width + 0.5f * HEIGHT);
    assert_true(matrix.ascent + matrix.descent > 2.0f * (x.ascent + x.descent));
}

static void signs_have_room_where_they_join(void **state)
{
    (void)state;
    float a = size_of("a").width, minus = size_of("-").width;
    assert_true(fabsf(size_of("-a").width - minus - a) < 0.5f);  // a sign
    assert_true(size_of("a-a").width > minus + 2.0f * a + 8.0f); // a difference
    assert_true(size_of("a=-a").width < size_of("a=a").width + minus + 0.5f);
    assert_true(size_of("x^{a-a}").width < size_of("x").width + 0.75f * (minus + 2 * a) + 4.0f);
    assert_true(size_of("\\sin a").width > size_of("\\sin").width + a + 3.0f);
    assert_true(size_of("a\\quad a").width > 2.0f * a + 0.8f * HEIGHT);
    assert_true(size_of("a' b").width > size_of("a b").width);
}

static unsigned code_of(const char *utf8)
{
    const unsigned char *u = (const unsigned char *)utf8;
    if (u[0] < 0x80) return u[0];
    if (u[0] < 0xe0) return (u[0] & 0x1fu) << 6 | (u[1] & 0x3fu);
    return (u[0] & 0x0fu) << 12 | (u[1] & 0x3fu) << 6 | (u[2] & 0x3fu);
}

static bool has_glyph(Font font, unsigned code)
{
#if CIMGUI_IMGUI_VERSION_NUM < 19200
    return ImFont_FindGlyphNoFallback(font.face, (ImWchar)code) != NULL;
#else
    return ImFont_IsGlyphInFont(font.face, (ImWchar)code);
#endif
}

// A glyph that a font lacks is drawn as its replacement. Every word of the syntax has its own.
static void fonts_have_every_sign(void **state)
{
    (void)state;
    const char *const signs[] = {
        "\\alpha", "\\beta",   "\\gamma",   "\\delta",   "\\epsilon", "\\zeta",    "\\eta",
        "\\theta", "\\iota",   "\\kappa",   "\\lambda",  "\\mu",      "\\nu",      "\\xi",
        "\\pi",    "\\rho",    "\\sigma",   "\\tau",     "\\upsilon", "\\phi",     "\\chi",
        "\\psi",   "\\omega",  "\\Gamma",   "\\Delta",   "\\Theta",   "\\Lambda",  "\\Xi",
        "\\Pi",    "\\Sigma",  "\\Phi",     "\\Psi",     "\\Omega",   "\\partial", "\\nabla",
        "\\infty", "\\ldots",  "\\prime",   "\\sum",     "\\int",     "\\le",      "\\ge",
        "\\ne",    "\\approx", "\\sim",     "\\equiv",   "\\propto",  "\\to",      "\\Rightarrow",
        "\\in",    "\\pm",     "\\mp",      "\\cdot",    "\\times",   "\\ast",     "\\|",
        "\\{",     "\\%",      "\\text{⁷}", "\\text{µ}", "\\text{₀}", "\\text{–}"};
    Formula formula;
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        Error error = {0};
        if (formula_parse(signs[i], &formula, &error) != STATUS_OK) fail_msg("%s", error.text);
        const FormulaNode *node = &formula.nodes[formula.nodes[formula.root].child];
        unsigned code = code_of(node->text);
        Font font = node->italic ? fonts.formula_italic : fonts.formula;
        if (!has_glyph(font, code)) fail_msg("%s", signs[i]);
    }
}

static void what_is_drawn_lies_within_its_size(void **state)
{
    (void)state;
    const char *const formulas[] = {
        "h < \\frac{4}{d + \\sqrt{d^2 + 4k}}",
        "G = \\begin{pmatrix} 1 - Y & 1 - X \\\\ -Y & 1 - X \\end{pmatrix}",
        "\\rho = \\max_i \\left|\\lambda_i\\right| \\le 1",
        "\\left( \\frac{\\partial x_i}{\\partial t} \\right)^2 \\pm \\omega_0^2",
        "\\bar v_i = \\dot x_i + \\ddot{\\delta}",
        "\\begin{cases} 1 & x < 0 \\\\ \\frac{1}{2} & x \\ge 0 \\end{cases}",
    };
    ImGuiIO *io = igGetIO_Nil();
    io->DisplaySize = (ImVec2){2000, 1000};
    io->DeltaTime = 1.0f / 60.0f;
    igNewFrame();
    igBegin("formulas", NULL, 0);
    for (size_t i = 0; i < sizeof formulas / sizeof formulas[0]; i++) {
        Formula formula;
        assert_int_equal(formula_parse(formulas[i], &formula, NULL), STATUS_OK);
        FormulaSize size = formula_size(&fonts, HEIGHT, &formula);
        ImDrawList *list = igGetForegroundDrawList_Nil();
        int before = list->VtxBuffer.Size;
        formula_draw(list, &fonts, HEIGHT, 0xffffffffu, 300.0f, 500.0f, &formula);
        assert_true(list->VtxBuffer.Size > before + 40);
        for (int v = before; v < list->VtxBuffer.Size; v++) {
            ImVec2 at = list->VtxBuffer.Data[v].pos;
            float slack = 0.12f * HEIGHT;
            bool inside = at.x > 300.0f - slack && at.x < 300.0f + size.width + slack &&
                          at.y > 500.0f - size.ascent - slack &&
                          at.y < 500.0f + size.descent + slack;
            if (!inside) fail_msg("%s: a point at %g %g", formulas[i], at.x, at.y);
        }
    }
    igEnd();
    igEndFrame();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_formulas_are_refused_at_their_column),
        cmocka_unit_test(no_text_does_harm),
        cmocka_unit_test(sizes_follow_the_structure),
        cmocka_unit_test(signs_have_room_where_they_join),
        cmocka_unit_test(fonts_have_every_sign),
        cmocka_unit_test(what_is_drawn_lies_within_its_size),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
