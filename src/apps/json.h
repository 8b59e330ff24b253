// Writes JSON, one member per line. Text is escaped, bytes that are not UTF-8 become U+FFFD, and
// infinite numbers and NaN become null.
#ifndef APPS_JSON_H
#define APPS_JSON_H

#include <stdbool.h>
#include <stdio.h>

typedef struct Json {
    FILE *file;
    int depth;
    bool empty; // the innermost object or array has no member yet
} Json;

// `key` is NULL in an array and at the top.
void json_open_object(Json *json, const char *key);
void json_close_object(Json *json);
void json_open_array(Json *json, const char *key);
void json_close_array(Json *json);

void json_text(Json *json, const char *key, const char *text);
void json_number(Json *json, const char *key, double number); // fewest digits that read back
void json_count(Json *json, const char *key, long count);
void json_bool(Json *json, const char *key, bool value);

#endif
