#include "cloth/obj_file.h"

#include "base/file.h"
#include "cloth/mesh_triangles.h"

#include <stdlib.h>
#include <string.h>

#define LARGEST_FILE ((size_t)64 << 20)
enum { MOST_VERTICES = 200000, MOST_TRIANGLES = 2 * MOST_VERTICES };

typedef struct Obj {
    const char *path; // its last part, for error messages
    const char *at;   // the next character to read
    int line;
    int vertex_count, vertex_room;
    Vec3 *position;
    int *vertex_line;
    int triangle_count, triangle_room;
    uint32_t (*triangles)[3];
    int *triangle_line;
    Error *error;
} Obj;

static void obj_finish(Obj *obj)
{
    free(obj->position);
    free(obj->vertex_line);
    free(obj->triangles);
    free(obj->triangle_line);
}

static Status fail(const Obj *obj, int line, const char *what)
{
    return error_set(obj->error, STATUS_FILE, "%s, line %d: %s", obj->path, line, what);
}

static Status out_of_memory(const Obj *obj)
{
    return error_set(obj->error, STATUS_OUT_OF_MEMORY, "%s does not fit into memory", obj->path);
}

// Make room for one more item in both arrays. Doubling keeps the total copying linear.
static bool grow(int count, int *room, void **items, size_t item_size, int **lines)
{
    if (count < *room) return true;
    int more = *room > 0 ? 2 * *room : 256;
    void *larger = realloc(*items, (size_t)more * item_size);
    if (!larger) return false;
    *items = larger;
    int *longer = realloc(*lines, (size_t)more * sizeof **lines);
    if (!longer) return false;
    *lines = longer;
    *room = more;
    return true;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

// Skip blanks; true if a word follows on this line. strtod alone would continue on the next line.
static bool next_word(Obj *obj)
{
    while (is_blank(*obj->at)) obj->at++;
    return *obj->at != '\n' && *obj->at != '\0' && *obj->at != '#';
}

static void skip_line(Obj *obj)
{
    while (*obj->at != '\n' && *obj->at != '\0') obj->at++;
}

static bool read_number(Obj *obj, double *value)
{
    if (!next_word(obj)) return false;
    char *end;
    *value = strtod(obj->at, &end);
    bool whole = end != obj->at && (is_blank(*end) || *end == '\n' || *end == '\0' || *end == '#');
    obj->at = end;
    return whole;
}

static Status read_vertex(Obj *obj)
{
    Vec3 x;
    if (!read_number(obj, &x.x) || !read_number(obj, &x.y) || !read_number(obj, &x.z)) {
        return fail(obj, obj->line, "a vertex is v and three numbers");
    }
    if (obj->vertex_count == MOST_VERTICES) {
        return fail(obj, obj->line, "more than 200000 vertices are too many");
    }
    if (!grow(obj->vertex_count, &obj->vertex_room, (void **)&obj->position, sizeof *obj->position,
              &obj->vertex_line)) {
        return out_of_memory(obj);
    }
    obj->vertex_line[obj->vertex_count] = obj->line;
    obj->position[obj->vertex_count++] = x;
    return STATUS_OK;
}

// One corner, "7", "7/1", "7//3", "7/1/3" or "-1" for the last vertex so far: from 0 in *index.
static Status read_corner(Obj *obj, uint32_t *index)
{
    char *end;
    long number = strtol(obj->at, &end, 10);
    bool good = end != obj->at;
    while (*end == '/' || *end == '-' || (*end >= '0' && *end <= '9')) end++;
    good = good && (is_blank(*end) || *end == '\n' || *end == '\0' || *end == '#');
    if (!good) return fail(obj, obj->line, "a corner of a face is not a number such as 7 or 7/1/3");
    obj->at = end;
    if (number < 0) number += obj->vertex_count + 1L;
    if (number < 1 || number > MOST_VERTICES) {
        return fail(obj, obj->line, "a corner of the face does not exist; the first vertex is 1");
    }
    *index = (uint32_t)number - 1; // mesh_find_fault reports an index above the last vertex
    return STATUS_OK;
}

static Status add_triangle(Obj *obj, uint32_t a, uint32_t b, uint32_t c)
{
    if (obj->triangle_count == MOST_TRIANGLES) {
        return fail(obj, obj->line, "more than 400000 triangles are too many");
    }
    if (!grow(obj->triangle_count, &obj->triangle_room, (void **)&obj->triangles,
              sizeof *obj->triangles, &obj->triangle_line)) {
        return out_of_memory(obj);
    }
    obj->triangle_line[obj->triangle_count] = obj->line;
    uint32_t *triangle = obj->triangles[obj->triangle_count++];
    triangle[0] = a, triangle[1] = b, triangle[2] = c;
    return STATUS_OK;
}

static Status read_face(Obj *obj)
{
    uint32_t first = 0, previous = 0;
    int corners = 0;
    Status status = STATUS_OK;
    while (status == STATUS_OK && next_word(obj)) {
        uint32_t index = 0;
        status = read_corner(obj, &index);
        if (status != STATUS_OK) break;
        corners++;
        if (corners == 1) first = index;
        if (corners > 2) status = add_triangle(obj, first, previous, index);
        previous = index;
    }
    if (status == STATUS_OK && corners < 3) {
        return fail(obj, obj->line, "a face has at least three corners");
    }
    return status;
}

static Status read_lines(Obj *obj)
{
    Status status = STATUS_OK;
    while (*obj->at != '\0' && status == STATUS_OK) {
        obj->line++;
        while (is_blank(*obj->at)) obj->at++;
        char key = obj->at[0];
        bool alone = key != '\0' && is_blank(obj->at[1]);
        if (alone && (key == 'v' || key == 'f')) {
            obj->at++;
            status = key == 'v' ? read_vertex(obj) : read_face(obj);
        }
        skip_line(obj);
        if (*obj->at == '\n') obj->at++;
    }
    return status;
}

static bool is_text(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c < ' ' && c != '\t' && c != '\n' && c != '\r') return false;
    }
    return true;
}

static Status check_and_build(Obj *obj, Mesh *mesh, double size)
{
    TriangleList list = {obj->vertex_count, obj->position, obj->triangle_count,
                         (const uint32_t(*)[3])obj->triangles};
    if (obj->vertex_count == 0 || obj->triangle_count == 0) {
        return error_set(obj->error, STATUS_FILE, "%s is not a cloth: it has no %s (lines with %s)",
                         obj->path, obj->vertex_count == 0 ? "vertices" : "faces",
                         obj->vertex_count == 0 ? "v" : "f");
    }
    MeshFault fault;
    Status status = mesh_find_fault(&list, &fault, obj->error);
    if (status != STATUS_OK) return status;
    if (fault.what) {
        int line = fault.triangle >= 0 ? obj->triangle_line[fault.triangle]
                                       : obj->vertex_line[fault.particle];
        return fail(obj, line, fault.what);
    }
    return mesh_init_triangles(mesh, &list, size, obj->error);
}

Status mesh_parse_obj(Mesh *mesh, const char *path, const char *text, size_t length, double size,
                      Error *error)
{
    *mesh = (Mesh){0};
    // the end of a long path says more than its beginning, and the message must fit the buffer
    size_t path_length = strlen(path);
    if (path_length > 120) path += path_length - 120;
    if (!is_text(text, length)) {
        return error_set(error, STATUS_FILE,
                         "%s is not an OBJ file: it holds bytes that are no text", path);
    }
    Obj obj = {.path = path, .at = text, .error = error};
    Status status = read_lines(&obj);
    if (status == STATUS_OK) status = check_and_build(&obj, mesh, size);
    obj_finish(&obj);
    return status;
}

Status mesh_load_obj(Mesh *mesh, const char *path, double size, Error *error)
{
    *mesh = (Mesh){0};
    FileText text;
    Status status = file_read(path, LARGEST_FILE, &text, error);
    if (status != STATUS_OK) return status;
    status = mesh_parse_obj(mesh, path, text.data, text.size, size, error);
    file_text_finish(&text);
    return status;
}
