// FreeSpace 2 Open pull request 5978, "Add runtime flag to split up the main render shader" (after 5055 made flags uniforms, and
// AMD cards became slower).
// After: a shader for each combination; here that of a ship with diffuse, normal, specular and glow maps, lit, in HDR.
#version 450
#extension GL_GOOGLE_include_directive : require
const bool LIGHT = true, DIFFUSE_MAP = true, GLOW_MAP = true, SPEC_MAP = true, NORMAL_MAP = true, HDR = true, GLOSS_IN_ALPHA = true;
const bool AMBIENT_MAP = false, ENV_MAP = false, TEAMCOLOR = false, FOG = false, SHADOWS = false, ALPHA_MULT = false, DESATURATE = false,
           THRUSTER = false;
#define HAS(feature) (feature)
#include "model_flags.glsl"
