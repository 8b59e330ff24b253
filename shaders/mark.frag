#version 330 core
// Distance to the capsule's axis decides: fill inside, then the rim, edges one pixel soft.

flat in vec2 start, end;
flat in vec2 radii;
flat in vec4 fill_colour, rim_colour;
in vec2 pixel;
out vec4 colour;

void main()
{
    vec2 axis = end - start, offset = pixel - start;
    float along = clamp(dot(offset, axis) / max(dot(axis, axis), 1e-6), 0.0, 1.0);
    float distance = length(offset - along * axis);
    colour = mix(rim_colour, fill_colour, clamp(radii.y - distance + 0.5, 0.0, 1.0));
    colour.a *= clamp(radii.x - distance + 0.5, 0.0, 1.0);
}
