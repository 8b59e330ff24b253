// A mesh file: read into a mesh that a cloth can be made of, or refused with a sentence.
#include "fuzz.h"

#include "cloth/obj_file.h"

#include <math.h>
#include <stdlib.h>

static void check_mesh(const Mesh *mesh)
{
    int count = mesh->particle_count;
    fuzz_require(count > 0 && mesh->spring_count > 0, "a mesh has particles and springs");
    for (int i = 0; i < mesh->spring_count; i++) {
        int a = mesh->springs[i][0], b = mesh->springs[i][1];
        fuzz_require(a >= 0 && a < count && b >= 0 && b < count && a != b,
                     "a spring joins two particles");
        fuzz_require(isfinite(mesh->rest_length[i]) && mesh->rest_length[i] > 0.0,
                     "a spring has a length");
    }
    for (int i = 0; i < mesh->triangle_count; i++) {
        for (int k = 0; k < 3; k++)
            fuzz_require(mesh->triangles[i][k] < (uint32_t)count, "a triangle has three particles");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    Mesh mesh = {0};
    Error error = {0};
    Status status = mesh_parse_obj(&mesh, "fuzz.obj", text, size, 1.0, &error);
    free(text);
    fuzz_require_sentence(status, &error);
    if (status == STATUS_OK) check_mesh(&mesh);
    mesh_finish(&mesh);
    return 0;
}
