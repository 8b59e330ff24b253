#version 330 core
// Two-sided cloth. Light is added up linearly; screens take roughly its square root (gamma 2 for
// sRGB's 2.2: one square root instead of three powers, which a software driver feels).

uniform vec3 front_colour, back_colour, backdrop_colour; // as on the screen
uniform float strength;                                  // 1, less for a surface that steps back

in vec3 view_position, view_normal;
out vec4 colour;

const vec3 KEY = vec3(0.49, 0.65, 0.58);    // unit, from the camera's upper right
const vec3 FILL = vec3(-0.83, -0.21, 0.52); // unit, from the left and a little below

void main()
{
    vec3 to_eye = normalize(-view_position);
    vec3 n = normalize(gl_FrontFacing ? view_normal : -view_normal);
    vec3 base = gl_FrontFacing ? front_colour : back_colour;

    float key = max(0.8 * dot(n, KEY) + 0.2, 0.0); // wraps a little: cloth lets light through
    float fill = max(dot(n, FILL), 0.0);
    float sky = 0.5 + 0.5 * n.y;
    float light = 0.10 + 0.10 * sky + 0.20 * fill + 0.90 * key;

    float gloss = max(dot(n, normalize(KEY + to_eye)), 0.0);
    gloss *= gloss;
    gloss *= gloss;
    gloss *= gloss; // to the 8th: broad and soft
    float grazing = 1.0 - max(dot(n, to_eye), 0.0);
    float rim = grazing * grazing * grazing;

    vec3 lit = base * base * (light + 0.35 * rim) + 0.07 * gloss + 0.05 * rim;
    colour = vec4(mix(backdrop_colour, sqrt(lit), strength), 1.0);
}
