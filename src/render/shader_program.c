#include "render/shader_program.h"

#include "base/file.h"
#include "embedded.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { LARGEST_FILE = 1 << 20 }; // bytes; a shader is a few thousand

static void path_of(const char *directory, const char *name, char *path, size_t size)
{
    snprintf(path, size, "%s/%s", directory, name);
}

// All zero if the file is missing, which differs from every real file.
static FileStamp stamp_of(const char *directory, const char *name)
{
    char path[4096];
    path_of(directory, name, path, sizeof path);
    struct stat info;
    if (stat(path, &info) != 0) return (FileStamp){0};
    return (FileStamp){info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec};
}

static bool same_stamp(FileStamp a, FileStamp b)
{
    return a.size == b.size && a.seconds == b.seconds && a.nanoseconds == b.nanoseconds;
}

// The text of a shader; the caller frees it.
static Status read_source(const char *directory, const char *name, FileText *out, Error *error)
{
    if (directory) {
        char path[4096];
        path_of(directory, name, path, sizeof path);
        Status status = file_read(path, LARGEST_FILE, out, error);
        if (status == STATUS_FILE && error) error->status = STATUS_GPU; // the view cannot be drawn
        return status == STATUS_FILE ? STATUS_GPU : status;
    }
    const EmbeddedFile *file = embedded_find(name);
    if (!file) return error_set(error, STATUS_GPU, "The shader %s is not built in", name);
    *out = (FileText){strdup((const char *)file->data), file->size};
    return out->data ? STATUS_OK : error_set(error, STATUS_OUT_OF_MEMORY, "Out of memory");
}

// Put the driver's log on one line, because it goes into one sentence.
static Status report(const char *names, char *log, Error *error)
{
    size_t length = strlen(log);
    while (length > 0 && strchr("\r\n ", log[length - 1])) log[--length] = '\0';
    for (char *c = log; *c; c++) {
        if (*c == '\n' || *c == '\r') *c = ' ';
    }
    return error_set(error, STATUS_GPU, "%s: %s", names, *log ? log : "the driver says no more");
}

static Status compile(GLenum stage, const char *directory, const char *name, GLuint *out,
                      Error *error)
{
    FileText text = {0};
    Status status = read_source(directory, name, &text, error);
    if (status != STATUS_OK) return status;

    *out = glCreateShader(stage);
    glShaderSource(*out, 1, (const char *const *)&text.data, NULL);
    glCompileShader(*out);
    file_text_finish(&text);

    GLint compiled = GL_FALSE;
    glGetShaderiv(*out, GL_COMPILE_STATUS, &compiled);
    if (compiled) return STATUS_OK;
    char log[300] = "";
    glGetShaderInfoLog(*out, sizeof log, NULL, log);
    return report(name, log, error);
}

static Status link_program(const ShaderProgram *program, GLuint vertex, GLuint fragment,
                           GLuint *out, Error *error)
{
    *out = glCreateProgram();
    glAttachShader(*out, vertex);
    glAttachShader(*out, fragment);
    glLinkProgram(*out);
    glDetachShader(*out, vertex);
    glDetachShader(*out, fragment);

    GLint linked = GL_FALSE;
    glGetProgramiv(*out, GL_LINK_STATUS, &linked);
    if (linked) return STATUS_OK;
    char log[300] = "", names[80];
    glGetProgramInfoLog(*out, sizeof log, NULL, log);
    snprintf(names, sizeof names, "%s with %s", program->vertex_name, program->fragment_name);
    return report(names, log, error);
}

Status shader_program_load(ShaderProgram *program, const char *directory, Error *error)
{
    if (directory) { // before reading, so that a write during the read counts as a change
        program->vertex_stamp = stamp_of(directory, program->vertex_name);
        program->fragment_stamp = stamp_of(directory, program->fragment_name);
    }
    program->error = (Error){0};
    GLuint vertex = 0, fragment = 0, linked = 0;
    Status status =
        compile(GL_VERTEX_SHADER, directory, program->vertex_name, &vertex, &program->error);
    if (status == STATUS_OK) {
        status = compile(GL_FRAGMENT_SHADER, directory, program->fragment_name, &fragment,
                         &program->error);
    }
    if (status == STATUS_OK) {
        status = link_program(program, vertex, fragment, &linked, &program->error);
    }
    if (status == STATUS_OK) {
        GLuint previous = program->id;
        program->id = linked;
        linked = previous;
    } else if (error) {
        *error = program->error;
    }
    glDeleteProgram(linked); // OpenGL ignores 0
    glDeleteShader(fragment);
    glDeleteShader(vertex);
    return status;
}

Status shader_program_reload(ShaderProgram *program, const char *directory, bool *reloaded,
                             Error *error)
{
    if (same_stamp(program->vertex_stamp, stamp_of(directory, program->vertex_name)) &&
        same_stamp(program->fragment_stamp, stamp_of(directory, program->fragment_name))) {
        if (program->error.status != STATUS_OK && error) *error = program->error;
        return program->error.status;
    }
    Status status = shader_program_load(program, directory, error);
    if (status == STATUS_OK) *reloaded = true;
    return status;
}

void shader_program_finish(ShaderProgram *program)
{
    glDeleteProgram(program->id);
    program->id = 0;
}

GLint shader_uniform(const ShaderProgram *program, const char *name)
{
    return glGetUniformLocation(program->id, name);
}
