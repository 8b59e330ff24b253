#include "lesson/live_value.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

bool live_value_find(const char *text, const char *opening, LiveValue *out)
{
    const char *begin = strstr(text, opening);
    if (!begin) return false;
    const char *inside = begin + strlen(opening), *end = strchr(inside, '}');
    *out = (LiveValue){.begin = begin, .end = end ? end + 1 : NULL, .value = VALUE_NONE};
    if (!end) return true;
    if (isdigit((unsigned char)inside[0]) && inside[1] == '.') {
        out->lane = inside[0] - '1';
        inside += 2;
    }
    char name[24] = "";
    if ((size_t)(end - inside) < sizeof name) memcpy(name, inside, (size_t)(end - inside));
    out->value = strcmp(name, "verdict") == 0 ? LIVE_VALUE_VERDICT : value_find(name);
    return true;
}

Status live_values_check(const char *text, const char *opening, int lane_count, Error *error)
{
    LiveValue found;
    for (; live_value_find(text, opening, &found); text = found.end) {
        if (!found.end)
            return error_set(error, STATUS_BAD_PARAMETER, "%.20s... has no }", found.begin);
        int length = (int)(found.end - found.begin);
        if (found.value == VALUE_NONE)
            return error_set(error, STATUS_BAD_PARAMETER,
                             "%.*s is no number of the cloth; docs/lessons.md has the list", length,
                             found.begin);
        if (found.lane < 0 || found.lane >= lane_count)
            return error_set(error, STATUS_BAD_PARAMETER, "%.*s: this step has %d lane%s", length,
                             found.begin, lane_count, lane_count == 1 ? "" : "s");
    }
    return STATUS_OK;
}

void live_values_fill(const char *text, const char *opening, LiveValuePrint print, void *user,
                      char *out, size_t size)
{
    size_t used = 0;
    LiveValue found;
    out[0] = '\0';
    while (used + 1 < size && live_value_find(text, opening, &found) && found.end) {
        char value[96] = "";
        print(user, &found, value, sizeof value);
        int wrote =
            snprintf(out + used, size - used, "%.*s%s", (int)(found.begin - text), text, value);
        used += wrote > 0 ? (size_t)wrote : 0;
        text = found.end;
    }
    if (used + 1 < size) snprintf(out + used, size - used, "%s", text);
}
