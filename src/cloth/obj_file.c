// In two passes: all vertices and the corners of all faces; then, when the places of all corners
// are known, the faces become triangles.
#include "cloth/obj_file.h"

#include "base/file.h"
#include "cloth/mesh_repair.h"
#include "cloth/mesh_triangles.h"
#include "cloth/polygon.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define LARGEST_FILE ((size_t)64 << 20)
enum { MOST_VERTICES = 200000, MOST_TRIANGLES = 2 * MOST_VERTICES }; // of the cloth
enum { MOST_READ = 4000000, MOST_CORNERS = 4096 };                   // of the file; of a face
// Of the triangles, one in so many may be at an edge that two others have.
enum { CROWDED_SHARE = 50 };

typedef struct Obj {
    const char *path; // its last part, for error messages
    const char *at;   // the next character to read
    int line;
    int vertex_count, vertex_room;
    Vec3 *position;
    int *vertex_line;
    int corner_count, corner_room; // of all faces, one face after the other
    long *corner;                  // the vertex, from 0
    int *corner_line;
    int largest_face;
    int triangle_count;
    uint32_t (*triangles)[3];
    int *triangle_line;
    int strut_count, strut_room; // springs beside the edges, from lines
    uint32_t (*struts)[2];
    int *strut_line;
    bool has_lines, has_surfaces; // beside or instead of faces
    Error *error;
} Obj;

static void obj_finish(Obj *obj)
{
    free(obj->position);
    free(obj->vertex_line);
    free(obj->corner);
    free(obj->corner_line);
    free(obj->triangles);
    free(obj->triangle_line);
    free(obj->struts);
    free(obj->strut_line);
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
    return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}

static bool is_line_end(char c)
{
    return c == '\n' || c == '\r' || c == '\0';
}

// A line ends with LF, CR LF or CR.
static void skip_line_end(Obj *obj)
{
    if (obj->at[0] == '\r' && obj->at[1] == '\n') obj->at++;
    if (*obj->at != '\0') obj->at++;
    obj->line++;
}

// Skip blanks; true if a word follows on this line, which may be continued after a backslash.
// strtod alone would continue on any next line.
static bool next_word(Obj *obj)
{
    for (;;) {
        while (is_blank(*obj->at)) obj->at++;
        if (obj->at[0] != '\\' || !is_line_end(obj->at[1]) || obj->at[1] == '\0') break;
        obj->at++;
        skip_line_end(obj);
    }
    return !is_line_end(*obj->at) && *obj->at != '#';
}

static void skip_line(Obj *obj)
{
    while (!is_line_end(*obj->at)) obj->at++;
}

static bool ends_word(const char *end)
{
    return is_blank(*end) || is_line_end(*end) || *end == '#' || *end == '\\';
}

static bool read_number(Obj *obj, double *value)
{
    if (!next_word(obj)) return false;
    char *end;
    *value = strtod(obj->at, &end);
    bool whole = end != obj->at && ends_word(end);
    obj->at = end;
    return whole;
}

static Status read_vertex(Obj *obj)
{
    Vec3 x;
    int line = obj->line;
    if (!read_number(obj, &x.x) || !read_number(obj, &x.y) || !read_number(obj, &x.z)) {
        return fail(obj, line, "a vertex is v and three numbers");
    }
    if (obj->vertex_count == MOST_READ)
        return fail(obj, line, "more than 4000000 vertices are too many");
    if (!grow(obj->vertex_count, &obj->vertex_room, (void **)&obj->position, sizeof *obj->position,
              &obj->vertex_line)) {
        return out_of_memory(obj);
    }
    obj->vertex_line[obj->vertex_count] = line;
    obj->position[obj->vertex_count++] = x;
    return STATUS_OK;
}

// One corner, "7", "7/1", "7//3", "7/1/3" or "-1" for the last vertex so far: from 0 in *index.
static Status read_corner(Obj *obj, const char *of, long *index)
{
    char what[80];
    char *end;
    long number = strtol(obj->at, &end, 10);
    bool good = end != obj->at;
    while (*end == '/' || *end == '-' || (*end >= '0' && *end <= '9')) end++;
    if (!good || !ends_word(end)) {
        snprintf(what, sizeof what, "a corner of a %s is not a number such as 7 or 7/1/3", of);
        return fail(obj, obj->line, what);
    }
    obj->at = end;
    if (number < 0) number += obj->vertex_count + 1L;
    if (number < 1 || number > MOST_READ) {
        snprintf(what, sizeof what, "a corner of the %s does not exist; the first vertex is 1", of);
        return fail(obj, obj->line, what);
    }
    *index = number - 1; // one above the last vertex is found when all are read
    return STATUS_OK;
}

static Status read_face(Obj *obj)
{
    int corners = 0, line = obj->line;
    while (next_word(obj)) {
        long index = 0;
        Status status = read_corner(obj, "face", &index);
        if (status != STATUS_OK) return status;
        if (++corners > MOST_CORNERS)
            return fail(obj, line, "a face has more than 4096 corners, which are too many");
        if (obj->corner_count >= 4 * MOST_READ)
            return fail(obj, line, "more than 16000000 corners of faces are too many");
        if (!grow(obj->corner_count, &obj->corner_room, (void **)&obj->corner, sizeof *obj->corner,
                  &obj->corner_line)) {
            return out_of_memory(obj);
        }
        // the first corner of a face has its line, the others 0
        obj->corner_line[obj->corner_count] = corners == 1 ? line : 0;
        obj->corner[obj->corner_count++] = index;
    }
    if (corners < 3) return fail(obj, line, "a face has at least three corners");
    if (corners > obj->largest_face) obj->largest_face = corners;
    return STATUS_OK;
}

// A line through two or more vertices: a spring between each two that follow each other.
static Status read_struts(Obj *obj)
{
    int corners = 0, line = obj->line;
    for (long before = 0; next_word(obj); corners++) {
        long index = 0;
        Status status = read_corner(obj, "line", &index);
        if (status != STATUS_OK) return status;
        if (obj->strut_count >= MOST_READ)
            return fail(obj, line, "more than 4000000 lines are too many");
        if (corners > 0) {
            if (!grow(obj->strut_count, &obj->strut_room, (void **)&obj->struts,
                      sizeof *obj->struts, &obj->strut_line))
                return out_of_memory(obj);
            obj->struts[obj->strut_count][0] = (uint32_t)before;
            obj->struts[obj->strut_count][1] = (uint32_t)index;
            obj->strut_line[obj->strut_count++] = line;
        }
        before = index;
    }
    return corners < 2 ? fail(obj, line, "a line joins at least two vertices") : STATUS_OK;
}

static bool has_key(const Obj *obj, const char *key)
{
    size_t length = strlen(key);
    return strncmp(obj->at, key, length) == 0 && ends_word(obj->at + length);
}

static Status read_lines(Obj *obj)
{
    static const char mark[] = "\xef\xbb\xbf"; // some editors begin UTF-8 with it
    if (strncmp(obj->at, mark, sizeof mark - 1) == 0) obj->at += sizeof mark - 1;
    Status status = STATUS_OK;
    obj->line = 1;
    while (*obj->at != '\0' && status == STATUS_OK) {
        while (is_blank(*obj->at)) obj->at++;
        if (has_key(obj, "v") || has_key(obj, "f")) {
            bool vertex = *obj->at++ == 'v';
            status = vertex ? read_vertex(obj) : read_face(obj);
        } else if (has_key(obj, "l")) {
            obj->at++;
            obj->has_lines = true;
            status = read_struts(obj);
        } else if (has_key(obj, "p")) {
            obj->has_lines = true;
        } else if (has_key(obj, "surf") || has_key(obj, "curv")) {
            obj->has_surfaces = true;
        }
        skip_line(obj);
        skip_line_end(obj);
    }
    return status;
}

static bool is_text(const char *text, size_t length)
{
    if (length > 0 && text[length - 1] == 0x1a) length--; // an end of file of old
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c < ' ' && !is_blank(text[i]) && c != '\n' && c != '\r') return false;
    }
    return true;
}

// ---- the second pass

typedef struct Cutter {
    PolygonScratch scratch;
    Vec3 *place;
    int (*cut)[3];
} Cutter;

static void cutter_finish(Cutter *cutter)
{
    free(cutter->scratch.flat);
    free(cutter->scratch.next);
    free(cutter->scratch.last);
    free(cutter->scratch.quality);
    free(cutter->place);
    free(cutter->cut);
}

static bool cutter_init(Cutter *cutter, int largest)
{
    size_t n = (size_t)largest;
    *cutter = (Cutter){
        {calloc(n, sizeof *cutter->scratch.flat), calloc(n, sizeof *cutter->scratch.next),
         calloc(n, sizeof *cutter->scratch.last), calloc(n, sizeof *cutter->scratch.quality)},
        calloc(n, sizeof *cutter->place),
        calloc(n, sizeof *cutter->cut)};
    const PolygonScratch *scratch = &cutter->scratch;
    return scratch->flat && scratch->next && scratch->last && scratch->quality && cutter->place &&
           cutter->cut;
}

static void add_triangle(Obj *obj, const long *corner, int a, int b, int c, int line)
{
    uint32_t *triangle = obj->triangles[obj->triangle_count];
    triangle[0] = (uint32_t)corner[a];
    triangle[1] = (uint32_t)corner[b];
    triangle[2] = (uint32_t)corner[c];
    obj->triangle_line[obj->triangle_count++] = line;
}

// Whether the diagonal from corner 0 cuts a quadrilateral into two triangles that face alike. No
// corner may lie on it: one triangle would have no area and be left out, and its neighbour's edge
// would be a crack.
static bool is_convex_at_0(const Vec3 *x)
{
    Vec3 diagonal = vec3_sub(x[2], x[0]);
    Vec3 left = vec3_cross(vec3_sub(x[1], x[0]), diagonal);
    Vec3 right = vec3_cross(diagonal, vec3_sub(x[3], x[0]));
    return vec3_dot(left, right) > 0.0;
}

// A triangle, or a convex quadrilateral, is cut from its first corner.
static void cut_face(Obj *obj, Cutter *cutter, const long *corner, int count, int line)
{
    for (int i = 0; i < count; i++) cutter->place[i] = obj->position[corner[i]];
    if (count == 3 || (count == 4 && is_convex_at_0(cutter->place))) {
        for (int i = 2; i < count; i++) add_triangle(obj, corner, 0, i - 1, i, line);
        return;
    }
    polygon_cut(cutter->place, count, &cutter->scratch, cutter->cut);
    for (int i = 0; i < count - 2; i++) {
        const int *t = cutter->cut[i];
        add_triangle(obj, corner, t[0], t[1], t[2], line);
    }
}

static int line_of_corner(const Obj *obj, int corner)
{
    while (obj->corner_line[corner] == 0) corner--;
    return obj->corner_line[corner];
}

static Status check_struts(const Obj *obj)
{
    for (int i = 0; i < obj->strut_count; i++) {
        if (obj->struts[i][0] >= (uint32_t)obj->vertex_count ||
            obj->struts[i][1] >= (uint32_t)obj->vertex_count)
            return fail(obj, obj->strut_line[i], "a corner of the line does not exist");
    }
    return STATUS_OK;
}

// A corner that is not there, or is nowhere, cannot be left out as if nothing were.
static Status check_corners(const Obj *obj)
{
    for (int i = 0; i < obj->corner_count; i++) {
        if (obj->corner[i] >= obj->vertex_count)
            return fail(obj, line_of_corner(obj, i), "a corner of the face does not exist");
        Vec3 x = obj->position[obj->corner[i]];
        if (!(fabs(x.x) <= MESH_FARTHEST && fabs(x.y) <= MESH_FARTHEST &&
              fabs(x.z) <= MESH_FARTHEST))
            return fail(obj, obj->vertex_line[obj->corner[i]],
                        "a coordinate is not within -1e6 to 1e6");
    }
    return STATUS_OK;
}

static Status cut_faces(Obj *obj)
{
    Cutter cutter;
    size_t most = (size_t)obj->corner_count;
    obj->triangles = calloc(most, sizeof *obj->triangles);
    obj->triangle_line = calloc(most, sizeof *obj->triangle_line);
    bool memory = cutter_init(&cutter, obj->largest_face) && obj->triangles && obj->triangle_line;
    for (int start = 0; memory && start < obj->corner_count;) {
        int end = start + 1;
        while (end < obj->corner_count && obj->corner_line[end] == 0) end++;
        cut_face(obj, &cutter, obj->corner + start, end - start, obj->corner_line[start]);
        start = end;
    }
    cutter_finish(&cutter);
    return memory ? STATUS_OK : out_of_memory(obj);
}

static Status check_parts(const Obj *obj)
{
    const char *missing = obj->vertex_count == 0 ? "vertices (lines with v)"
                          : obj->has_surfaces
                              ? "faces (lines with f), but curved surfaces; export it as polygons"
                          : obj->has_lines ? "faces (lines with f), only lines or points"
                                           : "faces (lines with f)";
    if (obj->vertex_count > 0 && obj->corner_count > 0) return STATUS_OK;
    return error_set(obj->error, STATUS_FILE, "%s is not a cloth: it has no %s", obj->path,
                     missing);
}

static Status check_repair(const Obj *obj, const MeshDraft *draft, const MeshRepair *repair)
{
    if (repair->crowded > obj->triangle_count / CROWDED_SHARE)
        return fail(obj, repair->first_crowded_line,
                    "an edge belongs to three triangles, and a cloth has two sides");
    if (draft->triangle_count == 0)
        return error_set(obj->error, STATUS_FILE, "%s is not a cloth: no face of it has an area",
                         obj->path);
    if (draft->vertex_count > MOST_VERTICES || draft->triangle_count > MOST_TRIANGLES)
        return error_set(obj->error, STATUS_FILE,
                         "%s has %d vertices and %d triangles; more than %d and %d are too many",
                         obj->path, draft->vertex_count, draft->triangle_count, MOST_VERTICES,
                         MOST_TRIANGLES);
    return STATUS_OK;
}

static Status check_and_build(Obj *obj, Mesh *mesh, double size)
{
    MeshDraft draft = {obj->vertex_count, obj->position,      obj->vertex_line, obj->triangle_count,
                       obj->triangles,    obj->triangle_line, obj->strut_count, obj->struts};
    MeshRepair repair;
    Status status = mesh_repair(&draft, &repair, obj->error);
    if (status == STATUS_OK) status = check_repair(obj, &draft, &repair);
    if (status != STATUS_OK) return status;

    TriangleList list = {draft.vertex_count,   draft.position,
                         draft.triangle_count, (const uint32_t(*)[3])draft.triangles,
                         draft.strut_count,    (const uint32_t(*)[2])draft.struts};
    MeshFault fault;
    status = mesh_find_fault(&list, &fault, obj->error);
    if (status != STATUS_OK) return status;
    if (fault.what) {
        int line = fault.triangle >= 0 ? draft.triangle_line[fault.triangle]
                                       : draft.vertex_line[fault.particle];
        return fail(obj, line, fault.what);
    }
    status = mesh_init_triangles(mesh, &list, size, obj->error);
    if (status != STATUS_OK) return status;
    char what[224];
    mesh_repair_print(&repair, what, sizeof what);
    const char *slash = strrchr(obj->path, '/');
    if (*what)
        snprintf(mesh->notice, sizeof mesh->notice, "%.80s: %s.", slash ? slash + 1 : obj->path,
                 what);
    return STATUS_OK;
}

Status mesh_parse_obj(Mesh *mesh, const char *path, const char *text, size_t length, double size,
                      Error *error)
{
    *mesh = (Mesh){0};
    path = file_shown_briefly(path);
    if (!is_text(text, length)) {
        return error_set(error, STATUS_FILE,
                         "%s is not an OBJ file: it holds bytes that are no text", path);
    }
    Obj obj = {.path = path, .at = text, .error = error};
    Status status = read_lines(&obj);
    if (status == STATUS_OK) status = check_parts(&obj);
    if (status == STATUS_OK) status = check_corners(&obj);
    if (status == STATUS_OK) status = check_struts(&obj);
    if (status == STATUS_OK) status = cut_faces(&obj);
    if (status == STATUS_OK) status = check_and_build(&obj, mesh, size);
    obj_finish(&obj);
    return status;
}

Status mesh_load_obj(Mesh *mesh, const char *path, double size, Error *error)
{
    *mesh = (Mesh){0};
    FileText text;
    struct stat there;
    if (stat(path, &there) == 0 && S_ISFIFO(there.st_mode)) // would wait for a writer
        return error_set(error, STATUS_FILE, "%s is a pipe, and a mesh is a file",
                         file_shown(path));
    Status status = file_read(path, LARGEST_FILE, &text, error);
    if (status != STATUS_OK) return status;
    status = mesh_parse_obj(mesh, path, text.data, text.size, size, error);
    file_text_finish(&text);
    return status;
}
