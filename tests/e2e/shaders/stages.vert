#version 450
/* Outputs that some fragment stages read and others do not; one shares its work with what is drawn. */
layout(location = 0) out vec4 tint;
layout(location = 1) out vec4 light;
layout(location = 2) out vec2 place;
layout(location = 3) out vec4 spare;
void main()
{
    vec2 whole[3] = vec2[](vec2(-1.0, -1.0), vec2(3.0, -1.0), vec2(-1.0, 3.0));
    vec2 at = whole[gl_VertexIndex % 3];
    vec2 moved = at * 1.7 + vec2(0.13, 0.29);
    tint = vec4(0.25 * float(gl_VertexIndex), 0.5, 0.75, 1.0);
    light = sin(vec4(float(gl_VertexIndex)) * vec4(0.3, 0.7, 1.1, 1.3));
    place = moved;
    spare = cos(vec4(float(gl_VertexIndex)) * vec4(0.2, 0.6, 1.2, 1.4));
    gl_Position = vec4(moved, 0.5, 1.0);
}
