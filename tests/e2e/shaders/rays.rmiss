#version 460
#define STAGE 1u
#extension GL_GOOGLE_include_directive : require
#include "rays.glsl"
layout(location = 0) rayPayloadInEXT uint payload;
void main()
{
    M(0)
    if ((payload & 1u) != 0u) {
        M(1)
        payload += 40u;
        return;
    }
    M(2)
    payload += 7u;
}
