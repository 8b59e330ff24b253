#version 330 core
// A square of floor around the cloth, large enough that the grid has faded before its border.

uniform mat4 view_projection;
uniform vec3 centre; // m, on the floor
uniform float reach; // m, half the square's side
uniform float cell;  // m, of the fine grid

out vec2 cells; // position on the floor, in cells

void main()
{
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
    vec2 point = centre.xz + reach * corner;
    cells = point / cell;
    gl_Position = view_projection * vec4(point.x, centre.y, point.y, 1.0);
}
