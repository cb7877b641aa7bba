// Particles pushed about by a field whose kind and edges are members of a uniform buffer: questions that are asked in every
// step and always have the same answer. A compiler without a profile has to weigh two copies of the loop against code size
// and leaves it; drivers that run vectors of lanes under masks evaluate what no lane needs. This is what unswitching is for.
// A profile should show a loop of many steps, entered once, and its branches taken one way by all lanes.
// The arms start from values that come through phis and end in one: what an arm computes must not meet the next step's
// arithmetic in the copies, or their last bits are others.
#version 450

layout(local_size_x = 64) in;
layout(std430, set = 0, binding = 0) writeonly buffer Output { float result[]; };
layout(std140, set = 0, binding = 1) uniform Field { uint kind; uint edges; float strength; float drag; } field;
layout(push_constant) uniform Push { uint iterations; float scale; } push;

void main()
{
    uint gid = gl_GlobalInvocationID.x;
    vec2 place = vec2(float(gid & 63u), float((gid >> 6) & 63u)) * push.scale;
    vec2 speed = place.yx * 0.125;
    for (uint i = 0u; i < push.iterations; ++i) {
        vec2 force;
        if (field.kind == 0u)
            force = -place * field.strength;
        else
            force = sin(place.yx * 5.0);
        if ((field.edges & 1u) == 0u)
            speed = clamp(speed, -4.0, 4.0);
        else
            speed = cos(speed + place);
        if ((field.edges & 2u) != 0u)
            force = exp2(-abs(force)) / (place + 1.0);
        speed = speed * field.drag + force * 0.0078125;
        place = fract(place + speed * 0.125);
    }
    result[gid] = place.x + place.y;
}
