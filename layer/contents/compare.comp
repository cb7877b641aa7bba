#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference_uvec2 : require
// The comparison before a render pass (contents.h). One workgroup a pass: the group's number is its slot.
//
//     Pass        check_count, group_count, 2 unused words; checks; groups
//     Check       address of a word (2 words), the value that it must have, the number of the candidate that needs it
//     Group       address of the predicates (2 words), first candidate, number of candidates
//
// A draw has a group, and a predicate for each of its candidates and one more: exactly one of these is 1. Of several
// candidates that hold the first is taken. If none holds, the last predicate is 1.
layout(local_size_x = 64) in;
layout(constant_id = 0) const uint directory_low = 0u;
layout(constant_id = 1) const uint directory_high = 0u;

struct Check { uvec2 address; uint value; uint candidate; };
struct Group { uvec2 predicates; uint first; uint count; };

layout(buffer_reference, std430, buffer_reference_align = 8) readonly buffer Directory { uvec2 pass[]; };
layout(buffer_reference, std430, buffer_reference_align = 4) readonly buffer Word { uint value; };
layout(buffer_reference, std430, buffer_reference_align = 4) writeonly buffer Predicates { uint run[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer Header { uint check_count, group_count, unused_0, unused_1; };
layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer Checks { Check check[]; };
layout(buffer_reference, std430, buffer_reference_align = 16) readonly buffer Groups { Group group[]; };

shared uint fails[256];

uvec2 plus(uvec2 address, uint bytes)
{
    uint carry;
    address.x = uaddCarry(address.x, bytes, carry);
    address.y += carry;
    return address;
}

void main()
{
    uvec2 at = Directory(uvec2(directory_low, directory_high)).pass[gl_WorkGroupID.x];
    if (at == uvec2(0u))
        return; // nothing was drawn in the pass with a predicate
    Header header = Header(at);
    Checks checks = Checks(plus(at, 16u));
    Groups groups = Groups(plus(at, 16u + header.check_count * 16u));
    for (uint i = gl_LocalInvocationIndex; i < 256u; i += 64u)
        fails[i] = 0u;
    barrier();
    for (uint i = gl_LocalInvocationIndex; i < header.check_count; i += 64u)
        if (Word(checks.check[i].address).value != checks.check[i].value)
            atomicOr(fails[checks.check[i].candidate & 255u], 1u);
    barrier();
    for (uint i = gl_LocalInvocationIndex; i < header.group_count; i += 64u) {
        Group group = groups.group[i];
        Predicates predicates = Predicates(group.predicates);
        uint chosen = group.count;
        for (uint c = group.count; c > 0u; c--)
            if (fails[(group.first + c - 1u) & 255u] == 0u)
                chosen = c - 1u;
        for (uint c = 0u; c <= group.count; c++)
            predicates.run[c] = c == chosen ? 1u : 0u;
    }
}
