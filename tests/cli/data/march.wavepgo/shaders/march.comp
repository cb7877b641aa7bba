#version 450
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer Result { uint hit[]; };
layout(push_constant) uniform Push { uint steps; } push;

uint far(uint at)
{
    return at * 3u + 1u;
}

void main()
{
    uint at = gl_GlobalInvocationID.x;
    for (uint i = 0u; i < push.steps; i++) {
        if ((at & 1u) != 0u)
            at = far(at);
        at >>= 1;
    }
    hit[gl_GlobalInvocationID.x] = at;
}
