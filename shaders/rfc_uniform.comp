// Offload-PGO RFC, "Uniform": the condition depends on the loop counter alone, all lanes of a wave agree.
// A profile should show the cold arm in 1 of 10000 trips, and every block uniform at 100 %: what is cold by lanes
// is cold by waves too, so a compiler may favour the hot arm when it places spills.
#version 450
#extension GL_GOOGLE_include_directive : require
#define CONDITION(gid, i) ((i) % 10000u != 0u)
#include "rfc_branch.glsl"
