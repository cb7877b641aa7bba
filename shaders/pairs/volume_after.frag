// niivue/mono pull request 192, "perf(render): specialize the volume ray-march shader per draw": with no clip plane enabled, the
// code of the six planes took about 20 % of a frame.
// After: flags of compile time; here the plain view, without planes, light and overlays.
#version 450
#extension GL_GOOGLE_include_directive : require
layout(constant_id = 0) const bool CLIP_PLANES = true;
layout(constant_id = 1) const bool CUTAWAY = true;
layout(constant_id = 2) const bool MIP = true;
layout(constant_id = 3) const bool CUBIC = true;
layout(constant_id = 4) const bool GRADIENT = true;
layout(constant_id = 5) const bool OVERLAY = true;
layout(constant_id = 6) const bool DRAWING = true;
#include "volume.glsl"
