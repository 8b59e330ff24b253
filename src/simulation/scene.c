#include "simulation/scene.h"

#include <string.h>

Scene scene_default(void)
{
    return (Scene){
        .name = "drape",
        .title = "Drape",
        .about = "A square cloth, pinned by its two top corners, swings down and comes to rest.",
        .pins = PIN_TOP_LEFT | PIN_TOP_RIGHT,
        .params = params_default(),
    };
}

static const struct PinName {
    const char *name;
    unsigned flag;
} pin_names[] = {
    {"top-left", PIN_TOP_LEFT},       {"top-right", PIN_TOP_RIGHT},
    {"bottom-left", PIN_BOTTOM_LEFT}, {"bottom-right", PIN_BOTTOM_RIGHT},
    {"top-edge", PIN_TOP_EDGE},       {"left-edge", PIN_LEFT_EDGE},
};
enum { PIN_NAME_COUNT = sizeof pin_names / sizeof pin_names[0] };

unsigned pin_from_name(const char *name)
{
    for (int i = 0; i < PIN_NAME_COUNT; i++) {
        if (strcmp(pin_names[i].name, name) == 0) return pin_names[i].flag;
    }
    return 0;
}

const char *pin_name(unsigned flag)
{
    for (int i = 0; i < PIN_NAME_COUNT; i++) {
        if (pin_names[i].flag == flag) return pin_names[i].name;
    }
    return NULL;
}
