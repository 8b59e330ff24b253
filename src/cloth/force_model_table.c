#include "cloth/force_model.h"

#include <stddef.h>

extern const ForceModel springs_model;
extern const ForceModel baraff_witkin_model;
extern const ForceModel choi_ko_model;

const ForceModel *const force_model_table[FORCE_MODEL_COUNT] = {
    &springs_model,
    &baraff_witkin_model,
    &choi_ko_model,
};

const char *force_model_name(int index)
{
    return index >= 0 && index < FORCE_MODEL_COUNT ? force_model_table[index]->name : NULL;
}
