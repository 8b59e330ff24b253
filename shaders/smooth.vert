#version 330 core
// One triangle that covers the viewport; no vertex buffer.

out vec2 texel;

void main()
{
    texel = vec2(gl_VertexID == 1 ? 2.0 : 0.0, gl_VertexID == 2 ? 2.0 : 0.0);
    gl_Position = vec4(2.0 * texel - 1.0, 0.0, 1.0);
}
