// One vertex and one fragment shader, linked; built in or from a directory.
#ifndef RENDER_SHADER_PROGRAM_H
#define RENDER_SHADER_PROGRAM_H

#include "base/status.h"

#include <glad/gl.h>
#include <stdbool.h>

typedef struct FileStamp { // distinguishes versions of a file
    long long size, seconds, nanoseconds;
} FileStamp;

typedef struct ShaderProgram {
    const char *vertex_name, *fragment_name; // file names, set by the owner
    GLuint id;                               // the last good program, 0 before the first
    FileStamp vertex_stamp, fragment_stamp;  // of the files last tried
    Error error; // why these files are not in use; STATUS_OK when they are
} ShaderProgram;

// Compile and link; `directory` NULL takes the built-in files. On failure the old program stays in
// use.
Status shader_program_load(ShaderProgram *program, const char *directory, Error *error);

// Load again if one of the files in `directory` changed. Sets *reloaded when a new program is in
// use. A failure is reported until the file is fixed, but compiled only once.
Status shader_program_reload(ShaderProgram *program, const char *directory, bool *reloaded,
                             Error *error);

void shader_program_finish(ShaderProgram *program); // accepts a zeroed one

// Location of a uniform, or -1, which OpenGL ignores, if the shader does not use it.
GLint shader_uniform(const ShaderProgram *program, const char *name);

#endif
