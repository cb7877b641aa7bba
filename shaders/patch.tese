// Displaces the tessellated grid by a few octaves of a height function.
// A profile should show an octave loop of four trips, and lanes by the square of the tessellation levels.
#version 450

layout(quads, equal_spacing, ccw) in;
layout(location = 0) in vec2 point_in[];
layout(location = 0) out vec3 surface;

void main()
{
    vec2 low = mix(point_in[0], point_in[1], gl_TessCoord.x);
    vec2 high = mix(point_in[3], point_in[2], gl_TessCoord.x);
    vec2 p = mix(low, high, gl_TessCoord.y);
    float height = 0.0, weight = 0.5;
    vec2 q = p * 5.0;
    for (int octave = 0; octave < 4; ++octave) {
        height += weight * sin(q.x + 1.3 * sin(q.y)) * cos(q.y * 1.1);
        q = q * 2.1 + 0.7;
        weight *= 0.5;
    }
    surface = vec3(p, height);
    gl_Position = vec4(p.x * 1.8 - 0.9, p.y * 1.6 - 0.7 - height * 0.25, 0.9 - 0.8 * p.y, 1.0);
}
