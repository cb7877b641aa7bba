// Without the demote feature, and nothing demoting: BuiltIn HelperInvocation, the one already there.
// OPTIONS: no-demote
// EXPECT: OpDecorate %gl_HelperInvocation BuiltIn HelperInvocation
// EXPECT: OpLoad %bool %gl_HelperInvocation
// EXPECT: OpGroupNonUniformBallot
// ABSENT: OpIsHelperInvocationEXT
// ABSENT: OpCapability DemoteToHelperInvocation
#version 450
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 colour;
void main()
{
    colour = gl_HelperInvocation ? vec4(0) : vec4(at, 0, 1);
}
