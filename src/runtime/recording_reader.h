// A recording that is being read, line by line. Private to runtime/: recording.h reads whole files.
#ifndef RUNTIME_RECORDING_READER_H
#define RUNTIME_RECORDING_READER_H

#include "runtime/recording.h"

enum { RECORDING_LONGEST_LINE = 400, RECORDING_MOST_WORDS = 12 };

typedef struct Reader {
    const char *path;       // end of the path, for error messages
    const char *whole_path; // a mesh is searched for beside it
    const char *next, *end; // text not yet read
    int line;               // number of the last line read
    const char *start;      // of that line, in the text
    char copy[RECORDING_LONGEST_LINE];
    char *words[RECORDING_MOST_WORDS];
    int word_count;
    Recording *out;
    int capacity; // of out->commands
    // what the last `back` took away
    bool has_back;
    long back_from; // the tick at which it stood
    int back_kept;  // commands before it
    int taken_count;
    RecordedCommand *taken;
    Error *error;
} Reader;

// ---- lines and words: recording_lines.c

// Returns false, so that a reader can `return reader_fail(...)`.
bool reader_fail(Reader *reader, const char *format, ...) __attribute__((format(printf, 2, 3)));
bool reader_out_of_memory(Reader *reader);

typedef enum LineResult { LINE_READ, LINE_NONE, LINE_BAD } LineResult;
// The next line that is not empty or a comment, in words.
LineResult reader_next_line(Reader *reader);
// All lines up to the line `last`. False when the text ends before it.
bool reader_block(Reader *reader, const char *last, const char **text, size_t *size);
bool reader_number(Reader *reader, const char *word, double *out);
bool reader_count(Reader *reader, const char *word, long most, long *out);
bool reader_hash(Reader *reader, const char *word, uint64_t *out);

// ---- scenes and commands: recording_commands.c

// The rest of the line after its first `words` words: a scene's name.
bool reader_scene_name(Reader *reader, int words, Scene *scene);
// The block after `scene NAME` or `load NAME`, and its mesh. False with `cut` when the text ends.
bool reader_scene(Reader *reader, Scene *scene, uint64_t *mesh);
// What is to be done, from word `at` on; perhaps with lines that follow.
bool reader_command(Reader *reader, int at, RecordedCommand *out);

#endif
