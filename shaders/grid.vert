#version 330 core
// A square of floor around the cloth, large enough that the grid has faded before its border.

uniform mat4 view_projection;
uniform vec3 centre; // m, on the floor
uniform float reach; // m

out vec2 floor_point;  // m
out vec2 from_centre;  // 1 at the border

void main()
{
    from_centre = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0 - 1.0;
    vec2 point = centre.xz + reach * from_centre;
    floor_point = point;
    gl_Position = view_projection * vec4(point.x, centre.y, point.y, 1.0);
}
