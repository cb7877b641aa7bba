// niivue/mono pull request 192, "perf(render): specialize the volume ray-march shader per draw": with no clip plane enabled, the
// code of the six planes took about 20 % of a frame.
// Before: branches on uniforms in the loop of samples.
#version 450
#extension GL_GOOGLE_include_directive : require
#define CLIP_PLANES true
#define CUTAWAY (view.cutaway != 0)
#define MIP (view.mip != 0)
#define CUBIC (view.cubic != 0)
#define GRADIENT (view.gradient_amount > 0.0 || view.gradient_opacity > 0.0 || view.silhouette > 0.0)
#define OVERLAY (view.overlays != 0)
#define DRAWING (view.drawing != 0)
#include "volume.glsl"
