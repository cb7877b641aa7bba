/* What the ray-tracing shaders share. Each block counts itself: marker k of a stage adds one to its word of
 * `seen`, and is found in the module by the store to `tag`. rays.c compares with the profile. */
#extension GL_EXT_ray_tracing : require
uint tag;
layout(std430, set = 0, binding = 0) readonly buffer Inputs
{
    uint inputs[];
};
layout(std430, set = 0, binding = 1) buffer Results
{
    uint results[];
};
layout(std430, set = 0, binding = 2) buffer Seen
{
    uint seen[];
};
layout(push_constant) uniform Scene
{
    uvec2 scene;
};
#define M(k)                                                                                                 \
    tag = uint(k);                                                                                           \
    atomicAdd(seen[STAGE * 64u + uint(k)], 1u);
