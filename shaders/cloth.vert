#version 330 core
// The cloth in the camera's space, where the light is fixed.

uniform mat4 view, projection;
uniform float away; // 1, more to lie behind: along the line of sight, so the picture does not move

layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in vec4 own_colour; // its colour, and 1 if there is one
layout(location = 5) in vec2 shade;      // share of the key light; height beside its surroundings

out vec3 to_eye, view_normal;
out vec4 particle_colour;
out vec2 openness; // share of the key light; of the light from all around

void main()
{
    vec4 seen = view * vec4(position, 1.0);
    to_eye = normalize(-seen.xyz);
    view_normal = mat3(view) * normal;
    particle_colour = own_colour;
    openness = vec2(0.45 + 0.55 * shade.x, min(0.5 + shade.y, 1.15));
    gl_Position = projection * vec4(away * seen.xyz, 1.0);
}
