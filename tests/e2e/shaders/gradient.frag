#version 450
/* A full-screen pass with work that differs by pixel. */
layout(location = 0) out vec4 color;
void main()
{
    vec2 at = gl_FragCoord.xy;
    float sum = 0.0;
    for (int i = 0; i < int(at.x) % 5; i++)
        sum += at.y * 0.001;
    color = vec4(fract(at.x * 0.01), fract(sum), at.y > 20.0 ? 0.75 : 0.25, 1.0);
}
