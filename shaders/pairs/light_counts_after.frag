// Godot pull request 98825, "Add multiple specialization constants to Forward+ and Mobile".
// After: counts and flags are specialisation constants.
#version 450
#extension GL_GOOGLE_include_directive : require
layout(constant_id = 0) const uint OMNI_COUNT = 0u;
layout(constant_id = 1) const uint SPOT_COUNT = 0u;
layout(constant_id = 2) const uint DIRECTIONAL_COUNT = 0u;
layout(constant_id = 3) const uint PROBE_COUNT = 0u;
layout(constant_id = 4) const bool AMBIENT_CUBEMAP = false;
layout(constant_id = 5) const bool REFLECTION_CUBEMAP = false;
layout(constant_id = 6) const bool ROUGHNESS_LIMITER = false;
#include "light_counts.glsl"
