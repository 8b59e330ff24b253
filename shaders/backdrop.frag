#version 330 core
// A soft brightening behind the cloth. So few steps of grey lie between its two colours that they
// would show as rings: noise of one step breaks them up.

uniform vec3 edge_colour, glow_colour;

noperspective in vec2 from_middle;
out vec4 colour;

void main()
{
    float glow = max(1.0 - dot(from_middle, from_middle), 0.0);
    // The R2 sequence (Roberts 2018): even as a dither matrix, and one product and fract to make.
    float noise = fract(dot(gl_FragCoord.xy, vec2(0.7548777, 0.5698403)));
    colour = vec4(mix(edge_colour, glow_colour, glow * glow) + (noise - 0.5) / 255.0, 1.0);
}
