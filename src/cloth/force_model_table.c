#include "cloth/force_model.h"

#include <stddef.h>

extern const ForceModel springs_model;
extern const ForceModel baraff_witkin_model;
extern const ForceModel choi_ko_model;

const ForceModel *const force_model_table[] = {
    &springs_model,
    &baraff_witkin_model,
    &choi_ko_model,
};
const int force_model_count = sizeof force_model_table / sizeof force_model_table[0];

const char *force_model_name(int index)
{
    return index >= 0 && index < force_model_count ? force_model_table[index]->name : NULL;
}
