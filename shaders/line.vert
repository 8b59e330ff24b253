#version 330 core
// Springs and edges, a touch nearer to the camera than the surface they lie on.

uniform mat4 view, projection;
uniform float away; // as in cloth.vert
uniform vec3 compressed_colour, relaxed_colour, stretched_colour;

layout(location = 0) in vec3 position;
layout(location = 1) in float strain; // (l - L) / L

out vec3 line_colour;

const float TOWARDS_EYE = 0.997; // along the line of sight, so the picture does not move
const float HALF_WAY = 0.01;     // strain that shows half the full colour: 0.2 % and 20 % both read

void main()
{
    vec4 seen = view * vec4(position, 1.0);
    gl_Position = projection * vec4(TOWARDS_EYE * away * seen.xyz, 1.0);
    float amount = abs(strain) / (abs(strain) + HALF_WAY);
    line_colour = mix(relaxed_colour, strain < 0.0 ? compressed_colour : stretched_colour, amount);
}
