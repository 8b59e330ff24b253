// Data for every pass of one picture; filled by renderer.c.
#ifndef RENDER_FRAME_H
#define RENDER_FRAME_H

#include "render/fabric.h"
#include "render/palette.h"
#include "render/renderer.h"
#include "render/shader_program.h"

typedef enum ShaderName {
    SHADER_BACKDROP,
    SHADER_GRID,
    SHADER_SHADOW,
    SHADER_CLOTH,
    SHADER_FABRIC,
    SHADER_SMOOTH,
    SHADER_LINE,
    SHADER_SOLID,
    SHADER_MARK,
    SHADER_COUNT,
} ShaderName;

typedef struct Frame {
    const Snapshot *snapshot;
    const RenderOptions *options;
    const Palette *palette;
    const Fabric *fabric;
    const ShaderProgram *shaders; // by ShaderName
    Viewport viewport;
    mat4 view, projection, view_projection;
    float middle[2], share[2]; // of the whole picture: where its tile is and how large; 0 and 1
    float away;                // 1, or a little more to lie behind another cloth in the same place
    float shading;             // 1, less where colours are to be compared with a legend
} Frame;

#endif
