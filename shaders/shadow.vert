#version 330 core
// The part of the floor that the shadow's texture covers.

uniform mat4 view_projection;
uniform vec3 centre;     // m, on the floor
uniform float half_side; // m

out vec2 texel;

void main()
{
    texel = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    vec2 point = centre.xz + half_side * (texel * 2.0 - 1.0);
    gl_Position = view_projection * vec4(point.x, centre.y, point.y, 1.0);
}
