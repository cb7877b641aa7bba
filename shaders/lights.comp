// Clustered shading: each 16x16 pixel cluster has a list of lights. The list is found through a value that every pixel
// loads for itself, so no compiler can know that a wave's lanes agree on the light's index, but at run time all waves
// do. The number of lights comes from a uniform buffer.
// A profile should show the loop uniform at 100 %, one bucket of trips, and (with value probes) an index on which all
// lanes agree in every wave: one test and one broadcast turn sixteen vector loads into scalar ones.
#version 450

struct Light {
    vec4 position_radius;
    vec4 color_power;
    vec4 direction_cone;
    vec4 attenuation;
};

layout(local_size_x = 8, local_size_y = 8) in;
layout(std430, set = 0, binding = 0) writeonly buffer Output { uint pixels[]; };
layout(std140, set = 0, binding = 1) uniform Scene { uint lights_per_cluster; float ambient; vec4 albedo; } scene;
layout(std430, set = 0, binding = 2) readonly buffer Lights { Light all_lights[]; };
layout(std430, set = 0, binding = 3) readonly buffer Lists { uint words[]; } lists; // cluster of each pixel, then lists
layout(push_constant) uniform Push { uvec2 size; uint first_list; } push;

void main()
{
    uvec2 at = gl_GlobalInvocationID.xy;
    if (any(greaterThanEqual(at, push.size)))
        return;
    uint pixel = at.y * push.size.x + at.x;
    uint list = push.first_list + lists.words[pixel] * scene.lights_per_cluster;
    vec3 p = vec3(vec2(at), 0.0);
    vec3 n = normalize(vec3(sin(p.x * 0.11) * 0.3, cos(p.y * 0.13) * 0.3, 1.0));
    vec3 color = scene.albedo.rgb * scene.ambient;
    for (uint i = 0u; i < scene.lights_per_cluster; ++i) {
        uint index = lists.words[list + i];
        Light light = all_lights[index];
        vec3 to_light = light.position_radius.xyz - p;
        float distance2 = dot(to_light, to_light);
        float range = clamp(1.0 - distance2 / (light.position_radius.w * light.position_radius.w), 0.0, 1.0);
        vec3 l = to_light * inversesqrt(distance2 + 0.0001);
        float cone = clamp((dot(-l, light.direction_cone.xyz) - light.direction_cone.w) * 4.0, 0.0, 1.0);
        float falloff = 1.0 / (light.attenuation.x + light.attenuation.y * distance2 * 0.0001 + light.attenuation.z);
        color += light.color_power.rgb * (light.color_power.w * max(dot(n, l), 0.0) * range * cone * falloff);
    }
    pixels[pixel] = packUnorm4x8(vec4(clamp(color, 0.0, 1.0), 1.0));
}
