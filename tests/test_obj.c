// OBJ files: what is read, what is refused with which message, and that nothing crashes.
#include "support/solver_test.h"

#include "cloth/obj_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SQUARE "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\n"

static Status parse(const char *text, Mesh *mesh, Error *error)
{
    return mesh_parse_obj(mesh, "cloth.obj", text, strlen(text), 1.0, error);
}

static void faces_come_in_many_forms(void **state)
{
    (void)state;
    static const char *const texts[] = {
        SQUARE "f 1 2 3\nf 1 3 4\n",
        SQUARE "f 1 2 3 4\n", // a polygon becomes a fan
        SQUARE "f 1/1 2/2 3/3\nf 1/1 3/3 4/4\n",
        SQUARE "vt 0 0\nvn 0 1 0\nf 1//1 2//1 3//1\nf 1/1/1 3/1/1 4/1/1",
        SQUARE "f -4 -3 -2 -1\n",
        "# a comment\r\nmtllib x.mtl\r\no cloth\r\n\r\n  v 0 0 0 # corner\r\nv\t1 0 0 1.0\r\n"
        "v 1 0 1 0.5 0.5 0.5\r\nv 0 0 1e0\r\ng all\r\ns off\r\nusemtl x\r\nf 1 2 3 4 # done\r\n",
        "f 1 2 3 4\n" SQUARE,                                          // faces may come first
        "\xef\xbb\xbfv 0 0 0\rv 1 0 0\rv 1 0 1\rv 0 0 1\rf 1 2 3 4\r", // a mark, and CR alone
        SQUARE "f 1 2 \\\n 3 4\n",                                     // a continued line
        SQUARE "f 1 2 \\\r\n 3\\\r\n 4\n\x1a",
        SQUARE "o a\ng left\nf 1 2 3\no b\ng right\nf 1 3 4\nl 1 3\np 2\n",
    };
    for (size_t k = 0; k < sizeof texts / sizeof texts[0]; k++) {
        Mesh mesh;
        Error error = {0};
        if (parse(texts[k], &mesh, &error) != STATUS_OK) fail_msg("case %zu: %s", k, error.text);
        assert_int_equal(mesh.particle_count, 4);
        assert_int_equal(mesh.triangle_count, 2);
        assert_int_equal(mesh.spring_count, 6);
        assert_int_equal(mesh.triangles[1][0], 0);
        assert_int_equal(mesh.triangles[1][1], 2);
        assert_int_equal(mesh.triangles[1][2], 3);
        mesh_finish(&mesh);
    }
}

static void bad_files_get_a_sentence_with_the_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *sentence;
    } cases[] = {
        {"", "cloth.obj is not a cloth: it has no vertices"},
        {SQUARE "l 1 2 3\np 4\n", "no faces (lines with f), only lines or points"},
        {SQUARE "cstype bezier\nsurf 0 1 0 1 1 2 3 4\n", "curved surfaces; export it as polygons"},
        {"hello\nworld\n", "no vertices"},
        {SQUARE, "no faces"},
        {"v 0 0\n", "line 1: a vertex is v and three numbers"},
        {"v 0 0 x\n", "line 1: a vertex is v and three numbers"},
        {"v 0 0\n0\nv 1 0 0\n", "line 1: a vertex is v and three numbers"},
        {"v 0 0 0\nv nan 0 0\nv 0 0 1\nf 1 2 3\n", "line 2: a coordinate"},
        {"v 0 0 0\nv inf 0 0\nv 0 0 1\nf 1 2 3\n", "line 2: a coordinate"},
        {"v 0 0 0\nv 1e300 0 0\nv 0 0 1\nf 1 2 3\n", "line 2: a coordinate"},
        {SQUARE "f 1 2\n", "line 5: a face has at least three corners"},
        {SQUARE "f\t\n", "line 5: a face has at least three corners"},
        {SQUARE "f 1 2 5\n", "line 5: a corner of the face does not exist"},
        {SQUARE "f 0 1 2\n", "line 5: a corner of the face does not exist"},
        {SQUARE "f 1 2 -5\n", "line 5: a corner of the face does not exist"},
        {SQUARE "f 1 2 99999999999999999999\n", "line 5: a corner of the face does not exist"},
        {SQUARE "f 1 2 3x\n", "line 5: a corner of a face is not a number"},
        {SQUARE "f 1 two 3\n", "line 5: a corner of a face is not a number"},
        {SQUARE "f 1 2 2\n", "no face of it has an area"},
        {SQUARE "f 1 2 3 4\nf 1 2 \\\n 7\n", "line 6: a corner of the face does not exist"},
        {SQUARE "v 0 1 0\nf 1 2 3 4\nf 1 3 5\n", "line 7: an edge belongs to three"},
        {SQUARE "f 1 2 3 4\nl 1 x\n", "line 6: a corner of a line is not a number"},
        {SQUARE "f 1 2 3 4\nl 1 0\nl 1 2\n", "line 6: a corner of the line does not exist"},
        {SQUARE "f 1 2 3 4\nl 1 5\n", "line 6: a corner of the line does not exist"},
        {SQUARE "f 1 2 3 4\nl 1\n", "line 6: a line joins at least two vertices"},
        {"v 0 0 0\nv 0 0 0\nv 0 0 0\nf 1 2 3\n", "no face of it has an area"},
        {"v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n", "no face of it has an area"},
        {"v 0 0 0\001\n", "bytes that are no text"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        Mesh mesh;
        Error error = {0};
        assert_int_equal(parse(cases[k].text, &mesh, &error), STATUS_FILE);
        if (!strstr(error.text, cases[k].sentence)) fail_msg("case %zu: %s", k, error.text);
        assert_non_null(strstr(error.text, "cloth.obj"));
        assert_null(mesh.springs);
    }
    Mesh mesh;
    Error error = {0};
    assert_int_equal(mesh_load_obj(&mesh, "no-such-file.obj", 1.0, &error), STATUS_FILE);
    assert_non_null(strstr(error.text, "no-such-file.obj cannot be opened"));
    assert_int_equal(mesh_parse_obj(&mesh, "zero.obj", "v 0\0 0", 6, 1.0, &error), STATUS_FILE);
}

// What is left out or merged is told; what stays is a cloth.
static void files_of_the_world_are_mended(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int particles, triangles;
        const char *notice;
    } cases[] = {
        {SQUARE "f 1 2 3 4\n", 4, 2, ""},
        {"v 9 9 9\n" SQUARE "v nan 0 0\nf 2 3 4 5\n", 4, 2,
         "cloth.obj: 2 unused vertices were left out."},
        {SQUARE "f 1 2 3 4\nf 1 1 3\n", 4, 2, "cloth.obj: 1 triangle without area was left out."},
        {SQUARE "v 0.5 0 0\nf 1 2 3 4\nf 1 2 5\n", 4, 2,
         "cloth.obj: 1 unused vertex and 1 triangle without area were left out."},
        {SQUARE "f 1 2 3 4\nf 3 1 2\n", 4, 2,
         "cloth.obj: 1 triangle that is there twice was left out."},
        // as exported with corners of its own for each face
        {SQUARE "v 0 0 0\nv 1 0 1\nf 1 2 3\nf 5 6 4\n", 4, 2,
         "cloth.obj: 2 vertices that lay on others were merged with them."},
        {"v 0 0 0\nv 1 0 0\nv 1 0 1\nv -0 0 0\nv 1 0 1\nv 0 0 1\nf 1 2 3\nf 4 5 6\nf 1 4 6\n", 4, 2,
         "cloth.obj: 1 triangle without area was left out; 2 vertices that lay on others were "
         "merged with them."},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        Mesh mesh;
        Error error = {0};
        if (parse(cases[k].text, &mesh, &error) != STATUS_OK)
            fail_msg("case %zu: %s", k, error.text);
        assert_int_equal(mesh.particle_count, cases[k].particles);
        assert_int_equal(mesh.triangle_count, cases[k].triangles);
        assert_string_equal(mesh.notice, cases[k].notice);
        assert_near(mesh.area[0] + mesh.area[1] + mesh.area[2] + mesh.area[3], 1.0, 1e-12);
        mesh_finish(&mesh);
    }
}

// A strip of 2 x `cells` triangles along x, and `fins` triangles that stand on its middle edges.
static char *strip(int cells, int fins)
{
    char *text = malloc((size_t)(cells + fins + 2) * 160), *at = text;
    assert_non_null(text);
    for (int i = 0; i <= cells; i++) at += sprintf(at, "v %d 0 0\nv %d 0 1\n", i, i);
    for (int i = 0; i < cells; i++)
        at += sprintf(at, "f %d %d %d %d\n", 2 * i + 1, 2 * i + 3, 2 * i + 4, 2 * i + 2);
    for (int i = 0; i < fins; i++)
        at += sprintf(at, "v %d 1 0.5\nf %d %d -1\n", i + 1, 2 * i + 3, 2 * i + 4);
    return text;
}

static void a_few_crowded_edges_are_forgiven(void **state)
{
    (void)state;
    Mesh mesh;
    Error error = {0};
    char *text = strip(100, 3);
    assert_int_equal(parse(text, &mesh, &error), STATUS_OK);
    assert_string_equal(mesh.notice, "cloth.obj: 3 unused vertices and 3 triangles at edges of two "
                                     "others were left out.");
    assert_int_equal(mesh.triangle_count, 200);
    mesh_finish(&mesh);
    free(text);
    text = strip(100, 30);
    assert_int_equal(parse(text, &mesh, &error), STATUS_FILE);
    assert_non_null(strstr(error.text, "line 304: an edge belongs to three triangles"));
    free(text);
}

// Cut where they are concave, too: the triangles have the area of the polygon and all face alike.
static void polygons_are_cut_inside(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int corners;
        double area;
    } cases[] = {
        {"v 0 0 0\nv 1 0 0\nv 0.2 0 0.2\nv 0 0 1\nf 2 3 4 1\n", 4, 0.2},
        {"v 0 0 0\nv 1 0 0\nv 0.2 0 0.2\nv 0 0 1\nf 1 2 3 4\n", 4, 0.2},
        {"v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 0 2\nf 1 2 3 4\n", 4, 0.5}, // a corner on a diagonal
        {"v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 0 2\nf 3 4 1 2\n", 4, 0.5},
        {"v 0 0 0\nv 3 0 0\nv 3 3 0\nv 2 3 0\nv 2 1 0\nv 1 1 0\nv 1 3 0\nv 0 3 0\nf 1 2 3 4 5 6 "
         "7 8\n",
         8, 7.0 / 9.0}, // a U
        {"v 0 0 0\nv 0 3 0\nv 0 3 3\nv 0 2 3\nv 0 2 1\nv 0 1 1\nv 0 1 3\nv 0 0 3\nf 8 7 6 5 4 3 2 "
         "1\n",
         8, 7.0 / 9.0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
        Mesh mesh;
        Error error = {0};
        if (parse(cases[k].text, &mesh, &error) != STATUS_OK)
            fail_msg("case %zu: %s", k, error.text);
        assert_int_equal(mesh.triangle_count, cases[k].corners - 2);
        double area = 0.0;
        Vec3 normal = {0};
        for (int p = 0; p < mesh.particle_count; p++) area += mesh.area[p];
        for (int t = 0; t < mesh.triangle_count; t++) {
            const Vec3 *x = mesh.rest_position;
            const uint32_t *c = mesh.triangles[t];
            Vec3 n = vec3_cross(vec3_sub(x[c[1]], x[c[0]]), vec3_sub(x[c[2]], x[c[0]]));
            normal = vec3_add(normal, n);
        }
        assert_near(area, cases[k].area, 1e-12);
        assert_near(0.5 * vec3_length(normal), cases[k].area, 1e-12);
        mesh_finish(&mesh);
    }

    // a disc of a thousand corners: no corner gets more triangles than a cloth may have
    char *text = malloc(64 * 1024), *at = text;
    assert_non_null(text);
    for (int i = 0; i < 1000; i++)
        at += sprintf(at, "v %.9f 0 %.9f\n", cos(i * 6.283185307 / 1000),
                      sin(i * 6.283185307 / 1000));
    at += sprintf(at, "f");
    for (int i = 1; i <= 1000; i++) at += sprintf(at, " %d", i);
    Mesh mesh;
    Error error = {0};
    if (parse(text, &mesh, &error) != STATUS_OK) fail_msg("%s", error.text);
    assert_int_equal(mesh.triangle_count, 998);
    mesh_finish(&mesh);
    free(text);
}

static void too_much_is_refused(void **state)
{
    (void)state;
    Mesh mesh;
    Error error = {0};
    char *text = strip(100000, 0), *at;
    assert_int_equal(parse(text, &mesh, &error), STATUS_FILE);
    assert_non_null(strstr(error.text, "cloth.obj has 200002 vertices and 200000 triangles; more "
                                       "than 200000 and 400000 are too many"));

    // a fan of a hundred triangles around one vertex
    at = text + sprintf(text, "v 0 0 0\n");
    for (int i = 0; i < 101; i++) at += sprintf(at, "v 1 %d 3\n", i);
    for (int i = 2; i < 102; i++) at += sprintf(at, "f 1 %d %d\n", i, i + 1);
    assert_int_equal(parse(text, &mesh, &error), STATUS_FILE);
    assert_non_null(strstr(error.text, "line 1: more than 64 triangles"));
    free(text);
}

// Of a long path a message shows the last 120 bytes, of a shorter one all.
static void a_message_ends_a_long_path(void **state)
{
    (void)state;
    static const char wrong[] = "v 0 0\n", *const numbers = ", line 1: ";
    char path[401], start[160];
    for (size_t i = 0; i + 1 < sizeof path; i++) path[i] = (char)('a' + i % 23);
    path[sizeof path - 1] = '\0';
    for (size_t length = 118; length < sizeof path; length += length < 123 ? 1 : 91) {
        const char *name = path + sizeof path - 1 - length;
        Mesh mesh;
        Error error = {0};
        assert_int_equal(mesh_parse_obj(&mesh, name, wrong, strlen(wrong), 1.0, &error),
                         STATUS_FILE);
        snprintf(start, sizeof start, "%s%s", length > 120 ? name + length - 120 : name, numbers);
        assert_memory_equal(error.text, start, strlen(start));
    }
}

// It begins where a character does.
static void a_message_halves_no_character(void **state)
{
    (void)state;
    static const char wrong[] = "v 0 0\n";
    for (size_t length = 121; length < 125; length++) {
        char path[125] = "x\u20ac";
        memset(path + strlen(path), 'x', length - strlen(path));
        path[length] = '\0';
        Mesh mesh;
        Error error = {0};
        assert_int_equal(mesh_parse_obj(&mesh, path, wrong, strlen(wrong), 1.0, &error),
                         STATUS_FILE);
        assert_memory_equal(error.text, length == 121 ? "\u20ac" : "xxx", 3);
    }
}

// Files with a few bytes changed at random: read or refused; a mesh that is read is valid.
static void damaged_files_never_crash(void **state)
{
    (void)state;
    static const char good[] = "# mesh\nv 0 0 0\nv 1.5 0 -2e-1\nv 1 .25 1\nv 0 0 1\nv 2 0 1\n"
                               "vt 0 0\nf 1/1 2/1 3/1 4/1\nf -1 -3 2\n";
    static const char alphabet[] = "0123456789-+.e/vf #\n\t\\xn";
    uint32_t seed = 71;
    int read = 0;
    for (int trial = 0; trial < 20000; trial++) {
        char text[sizeof good];
        memcpy(text, good, sizeof good);
        int changes = 1 + (int)(4.0 * (0.5 + 0.499 * noise(&seed)));
        for (int c = 0; c < changes; c++) {
            size_t where = (size_t)((double)(sizeof good - 1) * (0.5 + 0.499 * noise(&seed)));
            size_t what = (size_t)((double)(sizeof alphabet - 1) * (0.5 + 0.499 * noise(&seed)));
            text[where] = alphabet[what];
        }
        Mesh mesh;
        Error error = {0};
        if (parse(text, &mesh, &error) != STATUS_OK) {
            assert_non_null(strstr(error.text, "cloth.obj"));
            continue;
        }
        read++;
        for (int s = 0; s < mesh.spring_count; s++) assert_true(mesh.rest_length[s] > 0.0);
        for (int p = 0; p < mesh.particle_count; p++) assert_true(mesh.area[p] > 0.0);
        mesh_finish(&mesh);
    }
    assert_true(read > 1000 && read < 19000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(faces_come_in_many_forms),
        cmocka_unit_test(bad_files_get_a_sentence_with_the_line),
        cmocka_unit_test(files_of_the_world_are_mended),
        cmocka_unit_test(a_few_crowded_edges_are_forgiven),
        cmocka_unit_test(polygons_are_cut_inside),
        cmocka_unit_test(too_much_is_refused),
        cmocka_unit_test(a_message_ends_a_long_path),
        cmocka_unit_test(a_message_halves_no_character),
        cmocka_unit_test(damaged_files_never_crash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
