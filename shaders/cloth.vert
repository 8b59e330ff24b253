#version 330 core
// The cloth in the camera's space, where the light is fixed.

uniform mat4 view, projection;

layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 2) in float field; // 0 to 1, or below 0: none

out vec3 to_eye, view_normal;
out vec4 field_colour; // its colour, and whether there is one

// Dark violet, blue, green, yellow: even steps in lightness, also for colour-blind eyes (viridis).
vec3 field_map(float t)
{
    const vec3 stops[5] = vec3[](vec3(0.267, 0.005, 0.329), vec3(0.230, 0.322, 0.546),
                                 vec3(0.128, 0.567, 0.551), vec3(0.369, 0.789, 0.383),
                                 vec3(0.993, 0.906, 0.144));
    float at = clamp(t, 0.0, 1.0) * 4.0;
    int i = min(int(at), 3);
    return mix(stops[i], stops[i + 1], at - float(i));
}

void main()
{
    vec4 seen = view * vec4(position, 1.0);
    to_eye = normalize(-seen.xyz);
    view_normal = mat3(view) * normal;
    field_colour = vec4(field_map(field), field < 0.0 ? 0.0 : 1.0);
    gl_Position = projection * seen;
}
