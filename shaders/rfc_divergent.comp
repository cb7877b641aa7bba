// Offload-PGO RFC, "Divergent": each lane goes cold in another trip.
// A profile should show the cold arm at 1 of 10000 by lanes, but about N of 10000 by waves of N lanes, never uniform
// (with more than one lane a wave); the hot arm stays uniform in nearly all of its waves.
#version 450
#extension GL_GOOGLE_include_directive : require
#define CONDITION(gid, i) (((gid) + (i)) % 10000u != 0u)
#include "rfc_branch.glsl"
