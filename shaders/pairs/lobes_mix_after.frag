// MaterialX pull request 2483, "Optimizations to Standard Surface graph" (the same for OpenPBR: 2459).
// After: weights are multiplied into the leaf lobes, and mixes became sums, so that a lobe of weight 0 returns at once. All
// weights are still uniforms.
#version 450
#extension GL_GOOGLE_include_directive : require
#include "surface.glsl"

Lobe shade(Frame f)
{
    float inner = 1.0 - surface.transmission, under = 1.0 - surface.subsurface, dielectric = 1.0 - surface.metalness;
    Lobe diffuse = diffuse_lobe(f, under * inner * dielectric, surface.base_color * surface.base, surface.diffuse_roughness);
    float bleeding = surface.subsurface * inner * dielectric;
    Lobe translucent = translucent_lobe(f, bleeding * surface.thin_walled, surface.subsurface_color);
    Lobe scattered = subsurface_lobe(f, bleeding * (1.0 - surface.thin_walled), surface.subsurface_color, vec3(1.0, 0.5, 0.3));
    Lobe below = added(diffuse, added(scattered, translucent));
    Lobe sheen = layered(sheen_lobe(f, surface.sheen * inner * dielectric, surface.sheen_color, surface.sheen_roughness), below);
    Lobe through = transmission_lobe(f, surface.transmission * dielectric, surface.transmission_color, surface.specular_ior, surface.specular_roughness);
    Lobe glossy = layered(dielectric_lobe(f, surface.specular * dielectric, surface.specular_color, surface.specular_ior, surface.specular_roughness),
                          added(sheen, through));
    Lobe metal = conductor_lobe(f, surface.metalness, surface.base_color * surface.base, surface.metal_edge, surface.specular_roughness);
    Lobe body = added(glossy, metal);
    body.response *= mix(vec3(1.0), surface.coat_color, surface.coat);
    return layered(dielectric_lobe(f, surface.coat, vec3(1.0), surface.coat_ior, surface.coat_roughness), body);
}
