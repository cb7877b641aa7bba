#version 460
#define STAGE 2u
#extension GL_GOOGLE_include_directive : require
#include "rays.glsl"
layout(location = 0) rayPayloadInEXT uint payload;
hitAttributeEXT vec2 where;
void main()
{
    M(0)
    uint p = payload;
    for (uint i = 0u; i < (payload & 3u); i++) {
        M(1)
        p = p * 3u + 1u;
    }
    M(2)
    payload = p + gl_InstanceID * 100u;
}
