// What an error leaves of a number: digits that are noise are not printed.
#ifndef BASE_CERTAIN_H
#define BASE_CERTAIN_H

#include <stdbool.h>
#include <stddef.h>

typedef struct Certain {
    double value;  // rounded to the digits below
    int digits;    // significant ones, at least 1
    bool is_bound; // not even the sign is certain: the magnitude is below `value`
    bool is_rough; // the one digit that is left may be off by one
} Certain;

// Of a value that is known to +-error, at most `most` digits. 0 is taken to be exact.
Certain certain(double value, double error, int most);
// As text, at most four digits: "1.234", "about 3", "below 0.02".
void certain_print(double value, double error, char *text, size_t size);

#endif
