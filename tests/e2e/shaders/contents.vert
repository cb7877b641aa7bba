#version 450
/* Cells of a grid, two triangles each. */
layout(location = 0) flat out uint cell;
void main()
{
    uint corner = uint(gl_VertexIndex) % 6u;
    cell = uint(gl_VertexIndex) / 6u;
    uint right = corner == 1u || corner >= 3u && corner < 5u ? 1u : 0u, down = corner == 2u || corner > 3u ? 1u : 0u;
    gl_Position = vec4(float(cell % 8u + right) * 0.25 - 1.0, float(cell / 8u + down) * 0.25 - 1.0, 0.5, 1.0);
}
