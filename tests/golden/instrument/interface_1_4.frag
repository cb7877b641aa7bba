// SPIR-V 1.4: every global variable is in the entry point's interface.
// TARGET: vulkan1.2
// EXPECT: OpEntryPoint Fragment %main "main" %at %colour %{}
#version 450
#extension GL_EXT_demote_to_helper_invocation : require
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 colour;
void main()
{
    if (at.x < 0.5)
        demote;
    colour = vec4(at, 0, 1);
}
