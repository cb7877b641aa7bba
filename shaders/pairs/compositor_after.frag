// Hyprland pull request 13030, "Surface shader variants with less branching and uniforms".
// After: a variant for each set of features that is needed; here rgba with rounded corners.
#version 450
#extension GL_GOOGLE_include_directive : require
const bool RGBX = false, DISCARD_OPAQUE = false, DISCARD_ALPHA = false, MANAGE_COLOUR = false, TONE_MAP = false, CHANGE_SDR = false, TINT = false,
           ROUND = true;
#include "compositor.glsl"
