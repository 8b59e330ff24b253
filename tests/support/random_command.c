#include "support/random_command.h"

#include "support/solver_test.h"

#include <math.h>

Command random_command(uint32_t *seed, int particles, Scene *scene)
{
    const double odd[] = {NAN, INFINITY, -INFINITY, -1.0, 0.0, 1e300, 1e-300};
    Command command = {.kind = (CommandKind)noise_between(seed, 0.0, 12.0)};
    int particle = (int)noise_between(seed, -2.0, particles + 2.0);
    Vec3 target = {noise_between(seed, -2.0, 2.0), noise_between(seed, -2.0, 2.0),
                   noise_between(seed, -2.0, 2.0)};
    if (noise_between(seed, 0.0, 1.0) < 0.05) target.y = odd[(int)noise_between(seed, 0.0, 7.0)];
    switch (command.kind) {
    case COMMAND_LOAD_SCENE:
        *scene = scene_default();
        scene->params.rows = (int)noise_between(seed, 1.0, 9.0);
        scene->params.columns = (int)noise_between(seed, 2.0, 9.0);
        scene->pins = (unsigned)noise_between(seed, 0.0, 64.0);
        command.scene = scene;
        break;
    case COMMAND_SET_PARAM: {
        command.param.index = (int)noise_between(seed, -1.0, param_count + 1.0);
        if (command.param.index < 0 || command.param.index >= param_count) break;
        const ParamInfo *info = &param_table[command.param.index];
        double t = noise_between(seed, 0.0, 1.0);
        double low = info->min, high = info->kind == PARAM_COUNT ? 12.0 : info->max;
        command.param.value = low + t * t * t * t * (high - low);
        if (info->kind != PARAM_REAL) command.param.value = floor(command.param.value + 0.5);
        if (info->kind == PARAM_CHOICE)
            command.param.value = floor(noise_between(seed, 0.0, high + 1.2));
        if (t < 0.1) command.param.value = odd[(int)noise_between(seed, 0.0, 7.0)];
        break;
    }
    case COMMAND_TOGGLE_PIN:
        command.particle = particle;
        break;
    default:
        command.hand.particle = particle, command.hand.target = target;
        break;
    }
    return command;
}
