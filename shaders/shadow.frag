#version 330 core
uniform sampler2D shadow;
uniform vec4 shadow_colour;

in vec2 texel;
out vec4 colour;

void main()
{
    colour = vec4(shadow_colour.rgb, shadow_colour.a * texture(shadow, texel).r);
}
