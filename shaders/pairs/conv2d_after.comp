// llama.cpp pull request 16978, "vulkan: Use spec constants for conv2d s/d/p and kernel W/H".
// After: they are specialisation constants. Sizes of the images stay push constants.
#version 450
#extension GL_GOOGLE_include_directive : require
layout(constant_id = 0) const uint KERNEL_W = 1u;
layout(constant_id = 1) const uint KERNEL_H = 1u;
layout(constant_id = 2) const uint STRIDE_X = 1u;
layout(constant_id = 3) const uint STRIDE_Y = 1u;
layout(constant_id = 4) const uint PAD_X = 0u;
layout(constant_id = 5) const uint PAD_Y = 0u;
layout(constant_id = 6) const uint DILATION_X = 1u;
layout(constant_id = 7) const uint DILATION_Y = 1u;
#include "conv2d.glsl"
