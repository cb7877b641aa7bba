#version 450
#extension GL_GOOGLE_include_directive : require
#include "pushed.glsl"
layout(local_size_x = 32) in;
void main()
{
    uint id = gl_GlobalInvocationID.x, sum = work(id), place = push.at * 64u + id;
#ifdef FIRST
    first[place] += sum;
#endif
#ifdef SECOND
    second[place] += sum * 3u;
#endif
#ifdef PUSHED
    target[place] += sum * 5u;
#endif
#ifdef NOTHING
    if (sum == 0x12345678u) /* never */
        barrier();
#endif
}
