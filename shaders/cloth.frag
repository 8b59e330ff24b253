#version 330 core
// Two-sided cloth. Light is added up linearly; screens take roughly its square root (gamma 2 for
// sRGB's 2.2: square roots instead of powers, which a software driver feels).

uniform vec3 front_colour, back_colour, backdrop_colour; // as on the screen
uniform float strength;                                  // 1, less for a surface that steps back
uniform float shading; // 1, less where colours are to be compared with a legend
uniform float opacity; // 1, less for a ghost

in vec4 particle_colour;     // instead of the cloth's own, where its last number is 1
in vec3 to_eye, view_normal; // to_eye was unit at the corners, and is nearly so between them
in vec2 openness;
out vec4 colour;

const vec3 KEY = vec3(0.46, 0.40, 0.79);    // unit, from the camera's upper right
const vec3 FILL = vec3(-0.86, -0.20, 0.47); // unit, from the left and a little below

void main()
{
    vec3 n = normalize(gl_FrontFacing ? view_normal : -view_normal);
    vec3 base = mix(gl_FrontFacing ? front_colour : back_colour, particle_colour.rgb, particle_colour.a);

    float towards_key = dot(n, KEY);
    float key = max(0.9 * towards_key + 0.1, 0.0) * openness.x; // wraps: cloth lets light through
    float fill = max(dot(n, FILL), 0.0);
    float light = mix(1.0, openness.y * (0.21 + 0.20 * fill + 0.84 * key), shading);

    // Mirrored key light against the eye, to the 8th: broad and soft.
    float gloss = max(dot(2.0 * towards_key * n - KEY, to_eye), 0.0) * openness.x;
    gloss *= gloss;
    gloss *= gloss;
    gloss *= gloss;
    float grazing = 1.0 - max(dot(n, to_eye), 0.0);
    float rim = grazing * grazing * grazing;

    vec3 lit = base * base * (light + 0.30 * rim) + 0.05 * gloss + 0.06 * rim;
    colour = vec4(mix(backdrop_colour, sqrt(lit), strength), opacity);
}
