#version 450
/* A divisor and a stride that go together, and an offset that does not: tests/e2e/app_variants.c. */
layout(local_size_x = 32) in;
layout(push_constant) uniform Push { uint size, stride, offset; } push;
layout(std430, set = 0, binding = 2) buffer Results { uint results[]; };
void main()
{
    uint at = gl_LocalInvocationIndex;
    results[at] = results[at] * 31u + at / push.size * push.stride + at % push.size + push.offset;
}
