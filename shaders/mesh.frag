// Almost nothing: the mesh's cost is in its vertex stage.
// A profile should show one block, with more lanes than pixels where the surface lies in front of itself.
#version 450

layout(location = 0) in vec3 color;
layout(location = 0) out vec4 target;

void main()
{
    target = vec4(color, 1.0);
}
