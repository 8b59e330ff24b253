#include "apps/json.h"

#include <math.h>
#include <stdlib.h>

// Length in bytes of the UTF-8 sequence that starts here, 0 if it is invalid (RFC 3629: no overlong
// forms, no surrogates, nothing above U+10FFFF). A terminating 0 fails every check.
static int sequence_length(const unsigned char *s)
{
    if (s[0] < 0x80) return 1;
    if (s[0] < 0xc2 || s[0] > 0xf4) return 0;
    int length = s[0] < 0xe0 ? 2 : s[0] < 0xf0 ? 3 : 4;
    unsigned char low = 0x80, high = 0xbf; // of the second byte
    if (s[0] == 0xe0) low = 0xa0;
    if (s[0] == 0xed) high = 0x9f;
    if (s[0] == 0xf0) low = 0x90;
    if (s[0] == 0xf4) high = 0x8f;
    if (s[1] < low || s[1] > high) return 0;
    for (int i = 2; i < length; i++) {
        if (s[i] < 0x80 || s[i] > 0xbf) return 0;
    }
    return length;
}

static void write_string(FILE *file, const char *text)
{
    putc('"', file);
    for (const unsigned char *s = (const unsigned char *)text; *s;) {
        int length = sequence_length(s);
        if (length == 0) {
            fputs("\\ufffd", file);
            length = 1;
        } else if (*s < ' ' || *s == 0x7f) {
            fprintf(file, "\\u%04x", *s);
        } else {
            if (*s == '"' || *s == '\\') putc('\\', file);
            fwrite(s, 1, (size_t)length, file);
        }
        s += length;
    }
    putc('"', file);
}

static void begin_value(Json *json, const char *key)
{
    if (json->depth > 0) fputs(json->empty ? "\n" : ",\n", json->file);
    fprintf(json->file, "%*s", 2 * json->depth, "");
    json->empty = false;
    if (key) {
        write_string(json->file, key);
        fputs(": ", json->file);
    }
}

static void open_container(Json *json, const char *key, char bracket)
{
    begin_value(json, key);
    putc(bracket, json->file);
    json->depth++;
    json->empty = true;
}

static void close_container(Json *json, char bracket)
{
    json->depth--;
    if (!json->empty) fprintf(json->file, "\n%*s", 2 * json->depth, "");
    putc(bracket, json->file);
    json->empty = false;
    if (json->depth == 0) putc('\n', json->file);
}

void json_open_object(Json *json, const char *key)
{
    open_container(json, key, '{');
}
void json_close_object(Json *json)
{
    close_container(json, '}');
}
void json_open_array(Json *json, const char *key)
{
    open_container(json, key, '[');
}
void json_close_array(Json *json)
{
    close_container(json, ']');
}

void json_text(Json *json, const char *key, const char *text)
{
    begin_value(json, key);
    write_string(json->file, text);
}

void json_number(Json *json, const char *key, double number)
{
    begin_value(json, key);
    if (!isfinite(number)) {
        fputs("null", json->file);
        return;
    }
    char text[32];
    for (int digits = 6; digits <= 17; digits++) { // 17 digits always read back the same
        snprintf(text, sizeof text, "%.*g", digits, number);
        if (strtod(text, NULL) == number) break;
    }
    fputs(text, json->file);
}

void json_count(Json *json, const char *key, long count)
{
    begin_value(json, key);
    fprintf(json->file, "%ld", count);
}

void json_bool(Json *json, const char *key, bool value)
{
    begin_value(json, key);
    fputs(value ? "true" : "false", json->file);
}
