// Godot pull request 99978, "Add specialization for directional light split blend and fog to mobile renderer".
// Before: branches on uniform booleans, and on uniform floats that are 0 where a part of the fog is off.
#version 450
#extension GL_GOOGLE_include_directive : require
#define BLEND_SPLITS scene.blend_splits
#define USE_FOG scene.use_fog
#define DEPTH_FOG scene.use_depth_fog
#define FOG_AERIAL_PERSPECTIVE (scene.fog_aerial_perspective > 0.0)
#define FOG_SUN_SCATTER (scene.fog_sun_scatter > 0.001)
#define FOG_HEIGHT (abs(scene.fog_height_density) >= 0.0001)
#include "fog_splits.glsl"
