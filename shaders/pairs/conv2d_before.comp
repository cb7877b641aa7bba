// llama.cpp pull request 16978, "vulkan: Use spec constants for conv2d s/d/p and kernel W/H".
// Before: stride, dilation, padding and the kernel's size are push constants.
#version 450
#extension GL_GOOGLE_include_directive : require
#define KERNEL_W p.kernel_w
#define KERNEL_H p.kernel_h
#define STRIDE_X p.stride_x
#define STRIDE_Y p.stride_y
#define PAD_X p.pad_x
#define PAD_Y p.pad_y
#define DILATION_X p.dilation_x
#define DILATION_Y p.dilation_y
#include "conv2d.glsl"
