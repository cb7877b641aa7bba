// llama.cpp pull request 19309, "vulkan: make FA mask/softcap enables spec constants".
// After: both are bits of a specialisation constant.
#version 450
#extension GL_GOOGLE_include_directive : require
layout(constant_id = 0) const uint flags = 3u;
const bool MASK = (flags & 1u) != 0u, SOFTCAP = (flags & 2u) != 0u;
#include "attention.glsl"
