#version 330 core
// Lines of the same width at any distance: coverage from the derivatives of the coordinates.
// Where cells shrink towards a pixel they fade out instead of flickering.

uniform vec4 grid_colour;
uniform vec3 centre;       // m, on the floor
uniform float reach, cell; // m
uniform float line_width;  // pixels
uniform float underside;   // 1: seen from below, with hatching instead of the fine grid

in vec2 cells;
out vec4 colour;

const float STRONG = 5.0; // every fifth line
const float FAINT = 0.35; // alpha of the others beside it
const float VEIL = 0.28;  // and of the floor itself, seen from below

void main()
{
    vec2 pixel = line_width * fwidth(cells), per_pixel = 1.0 / pixel;
    vec2 to_faint = abs(fract(cells - 0.5) - 0.5);
    vec2 to_strong = abs(fract(cells / STRONG - 0.5) - 0.5) * STRONG;
    vec2 faint = (1.0 - to_faint * per_pixel) * clamp(2.0 - 8.0 * pixel, 0.0, FAINT);
    vec2 strong = (1.0 - to_strong * per_pixel) * clamp(2.0 - 8.0 / STRONG * pixel, 0.0, 1.0);
    vec2 line = max(faint, strong);
    if (underside > 0.5) {
        float along = cells.x + cells.y, wide = line_width * fwidth(along);
        float hatch = (1.0 - abs(fract(along) - 0.5) / (1.2 * wide)) * clamp(2.0 - 5.0 * wide, 0.0, 0.6);
        line = max(strong, vec2(max(hatch, 0.0) + VEIL, 0.0));
    }
    vec2 outwards = (cells * cell - centre.xz) / reach;
    float fade = max(1.0 - dot(outwards, outwards), 0.0);
    colour = vec4(grid_colour.rgb, grid_colour.a * max(max(line.x, line.y), 0.0) * fade * fade);
}
