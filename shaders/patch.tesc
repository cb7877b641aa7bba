// Tessellation levels by distance; the far half of the terrain is left coarse.
// A profile should show four control lanes a patch, and the near arm taken by half of the patches.
#version 450

layout(vertices = 4) out;
layout(location = 0) in vec2 point_in[];
layout(location = 0) out vec2 point_out[];
layout(std140, set = 0, binding = 1) uniform Terrain { uint columns; uint rows; float near_level; float far_level; } terrain;

void main()
{
    point_out[gl_InvocationID] = point_in[gl_InvocationID];
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    if (gl_InvocationID == 0) {
        float middle = 0.5 * (point_in[0].y + point_in[2].y);
        float level = middle > 0.5 ? terrain.near_level : terrain.far_level;
        for (int i = 0; i < 4; ++i)
            gl_TessLevelOuter[i] = level;
        gl_TessLevelInner[0] = level;
        gl_TessLevelInner[1] = level;
    }
}
