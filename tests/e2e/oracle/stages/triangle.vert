#version 450
/* One triangle: over the whole target (constant 1 = 0), or a small one whose edges cut through quads (1). */
layout(constant_id = 1) const uint small = 0u;
void main()
{
    vec2 whole[3] = vec2[](vec2(-1.0, -1.0), vec2(3.0, -1.0), vec2(-1.0, 3.0));
    vec2 part[3] = vec2[](vec2(-0.9, -0.83), vec2(0.71, -0.35), vec2(-0.3, 0.94));
    gl_Position = vec4(small == 0u ? whole[gl_VertexIndex % 3] : part[gl_VertexIndex % 3], 0.5, 1.0);
}
