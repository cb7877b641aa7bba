// Indices by lane, an array of descriptors, addresses: compared among the live lanes of a wave, in one or two words.
// OPTIONS: probes
// TARGET: vulkan1.2
// EXPECT: OpIsHelperInvocationEXT
// EXPECT-ANYWHERE: OpGroupNonUniformBroadcastFirst %v2uint
// EXPECT-ANYWHERE: OpGroupNonUniformBroadcastFirst %uint
#version 460
#extension GL_EXT_nonuniform_qualifier : require
#extension GL_EXT_buffer_reference : require
layout(buffer_reference, std430) buffer Block { uint x; };
layout(push_constant) uniform Push { Block table; uint which; };
layout(binding = 1) uniform sampler2D textures[8];
layout(binding = 2) buffer List { Block list[]; };
layout(binding = 3) uniform texture2D apart;
layout(binding = 4) uniform sampler how;
layout(binding = 5) readonly buffer Places { vec2 places[]; };
layout(location = 0) in vec2 uv;
layout(location = 1) flat in int id;
layout(location = 0) out vec4 color;
void main()
{
    color = texture(textures[nonuniformEXT(id)], uv) + texture(textures[which], uv);
    color.x += float(table.x);
    color.y += float(list[id].x);
    color.z += texture(sampler2D(apart, how), places[id]).x;
}
