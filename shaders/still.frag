#version 330 core
// Backdrop and grid as they were drawn last time, pixel for pixel.

uniform sampler2D still;

in vec2 texel;
out vec4 colour;

void main()
{
    colour = texture(still, texel);
}
