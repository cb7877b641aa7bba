// Godot pull request 98825, "Add multiple specialization constants to Forward+ and Mobile".
// Before: how many lights and probes there are, and what of sky and limiter is on, stands in the draw's uniform data.
#version 450
#extension GL_GOOGLE_include_directive : require
#define OMNI_COUNT draw.omni_count
#define SPOT_COUNT draw.spot_count
#define DIRECTIONAL_COUNT draw.directional_count
#define PROBE_COUNT draw.probe_count
#define AMBIENT_CUBEMAP draw.use_ambient_cubemap
#define REFLECTION_CUBEMAP draw.use_reflection_cubemap
#define ROUGHNESS_LIMITER draw.use_roughness_limiter
#include "light_counts.glsl"
