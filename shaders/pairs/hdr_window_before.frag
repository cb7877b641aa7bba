// Hyprland pull request 13030, "Surface shader variants with less branching and uniforms".
// Before: one shader for all windows, which asks uniform integers at each step. The window shows SDR on an HDR screen: colour
// management from sRGB to PQ, with the settings for saturation and brightness.
#version 450
#extension GL_GOOGLE_include_directive : require
#define RGBX (window.tex_type == 1)
#define DISCARD_OPAQUE (window.discard_opaque == 1)
#define DISCARD_ALPHA (window.discard_alpha == 1)
#define MANAGE_COLOUR (window.skip_cm == 0)
#define TONE_MAP (window.tone_map == 1)
#define CHANGE_SDR (window.change_sdr == 1)
#define TINT (window.apply_tint == 1)
#define ROUND (window.radius > 0.0)
#include "compositor.glsl"
