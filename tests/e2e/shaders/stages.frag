#version 450
/* Reads what it is compiled to read, writes two colours, and memory in a few pixels. */
layout(location = 0) in vec4 tint;
layout(location = 1) in vec4 light;
layout(location = 2) in vec2 place;
layout(location = 0) out vec4 first;
layout(location = 1) out vec4 second;
layout(std430, set = 0, binding = 1) buffer Seen { uint count[]; } seen;
void main()
{
    first = tint;
#ifdef LIGHT
    first.x = light.y * 0.5 + 0.5;
#endif
    second = cos(light * place.xyxy);
    if (int(gl_FragCoord.x) % 7 == 3)
        discard;
    if (int(gl_FragCoord.x) % 13 == 5)
        atomicAdd(seen.count[int(gl_FragCoord.y)], 1u);
}
