#version 330 core
in vec3 line_colour;
out vec4 colour;

void main()
{
    colour = vec4(line_colour, 1.0);
}
