// Gives a fuzz target every file of the named directories, in the order of their names: its seeds,
// and what once was found. One TAP line each.
#include "fuzz.h"

#include "base/file.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int run_file(const char *path, int number)
{
    FILE *file = fopen(path, "rb");
    uint8_t *data = malloc(1 << 20);
    if (!file || !data) {
        printf("not ok %d - %s cannot be read\n", number, path);
        return 1;
    }
    size_t size = fread(data, 1, 1 << 20, file);
    fclose(file);
    LLVMFuzzerTestOneInput(data, size);
    free(data);
    const char *slash = strrchr(path, '/');
    printf("ok %d - %s\n", number, slash ? slash + 1 : path);
    return 0;
}

int main(int argc, char **argv)
{
    int number = 0, failed = 0;
    for (int i = 1; i < argc; i++) {
        struct dirent **entries;
        int count = scandir(argv[i], &entries, NULL, alphasort);
        for (int k = 0; k < count; k++) {
            char path[4096];
            snprintf(path, sizeof path, "%s/%s", argv[i], entries[k]->d_name);
            if (file_is_regular(path)) failed += run_file(path, ++number);
            free(entries[k]);
        }
        if (count >= 0) free(entries);
    }
    printf("1..%d\n", number);
    return failed > 0 || number == 0;
}
