#version 330 core
// A solid in the light of the cloth; see cloth.frag for how light adds up.

uniform float gloss; // strength of the highlight

in vec3 to_eye, view_normal, base;
in vec2 openness;
out vec4 colour;

const vec3 KEY = vec3(0.46, 0.40, 0.79); // as in cloth.frag
const vec3 FILL = vec3(-0.86, -0.20, 0.47);

void main()
{
    vec3 n = normalize(view_normal);
    float towards_key = dot(n, KEY);
    float key = max(0.93 * towards_key + 0.07, 0.0) * openness.x;
    float fill = max(dot(n, FILL), 0.0);
    float light = openness.y * (0.20 + 0.17 * fill + 0.86 * key);
    float grazing = 1.0 - max(dot(n, to_eye), 0.0);
    float rim = grazing * grazing * grazing;
    // Mirrored key light against the eye, to the 16th.
    float shine = max(dot(2.0 * towards_key * n - KEY, to_eye), 0.0) * openness.x;
    shine *= shine;
    shine *= shine;
    shine *= shine;
    shine *= shine;
    vec3 lit = base * base * (light + 0.28 * rim) + gloss * shine + 0.03 * rim;
    colour = vec4(sqrt(lit), 1.0);
}
