// llama.cpp pull request 19309, "vulkan: make FA mask/softcap enables spec constants".
// Before: whether there is a mask, and a cap of the scores, is asked of push constants. The model is one without either.
#version 450
#extension GL_GOOGLE_include_directive : require
#define SOFTCAP (p.logit_softcap != 0.0)
#define MASK ((p.mask_and_heads & 0x10000u) != 0u)
#include "attention.glsl"
