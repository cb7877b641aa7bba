/* Ordinary sets and one of push descriptors, at the numbers that the macros say: tests/e2e/app_push.c. */
layout(push_constant) uniform Push { uint at; uint rounds; } push;
#ifdef FIRST
layout(std430, set = FIRST, binding = 0) buffer First { uint first[]; };
#endif
#ifdef SECOND
layout(std430, set = SECOND, binding = 0) buffer Second { uint second[]; };
#endif
#ifdef PUSHED
layout(std140, set = PUSHED, binding = 0) uniform Factor { uint factor; };
layout(std430, set = PUSHED, binding = 1) readonly buffer Source { uint words[]; } sources[2];
layout(std430, set = PUSHED, binding = 2) buffer Target { uint target[]; };
layout(set = PUSHED, binding = 3) uniform usamplerBuffer texels;
#endif

/* Work whose amount hangs on what is bound: other descriptors give other counts. */
uint work(uint id)
{
    uint sum = id;
#ifdef PUSHED
    uint rounds = push.rounds + (sources[0].words[id & 63u] + factor) % 5u;
#else
    uint rounds = push.rounds + (id & 3u);
#endif
    for (uint i = 0u; i < rounds; ++i) {
        sum = sum * 31u + i;
#ifdef PUSHED
        sum += sources[1].words[(id + i) & 63u] * factor + texelFetch(texels, int(i & 15u)).x;
#endif
    }
    return sum;
}
