// Offload-PGO RFC, "Divergent HOT": as the divergent one, with the cold arm at 1 of 100 lanes.
// A profile should show a cold arm that runs in a large share of all waves (N of 100 for waves of N lanes): cold by
// lanes, not cold at all for the hardware. Moving spills there makes such a kernel slower.
#version 450
#extension GL_GOOGLE_include_directive : require
#define CONDITION(gid, i) (((gid) + (i)) % 100u != 0u)
#include "rfc_branch.glsl"
