#version 330 core
// Smooths the steps of edges in a finished picture. Where neighbours differ in lightness, the edge
// runs across that difference; the pixel becomes a mean along the edge.

uniform sampler2D picture;
uniform vec2 pixel;  // size of one, in texture coordinates
uniform vec2 corner; // of the viewport, where the texture's first row is, pixels
uniform vec2 direction; // 1 or -1: its rows go up or down

out vec4 colour;

const float LEAST = 0.055;       // difference of lightness that is an edge: below, threads
const float LEAST_SHARE = 0.13;  // of the brightest neighbour
const float LONGEST = 6.0;       // pixels to each side

float lightness(vec3 c)
{
    return dot(c, vec3(0.25, 0.55, 0.20));
}

void main()
{
    ivec2 at = ivec2((gl_FragCoord.xy - corner) * direction);
    vec3 here = texelFetch(picture, at, 0).rgb;
    float m = lightness(here);
    float l = lightness(texelFetch(picture, at + ivec2(-1, 0), 0).rgb);
    float r = lightness(texelFetch(picture, at + ivec2(1, 0), 0).rgb);
    float d = lightness(texelFetch(picture, at + ivec2(0, -1), 0).rgb);
    float u = lightness(texelFetch(picture, at + ivec2(0, 1), 0).rgb);
    float low = min(m, min(min(l, r), min(d, u))), high = max(m, max(max(l, r), max(d, u)));
    colour = vec4(here, 1.0);
    if (high - low < max(LEAST, LEAST_SHARE * high)) return;

    // Along the edge: across the gradient. Diagonal neighbours tell slow slopes.
    float ld = lightness(texelFetch(picture, at + ivec2(-1, -1), 0).rgb);
    float rd = lightness(texelFetch(picture, at + ivec2(1, -1), 0).rgb);
    float lu = lightness(texelFetch(picture, at + ivec2(-1, 1), 0).rgb);
    float ru = lightness(texelFetch(picture, at + ivec2(1, 1), 0).rgb);
    vec2 gradient = vec2(2.0 * (r - l) + rd + ru - ld - lu, 2.0 * (u - d) + lu + ru - ld - rd);
    vec2 along = vec2(-gradient.y, gradient.x);
    float least = max(min(abs(along.x), abs(along.y)), 0.02);
    along = clamp(along / least, -LONGEST, LONGEST) * pixel;

    vec2 middle = (vec2(at) + 0.5) * pixel;
    vec3 near = 0.5 * (texture(picture, middle - 0.17 * along).rgb + texture(picture, middle + 0.17 * along).rgb);
    vec3 far = 0.5 * near + 0.25 * (texture(picture, middle - 0.5 * along).rgb + texture(picture, middle + 0.5 * along).rgb);
    float mean = lightness(far);
    colour.rgb = mean < low || mean > high ? near : far; // far reached another edge
}
