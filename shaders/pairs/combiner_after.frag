// sm64rt-legacy-renderer issue 2, "Generate optimized shaders for each type of hit group": 20.5 ms, and 17.5 ms without branches
// on combiner, vertex inputs and sampler.
// After: a shader for each configuration; here texture times vertex colour, bilinear and wrapped, opaque.
#version 450
#extension GL_GOOGLE_include_directive : require
const int FILTERING = 1, ADDRESS_U = 0, ADDRESS_V = 0, VERTEX_INPUTS = 1, TEXTURES = 1;
const bool VERTEX_UV = true, VERTEX_NORMAL = true, VERTEX_ALPHA = false;
const bool OPT_ALPHA = false, OPT_FOG = false, OPT_EDGE = false, OPT_NOISE = false;
const ivec4 COLOR_MODE = ivec4(0, 1, 0, 1), ALPHA_MODE = ivec4(0, 1, 0, 0), COLOR_INPUTS = ivec4(5, 0, 1, 0), ALPHA_INPUTS = ivec4(5, 0, 1, 0);
#include "combiner.glsl"
