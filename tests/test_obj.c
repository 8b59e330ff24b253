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
        "f 1 2 3 4\n" SQUARE, // faces may come first
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
        {SQUARE "f 1 2 5\n", "line 5: a corner of the triangle does not exist"},
        {SQUARE "f 0 1 2\n", "line 5: a corner of the face does not exist"},
        {SQUARE "f 1 2 -5\n", "line 5: a corner of the face does not exist"},
        {SQUARE "f 1 2 99999999999999999999\n", "line 5: a corner of the face does not exist"},
        {SQUARE "f 1 2 3x\n", "line 5: a corner of a face is not a number"},
        {SQUARE "f 1 two 3\n", "line 5: a corner of a face is not a number"},
        {SQUARE "f 1 2 2\n", "line 5: the triangle has no area"},
        {SQUARE "f 1 2 3\n", "line 4: the vertex belongs to no triangle"},
        {SQUARE "v 0 1 0\nf 1 2 3 4\nf 1 3 5\n", "line 7: an edge belongs to three"},
        {"v 0 0 0\nv 0 0 0\nv 0 0 0\nf 1 2 3\n", "line 4: the triangle has no area"},
        {"v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n", "line 4: the triangle has no area"},
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

static void too_much_is_refused(void **state)
{
    (void)state;
    enum { LINES = 200001 };
    char *text = malloc(LINES * 8 + 1), *at = text;
    assert_non_null(text);
    for (int i = 0; i < LINES; i++) at += sprintf(at, "v 0 0 0\n");
    Mesh mesh;
    Error error = {0};
    assert_int_equal(parse(text, &mesh, &error), STATUS_FILE);
    assert_non_null(strstr(error.text, "line 200001: more than 200000 vertices"));

    // a fan of a hundred triangles around one vertex
    at = text + sprintf(text, "v 0 0 0\n");
    for (int i = 0; i < 101; i++) at += sprintf(at, "v 1 %d 3\n", i);
    for (int i = 2; i < 102; i++) at += sprintf(at, "f 1 %d %d\n", i, i + 1);
    assert_int_equal(parse(text, &mesh, &error), STATUS_FILE);
    assert_non_null(strstr(error.text, "line 1: more than 64 triangles"));
    free(text);
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
        cmocka_unit_test(too_much_is_refused),
        cmocka_unit_test(damaged_files_never_crash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
