// sm64rt-legacy-renderer issue 2, "Generate optimized shaders for each type of hit group": 20.5 ms, and 17.5 ms without branches
// on combiner, vertex inputs and sampler.
// Before: one shader for all surfaces, with sampler configuration, vertex definition and combiner parameters as data.
#version 450
#extension GL_GOOGLE_include_directive : require
#define FILTERING hit.filtering_and_address.x
#define ADDRESS_U hit.filtering_and_address.y
#define ADDRESS_V hit.filtering_and_address.z
#define VERTEX_UV (hit.filtering_and_address.w != 0)
#define VERTEX_NORMAL (hit.vertex.x != 0)
#define VERTEX_ALPHA (hit.vertex.y != 0)
#define VERTEX_INPUTS hit.vertex.z
#define TEXTURES hit.vertex.w
#define OPT_ALPHA (hit.options.x != 0)
#define OPT_FOG (hit.options.y != 0)
#define OPT_EDGE (hit.options.z != 0)
#define OPT_NOISE (hit.options.w != 0)
#define COLOR_MODE hit.modes[0]
#define ALPHA_MODE hit.modes[1]
#define COLOR_INPUTS hit.inputs[0]
#define ALPHA_INPUTS hit.inputs[1]
#include "combiner.glsl"
