// DXVK issue 5285, "Performance regression in Dawn of War DE with Ubershader": 145 frames a second by generated vertex shaders, 79
// by the uber-shader of pull request 5192.
// Before: the uber-shader. The key of the pipeline, which generated shaders were made for, is data.
#version 450
#extension GL_GOOGLE_include_directive : require
#define POSITION_T (state.has_position_t != 0u)
#define HAS_NORMAL (state.has_normal != 0u)
#define HAS_COLOR_0 (state.has_color_0 != 0u)
#define HAS_COLOR_1 (state.has_color_1 != 0u)
#define LIGHTING (state.use_lighting != 0u)
#define LIGHT_COUNT state.light_count
#define NORMALIZE_NORMALS (state.normalize_normals != 0u)
#define LOCAL_VIEWER (state.local_viewer != 0u)
#define DIFFUSE_SOURCE state.diffuse_source
#define AMBIENT_SOURCE state.ambient_source
#define SPECULAR_SOURCE state.specular_source
#define EMISSIVE_SOURCE state.emissive_source
#define FOG_MODE state.fog_mode
#define RANGE_FOG (state.range_fog != 0u)
#define VERTEX_BLEND state.vertex_blend
#define TEXCOORD_FLAGS state.texcoord_flags
#include "ff_vertex.glsl"
