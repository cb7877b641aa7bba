// Godot pull request 99978, "Add specialization for directional light split blend and fog to mobile renderer".
// After: what the scene's settings tell is a specialisation constant.
#version 450
#extension GL_GOOGLE_include_directive : require
layout(constant_id = 0) const bool BLEND_SPLITS = true;
layout(constant_id = 1) const bool USE_FOG = true;
layout(constant_id = 2) const bool DEPTH_FOG = true;
layout(constant_id = 3) const bool FOG_AERIAL_PERSPECTIVE = true;
layout(constant_id = 4) const bool FOG_SUN_SCATTER = true;
layout(constant_id = 5) const bool FOG_HEIGHT = true;
#include "fog_splits.glsl"
