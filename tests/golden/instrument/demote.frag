// Demotes: helpers by OpIsHelperInvocationEXT, the entry mask in a variable; the construct that holds a demote is
// watched, and who has demoted is witnessed.
// EXPECT: OpCapability DemoteToHelperInvocation
// EXPECT: OpVariable %_ptr_Private_v4uint Private
// EXPECT: OpVariable %_ptr_Function_v4uint Function
// EXPECT: OpIsHelperInvocationEXT
// EXPECT: OpGroupNonUniformBallot
// EXPECT: OpDemoteToHelperInvocation
// EXPECT: OpGroupNonUniformBallot
// EXPECT: OpNot %v4uint
// ABSENT: HelperInvocation BuiltIn
#version 450
#extension GL_EXT_demote_to_helper_invocation : require
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 colour;
void main()
{
    if (at.x > 0.5) {
        if (at.y > 0.5)
            demote;
        colour = vec4(1);
    } else {
        colour = vec4(0.5);
    }
    colour.x += dFdx(at.x);
}
