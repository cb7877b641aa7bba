#version 450
/* Cells of a grid, two triangles each; what is flat in them is decided by push constants: app_variants_draw.c. */
layout(push_constant) uniform Push { uint columns, kind, mode; } push;
#ifdef FEEDBACK
layout(location = 0, xfb_buffer = 0, xfb_offset = 0, xfb_stride = 4) flat out uint tint;
#else
layout(location = 0) flat out uint tint;
#endif
void main()
{
    uint cell = uint(gl_VertexIndex) / 6u, corner = uint(gl_VertexIndex) % 6u;
    uint column = cell % push.columns, row = cell / push.columns;
    uint right = corner == 1u || corner >= 3u && corner < 5u ? 1u : 0u, down = corner == 2u || corner > 3u ? 1u : 0u;
    uint shade = cell * 40503u;
    if (push.mode == 2u)
        shade ^= shade >> 5;
    switch (push.kind) {
    case 0u: shade = ~shade; break;
    case 1u: shade = shade * 31u + 7u; break;
    default: shade = (shade << 7) ^ cell; break;
    }
    tint = shade;
    gl_Position = vec4(float(column + right) * 0.25 - 1.0, float(row + down) * 0.25 - 1.0, 0.5, 1.0);
}
