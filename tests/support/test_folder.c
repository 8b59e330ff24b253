#include "test_folder.h"

#include <stdio.h>
#include <stdlib.h>

char test_folder[] = "/tmp/selvage-test-XXXXXX";

int test_folder_make(void **state)
{
    (void)state;
    return mkdtemp(test_folder) ? 0 : -1;
}

int test_folder_remove(void **state)
{
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", test_folder);
    return system(command);
}
