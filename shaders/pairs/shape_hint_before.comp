// ncnn, shape hints (what a missing hint costs: pull request 7018, "pnnx: write blob shape hints into the ncnn param").
// Before: the shape is not known when the layer is made. Its specialisation constants are 0, and push constants give it.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "shape_hint.glsl"
