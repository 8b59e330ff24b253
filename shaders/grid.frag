#version 330 core
// Lines about one pixel wide at any distance: coverage from the derivatives of the coordinates.
// Where cells shrink towards a pixel they fade out instead of flickering.

uniform vec4 grid_colour;
uniform float cell; // m, of the fine grid; every fifth line is strong

in vec2 floor_point, from_centre;
out vec4 colour;

const float STRONG = 5.0;
const float FAINT = 0.35; // of a strong line's alpha

float lines(vec2 p, vec2 pixel)
{
    vec2 distance = abs(fract(p - 0.5) - 0.5) / pixel;
    vec2 coverage = clamp(1.0 - distance, 0.0, 1.0) * clamp(2.0 - 8.0 * pixel, 0.0, 1.0);
    return max(coverage.x, coverage.y);
}

void main()
{
    vec2 p = floor_point / cell;
    vec2 pixel = fwidth(p);
    float line = max(lines(p / STRONG, pixel / STRONG), FAINT * lines(p, pixel));
    float near = max(1.0 - dot(from_centre, from_centre), 0.0);
    colour = vec4(grid_colour.rgb, grid_colour.a * line * near * near);
}
