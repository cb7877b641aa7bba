// DXVK pull request 5192, "D3D9 Fixed function ubershader", its fragment stage.
// Before: operations and arguments of the texture stages are data.
#version 450
#extension GL_GOOGLE_include_directive : require
#define ACTIVE_STAGES state.active_stages
#define COLOR_0 state.stages[0].x
#define ALPHA_0 state.stages[0].y
#define TEMPORARY_0 state.stages[0].z
#define COLOR_1 state.stages[1].x
#define ALPHA_1 state.stages[1].y
#define TEMPORARY_1 state.stages[1].z
#define COLOR_2 state.stages[2].x
#define ALPHA_2 state.stages[2].y
#define TEMPORARY_2 state.stages[2].z
#define COLOR_3 state.stages[3].x
#define ALPHA_3 state.stages[3].y
#define TEMPORARY_3 state.stages[3].z
#include "ff_stages.glsl"
