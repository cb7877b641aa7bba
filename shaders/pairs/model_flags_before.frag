// FreeSpace 2 Open pull request 5978, "Add runtime flag to split up the main render shader" (after 5055 made flags uniforms, and
// AMD cards became slower).
// Before: each feature is a branch on a bit of a uniform integer.
#version 450
#extension GL_GOOGLE_include_directive : require
const int LIGHT = 1, DIFFUSE_MAP = 2, GLOW_MAP = 4, SPEC_MAP = 8, NORMAL_MAP = 16, AMBIENT_MAP = 32, ENV_MAP = 64, TEAMCOLOR = 128,
          FOG = 256, SHADOWS = 512, HDR = 1024, ALPHA_MULT = 2048, GLOSS_IN_ALPHA = 4096, DESATURATE = 8192, THRUSTER = 16384;
#define HAS(feature) ((model.flags & feature) != 0)
#include "model_flags.glsl"
