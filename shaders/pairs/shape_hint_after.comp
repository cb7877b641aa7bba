// ncnn, shape hints (what a missing hint costs: pull request 7018, "pnnx: write blob shape hints into the ncnn param").
// After: the hint gives the shape, as specialisation constants.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "shape_hint.glsl"
