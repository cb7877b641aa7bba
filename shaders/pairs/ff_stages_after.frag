// DXVK pull request 5192, "D3D9 Fixed function ubershader", its fragment stage.
// After: "for good performance we need to turn most of those into specialization constants": operations and arguments of the first
// four stages, and how many stages there are.
#version 450
#extension GL_GOOGLE_include_directive : require
layout(constant_id = 0) const uint ACTIVE_STAGES = 8u;
layout(constant_id = 1) const uint COLOR_0 = 1u;
layout(constant_id = 2) const uint ALPHA_0 = 1u;
layout(constant_id = 3) const uint TEMPORARY_0 = 0u;
layout(constant_id = 4) const uint COLOR_1 = 1u;
layout(constant_id = 5) const uint ALPHA_1 = 1u;
layout(constant_id = 6) const uint TEMPORARY_1 = 0u;
layout(constant_id = 7) const uint COLOR_2 = 1u;
layout(constant_id = 8) const uint ALPHA_2 = 1u;
layout(constant_id = 9) const uint TEMPORARY_2 = 0u;
layout(constant_id = 10) const uint COLOR_3 = 1u;
layout(constant_id = 11) const uint ALPHA_3 = 1u;
layout(constant_id = 12) const uint TEMPORARY_3 = 0u;
#include "ff_stages.glsl"
