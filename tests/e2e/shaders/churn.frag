#version 450
/* A full-screen pass under a specialisation constant: tests/e2e/app_churn.c. */
layout(constant_id = 3) const uint factor = 1u;
layout(location = 0) out vec4 color;
void main()
{
    uint sum = factor;
    for (uint i = 0u; i < uint(gl_FragCoord.x) % 4u; i++)
        sum = sum * 31u + factor;
    color = vec4(float(sum & 255u) / 255.0, float(sum >> 8 & 255u) / 255.0, 0.5, 1.0);
}
