// DXVK issue 5285, "Performance regression in Dawn of War DE with Ubershader": 145 frames a second by generated vertex shaders, 79
// by the uber-shader of pull request 5192.
// After: the generated shader of one key: normals, a colour, one light, material sources, no fog, a texture transform in stage 0.
#version 450
#extension GL_GOOGLE_include_directive : require
const bool POSITION_T = false, HAS_NORMAL = true, HAS_COLOR_0 = true, HAS_COLOR_1 = false, LIGHTING = true, NORMALIZE_NORMALS = true,
           LOCAL_VIEWER = true, RANGE_FOG = false;
const uint LIGHT_COUNT = 1u, DIFFUSE_SOURCE = 1u, AMBIENT_SOURCE = 1u, SPECULAR_SOURCE = 0u, EMISSIVE_SOURCE = 0u, FOG_MODE = 0u, VERTEX_BLEND = 0u,
           TEXCOORD_FLAGS = 4u;
#include "ff_vertex.glsl"
