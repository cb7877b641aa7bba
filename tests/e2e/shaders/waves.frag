#version 450
/* A fragment shader that works across lanes. */
#extension GL_KHR_shader_subgroup_ballot : require
layout(location = 0) out vec4 color;
void main()
{
    uint agree = subgroupBallotBitCount(subgroupBallot(gl_FragCoord.x > gl_FragCoord.y));
    color = vec4(float(agree) / 64.0, 0.5, 0.25, 1.0);
}
