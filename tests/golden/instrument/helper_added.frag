// The built-in is added where there is none. Early tests were possible and are no more.
// OPTIONS: no-demote narrow
// EARLY: lost
// EXPECT: BuiltIn HelperInvocation
// EXPECT: OpVariable %_ptr_Input_bool Input
// EXPECT: OpAtomicIAdd %uint
// EXPECT: OpULessThan %bool
// ABSENT: OpCapability Int64
#version 450
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 colour;
void main()
{
    if (at.x < 0.5)
        discard;
    colour = vec4(at, 0, 1);
}
