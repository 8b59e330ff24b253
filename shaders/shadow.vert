#version 330 core
// The part of the floor that the shadow darkens.

uniform mat4 view_projection;
uniform vec3 centre;     // m, on the floor
uniform float half_side; // m, of the shadow's texture
uniform vec4 part;       // of it: first and last corner

out vec2 texel;

void main()
{
    texel = mix(part.xy, part.zw, vec2(gl_VertexID & 1, gl_VertexID >> 1));
    vec2 point = centre.xz + half_side * (texel * 2.0 - 1.0);
    gl_Position = view_projection * vec4(point.x, centre.y, point.y, 1.0);
}
