// Control points of a grid of quad patches, from the vertex index alone.
// A profile should show four vertex lanes a patch (or fewer, where a driver reuses them).
#version 450

layout(location = 0) out vec2 point;
layout(std140, set = 0, binding = 1) uniform Terrain { uint columns; uint rows; float near_level; float far_level; } terrain;

void main()
{
    uint quad = uint(gl_VertexIndex) >> 2;
    uint corner = uint(gl_VertexIndex) & 3u;
    uvec2 cell = uvec2(quad % terrain.columns, quad / terrain.columns);
    uvec2 offset = uvec2(corner == 1u || corner == 2u ? 1u : 0u, corner >> 1);
    point = vec2(cell + offset) / vec2(terrain.columns, terrain.rows);
    gl_Position = vec4(point * 2.0 - 1.0, 0.0, 1.0);
}
