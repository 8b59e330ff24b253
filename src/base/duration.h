// A time as people write it: three digits, in s, ms or µs.
#ifndef BASE_DURATION_H
#define BASE_DURATION_H

typedef struct DurationText {
    char text[24];
} DurationText;

// "1.62 s", "0.375 ms" and "2.22 ms", "62.1 µs"; "0 s".
DurationText duration_text(double seconds);

#endif
