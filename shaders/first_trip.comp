// Light gathered along a path: the first step sets the direction up from the pixel, every further one moves it on. Programs write
// that as one loop with a question about its counter. Drivers make selects of the arms and set up in every step, or ask in every
// step; a profile says that the loop runs long, and that the set-up is work of first trips alone. This is what peeling is for.
// A profile should show a loop of many steps, entered once, and the dear arm in one of `iterations` of them.
// The state goes from trip to trip through phis: what the first trip makes of it must not meet the arithmetic of the second.
#version 450

layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) writeonly buffer Output { float result[]; };
layout(push_constant) uniform Push { uint iterations; float scale; } push;

void main()
{
    uint gid = gl_GlobalInvocationID.x;
    vec2 place = vec2(float(gid & 63u), float((gid >> 6) & 63u)) * push.scale;
    vec2 ray = place.yx, light = vec2(0.0);
    for (uint i = 0u; i < push.iterations; ++i) {
        if (i > 0u)
            ray = ray * 0.96875 + light.yx * 0.0078125;
        else
            ray = sin(place.yx * 5.0) + cos(place);
        light = fract(light + ray * 0.125);
    }
    result[gid] = light.x + light.y;
}
