#version 450
/* One layer of the scene at its depth: a small triangle, or one over the whole target. */
layout(push_constant) uniform layer
{
    float depth;
    uint number;
};
void main()
{
    vec2 whole[3] = vec2[](vec2(-1.0, -1.0), vec2(3.0, -1.0), vec2(-1.0, 3.0));
    vec2 part[3] = vec2[](vec2(-0.9, -0.83), vec2(0.71, -0.35), vec2(-0.3, 0.94));
    gl_Position = vec4(number == 0u ? part[gl_VertexIndex % 3] : whole[gl_VertexIndex % 3], depth, 1.0);
}
