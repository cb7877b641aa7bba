// Hyprland pull request 13030, "Surface shader variants with less branching and uniforms".
// After: a variant for each set of features that is needed; here rgbx with colour management. Transfer functions stay uniforms.
#version 450
#extension GL_GOOGLE_include_directive : require
const bool RGBX = true, DISCARD_OPAQUE = false, DISCARD_ALPHA = false, MANAGE_COLOUR = true, TONE_MAP = false, CHANGE_SDR = true, TINT = false,
           ROUND = false;
#include "compositor.glsl"
