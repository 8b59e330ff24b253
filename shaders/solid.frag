#version 330 core
// A matte solid in the light of the cloth; see cloth.frag for how light adds up.

in vec3 to_eye, view_normal, base;
in vec2 openness;
out vec4 colour;

const vec3 KEY = vec3(0.46, 0.40, 0.79); // as in cloth.frag
const vec3 FILL = vec3(-0.86, -0.20, 0.47);

void main()
{
    vec3 n = normalize(view_normal);
    float key = max(0.93 * dot(n, KEY) + 0.07, 0.0) * openness.x;
    float fill = max(dot(n, FILL), 0.0);
    float light = openness.y * (0.20 + 0.17 * fill + 0.86 * key);
    float grazing = 1.0 - max(dot(n, to_eye), 0.0);
    float rim = grazing * grazing * grazing;
    vec3 lit = base * base * (light + 0.28 * rim) + 0.03 * rim;
    colour = vec4(sqrt(lit), 1.0);
}
