#version 330 core
// One triangle that covers the viewport; no vertex buffer.

uniform vec2 aspect; // the longer side is 1
uniform vec2 middle, share; // of the whole picture: where this part is, and how large

noperspective out vec2 from_middle;

void main()
{
    vec2 corner = vec2(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0);
    from_middle = (middle + share * corner) * aspect;
    gl_Position = vec4(corner, 0.0, 1.0);
}
