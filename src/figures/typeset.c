#include "figures/typeset.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

typedef struct Line {
    char *out;
    size_t used, size;
} Line;

// All of `text` or nothing, so that no character is cut in two.
static void put(Line *line, const char *text, size_t length)
{
    if (line->used + length >= line->size) {
        line->size = line->used; // what follows is left out too
        return;
    }
    memcpy(line->out + line->used, text, length);
    line->used += length;
    line->out[line->used] = '\0';
}

static void put_text(Line *line, const char *text)
{
    put(line, text, strlen(text));
}

static void put_superscript(Line *line, const char *text, size_t length)
{
    static const char *const digits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    bool zeros = true; // leading ones, as in 1e+06
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '-') put_text(line, "⁻");
        if (text[i] == 'n') put_text(line, "ⁿ");
        if (!isdigit((unsigned char)text[i])) continue;
        zeros = zeros && text[i] == '0' && i + 1 < length;
        if (!zeros) put_text(line, digits[text[i] - '0']);
    }
}

static size_t digits_at(const char *text)
{
    return strspn(text, "0123456789");
}

// Length of a whole exponent, "2", "-1" or "n"; 0 for one with a point.
static size_t exponent_at(const char *text)
{
    if (*text == 'n' && !isalnum((unsigned char)text[1])) return 1;
    size_t sign = *text == '-', digits = digits_at(text + sign);
    bool point = text[sign + digits] == '.' && isdigit((unsigned char)text[sign + digits + 1]);
    return digits > 0 && !point ? sign + digits : 0;
}

// "2.5e-06" and "1e6": the length, and where the e is.
static size_t scientific_at(const char *text, size_t *e)
{
    size_t at = digits_at(text);
    if (at == 0) return 0;
    if (text[at] == '.') at += 1 + digits_at(text + at + 1);
    if (text[at] != 'e') return 0;
    *e = at++;
    if (text[at] == '+' || text[at] == '-') at++;
    size_t digits = digits_at(text + at);
    return digits > 0 && !isalnum((unsigned char)text[at + digits]) ? at + digits : 0;
}

static void put_scientific(Line *line, const char *text, size_t length, size_t e)
{
    if (e != 1 || text[0] != '1') {
        put(line, text, e);
        put_text(line, "·");
    }
    put_text(line, "10");
    put_superscript(line, text + e + 1, length - e - 1);
}

// A word or a sign that has one of its own. Returns the length that it replaces.
static size_t put_symbol(Line *line, const char *text, bool after_word)
{
    static const struct {
        const char *plain, *symbol;
    } words[] = {{"rho", "ρ"}, {"omega", "ω"}, {"lambda", "λ"}};
    for (size_t i = 0; !after_word && i < sizeof words / sizeof words[0]; i++) {
        size_t length = strlen(words[i].plain);
        if (strncmp(text, words[i].plain, length) != 0 || isalnum((unsigned char)text[length]))
            continue;
        put_text(line, words[i].symbol);
        return length;
    }
    if (text[0] == '<' && text[1] == '=') return put_text(line, "≤"), 2;
    if (text[0] == '>' && text[1] == '=') return put_text(line, "≥"), 2;
    if (strncmp(text, "sqrt", 4) != 0) return 0;
    if (text[4] == ' ') return put_text(line, "√"), 5;
    if (text[4] != '(') return 0;
    size_t inner =
        strspn(text + 5, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.");
    put_text(line, "√");
    if (text[5 + inner] != ')') return 4;
    put(line, text + 5, inner);
    return 6 + inner;
}

// A minus stands after a space, a bracket or a comma, and before a number or a quantity; or alone.
static bool is_minus(const char *text, char before)
{
    bool opens = before == '\0' || strchr(" (,±|", before);
    return *text == '-' && opens && (text[1] == ' ' || isalnum((unsigned char)text[1]));
}

void typeset(const char *text, char *out, size_t size)
{
    Line line = {out, 0, size};
    if (size > 0) out[0] = '\0';
    for (const char *at = text; *at;) {
        char before = at > text ? at[-1] : '\0';
        bool after_word = isalnum((unsigned char)before) || before == '_' || before == '.';
        size_t e = 0, length = after_word ? 0 : scientific_at(at, &e);
        if (length > 0) {
            put_scientific(&line, at, length, e);
        } else if (*at == '^' && (length = exponent_at(at + 1)) > 0) {
            put_superscript(&line, at + 1, length);
            length++;
        } else if (is_minus(at, before)) {
            put_text(&line, "−");
            length = 1;
        } else if ((length = put_symbol(&line, at, after_word)) == 0) {
            length = 1;
            while ((at[length] & 0xc0) == 0x80) length++; // the rest of the character
            put(&line, at, length);
        }
        at += length;
    }
}
