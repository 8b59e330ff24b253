#include "runtime/ini_text.h"

#include <string.h>

#define BLANKS " \t"

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

void ini_begin(IniReader *reader, const char *text, size_t size)
{
    const char mark[] = "\xef\xbb\xbf";
    size_t skip = size >= strlen(mark) && memcmp(text, mark, strlen(mark)) == 0 ? strlen(mark) : 0;
    reader->next = text + skip;
    reader->end = text + size;
    reader->line = 0;
    reader->key_open = false;
    reader->section[0] = reader->name[0] = reader->text[0] = reader->wrong[0] = '\0';
    reader->value = reader->text;
}

bool ini_is_text(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)text[i];
        if ((c < ' ' && c != '\t' && c != '\n' && c != '\r') || c == 0x7f) return false;
    }
    return true;
}

bool ini_is_line(const char *text)
{
    return ini_is_text(text, strlen(text)) && !strpbrk(text, "\n\r");
}

static IniKind refuse(IniReader *reader, const char *why)
{
    snprintf(reader->wrong, sizeof reader->wrong, "%s", why);
    return INI_BAD;
}

static IniKind refuse_line(IniReader *reader)
{
    return refuse(reader, "this is neither [section] nor name = value nor a ; comment");
}

// Move on to the next line. Returns how many characters this one has without its end.
static size_t take_line(IniReader *reader, const char **line)
{
    const char *at = *line = reader->next;
    while (at < reader->end && *at != '\n' && *at != '\r') at++;
    reader->next = at;
    if (reader->next < reader->end) reader->next++;
    if (at < reader->end && *at == '\r' && reader->next < reader->end && *reader->next == '\n')
        reader->next++;
    reader->line++;
    return (size_t)(at - *line);
}

static bool is_comment(const char *text)
{
    return *text == ';' || *text == '#';
}

// Without a comment at its end and the blanks before that.
static void cut_comment(char *text)
{
    char *end = text;
    while (*end && !(*end == ';' && (end == text || is_blank(end[-1])))) end++;
    while (end > text && is_blank(end[-1])) end--;
    *end = '\0';
}

// The text between quotes, in place of what stands there.
static bool unquote(char *text)
{
    const char *from = text + 1;
    while (*from && *from != '"') {
        if (*from == '\\' && *++from != '"' && *from != '\\') return false;
        *text++ = *from++;
    }
    if (*from != '"') return false;
    *text = '\0';
    from += 1 + strspn(from + 1, BLANKS);
    return *from == '\0' || *from == ';';
}

static IniKind take_value(IniReader *reader, char *text, IniKind kind)
{
    text += strspn(text, BLANKS);
    if (*text != '"')
        cut_comment(text);
    else if (!unquote(text))
        return refuse(reader, "a value that begins with \" ends with one, and inside \\\" and "
                              "\\\\ stand for \" and \\");
    reader->value = text;
    return kind;
}

static bool copy_name(char out[INI_NAME_SIZE], const char *from, const char *end)
{
    size_t length = (size_t)(end - from);
    if (length >= INI_NAME_SIZE) return false;
    memcpy(out, from, length);
    out[length] = '\0';
    return true;
}

static IniKind take_section(IniReader *reader, char *text)
{
    char *end = strchr(text, ']');
    reader->key_open = false;
    if (!end) return refuse_line(reader);
    const char *rest = end + 1 + strspn(end + 1, BLANKS);
    if (*rest && !is_comment(rest)) return refuse(reader, "nothing stands behind [section]");
    if (!copy_name(reader->section, text + 1, end))
        return refuse(reader, "no section has a name as long as this one");
    return INI_SECTION;
}

static IniKind take_key(IniReader *reader, char *text)
{
    char *equals = strpbrk(text, "=:"), *end = equals;
    if (!equals) return refuse_line(reader);
    while (end > text && is_blank(end[-1])) end--;
    if (!copy_name(reader->name, text, end))
        return refuse(reader, "nothing has a name as long as the one before =");
    reader->key_open = true;
    return take_value(reader, equals + 1, INI_VALUE);
}

IniKind ini_next(IniReader *reader)
{
    while (reader->next < reader->end) {
        const char *line;
        size_t length = take_line(reader, &line), blanks = 0;
        while (blanks < length && is_blank(line[blanks])) blanks++;
        if (blanks == length || is_comment(line + blanks)) continue;
        if (length >= sizeof reader->text) {
            snprintf(reader->wrong, sizeof reader->wrong, "the line is longer than %zu bytes",
                     sizeof reader->text - 1);
            return INI_BAD;
        }
        memcpy(reader->text, line, length);
        reader->text[length] = '\0';
        char *text = reader->text + blanks;
        if (blanks > 0 && reader->key_open) return take_value(reader, text, INI_MORE);
        return *text == '[' ? take_section(reader, text) : take_key(reader, text);
    }
    return INI_END;
}

static bool needs_quotes(const char *value)
{
    size_t length = strlen(value);
    if (length == 0) return false;
    if (strchr(BLANKS "\";", value[0]) || is_blank(value[length - 1])) return true;
    return strstr(value, " ;") || strstr(value, "\t;");
}

void ini_print(FILE *file, const char *name, const char *value)
{
    if (!needs_quotes(value)) {
        fprintf(file, "%s = %s\n", name, value);
        return;
    }
    fprintf(file, "%s = \"", name);
    for (; *value; value++) {
        if (*value == '"' || *value == '\\') fputc('\\', file);
        fputc(*value, file);
    }
    fprintf(file, "\"\n");
}

void ini_print_wrapped(FILE *file, const char *name, const char *value)
{
    enum { WIDTH = 80 };
    if (needs_quotes(value) || strstr(value, "  ") || strchr(value, '\t')) {
        ini_print(file, name, value);
        return;
    }
    int column = fprintf(file, "%s =", name);
    while (*value) {
        int word = (int)strcspn(value, " ");
        // a line that starts with one of these would be read otherwise
        if (column + word > WIDTH && !strchr("#\"", *value)) column = fprintf(file, "\n ") - 1;
        column += fprintf(file, " %.*s", word, value);
        value += word + strspn(value + word, " ");
    }
    fprintf(file, "\n");
}
