#version 330 core
// A capsule between two points, of constant size on the screen: a dot where they coincide.

uniform mat4 view, projection;
uniform vec2 half_viewport; // pixels
uniform float pixel_scale;

layout(location = 0) in vec3 from;
layout(location = 1) in vec3 to;
layout(location = 2) in vec3 shape; // radius and rim in pixels at scale 1; lift
layout(location = 3) in vec4 fill;
layout(location = 4) in vec4 rim;

flat out vec2 start, end; // pixels
flat out vec2 radii;      // outer and inner, pixels
flat out vec4 fill_colour, rim_colour;
out vec2 pixel;

void main()
{
    // Lifted towards the eye along the line of sight: same pixel, but in front of nearby cloth.
    float lift = 1.0 - shape.z;
    vec4 clip_from = projection * vec4(lift * (view * vec4(from, 1.0)).xyz, 1.0);
    vec4 clip_to = projection * vec4(lift * (view * vec4(to, 1.0)).xyz, 1.0);
    if (min(clip_from.w, clip_to.w) < 1e-4) { // behind the camera: nothing to draw
        gl_Position = vec4(0.0, 0.0, -2.0, 1.0);
        return;
    }
    start = clip_from.xy / clip_from.w * half_viewport;
    end = clip_to.xy / clip_to.w * half_viewport;
    float outer = shape.x * pixel_scale;
    radii = vec2(outer, outer - shape.y * pixel_scale);
    fill_colour = fill;
    rim_colour = rim;

    vec2 along = end - start;
    along = dot(along, along) > 1e-6 ? normalize(along) : vec2(1.0, 0.0);
    vec2 across = vec2(-along.y, along.x);
    bool at_end = (gl_VertexID & 1) == 1;
    float side = (gl_VertexID & 2) == 2 ? 1.0 : -1.0;
    float margin = outer + 1.0; // room for the smooth edge
    pixel = (at_end ? end + along * margin : start - along * margin) + across * side * margin;
    float depth = at_end ? clip_to.z / clip_to.w : clip_from.z / clip_from.w;
    gl_Position = vec4(pixel / half_viewport, depth, 1.0);
}
