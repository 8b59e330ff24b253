#version 330 core
// The cloth in the camera's space, where the light is fixed.

uniform mat4 view, projection;

layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;

out vec3 to_eye, view_normal;

void main()
{
    vec4 seen = view * vec4(position, 1.0);
    to_eye = normalize(-seen.xyz);
    view_normal = mat3(view) * normal;
    gl_Position = projection * seen;
}
