#version 450
/* Writes a word of a material while the pass runs. What it draws covers nothing. */
layout(set = 0, binding = 2, std430) buffer Words { uint words[]; } b;
layout(push_constant) uniform Push { uint word, value; } p;
layout(location = 0) flat out uint cell;
void main()
{
    if (gl_VertexIndex == 0)
        b.words[p.word] = p.value;
    cell = 0u;
    gl_Position = vec4(2.0, 2.0, 0.5, 1.0);
}
