#version 330 core
// A box with a ball rolled around it, in the camera's space, where the light is fixed.

uniform mat4 view, projection;
uniform float away; // as in cloth.vert
uniform sampler2D nearest; // towards the light, m: the cloth's nearest point to it
uniform float has_cloth;   // 0: there is none
uniform vec3 across, above, towards; // unit, directions of that image
uniform vec4 image; // its left and bottom, m; texels per metre; m between the cloth's vertices

layout(location = 0) in vec3 normal; // of the ball
layout(location = 1) in vec3 corner; // of the box, -1 or 1 each
layout(location = 2) in vec3 centre;
layout(location = 3) in vec3 axis_x;
layout(location = 4) in vec3 axis_y;
layout(location = 5) in vec3 axis_z;
layout(location = 6) in vec4 core_radius;
layout(location = 7) in vec3 own_colour;

out vec3 to_eye, view_normal, base;
out vec2 openness; // share of the key light; of the light from all around

const float FROM = 2.0, RANGE = 8.0; // texels of depth: no shadow yet; and more to a full one

float lit_share(vec3 point)
{
    vec2 at = (vec2(dot(point, across), dot(point, above)) - image.xy) * image.z;
    ivec2 first = ivec2(floor(at)) - 1, side = textureSize(nearest, 0);
    if (any(lessThan(first, ivec2(0))) || any(greaterThan(first + 3, side - 1))) return 1.0;
    float from = dot(point, towards) + FROM / image.z + 0.25 * image.w;
    float scale = 1.0 / (RANGE / image.z + 0.5 * image.w), hidden = 0.0;
    for (int j = 0; j < 4; j++) {
        for (int i = 0; i < 4; i++)
            hidden += clamp((texelFetch(nearest, first + ivec2(i, j), 0).r - from) * scale, 0.0, 1.0);
    }
    return 1.0 - hidden / 16.0;
}

void main()
{
    mat3 axes = mat3(axis_x, axis_y, axis_z);
    vec3 outwards = axes * normal;
    vec3 point = centre + axes * (core_radius.xyz * corner) + core_radius.w * outwards;
    vec4 seen = view * vec4(point, 1.0);
    to_eye = normalize(-seen.xyz);
    view_normal = mat3(view) * outwards;
    base = own_colour;
    float lit = has_cloth > 0.5 ? lit_share(point) : 1.0;
    openness = vec2(0.35 + 0.65 * lit, (0.86 + 0.14 * outwards.y) * (0.75 + 0.25 * lit));
    gl_Position = projection * vec4(away * seen.xyz, 1.0);
}
