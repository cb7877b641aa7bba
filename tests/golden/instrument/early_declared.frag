// Nothing the shader does tells early tests from late ones, nor does the pipeline's state: they are declared, and what the
// driver did before counting it does again. Reading memory and the sample mask is no obstacle.
// OPTIONS: early-state
// EARLY: kept
// EXPECT: OpExecutionMode %{} OriginUpperLeft
// EXPECT: OpExecutionMode %{} EarlyFragmentTests
#version 450
layout(location = 0) in vec2 at;
layout(location = 0) out vec4 colour;
layout(binding = 0) buffer Data { float data[]; };
void main()
{
    colour = vec4(at, data[int(at.x)], float(gl_SampleMaskIn[0]));
}
