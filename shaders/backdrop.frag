#version 330 core
// A soft brightening behind the cloth. So few steps of grey lie between its two colours that they
// would show as rings: half a step of ordered noise breaks them up.

uniform vec3 edge_colour, glow_colour;

in vec2 from_middle;
out vec4 colour;

void main()
{
    float glow = max(1.0 - dot(from_middle, from_middle), 0.0);
    // Interleaved gradient noise, Jimenez 2014.
    float noise = fract(52.9829189 * fract(dot(gl_FragCoord.xy, vec2(0.06711056, 0.00583715))));
    colour = vec4(mix(edge_colour, glow_colour, glow * glow) + (noise - 0.5) / 255.0, 1.0);
}
