#version 450
/* Push constants and a specialisation constant: tests/e2e/app_record.c. */
layout(local_size_x = 32) in;
layout(constant_id = 3) const uint factor = 1u;
layout(push_constant) uniform Push { uint a, b, c, d; } push;
layout(std430, set = 0, binding = 2) buffer Results { uint results[]; };
void main()
{
    atomicAdd(results[gl_LocalInvocationIndex], (push.a * factor + push.b) * (push.c + push.d));
}
