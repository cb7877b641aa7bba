// Rays through a bounding volume hierarchy of spheres, walked without a stack: nodes lie in depth-first order and each
// knows where to go on when its box is missed.
// A profile should show the walk as the hottest block and its lanes a wave falling far below the wave's size (each ray
// takes its own way), the leaf block divergent and rarer, the hit block rarer still, and trips spread over many buckets.
#version 450

struct Node {
    vec4 low;  // w: index to go on at when the box is missed, as bits
    vec4 high; // w: sphere of a leaf plus one, as bits; 0 for an inner node
};

layout(local_size_x = 8, local_size_y = 8) in;
layout(std430, set = 0, binding = 0) writeonly buffer Output { uint pixels[]; };
layout(std430, set = 0, binding = 2) readonly buffer Nodes { Node nodes[]; };
layout(std430, set = 0, binding = 3) readonly buffer Spheres { vec4 spheres[]; };
layout(push_constant) uniform Push { uvec2 size; uint node_count; } push;

void main()
{
    uvec2 at = gl_GlobalInvocationID.xy;
    if (any(greaterThanEqual(at, push.size)))
        return;
    vec2 uv = (vec2(at) + 0.5) / vec2(push.size) * 2.0 - 1.0;
    vec3 origin = vec3(0.5, 0.5, -1.2);
    vec3 ray = normalize(vec3(uv * 0.45, 1.0));
    vec3 inverse_ray = 1.0 / ray;
    float nearest = 1e30;
    uint hit = 0u;
    uint node = 0u;
    while (node < push.node_count) {
        vec3 t0 = (nodes[node].low.xyz - origin) * inverse_ray;
        vec3 t1 = (nodes[node].high.xyz - origin) * inverse_ray;
        vec3 enter = min(t0, t1), leave = max(t0, t1);
        float first = max(max(enter.x, enter.y), max(enter.z, 0.0));
        float last = min(min(leave.x, leave.y), min(leave.z, nearest));
        if (first > last) {
            node = floatBitsToUint(nodes[node].low.w);
            continue;
        }
        uint leaf = floatBitsToUint(nodes[node].high.w);
        if (leaf != 0u) {
            vec4 sphere = spheres[leaf - 1u];
            vec3 to_center = sphere.xyz - origin;
            float along = dot(to_center, ray);
            float inside = sphere.w * sphere.w - (dot(to_center, to_center) - along * along);
            if (inside > 0.0) {
                float t = along - sqrt(inside);
                if (t > 0.0 && t < nearest) {
                    nearest = t;
                    hit = leaf;
                }
            }
        }
        ++node;
    }
    vec3 color = vec3(0.05, 0.06, 0.09);
    if (hit != 0u) {
        vec4 sphere = spheres[hit - 1u];
        vec3 n = (origin + ray * nearest - sphere.xyz) / sphere.w;
        uint h = hit * 2654435761u;
        vec3 albedo = vec3(float(h >> 24), float((h >> 16) & 255u), float((h >> 8) & 255u)) / 255.0;
        color = albedo * (0.2 + 0.8 * max(dot(n, normalize(vec3(-0.5, -0.7, -0.6))), 0.0));
    }
    pixels[at.y * push.size.x + at.x] = packUnorm4x8(vec4(sqrt(color), 1.0));
}
