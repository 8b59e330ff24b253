#include "integrators/integrator.h"

#include <string.h>

extern const Integrator symplectic_euler;
extern const Integrator backward_euler;

const Integrator *const integrator_table[] = {
    &symplectic_euler,
    &backward_euler,
};
const int integrator_count = sizeof integrator_table / sizeof integrator_table[0];

const char *integrator_name(int index)
{
    return index >= 0 && index < integrator_count ? integrator_table[index]->name : NULL;
}

int integrator_find(const char *name)
{
    for (int i = 0; i < integrator_count; i++) {
        if (strcmp(integrator_table[i]->name, name) == 0) return i;
    }
    return -1;
}
