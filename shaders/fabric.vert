#version 330 core
// Woven cloth in the camera's space, where the light is fixed.

uniform mat4 view, projection;
uniform float away;    // as in cloth.vert
uniform float threads; // per metre

layout(location = 0) in vec3 position;
layout(location = 1) in vec3 normal;
layout(location = 3) in vec3 thread; // unit, along the weft
layout(location = 4) in vec3 weave;  // m: place in the cloth at rest; distance to the border
layout(location = 5) in vec2 shade;  // as in cloth.vert

out vec3 to_eye, view_normal;
out vec3 place;    // in threads; distance to the border in metres
out vec4 thread_to; // weft and warp against the key light, then against the eye
out vec2 openness;

const vec3 KEY = vec3(0.46, 0.40, 0.79); // as in fabric.frag

void main()
{
    vec4 seen = view * vec4(position, 1.0);
    to_eye = normalize(-seen.xyz);
    view_normal = mat3(view) * normal;
    vec3 weft = mat3(view) * thread, warp = cross(view_normal, weft);
    thread_to = vec4(dot(weft, KEY), dot(warp, KEY), dot(weft, to_eye), dot(warp, to_eye));
    place = vec3(threads * weave.xy, weave.z);
    openness = vec2(0.45 + 0.55 * shade.x, min(0.5 + shade.y, 1.15));
    gl_Position = projection * vec4(away * seen.xyz, 1.0);
}
