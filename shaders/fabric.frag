#version 330 core
// Woven cloth with two sides and a hem. Threads tilt the normal; where they are finer than a few
// pixels they fade into their mean. Light as in cloth.frag.

uniform vec3 front_colour, back_colour, backdrop_colour; // as on the screen
uniform float strength, shading, opacity;                // as in cloth.frag
uniform vec3 weft_tint;  // colour of the weft on the front, as a factor
uniform vec3 pattern;    // period, shift, over: see fabric.h
uniform vec2 relief_gap; // tilt at a thread's edge; darkness between threads
uniform vec4 look;       // slub, sheen, fuzz, translucency
uniform vec2 hem;        // m, its width; length of a stitch with the space after it, in threads
uniform vec3 up;         // in the camera's space

in vec3 to_eye, view_normal;
in vec3 place;
in vec4 thread_to;
in vec2 openness;
out vec4 colour;

const vec3 KEY = vec3(0.46, 0.40, 0.79);    // unit, from the camera's upper right
const vec3 FILL = vec3(-0.86, -0.20, 0.47); // unit, from the left and a little below

void main()
{
    vec3 n = normalize(gl_FrontFacing ? view_normal : -view_normal);
    vec2 wide = fwidth(place.xy);
    float visible = clamp(2.1 - 2.6 * max(wide.x, wide.y), 0.0, 1.0);

    // Which thread is on top here, on this side.
    vec2 cell = floor(place.xy), at = place.xy - cell - 0.5;
    float turn = fract((cell.x + pattern.y * cell.y) / pattern.x) * pattern.x;
    bool warp_is_up = (turn < pattern.z - 0.5) == gl_FrontFacing;
    float across = warp_is_up ? at.x : at.y;
    vec2 tilt = warp_is_up ? vec2(at.x, 0.35 * at.y) : vec2(0.35 * at.x, at.y);
    tilt *= 2.0 * relief_gap.x * visible;
    float number = warp_is_up ? cell.x : cell.y + 0.37;
    float slub = fract(number * 0.7548777) - 0.5;
    float between = 1.0 - relief_gap.y * visible * 4.0 * across * across;

    // On average half of the weft shows in a plain weave, a quarter in twill.
    float weft_share = gl_FrontFacing ? 1.0 - pattern.z / pattern.x : 0.0;
    float weft_here = gl_FrontFacing && !warp_is_up ? 1.0 : 0.0;
    vec3 tint = mix(vec3(1.0), weft_tint, mix(weft_share, weft_here, visible));
    tint *= mix(1.0 - 0.33 * relief_gap.y, between, visible) * (1.0 + look.x * slub * visible);
    vec3 base = (gl_FrontFacing ? front_colour : back_colour);

    // The hem: two layers, closed by a seam of stitches.
    float inside = place.z / hem.x;
    float in_hem = inside < 1.0 ? 1.0 : 0.0;
    float stitch = abs(inside - 0.78) < 0.09 && fract((place.x + place.y) / hem.y) < 0.62 ? 1.0 : 0.0;
    tint *= 1.0 - 0.16 * in_hem;
    tint *= inside > 0.92 && inside < 1.06 ? 0.72 : 1.0;

    float towards_key = dot(n, KEY) + dot(tilt, thread_to.xy);
    float towards_eye = max(dot(n, to_eye) + dot(tilt, thread_to.zw), 0.0);
    float key = max(0.92 * towards_key + 0.08, 0.0) * openness.x;
    float through = look.w * max(-towards_key, 0.0) * (1.0 - 0.7 * in_hem); // from behind
    float fill = max(dot(n, FILL), 0.0);
    float sky = 0.17 + 0.07 * dot(n, up);
    float light = mix(1.0, openness.y * (sky + 0.20 * fill + 0.88 * key) + through, shading);

    // Threads shine like hairs: where half-way between light and eye is across them.
    vec2 half_way = thread_to.xy + thread_to.zw;
    float along = (warp_is_up && visible > 0.5 || pattern.x > 2.5) == gl_FrontFacing ? half_way.y : half_way.x;
    float gloss = max(1.0 - 0.45 * along * along, 0.0);
    gloss *= gloss;
    gloss *= gloss;
    gloss *= gloss;
    gloss *= max(towards_key, 0.0) * openness.x;
    float grazing = 1.0 - towards_eye;
    float rim = grazing * grazing * grazing;

    vec3 lit = base * base * tint * (light + 0.25 * rim + look.y * gloss) + 0.12 * look.y * gloss + look.z * rim * openness.y;
    lit = mix(lit, vec3(0.80, 0.78, 0.72) * (0.15 + light), 0.75 * stitch * visible);
    colour = vec4(mix(backdrop_colour, sqrt(lit), strength), opacity);
}
