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

unsigned pin_from_name(const char *name)
{
    static const struct {
        const char *name;
        unsigned flag;
    } table[] = {
        {"top-left", PIN_TOP_LEFT},       {"top-right", PIN_TOP_RIGHT},
        {"bottom-left", PIN_BOTTOM_LEFT}, {"bottom-right", PIN_BOTTOM_RIGHT},
        {"top-edge", PIN_TOP_EDGE},       {"left-edge", PIN_LEFT_EDGE},
    };
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        if (strcmp(table[i].name, name) == 0) return table[i].flag;
    }
    return 0;
}
